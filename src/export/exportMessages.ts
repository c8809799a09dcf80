import { addCosts, costOf, NO_COST } from '../core/cost.js';
import { wellFormedIn } from '../core/wellFormed.js';
import { checkOptions } from '../core/checkOptions.js';
import { CostShares } from '../query/numbers/costShares.js';
import { CostSum } from '../query/numbers/costSum.js';
import { factsOf } from '../query/numbers/facts.js';
import { TranscriptReader } from '../query/numbers/transcriptReader.js';
import { ContextSections } from './contextSection.js';
import { CheckedChunks } from './checkedChunks.js';
import { tellsCost } from './costWords.js';
import { csvWriter, fullCsvWriter } from './csvExport.js';
import {
  checkFormat,
  exportOptionKinds,
  type ExportFormat,
  type ExportOptions,
  type TextFormat,
} from './exportFormat.js';
import { cleanNotes, type ExportNote } from './exportNote.js';
import { REMEMBERED_CALLS, RowMaker, type ExportRow, type RowContext } from './exportRow.js';
import { htmlWriter } from './htmlExport.js';
import { arrayWriter, jsonWriter } from './jsonExport.js';
import { HALVES, hasSource, recordWords } from './leftOut.js';
import { markdownWriter } from './markdownExport.js';
import { commonKey, METADATA, freeKey, timestampOf } from './metadata.js';
import { DamageInTurn } from './damageInTurn.js';
import { damageRecord } from './recordNotes.js';
import { Redactor } from './secrets/redact.js';
import { ResultCheck } from './sharing/resultCheck.js';
import type { TextWriter } from './textWriter.js';
import type { FileFormat } from '../core/ports/exportFormats.js';
import { textOf } from '../core/message.js';
import type { TokenCounter } from '../core/ports/tokenCounter.js';
import { roleOf } from '../query/numbers/transcriptItem.js';

/** The result of an export: objects for `dict`, else a text. */
export type Exported<Format extends ExportFormat> = Format extends 'dict' ? MessageDict[] : string;

/** Exports messages, or records that carry them, at once. Throws an error that names the valid formats for any other. */
export function exportMessages(
  items: Iterable<unknown>,
  format: 'dict',
  options?: ExportOptions,
): MessageDict[];
export function exportMessages(items: Iterable<unknown>, format: TextFormat, options?: ExportOptions): string;
export function exportMessages(
  items: Iterable<unknown>,
  format: ExportFormat,
  options?: ExportOptions,
): string | MessageDict[];
export function exportMessages(
  items: Iterable<unknown>,
  format: ExportFormat,
  options: ExportOptions = {},
): string | MessageDict[] {
  checkFormat(format);
  checkOptions(options, exportOptionKinds, 'export');
  const task = new ExportTask(format, withShares(items, format, options));
  const result: string | MessageDict[] = format === 'dict' ? task.dicts(items) : task.text(items);
  task.report();
  return result;
}

/**
 * Exports messages chunk by chunk, as they come, with bounded memory. The joined chunks are what `exportMessages` gives;
 * for `dict`, a JSON array of its objects, where a message that itself has a key `_metadata` has its metadata under
 * another key, and the other messages keep theirs. Throws at once for an unknown format. Leaving the loop early stops
 * the export.
 */
export function exportChunks(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  format: ExportFormat,
  options: ExportOptions = {},
): AsyncGenerator<string, void> {
  checkFormat(format);
  checkOptions(options, exportOptionKinds, 'export');
  return new ExportTask(format, withShares(items, format, options)).chunks(items);
}

/** The formats that programs add up. */
const SUMMED: ReadonlySet<FileFormat> = new Set(['json', 'csv']);

/** Whether an export has the cost of each item as a field, so that it needs to know their shares. */
export function needsShares(format: FileFormat, { full, shares }: ExportOptions): boolean {
  return full === true && shares === undefined && SUMMED.has(format);
}

function withShares(items: unknown, format: ExportFormat, options: ExportOptions): ExportOptions {
  if (!Array.isArray(items) || !needsShares(format, options)) return options;
  const shares = new CostShares(options.prices);
  for (const item of items) shares.add(item);
  return { ...options, shares: shares.finish() };
}

const NO_NOTES: readonly ExportNote[] = [];

/** The state of one export. */
class ExportTask {
  readonly #format: ExportFormat;
  readonly #options: ExportOptions;
  readonly #redactor: Redactor | undefined;
  /** Looks through what is written, unless secrets stay. */
  readonly #check: ResultCheck | undefined;
  readonly #rows: RowMaker;
  /** In a full export. */
  readonly #costs: CostSum | undefined;
  /** Likewise; tells how long tools took. */
  readonly #reader: TranscriptReader | undefined;
  /** In a full export of everything, in a format that has a place for it. */
  readonly #contexts: ContextSections | undefined;
  readonly #leftOut = new Map<string, number>();
  /** What the shares of items come to so far. */
  #shared = NO_COST;
  /** How many items were given so far. */
  #items = 0;
  /** What is wrong, in a full export. */
  readonly #damages: DamageInTurn;

  constructor(format: ExportFormat, options: ExportOptions) {
    const wantsNumber = format === 'json' || format === 'csv';
    const namesTools = format !== 'json' && format !== 'dict';
    this.#format = format;
    this.#options = options;
    this.#damages = new DamageInTurn(options.full === true ? (options.damage ?? []) : []);
    this.#costs = options.full === true ? new CostSum(options.prices) : undefined;
    this.#reader = options.full === true ? new TranscriptReader(REMEMBERED_CALLS) : undefined;
    const hasEnding = format === 'markdown' || format === 'html' || format === 'json';
    const isAll = options.full === true && options.isSubset !== true;
    this.#contexts = isAll && hasEnding ? new ContextSections() : undefined;
    const { gate } = options;
    const isOpen = options.redact === false;
    this.#redactor = isOpen ? undefined : (gate?.redactor() ?? new Redactor());
    this.#check = isOpen ? undefined : (gate?.check() ?? new ResultCheck());
    const counter = options.tokenCounter ?? (wantsNumber ? wordCounter : undefined);
    this.#rows = new RowMaker(counter, this.#redactor, namesTools);
  }

  dicts(items: Iterable<unknown>): MessageDict[] {
    const rows = Array.from(items, (item) => this.#rows.next(item, { notes: this.#nextNotes() })).filter(
      (row) => row !== undefined,
    );
    const key = commonKey(rows.map(({ message }) => message));
    return rows.map((row) => dictOf(row, key));
  }

  text(items: Iterable<unknown>): string {
    const writer = this.#writer();
    const chunks = this.#chunks();
    const texts: string[] = [];
    for (const item of items)
      texts.push(chunks.add(this.#damageUpTo(this.#items, writer) + this.#textOf(item, writer)));
    texts.push(chunks.add(this.#endOf(writer)), chunks.end().join(''));
    return texts.join('');
  }

  async *chunks(items: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<string, void> {
    const writer = this.#writer();
    const chunks = this.#chunks();
    for await (const item of items) {
      const chunk = chunks.add(this.#damageUpTo(this.#items, writer) + this.#textOf(item, writer));
      if (chunk !== '') yield chunk;
    }
    const last = chunks.add(this.#endOf(writer));
    if (last !== '') yield last;
    yield* chunks.end();
    this.report();
  }

  #chunks(): CheckedChunks {
    const isJson = this.#format === 'json' || this.#format === 'dict';
    return new CheckedChunks(
      this.#check,
      this.#isAsRecorded ? {} : { form: isJson ? 'json' : 'text', mended: this.#mended },
    );
  }

  /** Whether nothing is changed in what was recorded: of an export with its secrets, halves of characters come back, too. */
  get #isAsRecorded(): boolean {
    return this.#options.redact === false;
  }

  #endOf(writer: TextWriter): string {
    const context = this.#contexts?.section((text) => this.#redactor?.text(text) ?? text);
    this.#check?.given(() => context?.windows.map(({ agent, largest }) => [agent, largest?.parts]));
    const damage = this.#damageUpTo(Infinity, writer);
    const ending = writer.end({
      title: this.#tellsTitle ? this.#withoutSecretTitle().title : undefined,
      kept: this.#tellsTitle ? this.#options.kept : undefined,
      context,
      cost: this.#spent && tellsCost(this.#spent) ? this.#spent : undefined,
    });
    return damage + ending;
  }

  /** Whether the title stands at the end: of an export of everything that reads back. */
  get #tellsTitle(): boolean {
    return this.#format === 'json' && this.#options.full === true && this.#options.isSubset !== true;
  }

  /** Tells what is wrong before the item at an index. */
  #damageUpTo(index: number, writer: TextWriter): string {
    let text = '';
    for (const { line } of this.#damages.upTo(index)) {
      const record = damageRecord(line);
      this.#check?.given(() => record);
      const note = writer.note?.(record, NO_NOTES, undefined);
      if (note === undefined) this.#leaveOut(recordWords(record));
      text += note ?? '';
    }
    return text;
  }

  /** What all that was added cost; the sum of the shares where these are what rows tell. */
  get #spent(): Pick<CostSum, 'total' | 'version'> | undefined {
    const version = this.#costs?.version ?? '';
    return this.#tellsShares ? { total: this.#shared, version } : this.#costs;
  }

  get #tellsShares(): boolean {
    return this.#options.shares !== undefined && SUMMED.has(this.#format);
  }

  #told(item: unknown): RowContext {
    if (!this.#reader) return {};
    const facts = factsOf(item);
    this.#contexts?.add(facts, item);
    const own = this.#costs?.addFacts(facts);
    const tookMs = this.#reader.next(facts).result?.tookMs;
    if (!this.#tellsShares) return { cost: own, tookMs };
    // Of the item whose notes were asked for last.
    const counts = this.#options.shares?.get(this.#items - 1);
    const cost = counts && costOf(counts.cost, counts.requests);
    if (cost) this.#shared = addCosts(this.#shared, cost);
    return { cost, counts, addsUp: true, tookMs };
  }

  #textOf(given: unknown, writer: TextWriter): string {
    const item = this.#isAsRecorded ? given : wellFormedIn(given, this.#mended);
    const notes = this.#nextNotes();
    const told = this.#told(item);
    const row = this.#rows.next(item, { ...told, notes });
    if (row) {
      this.#check?.given(() => row.message);
      this.#check?.given(() => this.#about(row));
      if (this.#options.full === true && this.#format !== 'json' && hasSource(item))
        this.#leaveOut('details of the imported file');
      return writer.add(row);
    }
    const record = this.#options.full === true ? this.#rows.bare(item) : undefined;
    if (!record) return '';
    this.#check?.given(() => record);
    const note = writer.note?.(record, notes, told.cost, told.counts);
    if (note !== undefined) return note;
    this.#leaveOut(recordWords(record));
    notes.forEach(() => this.#leaveOut('notes'));
    return '';
  }

  /** What a row tells of its record besides the message. */
  #about(row: ExportRow): unknown {
    const { agent, run, call } = row.place;
    const about = this.#options.full === true ? row.envelope : undefined;
    return [agent, run, call, row.resultName, row.notes.map(({ text }) => text), about];
  }

  /** What was noted about the next item; to be asked for once for each. */
  #nextNotes(): readonly ExportNote[] {
    const index = this.#items++;
    const notes = this.#options.notes?.get(index);
    return notes ? cleanNotes(notes, this.#redactor) : NO_NOTES;
  }

  readonly #leaveOut = (what: string): void => {
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + 1);
  };

  readonly #mended = (): void => {
    this.#leaveOut(HALVES);
  };

  report(): void {
    this.#options.onReport?.({
      messages: this.#rows.count,
      redacted: this.#redactor?.count ?? 0,
      ...(this.#redactor && this.#redactor.kept > 0 && { leftIn: this.#redactor.kept }),
      ...(this.#leftOut.size > 0 && { leftOut: Object.fromEntries(this.#leftOut) }),
    });
  }

  /** A title is often the beginning of a message, whose secrets are already counted. */
  #withoutSecretTitle(): ExportOptions {
    const { title } = this.#options;
    if (title === undefined || !this.#redactor) return this.#options;
    const clean = (this.#options.gate?.redactor() ?? new Redactor()).text(title);
    this.#check?.given(() => clean);
    return { ...this.#options, title: clean };
  }

  #writer(): TextWriter {
    switch (this.#format) {
      case 'json':
        return jsonWriter(this.#options);
      case 'markdown':
        return markdownWriter(this.#withoutSecretTitle(), this.#leaveOut);
      case 'csv':
        return this.#options.full === true
          ? fullCsvWriter(this.#options, this.#leaveOut)
          : csvWriter(this.#options, this.#leaveOut);
      case 'dict':
        return arrayWriter(this.#options.indent ?? 2, (row) => dictOf(row, METADATA));
      case 'html':
        return htmlWriter(this.#withoutSecretTitle(), this.#leaveOut);
    }
  }
}

/** The fallback where a format needs a number and no counter is given: one token per word of content. */
const wordCounter: TokenCounter = {
  count: (text) => countWords(text),
  countMessage: ({ content }) => countWords(textOf(content)),
};

/** For each ASCII code: 0 for white space, else 1. */
const SOLID = Uint8Array.from({ length: 0x80 }, (_, code) => (/\s/.test(String.fromCharCode(code)) ? 0 : 1));

/** The number of runs of non-white-space characters in a text. */
function countWords(text: string): number {
  let words = 0;
  let before = 0;
  for (let i = 0; i < text.length; i++) {
    const solid = SOLID[text.charCodeAt(i)] ?? isSolid(text.charAt(i));
    // Branchless, because the ends of words are unpredictable.
    words += solid & (before ^ 1);
    before = solid;
  }
  return words;
}

function isSolid(character: string): number {
  return /\s/.test(character) ? 0 : 1;
}

/** A copy of a message with its metadata under one more key. */
export type MessageDict = Record<string, unknown>;

/** The object for one row, with its metadata under `key`, or under another key where the message uses that itself. */
function dictOf(row: ExportRow, key: string): MessageDict {
  const { message, place, index } = row;
  return {
    ...message,
    [freeKey(message, key)]: {
      index,
      token_count: row.tokens ?? 0,
      role: roleOf(message),
      ...(place.time !== undefined && { timestamp: timestampOf(place.time) }),
      ...(place.agent !== undefined && { agent: place.agent }),
      ...(row.notes.length > 0 && { notes: row.notes }),
    },
  };
}
