import type { FileOutcome, FileText, GuardedPath } from '../../../core/ports/workspaceFiles.js';
import type { Workspace } from './workspace.js';

/** The largest file that is edited, in bytes, because that happens in memory. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A place that may be written, and its content; `before` is undefined where no file exists. */
export interface WritableFile {
  readonly place: GuardedPath;
  readonly before: FileText | undefined;
}

/** Checks a path from a model for writing, and reads the current content. */
export async function openForWriting(
  workspace: Workspace,
  path: unknown,
): Promise<FileOutcome<WritableFile>> {
  const checked = await workspace.guard.resolve(typeof path === 'string' ? path : '');
  if (!checked.ok) return checked;
  const { place } = checked;
  if (place.kind === 'folder') {
    return { ok: false, why: 'refused', message: `'${place.relative || '.'}' is a folder.` };
  }
  const before = await workspace.files.read(place, MAX_FILE_BYTES);
  if (!before.ok) return before.why === 'absent' ? { ok: true, place, before: undefined } : before;
  return { ok: true, place, before };
}
