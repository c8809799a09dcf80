import { features } from '../../../app/features/features.js';
import { iconText, plain, wholeText, words } from '../../../app/text/plainText.js';
import { formatCount } from '../../../app/text/format.js';
import { chosen } from '../../../app/userError.js';
import type { Stores } from '../../../app/services/stores.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { inLanguage, message, t } from '../../../core/l10n.js';
import type { SuggestedRule, Suggestion } from '../../../agents/tools/rules/suggestRules.js';
import type { ApprovalLogRegistration } from '../approvals/approvalLogRegistration.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { exportApprovalLogs } from '../reading/exportApprovalLogs.js';
import { changeSetting, setting } from '../settings.js';
import { askInDialog, showInformation } from '../ui/notices.js';
import { choose, type Choice } from '../ui/pickers.js';
import { withProgress } from '../ui/progress.js';
import type { ConversationChoice } from './chooseConversation.js';

/** What the commands about approvals need. */
export interface ApprovalCommandsOptions {
  readonly stores: Stores;
  readonly choice: ConversationChoice;
  readonly panels: Pick<TranscriptPanels, 'open'>;
  readonly approvalLog: Pick<ApprovalLogRegistration, 'show'>;
}

/** The commands that show and export decisions, and that turn them into rules. */
export function approvalCommands(options: ApprovalCommandsOptions) {
  const { stores, choice, panels, approvalLog } = options;
  return {
    async showApprovals(argument?: unknown) {
      const { entry } = await choice.one(argument, t`Show Approvals`);
      panels.open(entry.conversation, { tab: 'approvals' });
    },
    async showAllApprovals() {
      await approvalLog.show();
    },
    async exportApprovals(argument?: unknown, selection?: unknown) {
      const title = t`Export Approvals`;
      const conversations =
        argument === undefined
          ? await chooseScope(stores, choice, title)
          : await choice.several(argument, selection, title);
      const formats = [
        { label: iconText('CSV', 'table'), format: 'csv' as const },
        { label: iconText('JSON', 'json'), format: 'json' as const },
      ];
      const { format } = chosen(await choose(formats, { title: plain(title), placeHolder: words`As what?` }));
      await exportApprovalLogs(conversations, format, {});
    },
    async suggestAllowRules() {
      await suggestRules(stores);
    },
  };
}

async function chooseScope(
  stores: Stores,
  choice: ConversationChoice,
  title: string,
): Promise<readonly StoredConversation[]> {
  const scopes = [
    { label: iconText(t`All transcripts of this window`, 'library'), isAll: true },
    { label: iconText(t`One transcript`, 'comment-discussion'), isAll: false },
  ];
  const { isAll } = chosen(await choose(scopes, { title: plain(title), placeHolder: words`Of what?` }));
  return isAll ? stores.conversations() : [await choice.one(undefined, title)];
}

interface RuleChoice extends Choice {
  readonly suggested: SuggestedRule;
}

/** How many conversations are read for suggestions, the newest first. */
const MAX_CONVERSATIONS = 200;

/** Suggests rules until the person leaves; each is taken by itself, after everything was shown that it lets through. */
async function suggestRules(stores: Stores): Promise<void> {
  const title = t`Suggest Allow Rules`;
  const { imported } = chosen(
    await choose(histories(), { title: plain(title), placeHolder: words`From which transcripts?` }),
  );
  const {
    isRuled,
    approvalLogsOf,
    pastCalls,
    readAllowRules,
    suggestRules: suggest,
  } = await features.approvals();
  const conversations = (await stores.conversations())
    .filter(({ entry }) => imported || entry.origin === undefined)
    .slice(0, MAX_CONVERSATIONS);
  const approvalLogs = await withProgress(words`Reading approvals`, (signal, report) =>
    approvalLogsOf(conversations, { wanted: isRuled, signal, report }),
  );
  const calls = pastCalls(approvalLogs, imported);
  for (;;) {
    const suggestion = suggest(calls, { rules: readAllowRules(setting('allowRules')).rules });
    const { rules, unanswerable } = suggestion;
    if (rules.length === 0) {
      const why = unanswerable > 0 ? t` ${formatCount(unanswerable, 'question')} must always be asked.` : '';
      void showInformation(words`No rule would spare you a question.${why}`);
      return;
    }
    const picked = await choose(rules.map(choiceOf), {
      title: plain(`${title}: ${summaryOf(suggestion)}`, 200),
      placeHolder: words`Each rule is taken by itself. Which one?`,
      matchOnDetail: true,
      // The page that had the focus before the first question may take it back only now.
      ignoreFocusOut: true,
    });
    if (!picked) return;
    if (await isAllowed(picked.suggested)) {
      await changeSetting('allowRules', [...setting('allowRules'), picked.suggested.rule]);
    }
  }
}

function histories() {
  return [
    {
      label: iconText(t`Your own runs`, 'account'),
      detail: iconText(t`What you approved and denied here`),
      imported: false,
    },
    {
      label: iconText(t`Your own runs and imported transcripts`, 'cloud-download'),
      detail: iconText(
        t`Anybody can write a transcript: include imports only if you trust where they come from`,
      ),
      imported: true,
    },
  ];
}

function summaryOf({ rules, answered, questions, isSmallest }: Suggestion): string {
  const size = isSmallest
    ? inLanguage(message`the fewest rules there are`)
    : inLanguage(message`few rules, maybe not the fewest`);
  return t`${formatCount(rules.length, 'rule')} for ${answered} of ${formatCount(questions, 'question')} (${size})`;
}

function choiceOf(suggested: SuggestedRule): RuleChoice {
  const { text, answers, others } = suggested;
  const more =
    others === 0 ? t`nothing else on record` : t`also ${formatCount(others, 'other call')} on record`;
  return {
    label: iconText(text, 'shield'),
    description: iconText(t`answers ${formatCount(answers, 'question')}`),
    detail: iconText(t`Lets through ${more}`),
    suggested,
  };
}

/** Shows all that is known of a rule before it is taken. */
async function isAllowed({ text, answers, others, examples }: SuggestedRule): Promise<boolean> {
  const shown = examples.map((example) => `  ${example}`).join('\n');
  const detail = [
    t`It would have answered ${formatCount(answers, 'question')} that you approved.`,
    others === 0
      ? t`Nothing else on record would have been let through.`
      : `${t`It would also have let through ${formatCount(others, 'call')} that you were not asked about, such as:`}\n${shown}`,
    t`What always asks still asks: what leaves the workspace, secrets, files that decide rights, changes that nobody has looked at.`,
  ].join('\n\n');
  const allow = t`Allow From Now On`;
  const pressed = await askInDialog({
    message: words`Allow ${text} without a question?`,
    detail: wholeText(detail),
    buttons: [allow],
  });
  return pressed === allow;
}
