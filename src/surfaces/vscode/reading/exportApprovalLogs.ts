import type { PositionsOf } from '../../../app/approvals/approvalLogs.js';
import { features } from '../../../app/features/features.js';
import { formatCount } from '../../../app/text/format.js';
import { words } from '../../../app/text/plainText.js';
import { UserError } from '../../../app/userError.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import type { ApprovalLogFilter } from '../../../query/numbers/approvalLog.js';
import { t } from '../../../core/l10n.js';
import { isAsked } from '../../../export/sharing/finding.js';
import { sharedWords } from '../../../app/transcripts/leftOutWords.js';
import { sharingPolicyOf } from '../../../app/sharing/sharingSettings.js';
import { editorSettings, setting } from '../settings.js';
import { showInformation } from '../ui/notices.js';
import { reviewSharing, type SharedThing } from './sharingReview.js';
import { withProgress } from '../ui/progress.js';
import { showText } from '../ui/clipboard.js';

/** Opens the decisions of conversations that a filter chooses, or those at `positions`, as a text; tells how many there are. */
export async function exportApprovalLogs(
  conversations: readonly StoredConversation[],
  format: 'csv' | 'json',
  filter: ApprovalLogFilter,
  positions?: PositionsOf,
): Promise<void> {
  const { approvalLogGate, approvalLogsOf, approvalLogText } = await features.approvals();
  const { sharingRules } = await features.redaction();
  const rules = await sharingRules(sharingPolicyOf(editorSettings));
  const made = await withProgress(words`Reading approvals`, async (signal, report) => {
    const approvalLogs = await approvalLogsOf(conversations, { filter, positions, signal, report });
    const gate = setting('export.redactSecrets') ? approvalLogGate(approvalLogs, rules) : null;
    if (gate && isAsked(setting('sharing.review'), gate.findings)) {
      report(words`waiting for your review`);
      gate.decide(await reviewSharing(gate.findings, sharedThing(conversations)));
    }
    return approvalLogText(approvalLogs, format, gate);
  });
  if (made.decisions === 0) throw new UserError(t`No decision about a tool call is recorded there.`);
  await showText(made.text, format);
  void showInformation(words`${formatCount(made.decisions, 'decision')}${sharedWords(made)}.`);
}

/** What is looked over; of several conversations, nobody can be led to the place of a value. */
function sharedThing(conversations: readonly StoredConversation[]): SharedThing {
  const [only, ...others] = conversations;
  if (!only || others.length > 0)
    return { title: t`approvals of ${formatCount(conversations.length, 'transcript')}` };
  return { title: only.entry.title, conversation: only.entry.conversation };
}
