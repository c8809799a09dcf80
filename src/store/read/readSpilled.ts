import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { errorCode } from '../../core/errorCode.js';
import type { SpillRef } from '../../core/record.js';
import { findFolder, openPlainFile, READ, UnsafePathError } from '../../node/plainFile.js';
import { isEntryName } from '../files/safeFileName.js';
import { SPILL_FOLDERS, type ConversationPaths } from '../files/storePaths.js';
import { textOfSpill } from '../format/spillTexts.js';

/** Larger texts are not read back: V8 has no strings above 512 MiB. */
const MAX_SPILL_BYTES = 256 * 1024 * 1024;

/** Why the text behind a reference is not available. */
export type SpillFailure = 'elsewhere' | 'missing' | 'changed' | 'too large';

/** The exact text behind a reference of a conversation. Throws only errors of the file system. */
export async function readSpilled(
  paths: ConversationPaths,
  ref: Pick<SpillRef, 'path' | 'bytes' | 'sha256'>,
): Promise<{ readonly text: string } | { readonly failure: SpillFailure }> {
  const name = nameWithin(paths, ref.path);
  if (name === undefined) return { failure: 'elsewhere' };
  const bytes = await readBytes(paths, name);
  if (!Buffer.isBuffer(bytes)) return { failure: bytes };
  const same = bytes.length === ref.bytes && createHash('sha256').update(bytes).digest('hex') === ref.sha256;
  return same ? { text: textOfSpill(name, bytes) } : { failure: 'changed' };
}

/** The file name in a reference, if the path is in this conversation's own folder of spilled texts. */
function nameWithin(paths: ConversationPaths, path: string): string | undefined {
  const steps = path.split('/');
  const name = steps.pop() ?? '';
  const expected = [...SPILL_FOLDERS, paths.name];
  return steps.length === expected.length &&
    steps.every((step, at) => step === expected[at]) &&
    isEntryName(name)
    ? name
    : undefined;
}

async function readBytes(paths: ConversationPaths, name: string): Promise<Buffer | SpillFailure> {
  try {
    const folder = await findFolder(paths.root, ...SPILL_FOLDERS, paths.name);
    if (folder === undefined) return 'missing';
    const handle = await openPlainFile(join(folder, name), READ);
    try {
      if ((await handle.stat()).size > MAX_SPILL_BYTES) return 'too large';
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'missing';
    if (error instanceof UnsafePathError) return 'elsewhere';
    throw error;
  }
}
