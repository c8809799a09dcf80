import { mkdir, open, rename, rm, rmdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { messageOf } from '../../core/text.js';
import type { Prices } from '../../core/ports/prices.js';
import type { ExportReport } from '../exportFormat.js';
import { cleanId, isAsked, type Asks, type Finding } from '../sharing/finding.js';
import { SharingGate } from '../sharing/sharingGate.js';
import {
  sharingRules,
  type Decision,
  type SharingPolicy,
  type SharingRules,
} from '../sharing/sharingPolicy.js';
import { ParquetTable } from './parquetTable.js';
import { SessionRows } from './sessionRows.js';
import { TABLE_NAMES, type TableName, type TableRow } from './tableColumns.js';

/** A session whose rows are to be written. */
export interface TableSession {
  /** Its id: what rows of different tables are joined by. */
  readonly session: string;
  readonly title?: string | undefined;
  /** The tool that recorded it, and the project that its agents worked in, where these are known. */
  readonly source?: string | undefined;
  readonly project?: string | undefined;
  /** How many places in its journal cannot be read. */
  readonly damaged?: number | undefined;
  /** Its records or bare messages, in order. */
  readonly records: Iterable<unknown> | AsyncIterable<unknown>;
  /**
   * Gives everything that was said in it, to be looked through before anything is written; absent: `records`, where they are a list.
   * Where neither can be, what is left out has no numbers, and a value is found only where something gives it away.
   */
  readonly whole?: (() => Iterable<unknown> | AsyncIterable<unknown>) | undefined;
}

/** What was found in a session, for a person who decides about it. */
export interface TablesFindings {
  readonly session: string;
  readonly title: string | undefined;
  readonly findings: readonly Finding[];
}

/** What a person has decided, value by value. */
export type Decided = readonly (readonly [value: string, decision: Decision])[];

/** The progress of an export of tables. */
export interface TablesProgress {
  /** How many sessions are done. */
  readonly sessions: number;
  /** How many records were read. */
  readonly records: number;
}

/** How to export tables. */
export interface ExportTablesOptions {
  /** Whether secrets are replaced; on by default. */
  readonly redact?: boolean | undefined;
  /** What a person has settled about what is left out. */
  readonly sharing?: SharingPolicy | undefined;
  /** When `review` is asked; never by default. */
  readonly asks?: Asks | undefined;
  /** Lets a person decide about what was found in a session; what it rejects with ends the export. */
  readonly review?: ((found: TablesFindings) => Promise<Decided>) | undefined;
  /** What models cost; without, a cost is known where a source recorded it. */
  readonly prices?: Prices | undefined;
  /** Cancels the export: nothing is left of it, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called from time to time. */
  readonly onProgress?: ((progress: TablesProgress) => void) | undefined;
}

const tablesOptionKinds: KnownOptions<ExportTablesOptions> = {
  redact: 'flag',
  sharing: 'object',
  asks: ['never', 'whenFound', 'always'],
  review: 'function',
  prices: 'object',
  signal: 'object',
  onProgress: 'function',
};

/** What came of an export of tables. */
export interface TablesReport extends ExportReport {
  /** How many rows each table has. */
  readonly rows: Readonly<Record<TableName, number>>;
  /** The size of all files, in bytes. */
  readonly bytes: number;
  /** The sessions that could not be read to their end, and why; what could be read of them is written. */
  readonly unread: readonly { readonly session: string; readonly why: string }[];
}

/** How many records are read between two reports of progress. */
const RECORDS_PER_REPORT = 500;

/**
 * Writes the tables of any number of sessions as Parquet files into a new folder, by the columns of `TABLES`, with bounded
 * memory. Rejects where the folder exists (EEXIST) and with other errors of the file system; nothing is left then. A session that
 * cannot be read is told in the report and in its row, and hides no other.
 */
export async function exportTables(
  sessions: Iterable<TableSession> | AsyncIterable<TableSession>,
  folder: string,
  options: ExportTablesOptions = {},
): Promise<TablesReport> {
  checkOptions(options, tablesOptionKinds, 'exportTables');
  await mkdir(folder);
  try {
    return await writeFolder(sessions, folder, options);
  } catch (error) {
    // What others have put there meanwhile stays, and so does the folder then.
    for (const name of TABLE_NAMES)
      for (const file of [partOf(folder, name), fileOf(folder, name)]) await rm(file, { force: true });
    await rmdir(folder).catch(() => undefined);
    throw error;
  }
}

const fileOf = (folder: string, name: TableName) => join(folder, `${name}.parquet`);

/** The name of a table's file while it is written: nobody takes it for a whole one after a crash. */
const partOf = (folder: string, name: TableName) => join(folder, `.${name}.parquet.part`);

async function writeFolder(
  sessions: Iterable<TableSession> | AsyncIterable<TableSession>,
  folder: string,
  options: ExportTablesOptions,
): Promise<TablesReport> {
  const files: FileHandle[] = [];
  let report: TablesReport;
  try {
    for (const name of TABLE_NAMES) files.push(await open(partOf(folder, name), 'wx'));
    const isReviewed = options.review !== undefined && (options.asks ?? 'never') !== 'never';
    const rules = await sharingRules(options.sharing, isReviewed ? 'reviewed' : undefined);
    const task = new TablesTask(await tablesOf(files), options, rules);
    for await (const session of sessions) await task.addSession(session);
    report = await task.end();
    for (const file of files) await file.sync();
  } finally {
    // Windows moves and deletes no open files.
    await Promise.all(files.map((file) => file.close()));
  }
  for (const name of TABLE_NAMES) await rename(partOf(folder, name), fileOf(folder, name));
  return report;
}

type Tables = { readonly [Name in TableName]: ParquetTable<Name> };

async function tablesOf(files: readonly FileHandle[]): Promise<Tables> {
  const parquet = await import('./parquetPackage.js');
  const made = TABLE_NAMES.map((name, at) => {
    const file = files[at];
    if (!file) throw new Error(`There is no file for the table ${name}.`);
    return [name, new ParquetTable(name, file, parquet)];
  });
  return Object.fromEntries(made) as Tables;
}

class TablesTask {
  readonly #tables: Tables;
  readonly #options: ExportTablesOptions;
  readonly #rules: SharingRules;
  /** What a person has decided so far, for the sessions that follow. */
  readonly #decided = new Map<string, Decision>();
  #redacted = 0;
  #leftIn = 0;
  readonly #leftOut = new Map<string, number>();
  readonly #unread: { session: string; why: string }[] = [];
  #sessions = 0;
  #records = 0;

  constructor(tables: Tables, options: ExportTablesOptions, rules: SharingRules) {
    this.#rules = rules;
    this.#tables = tables;
    this.#options = options;
  }

  async addSession(of: TableSession): Promise<void> {
    const before = this.#counts();
    const gate = this.#options.redact === false ? undefined : await this.#gate(of);
    const redactor = gate?.redactor();
    const check = gate?.check();
    // A title is often the beginning of a message, whose secrets are already counted.
    const cleaner = gate?.redactor();
    const clean = (text: string | undefined) => (text === undefined ? text : (cleaner?.text(text) ?? text));
    // Ids of some tools hold the name of a folder.
    const id = cleanId(of.session, cleaner);
    const rows = new SessionRows({
      session: id,
      redactor,
      prices: this.#options.prices,
      add: (table, row) => {
        check?.given(() => givenIn(row));
        check?.next(textsIn(row));
        (this.#tables[table] as ParquetTable<typeof table>).add(row);
      },
      leaveOut: (what) => void this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + 1),
    });
    const why = await this.#read(of, rows);
    rows.end();
    const after = this.#counts();
    const session: TableRow<'sessions'> = {
      session: id,
      title: clean(of.title),
      source: of.source,
      project: clean(of.project),
      ...rows.times,
      ...rows.sums,
      messages: after.messages - before.messages,
      calls: after.calls - before.calls,
      requests: after.requests - before.requests,
      damaged: of.damaged ?? 0,
      unread: clean(why),
    };
    check?.given(() => givenIn(session));
    check?.next(textsIn(session));
    this.#tables.sessions.add(session);
    this.#redacted += redactor?.count ?? 0;
    this.#leftIn += redactor?.kept ?? 0;
    this.#sessions++;
    await this.#writeFull();
    this.#progress();
  }

  async end(): Promise<TablesReport> {
    for (const name of TABLE_NAMES) await this.#tables[name].end();
    this.#options.signal?.throwIfAborted();
    return {
      messages: this.#tables.messages.rows,
      redacted: this.#redacted,
      ...(this.#leftIn > 0 && { leftIn: this.#leftIn }),
      ...(this.#leftOut.size > 0 && { leftOut: Object.fromEntries(this.#leftOut) }),
      rows: this.#counts(),
      bytes: TABLE_NAMES.reduce((sum, name) => sum + this.#tables[name].bytes, 0),
      unread: this.#unread,
    };
  }

  /** What a session passes: it has looked through all of it where that can be, and asked a person about it. */
  async #gate({ session, title, records, whole }: TableSession): Promise<SharingGate> {
    const all = whole ?? (Array.isArray(records) ? () => records as readonly unknown[] : undefined);
    const gate = new SharingGate(this.#rules, { isNumbered: all !== undefined });
    gate.decide(this.#decided);
    if (!all) return gate;
    await this.#look(gate, all());
    const { review, asks = 'never' } = this.#options;
    if (!review || !isAsked(asks, gate.findings)) return gate;
    for (const [value, decision] of await review({ session, title, findings: gate.findings }))
      this.#decided.set(value, decision);
    gate.decide(this.#decided);
    return gate;
  }

  async #look(gate: SharingGate, records: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
    const { signal } = this.#options;
    let position = 0;
    try {
      for await (const record of recordsOf(records)) {
        signal?.throwIfAborted();
        gate.look(record, position++);
      }
    } catch {
      // What cannot be read is told when its rows are made; what stands before it was looked through.
      signal?.throwIfAborted();
    }
  }

  /** Adds the records of a session; gives why they could not be read to the end. */
  async #read({ session, records }: TableSession, rows: SessionRows): Promise<string | undefined> {
    const { signal } = this.#options;
    const source = recordsOf(records);
    for (;;) {
      signal?.throwIfAborted();
      let step;
      try {
        step = await source.next();
      } catch (error) {
        signal?.throwIfAborted();
        const why = messageOf(error);
        this.#unread.push({ session, why });
        return why;
      }
      if (step.done === true) return undefined;
      rows.add(step.value);
      await this.#writeFull();
      if (++this.#records % RECORDS_PER_REPORT === 0) this.#progress();
    }
  }

  async #writeFull(): Promise<void> {
    for (const name of TABLE_NAMES) if (this.#tables[name].isFull) await this.#tables[name].write();
  }

  #progress(): void {
    this.#options.onProgress?.({ sessions: this.#sessions, records: this.#records });
  }

  #counts(): Record<TableName, number> {
    const { sessions, messages, calls, requests } = this.#tables;
    return { sessions: sessions.rows, messages: messages.rows, calls: calls.rows, requests: requests.rows };
  }
}

/** Stands between two texts, so that none of them looks like the rest of a key that is broken into lines. */
const BETWEEN = ' | ';

/** All texts of a row, to be looked through before they are written. */
function textsIn(row: object): string {
  const texts = Object.values(row).filter((value) => typeof value === 'string');
  return texts.map((text) => text + BETWEEN).join('');
}

/** The columns that say something in a few words of ours. */
const OUR_COLUMNS: ReadonlySet<string> = new Set([
  'source',
  'role',
  'partial',
  'decision',
  'decided_by',
  'told_by',
  'cost_provenance',
  'prices',
]);

/** What a row has of records. */
function givenIn(row: object): readonly unknown[] {
  return Object.entries(row).flatMap(([column, value]) =>
    OUR_COLUMNS.has(column) ? [] : [value as unknown],
  );
}

async function* recordsOf(records: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator {
  yield* records;
}
