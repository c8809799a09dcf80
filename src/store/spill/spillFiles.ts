import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { LogRecord, SpillRef } from '../../core/record.js';
import { codeOf, findFolder, makeFolder, openPlainFile, READ, UnsafePathError } from '../plainFiles.js';
import { isEntryName } from '../safeFileName.js';
import { weightOf } from '../journal/recordWeight.js';
import { spilledTexts, textOfSpill, withoutSpilled } from './spillTexts.js';
import { SPILL_FOLDERS, type ConversationPaths } from '../storePaths.js';
import { makeRoot } from '../storeRoot.js';
import { writeWhole } from '../writeWhole.js';

/** Larger texts are not read back: V8 has no strings above 512 MiB. */
const MAX_SPILL_BYTES = 256 * 1024 * 1024;

/**
 * Writes the large texts of a record to files and gives the record that refers to them; the same record where there are
 * none. The files are durable when this resolves. Throws errors of the file system.
 */
export async function spillLargeTexts(record: LogRecord, paths: ConversationPaths): Promise<LogRecord> {
  if (record.type !== 'message') return record;
  const texts = spilledTexts(record, paths.name);
  if (texts.length === 0) return record;
  await makeRoot(paths.root);
  const folder = await makeFolder(paths.root, ...SPILL_FOLDERS, paths.name);
  for (const { name, bytes } of texts) await writeWhole(join(folder, name), bytes);
  return withoutSpilled(record, [...(record.spill ?? []), ...texts.map(({ ref }) => ref)]);
}

/** The longest text that may stay in its record, because a line is read back whole. */
const MAX_INLINE = 16 * 1024 * 1024;

/**
 * Like `spillLargeTexts`, but where the files cannot be written, gives the record unchanged and calls `onFailure`.
 * Throws only where the record is too large for that.
 */
export async function spillOrKeep(
  record: LogRecord,
  paths: ConversationPaths,
  onFailure: (error: unknown) => void,
): Promise<LogRecord> {
  try {
    return await spillLargeTexts(record, paths);
  } catch (error) {
    if (weightOf(record) > MAX_INLINE) throw error;
    onFailure(error);
    return record;
  }
}

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
    if (codeOf(error) === 'ENOENT') return 'missing';
    if (error instanceof UnsafePathError) return 'elsewhere';
    throw error;
  }
}
