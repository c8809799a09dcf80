import type { FileOutcome, FileText, GuardedPath } from '../../ports/workspaceFiles.js';
import type { Workspace } from './workspace.js';

/** Larger texts are not changed in memory. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A place that may be written, and what it holds now; `before` is undefined where nothing is there. */
export interface WritablePlace {
  readonly place: GuardedPath;
  readonly before: FileText | undefined;
}

/** Checks the path that a model gave for writing and reads what is there. */
export async function openForWriting(
  workspace: Workspace,
  path: unknown,
): Promise<FileOutcome<WritablePlace>> {
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
