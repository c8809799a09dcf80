import { allEnded } from '../core/allEnded.js';
import { t } from '../core/l10n.js';
import { cleanId } from '../export/sharing/finding.js';
import { redactorFor } from '../export/sharing/sharingGate.js';
import type { SharingRules } from '../export/sharing/sharingPolicy.js';
import type { ReadRecord, Transcript } from '../core/ports/transcript.js';
import type { SessionOrigin } from '../query/numbers/ownership.js';
import type { MarkedPrices } from '../search/columns/readSession.js';
import { restoreTexts } from '../store/read/restoredRecords.js';
import { readRecord } from '../store/format/readRecord.js';
import { refsOf } from '../store/format/spillTexts.js';
import type { ArchiveConnection } from './archiveConnection.js';
import { ArchiveError } from './archiveError.js';
import { modeNamed, stricterMode, type ArchiveMode } from './archiveMode.js';
import { binaryArray } from './binaryArray.js';
import { archiveKey, columnText, columnTextOr } from './archiveText.js';
import { ConversationFold, type RecordColumns, type ReportedFacts } from './conversationFold.js';
import { columnsOf, INSERT_RECORDS, INSERT_SUMMARY, UPDATE_SUMMARY } from './pushStatements.js';
import { RecordLines, type ArchivedLine, type SpilledText } from './recordLines.js';

/** So many records, or so many bytes of lines and texts, are sent at once. */
const BATCH_RECORDS = 1_000;
const BATCH_BYTES = 4_000_000;
/** A large text is stored in parts of so many bytes: engines that are distributed want small rows. */
const TEXT_PART = 1_000_000;
/** How many records are read at once. */
const PAGE = 500;
/** Records that take so much, in UTF-16 code units, are kept between the look through them and their lines. */
const KEPT_ROOM = 8_000_000;
/** About what a value takes besides its text, and what is known of a record besides its values. */
const VALUE_ROOM = 8;
const RECORD_ROOM = 200;

/** A conversation that may be pushed. */
export interface PushedConversation {
  readonly id: string;
  readonly about: ReportedFacts;
  /** May grow; not closed here. */
  readonly transcript: PushedTranscript;
}

/** A transcript that may have the lines of its records as they stand in its file. */
export interface PushedTranscript extends Transcript {
  /** The bytes of the lines from `start` up to, not including, `end`; undefined for those that are in no file yet. */
  readLines?(start: number, end: number): Promise<readonly (Buffer | undefined)[]>;
}

/** How conversations are pushed. */
export interface PushOptions {
  readonly mode: ArchiveMode;
  /** What is left out besides secrets, and what stays. */
  readonly rules: SharingRules;
  readonly prices: MarkedPrices;
  readonly signal: AbortSignal;
  /** Called with how many of its records are there now, and how many there will be. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

/** What came of pushing a conversation. */
export interface PushOutcome {
  /** `behind`: the archive has more of it than this machine. */
  readonly kind: 'new' | 'grown' | 'unchanged' | 'behind';
  /** How many records were sent that were not there. */
  readonly added: number;
  /** How many the archive has of it now. */
  readonly records: number;
  /** How many secrets were replaced in what was sent. */
  readonly redacted: number;
  /** Of how many records only the facts were sent, because their texts could not be cleaned. */
  readonly withheld: number;
  /** The mode in which it was pushed: that which was asked for, or a stricter one in which it had come before. */
  readonly mode: ArchiveMode;
}

/** What the archive knows of a conversation. */
export interface ArchivedState {
  readonly records: number;
  /** Of how many records it knows what they come to. */
  readonly summed: number;
  readonly mode: ArchiveMode;
}

/** A record with its large texts, its position, and its line where that is at hand. */
type Read = readonly [whole: ReadRecord, position: number, raw: ArchivedLine | undefined];

interface Sending {
  readonly lines: RecordLines;
  readonly fold: ConversationFold;
  /** Undefined where the archive has nothing of it. */
  readonly known: ArchivedState | undefined;
  /** The records behind those that `fold` has gone through; undefined where they are to be read. */
  readonly looked: readonly Read[] | undefined;
  readonly from: number;
  readonly to: number;
}

interface Batch {
  readonly from: number;
  readonly lines: ArchivedLine[];
  readonly columns: RecordColumns[];
  bytes: number;
}

/** Somebody else has begun the conversation since the archive was asked what it knows of it. */
class BegunElsewhere extends Error {
  override readonly name = 'BegunElsewhere';
}

/** The outcome for a conversation of which the archive has all. */
export function unchanged({ records, mode }: ArchivedState, options: PushOptions): PushOutcome {
  return {
    kind: 'unchanged',
    added: 0,
    records,
    redacted: 0,
    withheld: 0,
    mode: stricterMode(mode, options.mode),
  };
}

/** The id that a conversation has in the archive. */
function pushedId(id: string, { mode, rules }: PushOptions): string {
  return mode === 'full' ? id : cleanId(id, redactorFor(rules));
}

/** The key that a conversation has in the archive. */
export function pushedKey(id: string, options: PushOptions): string {
  return archiveKey(pushedId(id, options));
}

/** What the archive knows of some conversations, by their keys; nothing of those that it has not. */
export async function knownConversations(
  connection: ArchiveConnection,
  keys: readonly string[],
): Promise<ReadonlyMap<string, ArchivedState>> {
  const { rows } = await connection.query(
    `SELECT c.conversation, c.records, c.mode, s.records AS summed FROM agent_logbook.conversations AS c
LEFT JOIN agent_logbook.summaries AS s ON s.conversation = c.conversation WHERE c.conversation = ANY ($1::text[])`,
    [keys],
  );
  return new Map(
    rows.map(({ conversation, records, mode, summed }) => [
      String(conversation),
      {
        records: Number(records),
        summed: Number(summed ?? 0),
        mode: modeNamed(mode) ?? 'facts',
      },
    ]),
  );
}

/**
 * Pushes one conversation as far as it goes, again and again as it grows. It may break off anywhere, and others may push the
 * same one: the archive says how much it has, records come in order and each batch as a whole, and a record that is there
 * stays as it is.
 */
export class ConversationPush {
  readonly #conversation: PushedConversation;
  readonly #options: PushOptions;
  /** Its id as the archive has it: ids of some tools hold the name of a folder, or what somebody called a session. */
  readonly #id: string;
  readonly #key: string;
  #lines: RecordLines | undefined;
  #fold: ConversationFold | undefined;
  #mode: ArchiveMode | undefined;
  #looked = 0;

  constructor(conversation: PushedConversation, options: PushOptions) {
    this.#conversation = conversation;
    this.#options = options;
    this.#id = pushedId(conversation.id, options);
    this.#key = archiveKey(this.#id);
  }

  /**
   * Pushes what the archive has not. `asked`: what it knows of this conversation, for whoever has asked of many at once; null
   * for nothing. Rejects with an ArchiveError, with errors of the transcript, and with the signal's reason.
   */
  async push(connection: ArchiveConnection, asked?: ArchivedState | null): Promise<PushOutcome> {
    const known = asked === undefined ? await this.#known(connection) : (asked ?? undefined);
    try {
      return await this.#pushBehind(connection, known);
    } catch (error) {
      if (!(error instanceof BegunElsewhere)) throw error;
      // What it is to be told in may be another mode, and it may be another conversation: nothing that was gone through is there.
      this.#fold = undefined;
      const begun = await this.#known(connection);
      // It is there, but whoever pushes may not see it.
      if (!begun) throw this.#isAnother();
      return await this.#pushBehind(connection, begun);
    }
  }

  async #known(connection: ArchiveConnection): Promise<ArchivedState | undefined> {
    return (await knownConversations(connection, [this.#key])).get(this.#key);
  }

  async #pushBehind(connection: ArchiveConnection, known: ArchivedState | undefined): Promise<PushOutcome> {
    const { transcript } = this.#conversation;
    const { length } = transcript;
    const before = known?.records ?? 0;
    const mode = known ? stricterMode(known.mode, this.#options.mode) : this.#options.mode;
    if (known?.summed === before && before === length) return unchanged(known, this.#options);
    if (known && before > length) return { ...unchanged(known, this.#options), kind: 'behind' };
    const { lines, fold } = this.#stateFor(mode, before);
    if (before > 0) await this.#checkSame(connection, lines, before);
    const looked = await this.#look(lines, fold.length, length);
    const told = { redacted: lines.redacted, withheld: lines.withheld };
    const added = await this.#send(connection, { lines, fold, known, looked, from: before, to: length });
    return {
      kind: known ? (added > 0 ? 'grown' : 'unchanged') : 'new',
      added,
      mode,
      records: Math.max(before, length),
      redacted: lines.redacted - told.redacted,
      withheld: lines.withheld - told.withheld,
    };
  }

  /** What goes through the records; from the beginning where what was gone through did not arrive, or the mode is another. */
  #stateFor(
    mode: ArchiveMode,
    from: number,
  ): { readonly lines: RecordLines; readonly fold: ConversationFold } {
    const goesOn = this.#mode === mode && (this.#fold?.length ?? 0) <= from;
    if (!goesOn || !this.#lines || !this.#fold) {
      this.#lines = new RecordLines(mode, this.#key, this.#options.rules);
      this.#fold = new ConversationFold(this.#options.prices, this.#origin(mode));
      this.#looked = 0;
      this.#mode = mode;
    }
    return { lines: this.#lines, fold: this.#fold };
  }

  /** Two conversations may have one id: what is there must be this one. */
  async #checkSame(connection: ArchiveConnection, lines: RecordLines, records: number): Promise<void> {
    if (this.#fold?.length === records) return;
    const { transcript } = this.#conversation;
    const [last] = await transcript.read(records - 1, records);
    const { rows } = await connection.query(
      'SELECT seq, id FROM agent_logbook.records WHERE conversation = $1 AND position = $2',
      [this.#key, records - 1],
    );
    const [row] = rows;
    // Ids may hold what was replaced; the number of a record is the same in every mode.
    if (
      !last ||
      !row ||
      (row.seq !== null && row.seq !== last.seq) ||
      (!lines.isGated && row.id !== columnText(last.id))
    )
      throw this.#isAnother();
  }

  #isAnother(): ArchiveError {
    return new ArchiveError(
      t`The archive has another conversation with the id ${this.#conversation.id}: what is there differs from what is here. It was not changed.`,
      'differs',
    );
  }

  /**
   * Looks through the records up to a position, where that is needed. Gives those from `from` on where there are not many, so
   * that they need not be read again.
   */
  async #look(lines: RecordLines, from: number, to: number): Promise<readonly Read[] | undefined> {
    if (!lines.isGated) return undefined;
    let kept: Read[] | undefined = this.#looked <= from ? [] : undefined;
    let room = KEPT_ROOM;
    for await (const read of this.#records(this.#looked, to)) {
      const [whole, position] = read;
      lines.look(whole, position);
      if (!kept || position < from) continue;
      room -= RECORD_ROOM + roomOf(whole);
      if (room < 0) kept = undefined;
      kept?.push(read);
    }
    this.#looked = to;
    return kept;
  }

  /** Throws where somebody else has begun it since the archive was asked. */
  async #begin(connection: ArchiveConnection, lines: RecordLines, records: number): Promise<void> {
    const { title, source, project } = this.#told(lines);
    const about = Buffer.from(JSON.stringify({ conversation: this.#id, title, source, project }));
    const { count } = await connection.query(
      `INSERT INTO agent_logbook.conversations (conversation, project, source, mode, records, about, pushed_at)
VALUES ($1, $2, $3, $4, $5, $6, now()) ON CONFLICT (conversation) DO NOTHING`,
      [this.#key, columnTextOr(project), columnTextOr(source), this.#mode ?? 'facts', records, about],
    );
    if (count === 0) throw new BegunElsewhere();
  }

  /** By which its records are known again. */
  #origin(mode: ArchiveMode): SessionOrigin | undefined {
    const { source } = this.#conversation.about;
    return source === undefined ? undefined : { tool: source, session: this.#toolSession(mode) ?? this.#id };
  }

  /** The id that its tool gave it: some hold the name of a folder. */
  #toolSession(mode: ArchiveMode): string | undefined {
    const { session } = this.#conversation.about;
    if (session === undefined || mode === 'full') return session;
    return cleanId(session, redactorFor(this.#options.rules));
  }

  #told(lines: RecordLines): ReportedFacts {
    const { title, source, project } = this.#conversation.about;
    return {
      title: this.#mode === 'facts' ? '' : lines.text(title),
      source,
      project: project === undefined ? undefined : lines.text(project),
      session: this.#toolSession(this.#mode ?? 'facts'),
    };
  }

  /** Sends the records from one position up to another, and what all come to; gives how many were not there. */
  async #send(
    connection: ArchiveConnection,
    { lines, fold, known, looked, from, to }: Sending,
  ): Promise<number> {
    const { onProgress, signal } = this.#options;
    let added = 0;
    let sending: Promise<number> = Promise.resolve(0);
    let isBegun = known !== undefined;
    let batch: Batch = { from, lines: [], columns: [], bytes: 0 };
    const handOver = async (isLast: boolean) => {
      added += await sending;
      onProgress?.(batch.from, to);
      const [sent, begins] = [batch, !isBegun];
      isBegun = true;
      const isMixed = known !== undefined && known.mode !== this.#mode;
      // While the server stores this batch, the next one is made.
      sending = connection.transaction(async () => {
        const end = sent.from + sent.lines.length;
        const stored = sent.lines.length === 0 ? 0 : this.#store(connection, sent);
        const told = begins
          ? this.#begin(connection, lines, end)
          : end > sent.from && this.#reach(connection, end);
        const summed = isLast && this.#sum(connection, lines, fold, isMixed);
        // That somebody else has begun it comes before what differs: that may only be the mode.
        const [, count] = await allEnded([told, stored, summed]);
        return count;
      });
      sending.catch(() => undefined);
    };
    try {
      for await (const [whole, position, raw] of looked ?? this.#records(fold.length, to)) {
        signal.throwIfAborted();
        const line = raw ?? lines.lineOf(whole);
        const columns = fold.add(line);
        if (position < from) continue;
        batch.lines.push(line);
        batch.columns.push(columns);
        batch.bytes += line.texts.reduce((sum, { bytes }) => sum + bytes.length, line.line.length);
        if (batch.lines.length < BATCH_RECORDS && batch.bytes < BATCH_BYTES) continue;
        if (position + 1 === to) break;
        await handOver(false);
        batch = { from: position + 1, lines: [], columns: [], bytes: 0 };
      }
      await handOver(true);
      added += await sending;
    } finally {
      // Where reading fails, the next conversation must not come into the transaction of this one.
      await sending.catch(() => undefined);
    }
    onProgress?.(to, to);
    return added;
  }

  /** The records from one position up to another, whole; in the mode `full` with their lines, where these are at hand. */
  async *#records(from: number, to: number): AsyncGenerator<Read, void, undefined> {
    const { transcript } = this.#conversation;
    const { signal } = this.#options;
    const isRaw = this.#mode === 'full';
    for (let start = from; start < to; start += PAGE) {
      signal.throwIfAborted();
      const end = Math.min(start + PAGE, to);
      const lines = isRaw ? ((await transcript.readLines?.(start, end)) ?? []) : [];
      // Where all lines are at hand, nothing is read twice.
      const isWhole = lines.length === end - start && lines.every((line) => line !== undefined);
      const records = isWhole
        ? lines.map((line, at) => readRecord(line, transcript.conversation, start + at))
        : await transcript.read(start, end);
      for (const [at, record] of records.entries()) {
        const line = lines[at];
        if (refsOf(record).length === 0) {
          yield [record, start + at, line && { record, whole: record, line, mode: 'full', texts: [] }];
          continue;
        }
        const { record: whole } = await restoreTexts(record, transcript);
        const texts = line ? await textsOf(record, transcript) : [];
        yield [whole, start + at, line && { record, whole, line, mode: 'full', texts }];
      }
    }
  }

  /** Stores a batch; gives how many of its records were not there. */
  async #store(connection: ArchiveConnection, { from, lines, columns }: Batch): Promise<number> {
    const stored = connection.query(INSERT_RECORDS, [
      this.#key,
      binaryArray(
        'bigint',
        lines.map((_, at) => from + at),
      ),
      ...columnsOf(lines, columns),
    ]);
    const texts = lines.flatMap((line) =>
      line.texts.map(({ path, bytes }) => this.#storeText(connection, path, bytes)),
    );
    const [{ count }] = await allEnded([stored, ...texts]);
    if (count < lines.length) await this.#checkIds(connection, from, lines, columns);
    return count;
  }

  /** Tells the archive how many of the records it has. */
  async #reach(connection: ArchiveConnection, records: number): Promise<void> {
    await connection.query(
      `UPDATE agent_logbook.conversations SET records = $2, pushed_at = now() WHERE conversation = $1 AND records < $2`,
      [this.#key, records],
    );
  }

  /** Somebody else has pushed some of these: they must be the same. */
  async #checkIds(
    connection: ArchiveConnection,
    from: number,
    lines: readonly ArchivedLine[],
    columns: readonly RecordColumns[],
  ): Promise<void> {
    const { rows } = await connection.query(
      `SELECT position, seq, id FROM agent_logbook.records WHERE conversation = $1 AND position >= $2 AND position < $3`,
      [this.#key, from, from + lines.length],
    );
    const isSame = rows.every(({ position, seq, id }) => {
      const mine = columns[Number(position) - from];
      return mine?.seq === seq && (this.#mode !== 'full' || mine?.id === id);
    });
    if (!isSame || rows.length < lines.length) throw this.#isAnother();
  }

  async #storeText(connection: ArchiveConnection, path: string, bytes: Buffer): Promise<void> {
    // One after the other: all that is on its way at once is in memory once more, and has to arrive within the time of one statement.
    for (let part = 0; part * TEXT_PART < Math.max(1, bytes.length); part++)
      await connection.query(
        `INSERT INTO agent_logbook.texts (conversation, path, part, bytes) VALUES ($1, $2, $3, $4)
ON CONFLICT (conversation, path, part) DO NOTHING`,
        [this.#key, columnText(path), part, bytes.subarray(part * TEXT_PART, (part + 1) * TEXT_PART)],
      );
  }

  /** Tells the archive what the conversation comes to. `isMixed`: whether its first records came in another mode. */
  async #sum(
    connection: ArchiveConnection,
    lines: RecordLines,
    fold: ConversationFold,
    isMixed: boolean,
  ): Promise<void> {
    const { transcript } = this.#conversation;
    const { entry, beganAt, endedAt, agents, tools, models, roles, hasError, facts, grams } = fold.summary(
      this.#id,
      this.#told(lines),
      transcript.damaged.length,
    );
    const values = [
      this.#key,
      fold.length,
      beganAt,
      endedAt,
      agents,
      tools,
      models,
      roles,
      hasError,
      Buffer.from(JSON.stringify(entry)),
      // Where the first records tell more than is known here, they are asked themselves.
      ...(isMixed ? [null, null] : [facts, grams]),
    ];
    const { count } = await connection.query(INSERT_SUMMARY, values);
    if (count === 0) await connection.query(UPDATE_SUMMARY, values);
  }
}

/** About how much a value of JSON takes, in UTF-16 code units. */
function roomOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_ROOM + value.length;
  let room = VALUE_ROOM;
  if (typeof value !== 'object' || value === null) return room;
  if (Array.isArray(value)) for (const each of value) room += roomOf(each);
  else for (const [key, each] of Object.entries(value)) room += key.length + roomOf(each);
  return room;
}

/** The large texts of a record as they stand in their files. */
async function textsOf(record: ReadRecord, transcript: Transcript): Promise<readonly SpilledText[]> {
  const texts: SpilledText[] = [];
  for (const { path } of refsOf(record)) {
    const text = await transcript.readSpill(path);
    if (text !== undefined) texts.push({ path, bytes: textBytes(path, text) });
  }
  return texts;
}

/** See `textOfSpill`: what has no UTF-8 form is a text of JSON, as its name says. */
function textBytes(path: string, text: string): Buffer {
  return Buffer.from(path.endsWith('.escaped.json') ? JSON.stringify(text) : text);
}
