import * as vscode from 'vscode';
import { commandName } from '../../../app/manifest.js';
import { retentionPlan } from '../../../app/services/retention.js';
import type { Stores } from '../../../app/services/stores.js';
import { formatCount } from '../../../app/text/format.js';
import { words } from '../../../app/text/plainText.js';
import { t } from '../../../core/l10n.js';
import { findOldRecordings, type OldRecordingsOptions } from '../capture/oldRecordings.js';
import { editorSettings } from '../settings.js';
import { showInformation } from '../ui/notices.js';

/** Offers to delete what the retention settings say: conversations, and recordings. */
export async function offerRetention(stores: Stores, recorded: OldRecordingsOptions): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  const doomed = await retentionPlan(stores, editorSettings);
  const recordings = await findOldRecordings(recorded);
  if (doomed.length + recordings.length === 0) return;
  const review = t`Review…`;
  const [count, noun] =
    doomed.length > 0 ? [doomed.length, 'conversation'] : [recordings.length, 'recording'];
  const verb = count === 1 ? 'is' : 'are';
  const offered = words`${formatCount(count, noun)} ${verb} older or larger than your retention settings allow. Nothing is deleted yet.`;
  if ((await showInformation(offered, review)) === review)
    await vscode.commands.executeCommand(commandName('applyRetention'));
}
