import { newConversationId } from '../../core/ids.js';
import type { LogRecord, UnknownRecord } from '../../core/record.js';
import type { Log } from '../../ports/log.js';
import type { ConversationSource, ReadRecord } from '../../ports/transcript.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { encodeLine, fingerprintOf } from '../format/lineFormat.js';
import { withTextsApart } from '../format/spillTexts.js';
import type { LineIndex } from '../read/lineIndex.js';
import { openLines } from '../read/openLines.js';
import { readSpans } from '../read/readSpans.js';

/** A session of another tool, as it was read from a file. */
export interface ImportedSession {
  readonly source: Omit<ConversationSource, 'version'>;
  /** In order; their seqs and conversations are replaced. The ids must be the same at each reading of the file. */
  readonly records: readonly (LogRecord | UnknownRecord)[];
}

/**
 * What an import did. `new`: the session was not there. `unchanged`: all of it was there already. `grown`: what the file
 * has gained was added to the conversation. `changed`: the file had changed other than by growing; it was stored beside
 * the versions before. `namesake`: another session with the same id was there, with which it has nothing in common.
 */
export interface ImportOutcome {
  readonly kind: 'new' | 'unchanged' | 'grown' | 'changed' | 'namesake';
  /** The conversation that holds the session now. */
  readonly conversation: string;
  /** How many records were added. */
  readonly added: number;
}

/** A new id for an imported conversation, by the first time that it tells, or by the current one where it tells none. */
export function conversationIdFor({ records }: ImportedSession, now: number): string {
  return newConversationId(records.find(({ time }) => time > 0)?.time ?? now);
}

/** The records of a session as they are stored: numbered, in their conversation. */
export function* numbered(
  { records }: ImportedSession,
  conversation: string,
  from = 0,
): Generator<LogRecord> {
  for (const [at, record] of records.slice(from).entries())
    yield inConversation(record, conversation, from + at + 1);
}

/** The keys stand in the order of every line, so that the same record gives the same bytes. */
function inConversation(record: LogRecord | UnknownRecord, conversation: string, seq: number): LogRecord {
  const { id, time } = record;
  return Object.assign({ seq, id, time, conversation }, record, { seq, conversation }) as LogRecord;
}

/** How a session compares with what is stored of it. */
export interface Comparison {
  /** How many records are the same from the first on. */
  readonly same: number;
  /**
   * Whether these are all that imports have stored; further ones are of this program: renamings, and runs that continued
   * it.
   */
  readonly isAll: boolean;
}

/** The ids of this program's own records; those of imports are counted. */
const OWN_ID = /^m_[0-9a-f]{32}$/;
/** How many records are read at once where the two differ. */
const READ_AT_ONCE = 256;

/** Compares a session with a stored conversation, reading from the disk only where they differ. */
export async function compareSession(
  session: ImportedSession,
  paths: ConversationPaths,
  log: Log,
): Promise<Comparison> {
  const { index } = await openLines(paths, log);
  let same = 0;
  let read: { readonly from: number; readonly records: readonly ReadRecord[] } = { from: 0, records: [] };
  for (let position = 0; position < index.size; position++) {
    const next = session.records[same];
    if (next && isSame(inConversation(next, paths.id, position + 1), index, position, paths.name)) {
      same++;
      continue;
    }
    if (position >= read.from + read.records.length) {
      const to = Math.min(index.size, position + READ_AT_ONCE);
      read = { from: position, records: await readSpans(paths, index, position, to) };
    }
    const record = read.records[position - read.from];
    if (!record || !OWN_ID.test(record.id)) return { same, isAll: false };
  }
  return { same, isAll: true };
}

function isSame(record: LogRecord, index: LineIndex, position: number, name: string): boolean {
  const { length, fingerprint } = index.mark(position);
  const line = encodeLine(withTextsApart(record, name).record);
  return line.length === length && fingerprintOf(line, 'right') === fingerprint;
}
