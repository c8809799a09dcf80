import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileHandle } from 'node:fs/promises';
import type { SegmentState } from './journalLines.js';
import { checkLine, MAX_LINE_BYTES, parseLine } from './lineFormat.js';
import { APPEND, makeFolder, openPlainFile } from './plainFiles.js';
import { names, type ConversationPaths } from './storePaths.js';
import { writeWhole } from './writeWhole.js';

/** What was done to the end of a journal's file; undefined where it ended in a newline. */
export type Repair =
  | { readonly kind: 'newline' }
  | { readonly kind: 'quarantined'; readonly bytes: number; readonly path: string };

/**
 * Makes a file end in a newline: a whole last record gets the newline that it lacks, the bytes of a torn one are
 * moved to the folder `quarantine`. A file in which nothing is left is removed. Only the holder of the lock may do this.
 */
export async function repairTail(paths: ConversationPaths, state: SegmentState): Promise<Repair | undefined> {
  if (state.rest === 0) return undefined;
  const path = paths.segment(state.segment);
  const handle = await openPlainFile(path, APPEND);
  try {
    const tail = await readTail(handle, state);
    if (tail.length === state.rest && isWholeRecord(tail, state)) {
      await handle.write('\n');
      await handle.sync();
      return { kind: 'newline' };
    }
    const folder = await makeFolder(paths.root, names.conversations, paths.name, names.quarantine);
    const kept = join(folder, `torn-${state.segment + 1}-${state.covered}.bin`);
    await writeWhole(kept, tail);
    await handle.truncate(state.covered);
    await handle.sync();
    if (state.covered === 0) await unlink(path);
    return { kind: 'quarantined', bytes: state.rest, path: kept };
  } finally {
    await handle.close();
  }
}

/** A torn record that is larger than any that can be read is not kept whole. */
async function readTail(handle: FileHandle, { covered, rest }: SegmentState): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.min(rest, MAX_LINE_BYTES));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, covered);
  return buffer.subarray(0, bytesRead);
}

function isWholeRecord(tail: Buffer, { header }: SegmentState): boolean {
  const check = checkLine(tail);
  if (check !== 'absent') return check === 'right';
  return !header?.checked && !('why' in parseLine(tail));
}
