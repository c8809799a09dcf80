import { closeSync, readSync } from 'node:fs';
import { errorCode } from '../../core/errorCode.js';
import { openPlainFileSync } from '../../node/plainFile.js';
import { readRoom, ROOM_BYTES } from '../../node/readRoom.js';
import type { ConversationPaths } from '../files/storePaths.js';
import type { LineIndex } from './lineIndex.js';
import type { LineRun } from './readSpans.js';

/** What stands between two lines is read with them up to so many bytes, because a further call would take longer. */
const NEAR_BYTES = 32 * 1024;

/**
 * Gives the lines at ascending positions, some at a time, with their positions; their bytes are valid only until `take`
 * returns. Waits for its files: for threads that may. Throws errors of the file system.
 */
export function eachRunAt(
  paths: ConversationPaths,
  index: LineIndex,
  positions: readonly number[],
  take: (run: LineRun, at: readonly number[]) => void,
): void {
  let open: { readonly segment: number; readonly file: number | undefined } | undefined;
  const close = () => {
    if (open?.file !== undefined) closeSync(open.file);
    open = undefined;
  };
  try {
    for (let from = 0; from < positions.length;) {
      const first = index.span(positions[from] ?? 0);
      const to = endOfRun(index, positions, from);
      const at = positions.slice(from, to);
      const spans = at.map((position) => {
        const { start, length } = index.span(position);
        return { from: start - first.start, to: start - first.start + length };
      });
      if (open?.segment !== first.segment) {
        close();
        open = { segment: first.segment, file: openIfThere(paths.segment(first.segment)) };
      }
      const bytes = spans.at(-1)?.to ?? 0;
      take({ first: at[0] ?? 0, bytes: readAt(open.file, first.start, readRoom(bytes)), spans }, at);
      from = to;
    }
  } finally {
    close();
  }
}

/** Where the positions end whose lines are read at once with the first. */
function endOfRun(index: LineIndex, positions: readonly number[], from: number): number {
  const first = index.span(positions[from] ?? 0);
  let end = first.start + first.length;
  let next = from + 1;
  for (; next < positions.length; next++) {
    const { segment, start, length } = index.span(positions[next] ?? 0);
    if (segment !== first.segment || start < end || start - end > NEAR_BYTES) break;
    // A line that is longer than the room is read alone.
    if (start + length - first.start > ROOM_BYTES) break;
    end = start + length;
  }
  return next;
}

function openIfThere(path: string): number | undefined {
  try {
    return openPlainFileSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads bytes at an offset; fewer where the file ends early. */
function readAt(file: number | undefined, start: number, into: Buffer): Buffer {
  let filled = 0;
  while (file !== undefined && filled < into.length) {
    const read = readSync(file, into, filled, into.length - filled, start + filled);
    if (read === 0) break;
    filled += read;
  }
  return into.subarray(0, filled);
}
