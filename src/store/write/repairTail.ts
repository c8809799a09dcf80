import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileHandle } from 'node:fs/promises';
import type { SegmentState } from '../read/journalLines.js';
import { MAX_LINE_BYTES } from '../format/lineFormat.js';
import { APPEND, makeFolder, openPlainFile } from '../../node/plainFile.js';
import { names, type ConversationPaths } from '../files/storePaths.js';
import { writeAtomically } from '../../node/atomicFile.js';

/** What was done to the end of a journal file; undefined where it ended in a newline. */
export type Repair =
  | { readonly kind: 'newline' }
  | { readonly kind: 'quarantined'; readonly bytes: number; readonly path: string };

/**
 * Makes a file end in a newline: a complete last record, or a line from which complete ones can be salvaged, gets the
 * missing newline; the bytes of a truncated one are moved to the folder `quarantine`. A file that is then empty is removed.
 * Only the holder of the lock may do this.
 */
export async function repairTail(paths: ConversationPaths, state: SegmentState): Promise<Repair | undefined> {
  const path = paths.segment(state.segment);
  const handle = await openPlainFile(path, APPEND);
  try {
    const { size } = await handle.stat();
    if (size === 0) {
      await unlink(path);
      return undefined;
    }
    if ((await lastByte(handle, size)) === NEWLINE) return undefined;
    // What is too large to be loaded stays where it is: as a line of its own it does no harm.
    if (state.covered > 0 && (state.rest === 0 || state.rest > MAX_LINE_BYTES)) {
      await handle.write('\n');
      await handle.sync();
      return { kind: 'newline' };
    }
    const kept = await quarantine(paths, state, handle);
    await handle.truncate(state.covered);
    await handle.sync();
    if (state.covered === 0) await unlink(path);
    return { kind: 'quarantined', bytes: state.rest, path: kept };
  } finally {
    await handle.close();
  }
}

const NEWLINE = 0x0a;

async function lastByte(handle: FileHandle, size: number): Promise<number | undefined> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0];
}

async function quarantine(
  paths: ConversationPaths,
  { segment, covered, rest }: SegmentState,
  handle: FileHandle,
): Promise<string> {
  const folder = await makeFolder(paths.root, names.conversations, paths.name, names.quarantine);
  const path = join(folder, `truncated-${segment + 1}-${covered}.bin`);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(rest), 0, rest, covered);
  await writeAtomically(path, buffer.subarray(0, bytesRead));
  return path;
}
