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
 * Writes the large texts of a record to their files and gives the record that refers to them; the same record where
 * there are none. The files survive a power cut before the record is written. Throws the error of the file system.
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

/** Texts above this do not stay in their record: a line has to be read back whole. */
const MAX_INLINE = 16 * 1024 * 1024;

/**
 * As `spillLargeTexts`, but where the files cannot be written, the record stays as it is and `onFailure` is told.
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

/** Why the text behind a reference cannot be had. */
export type SpillFailure = 'elsewhere' | 'missing' | 'changed' | 'too large';

/** The exact text behind a reference of this conversation. Throws only where the file system does. */
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

/** The file name in a reference, if it leads into this conversation's own folder of spilled texts. */
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
