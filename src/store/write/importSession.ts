import type { LogRecord, UnknownRecord } from '../../core/record.js';
import type { Log } from '../../core/ports/log.js';
import type { ConversationSource, ReadRecord } from '../../core/ports/transcript.js';
import type { CatalogRow } from '../catalog/catalogCache.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { batchesOf, importConversation, type ImportOptions } from './importConversation.js';
import { encodeLine, fingerprintOf } from '../format/lineFormat.js';
import { withTextsApart } from '../format/spillTexts.js';
import type { LineIndex } from '../read/lineIndex.js';
import { openLines } from '../read/openLines.js';
import { readSpans } from '../read/readSpans.js';

/** A session of another tool, as it was read from a file. */
export interface ImportedSession {
  readonly source: Omit<ConversationSource, 'version'>;
  /**
   * In order, as often as they are asked for; their seqs and conversations are replaced. The ids must be the same at each
   * reading of the file.
   */
  readonly records: RecordSequence;
}

/** Records of which each is held only while it is looked at, unless they are a list. */
export type RecordSequence = Iterable<LogRecord | UnknownRecord> & { readonly length: number };

/** How a session becomes a conversation. */
export type WriteOptions = Pick<ImportOptions, 'created' | 'signal' | 'source' | 'seals'>;

/** The records of a session, wherever they are: here, or on the thread that read its file. */
export interface SessionRecords {
  readonly length: number;
  /** The first time that one of them tells, in milliseconds since 1970; undefined where none does. */
  readonly begins: number | undefined;
  /** Compares them with a stored conversation. Rejects with errors of the file system. */
  compare(paths: ConversationPaths): Promise<Comparison>;
  /** Writes them as a new conversation; gives what `importConversation` gives, and rejects as it does. */
  write(paths: ConversationPaths, options: WriteOptions): Promise<CatalogRow | undefined>;
  /** Those behind the first `count`, numbered, a few at a time. */
  behind(
    count: number,
    conversation: string,
  ): Iterable<readonly LogRecord[]> | AsyncIterable<readonly LogRecord[]>;
}

/** How much of a session is handed over at once, as `weightOf` weighs it. */
const BATCH_WEIGHT = 256 * 1024;

/** The records of a session that are read here. */
export class RecordsHere implements SessionRecords {
  readonly #records: RecordSequence;
  readonly #log: Log;

  constructor(records: RecordSequence, log: Log) {
    this.#records = records;
    this.#log = log;
  }

  get length(): number {
    return this.#records.length;
  }

  get begins(): number | undefined {
    for (const { time } of this.#records) if (time > 0) return time;
    return undefined;
  }

  compare(paths: ConversationPaths): Promise<Comparison> {
    return compareSession(this.#records, paths, this.#log);
  }

  write(paths: ConversationPaths, options: WriteOptions): Promise<CatalogRow | undefined> {
    return importConversation(paths, numbered(this.#records, paths.id), { ...options, log: this.#log });
  }

  *behind(count: number, conversation: string): Generator<readonly LogRecord[]> {
    yield* batchesOf(numbered(this.#records, conversation, count), BATCH_WEIGHT);
  }
}

/**
 * What an import did. `new`: the session was not there. `unchanged`: all of it was there already. `grown`: what the file
 * has gained was added to the conversation. `changed`: the file had changed other than by growing; it was stored beside
 * the versions before; `reread`: the same where a newer reader makes other records of it. `namesake`: another session with the same id was there, with which it has nothing in common.
 */
export interface ImportOutcome {
  readonly kind: 'new' | 'unchanged' | 'grown' | 'changed' | 'reread' | 'namesake';
  /** The conversation that holds the session now. */
  readonly conversation: string;
  /** How many records were added. */
  readonly added: number;
}

/** The records of a session as they are stored: numbered, in their conversation. */
export function* numbered(records: RecordSequence, conversation: string, from = 0): Generator<LogRecord> {
  let seq = 0;
  for (const record of records) if (++seq > from) yield inConversation(record, conversation, seq);
}

/** Records behind as many others, as they are stored: numbered, in their conversation. */
export function* numberedFrom(
  records: Iterable<LogRecord | UnknownRecord>,
  conversation: string,
  behind: number,
): Generator<LogRecord> {
  let seq = behind;
  for (const record of records) yield inConversation(record, conversation, ++seq);
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
  records: RecordSequence,
  paths: ConversationPaths,
  log: Log,
): Promise<Comparison> {
  const { index } = await openLines(paths, log);
  const given = records[Symbol.iterator]();
  let next = given.next();
  let same = 0;
  let read: { readonly from: number; readonly records: readonly ReadRecord[] } = { from: 0, records: [] };
  for (let position = 0; position < index.size; position++) {
    if (
      !next.done &&
      isSame(inConversation(next.value, paths.id, position + 1), index, position, paths.name)
    ) {
      same++;
      next = given.next();
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
