import { relative } from 'node:path';
import type { UnreviewedFile } from './files/seenFiles.js';

/** How much of all changes is shown in one approval, in UTF-16 code units; every file is named in any case. */
const MAX_SHOWN = 60_000;
/** As many files stand in the reason; the rest is counted. */
const MAX_NAMED = 3;

/** Why a command that runs code of the project must be asked about; undefined where no change waits for a person. */
export function unreviewedReason(files: readonly UnreviewedFile[], root: string): string | undefined {
  if (files.length === 0) return undefined;
  const named = files.slice(0, MAX_NAMED).map(({ path }) => `'${relative(root, path)}'`);
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more files` : '';
  return `it runs code of the project, and nobody has yet looked at what agents changed: ${named.join(', ')}${more}`;
}

/** The changes themselves, for the subject of the approval; empty where there are none. */
export function unreviewedText(files: readonly UnreviewedFile[], root: string): string {
  if (files.length === 0) return '';
  const parts = ['\n\nWhat agents have changed and nobody has looked at yet:'];
  let left = MAX_SHOWN;
  for (const { path, changes } of files) {
    const text = changes.join('\n');
    const shown = text.slice(0, left);
    left -= shown.length;
    const rest = text.length - shown.length;
    parts.push(
      `${relative(root, path)}\n${shown}${rest > 0 ? `\n(${rest} more characters are not shown)` : ''}`,
    );
  }
  return parts.join('\n\n');
}
