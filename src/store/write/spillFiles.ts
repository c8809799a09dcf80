import { join } from 'node:path';
import type { LogRecord } from '../../core/record.js';
import { writeAtomically } from '../../node/atomicFile.js';
import { makeFolder } from '../../node/plainFile.js';
import { weightOf } from '../format/recordWeight.js';
import { withTextsApart } from '../format/spillTexts.js';
import { SPILL_FOLDERS, type ConversationPaths } from '../files/storePaths.js';
import { makeRoot } from '../files/storeRoot.js';

/**
 * Writes the large texts of a record to files and gives the record that refers to them; the same record where there are
 * none. The files are durable when this resolves. Throws errors of the file system.
 */
export async function spillLargeTexts(record: LogRecord, paths: ConversationPaths): Promise<LogRecord> {
  const { record: cut, texts } = withTextsApart(record, paths.name);
  if (texts.length === 0) return record;
  await makeRoot(paths.root);
  const folder = await makeFolder(paths.root, ...SPILL_FOLDERS, paths.name);
  for (const { name, bytes } of texts) await writeAtomically(join(folder, name), bytes);
  return cut;
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
