import * as vscode from 'vscode';
import type { CaptureService } from '../../../app/services/captureService.js';
import { binRecordings, oldRecordings } from '../../../app/capture/oldRecordings.js';
import type { Recording } from '../../../app/capture/recordings.js';
import { formatCount } from '../../../app/text/format.js';
import { plainLines, words } from '../../../app/text/plainText.js';
import type { ShownFiles } from '../../../app/services/shownFiles.js';
import { UserError } from '../../../app/userError.js';
import { t } from '../../../core/l10n.js';
import { messageOf } from '../../../core/text.js';
import { editorSettings } from '../settings.js';
import { confirm } from '../ui/notices.js';

/** What must be known to judge recordings. */
export interface OldRecordingsOptions {
  readonly capture: CaptureService;
  readonly shown: ShownFiles;
}

/** The recordings that the settings keep no longer; none that is looked at in this window. */
export async function findOldRecordings({
  capture,
  shown,
}: OldRecordingsOptions): Promise<readonly Recording[]> {
  const keepDays = editorSettings.get('capture.keepDays');
  if (keepDays <= 0) return [];
  const isOpen = isOpenIn(shown);
  return oldRecordings(await capture.recordings(), { keepDays, now: Date.now(), isOpen });
}

/** Asks whether recordings are to go, and puts them into the bin of the system, from which they come back. */
export async function binIfMeant(doomed: readonly Recording[], shown: ShownFiles): Promise<void> {
  const keepDays = editorSettings.get('capture.keepDays');
  const detail = t`They were last written to more than ${formatCount(keepDays, 'day')} ago (setting capture.keepDays). From the bin of your system they can be put back.`;
  const question = words`Move ${formatCount(doomed.length, 'recording')} to the bin?`;
  if (!(await confirm(question, plainLines(detail), t`Move to Bin`))) return;
  const failed = await binRecordings(doomed, isOpenIn(shown), async (path) =>
    vscode.workspace.fs.delete(vscode.Uri.file(path), { useTrash: true }),
  );
  const [why] = failed.values();
  if (failed.size > 0)
    throw new UserError(
      t`Not moved, because this machine's bin did not take it: ${formatCount(failed.size, 'recording')}. ${messageOf(why)}`,
    );
}

const isOpenIn = (shown: ShownFiles) => (path: string) => shown.reportAt(path) !== undefined;
