import type * as vscode from 'vscode';
import { features } from '../../../app/features/features.js';
import { limitSetting, runLimits } from '../../../app/ports/runLimits.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { plain, words } from '../../../app/text/plainText.js';
import { withTranscript } from '../../../app/transcripts/withTranscript.js';
import { t } from '../../../core/l10n.js';
import type { AgentLibrary } from '../agentLibrary.js';
import type { ConversationChoice } from '../commands/chooseConversation.js';
import { editorSettings, setting } from '../settings.js';
import { showInformation, showWarning } from '../ui/notices.js';
import { withProgress } from '../ui/progress.js';
import { openText, openTexts } from './changeViews.js';

/** So much of the title, and of the sentence, stands in a notice, in code points; the report has all of it. */
const MAX_TITLE = 60;
const MAX_SENTENCE = 300;

/** What is needed to run a conversation again. */
export interface ReplayCommandOptions {
  readonly context: vscode.ExtensionContext;
  readonly choice: ConversationChoice;
  readonly library: Pick<AgentLibrary, 'agents'>;
}

/** The command that runs a recorded conversation again. */
export function replayCommands(options: ReplayCommandOptions) {
  return {
    async replayRun(argument?: unknown) {
      await replayConversation(options, await options.choice.one(argument, t`Replay Run`));
    },
  };
}

/** Runs a conversation again with its record as the answers, and shows what came of it. */
async function replayConversation(
  { context, library }: ReplayCommandOptions,
  { store, entry }: StoredConversation,
): Promise<void> {
  const { describedTools, replayMarkdown, replayRun, replaySentence } = await features.comparing();
  const { loadUsablePrices } = await features.pricing();
  const prices = await loadUsablePrices(setting('prices.file'));
  const limits = { ...runLimits(editorSettings), maxDepth: limitSetting(editorSettings, 'limits.maxDepth') };
  const agents = await library.agents();
  const result = await withProgress(words`Replaying ${plain(entry.title, MAX_TITLE)}`, (signal) =>
    withTranscript(store, entry.conversation, (transcript) =>
      replayRun(transcript, {
        agents,
        tools: describedTools(),
        limits,
        prices,
        openOrigin: (conversation) => store.openTranscript(conversation),
        signal,
      }),
    ),
  );
  const { departure } = result;
  const sentence = words`${plain(replaySentence(result), MAX_SENTENCE)}`;
  const report = t`Show Report`;
  if (departure) await openTexts(context, departureTitle(departure), departure.expected, departure.asked);
  const asked = departure ? showWarning(sentence, report) : showInformation(sentence, report);
  // Whoever asked is not kept waiting for a notice.
  void asked.then((answer) =>
    answer === report ? openText(context, 'replay.md', replayMarkdown(result)) : undefined,
  );
}

function departureTitle({ step, agent }: { readonly step: number; readonly agent: string }): string {
  return t`Step ${step}, ${agent}: Expected and Asked`;
}
