import { t } from '../core/l10n.js';
import { cleanId } from '../export/sharing/cleanId.js';
import { redactorFor } from '../export/sharing/sharingGate.js';
import type { SharingRules } from '../export/sharing/sharingPolicy.js';
import type { ReadRecord, Transcript } from '../ports/transcript.js';
import type { MarkedPrices } from '../search/columns/readSession.js';
import { restoreTexts } from '../store/read/restoreTexts.js';
import { readRecord } from '../store/format/readRecord.js';
import { refsOf } from '../store/format/spillRefs.js';
import type { ArchiveConnection, Parameter } from './archiveConnection.js';
import { ArchiveError } from './archiveError.js';
import { modeNamed, stricterMode, type ArchiveMode } from './archiveMode.js';
import { binaryArray, type ColumnType, type ColumnValue } from './binaryArray.js';
import { archiveKey, columnText, columnTextOr, SEPARATOR } from './archiveText.js';
import { ConversationFold, type RecordColumns, type ToldAbout } from './conversationFold.js';
import { RecordLines, type ArchivedLine, type TextBeside } from './recordLines.js';

/** So many records, or so many bytes of lines and texts, are sent at once. */
const BATCH_RECORDS = 1_000;
const BATCH_BYTES = 4_000_000;
/** A large text is stored in parts of so many bytes: engines that are distributed want small rows. */
const TEXT_PART = 1_000_000;
/** How many records are read at once. */
const PAGE = 500;

/** A conversation that may be pushed. */
export interface PushedConversation {
  readonly id: string;
  readonly about: ToldAbout;
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
interface Known {
  readonly records: number;
  /** Of how many records it knows what they come to. */
  readonly summed: number;
  readonly mode: ArchiveMode;
}

interface Sending {
  readonly lines: RecordLines;
  readonly fold: ConversationFold;
  /** Undefined where the archive has nothing of it. */
  readonly known: Known | undefined;
  readonly from: number;
  readonly to: number;
}

interface Batch {
  readonly from: number;
  readonly lines: ArchivedLine[];
  readonly columns: RecordColumns[];
  bytes: number;
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
    const { mode, rules } = options;
    this.#id = mode === 'full' ? conversation.id : cleanId(conversation.id, redactorFor(rules));
    this.#key = archiveKey(this.#id);
  }

  /** Pushes what the archive has not. Rejects with an ArchiveError, with errors of the transcript, and with the signal's reason. */
  async push(connection: ArchiveConnection): Promise<PushOutcome> {
    const { transcript } = this.#conversation;
    const known = await this.#known(connection);
    const { length } = transcript;
    const before = known?.records ?? 0;
    const mode = known ? stricterMode(known.mode, this.#options.mode) : this.#options.mode;
    const outcome = { records: before, redacted: 0, withheld: 0, added: 0, mode };
    if (known?.summed === before && before === length) return { kind: 'unchanged', ...outcome };
    if (before > length) return { kind: 'behind', ...outcome };
    const { lines, fold } = this.#stateFor(mode, before);
    if (before > 0) await this.#checkSame(connection, lines, before);
    await this.#look(lines, length);
    const told = { redacted: lines.redacted, withheld: lines.withheld };
    const added = await this.#send(connection, { lines, fold, known, from: before, to: length });
    return {
      kind: known ? (added > 0 ? 'grown' : 'unchanged') : 'new',
      ...{ added, mode, records: Math.max(before, length) },
      redacted: lines.redacted - told.redacted,
      withheld: lines.withheld - told.withheld,
    };
  }

  async #known(connection: ArchiveConnection): Promise<Known | undefined> {
    const { rows } = await connection.query(
      `SELECT c.records, c.mode, s.records AS summed FROM agent_logbook.conversations AS c
LEFT JOIN agent_logbook.summaries AS s ON s.conversation = c.conversation WHERE c.conversation = $1`,
      [this.#key],
    );
    const [row] = rows;
    return (
      row && {
        ...{ records: Number(row.records), summed: Number(row.summed ?? 0) },
        mode: modeNamed(row.mode) ?? 'facts',
      }
    );
  }

  /** What goes through the records; from the beginning where what was gone through did not arrive, or the mode is another. */
  #stateFor(
    mode: ArchiveMode,
    from: number,
  ): { readonly lines: RecordLines; readonly fold: ConversationFold } {
    const goesOn = this.#mode === mode && (this.#fold?.length ?? 0) <= from;
    if (!goesOn || !this.#lines || !this.#fold) {
      this.#lines = new RecordLines(mode, this.#key, this.#options.rules);
      this.#fold = new ConversationFold(this.#options.prices);
      this.#looked = 0;
      this.#mode = mode;
    }
    return { lines: this.#lines, fold: this.#fold };
  }

  /** Two conversations may have one id: what is there must be this one. */
  async #checkSame(connection: ArchiveConnection, lines: RecordLines, records: number): Promise<void> {
    if (this.#fold && this.#fold.length === records) return;
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

  async #look(lines: RecordLines, to: number): Promise<void> {
    if (!lines.isGated) return;
    for await (const [whole, position] of this.#records(this.#looked, to)) lines.look(whole, position);
    this.#looked = to;
  }

  async #begin(connection: ArchiveConnection, lines: RecordLines): Promise<void> {
    const { title, source, project } = this.#told(lines);
    const about = Buffer.from(JSON.stringify({ conversation: this.#id, title, source, project }));
    await connection.query(
      `INSERT INTO agent_logbook.conversations (conversation, project, source, mode, records, about, pushed_at)
VALUES ($1, $2, $3, $4, 0, $5, now()) ON CONFLICT (conversation) DO NOTHING`,
      [this.#key, columnTextOr(project), columnTextOr(source), this.#mode ?? 'facts', about],
    );
  }

  #told(lines: RecordLines): ToldAbout {
    const { title, source, project } = this.#conversation.about;
    return {
      title: this.#mode === 'facts' ? '' : lines.text(title),
      ...{ source, project: project === undefined ? undefined : lines.text(project) },
    };
  }

  /** Sends the records from one position up to another, and what all come to; gives how many were not there. */
  async #send(connection: ArchiveConnection, { lines, fold, known, from, to }: Sending): Promise<number> {
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
        if (begins) await this.#begin(connection, lines);
        const count = sent.lines.length === 0 ? 0 : await this.#store(connection, sent);
        if (isLast) await this.#sum(connection, lines, fold, isMixed);
        return count;
      });
      sending.catch(() => undefined);
    };
    for await (const [whole, position, raw] of this.#records(fold.length, to)) {
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
    onProgress?.(to, to);
    return added;
  }

  /** The records from one position up to another, whole; in the mode `full` with their lines, where these are at hand. */
  async *#records(
    from: number,
    to: number,
  ): AsyncGenerator<
    readonly [whole: ReadRecord, position: number, raw: ArchivedLine | undefined],
    void,
    undefined
  > {
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
    const { count } = await connection.query(INSERT_RECORDS, [
      this.#key,
      binaryArray(
        'bigint',
        lines.map((_, at) => from + at),
      ),
      ...columnsOf(lines, columns),
    ]);
    if (count < lines.length) await this.#checkIds(connection, from, lines, columns);
    for (const { texts } of lines)
      for (const { path, bytes } of texts) await this.#storeText(connection, path, bytes);
    await connection.query(
      `UPDATE agent_logbook.conversations SET records = $2, pushed_at = now() WHERE conversation = $1 AND records < $2`,
      [this.#key, from + lines.length],
    );
    return count;
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
      ...[this.#key, fold.length, beganAt, endedAt, agents, tools, models, roles, hasError],
      Buffer.from(JSON.stringify(entry)),
      // Where the first records tell more than is known here, they are asked themselves.
      ...(isMixed ? [null, null] : [facts, grams]),
    ];
    const { count } = await connection.query(INSERT_SUMMARY, values);
    if (count === 0) await connection.query(UPDATE_SUMMARY, values);
  }
}

/** The large texts of a record as they stand in their files. */
async function textsOf(record: ReadRecord, transcript: Transcript): Promise<readonly TextBeside[]> {
  const texts: TextBeside[] = [];
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

const SUMMED = [
  'records',
  'began_ms',
  'ended_ms',
  'agents',
  'tools',
  'models',
  'roles',
  'has_error',
  'entry',
  'facts',
  'grams',
];
const INSERT_SUMMARY = `INSERT INTO agent_logbook.summaries (conversation, ${SUMMED.join(', ')})
VALUES ($1, ${SUMMED.map((_, at) => `$${at + 2}`).join(', ')}) ON CONFLICT (conversation) DO NOTHING`;
/** By a statement of its own: to take over what was refused, one would need the right to read it. */
const UPDATE_SUMMARY = `UPDATE agent_logbook.summaries SET ${SUMMED.map((name, at) => `${name} = $${at + 2}`).join(', ')}
WHERE conversation = $1 AND records <= $2`;

/** A column of `records`: its name, its type on the way (a list is a text that the server takes apart), and its value. */
type Column = readonly [
  name: string,
  type: ColumnType | 'list',
  of: (columns: RecordColumns, line: ArchivedLine) => ColumnValue,
];

/** The columns of `records` behind conversation and position. */
const COLUMNS: readonly Column[] = [
  ['seq', 'bigint', ({ seq }) => seq],
  ['id', 'text', ({ id }) => id],
  ['type', 'text', ({ type }) => type],
  ['role', 'text', ({ role }) => role],
  ['agent', 'text', ({ agent }) => agent],
  ['run', 'text', ({ run }) => run],
  ['call', 'text', ({ call }) => call],
  ['parent_call', 'text', ({ parentCall }) => parentCall],
  ['depth', 'bigint', ({ depth }) => depth],
  ['time_ms', 'double precision', ({ time }) => time],
  ['tools', 'list', ({ tools }) => tools],
  ['model', 'text', ({ model }) => model],
  ['is_error', 'boolean', ({ isError }) => isError],
  ['duration_ms', 'double precision', ({ duration }) => duration],
  ['input_tokens', 'double precision', ({ input }) => input],
  ['output_tokens', 'double precision', ({ output }) => output],
  ['cost', 'double precision', ({ cost }) => cost],
  ['cost_known', 'text', ({ costKnown }) => costKnown],
  ['files', 'list', ({ files }) => files],
  ['programs', 'list', ({ programs }) => programs],
  ['mode', 'text', (_, { mode }) => mode],
  ['is_odd', 'boolean', ({ isOdd }) => isOdd],
  ['line', 'bytea', (_, { line }) => line],
];

function columnsOf(lines: readonly ArchivedLine[], columns: readonly RecordColumns[]): Parameter[] {
  return COLUMNS.map(([, type, take]) =>
    binaryArray(
      type === 'list' ? 'text' : type,
      lines.map((line, at) => {
        const record = columns[at];
        return record ? take(record, line) : null;
      }),
    ),
  );
}

const FIRST = 3;
const names = COLUMNS.map(([name]) => name).join(', ');
const taken = COLUMNS.map(([name, type]) =>
  type === 'list' ? `string_to_array(each.${name}, '${SEPARATOR}')` : `each.${name}`,
);
const given = COLUMNS.map(([, type], at) => `$${at + FIRST}::${type === 'list' ? 'text' : type}[]`);
const INSERT_RECORDS = `INSERT INTO agent_logbook.records (conversation, position, ${names})
SELECT $1, each.position, ${taken.join(', ')}
FROM unnest($2::bigint[], ${given.join(', ')}) AS each (position, ${names})
ON CONFLICT (conversation, position) DO NOTHING`;
