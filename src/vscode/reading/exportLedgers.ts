import type { PositionsOf } from '../../app/approvals/ledgers.js';
import { features } from '../../app/features/features.js';
import { formatCount } from '../../app/text/format.js';
import { words } from '../../app/text/plainText.js';
import { UserError } from '../../app/userError.js';
import type { StoredConversation } from '../../app/stores/storedConversation.js';
import type { LedgerFilter } from '../../analysis/ledger.js';
import { t } from '../../core/l10n.js';
import { sharingPolicyOf } from '../../app/sharing/sharingSettings.js';
import { editorSettings, setting } from '../settings.js';
import { showInformation } from '../surfaces/notices.js';
import { withProgress } from '../surfaces/progress.js';
import { showText } from '../surfaces/showText.js';

/** Opens the decisions of conversations that a filter chooses, or those at `positions`, as a text; tells how many there are. */
export async function exportLedgers(
  conversations: readonly StoredConversation[],
  format: 'csv' | 'json',
  filter: LedgerFilter,
  positions?: PositionsOf,
): Promise<void> {
  const { ledgersOf, ledgerText } = await features.approvals();
  const { redactorFor, sharingRules } = await features.redaction();
  const redactor = redactorFor(await sharingRules(sharingPolicyOf(editorSettings)));
  const made = await withProgress(words`Reading approvals`, async (signal, report) =>
    ledgerText(await ledgersOf(conversations, { filter, positions, signal, report }), format, {
      ...{ redact: setting('export.redactSecrets'), redactor },
    }),
  );
  if (made.decisions === 0) throw new UserError(t`No decision about a tool call is recorded there.`);
  await showText(made.text, format);
  const left = made.redacted > 0 ? t` ${formatCount(made.redacted, 'secret')} left out.` : '';
  void showInformation(words`${formatCount(made.decisions, 'decision')}.${left}`);
}
