import type { LogRecord } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../ports/log.js';
import { encodeBatch } from './journalBatch.js';
import { encodeHeader } from '../format/journalHeader.js';
import { segmentsIn } from '../read/journalLines.js';
import { readLegacy } from '../format/legacyFormat.js';
import { spillOrKeep } from './spillFiles.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { writeAtomically } from '../../node/atomicFile.js';

/**
 * Creates a journal for a conversation of the older layout, completely or not at all, so that it can be continued; the
 * older file stays. Does nothing where there is a journal already. Throws where the older file cannot be read.
 */
export async function convertLegacy(paths: ConversationPaths, log: Log): Promise<void> {
  if ((await segmentsIn(paths)).length > 0) return;
  const older = await readLegacy(paths);
  if (!older) return;
  if ('why' in older) throw new Error(`messages.json cannot be read: ${older.why}`);
  const records: LogRecord[] = [];
  for (const record of older.records) {
    records.push(
      await spillOrKeep(record as LogRecord, paths, (error) =>
        log.warn(`A large text stays in its record: ${messageOf(error)}`),
      ),
    );
  }
  const header = encodeHeader(paths.id, older.records[0]?.time ?? 0, 0);
  await writeAtomically(paths.segment(0), Buffer.concat([header, encodeBatch(records, log).bytes]));
}
