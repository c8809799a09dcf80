import {
  NO_FACT_CALLS,
  plainFacts,
  type EventFacts,
  type FactCall,
  type Facts,
  type FactSite,
} from '../../query/numbers/facts.js';
import { FILE_USES, NO_FILES, type FileUse } from '../../query/numbers/fileUses.js';
import type { NanoDollars } from '../../core/money.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import type { Usage } from '../../core/usage.js';
import type { Cells } from '../../query/numbers/cells.js';
import { GrowingColumn } from '../../query/numbers/growingColumn.js';
import {
  USED,
  type Kind,
  type ScannedRecord,
  type Writable,
  isCell,
  isWellFormed,
} from '../format/scannedRecord.js';
import {
  isSameEvent,
  isSameCallSite,
  isSameShape,
  listOf,
  listOfEvent,
  callSiteOf,
  type EventKind,
  type FactTables,
  type GatheredTables,
  type Shape,
} from './factTables.js';
import { isSameKind, kindOf, listOfKind } from './kindOfFacts.js';
import { TextColumn } from './textColumn.js';

/** Among how many of the latest values an equal one is looked for before its key is made, which costs more. */
const RECENT = 16;

/** Repeated values, each kept once and identified by a number; `isSame` and equal keys mean the same. */
class Numbered<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<string, number>();
  /** The numbers of the latest values, the very last one first. */
  readonly #recent: number[] = [];
  readonly #isSame: (one: T, other: T) => boolean;
  readonly #keyOf: (value: T) => string;
  readonly #copyOf: (value: T) => T;

  /** `copyOf`: what is kept of a value that may be written again. */
  constructor(
    isSame: (one: T, other: T) => boolean,
    keyOf: (value: T) => string,
    copyOf: (value: T) => T = (value) => value,
  ) {
    this.#isSame = isSame;
    this.#keyOf = keyOf;
    this.#copyOf = copyOf;
  }

  numberOf(value: T): number {
    const recent = this.#recent;
    for (let at = 0; at < recent.length; at++) {
      const number = recent[at] ?? 0;
      if (!this.#isSame(this.at(number), value)) continue;
      // One step nearer: what comes often is found soon, and what comes in turn moves nothing far.
      if (at > 0) {
        recent[at] = recent[at - 1] ?? 0;
        recent[at - 1] = number;
      }
      return number;
    }
    const key = this.#keyOf(value);
    const number = this.#numbers.get(key) ?? this.all.push(this.#copyOf(value)) - 1;
    this.#numbers.set(key, number);
    recent.unshift(number);
    recent.length = Math.min(recent.length, RECENT);
    return number;
  }

  at(number: number): T {
    const value = this.all[number];
    if (value === undefined) throw new RangeError(`nothing has the number ${number}`);
    return value;
  }
}

/** The columns of what a message is in a window, named as its facts are. */
const CONTEXT_COLUMNS = ['contentTokens', 'reasoningTokens', 'imageTokens', 'sourceId'] as const;

/** The columns with a cell for each record, and those with one for each tool call. */
const OF_RECORDS = [
  ...([
    'place',
    'kind',
    'time',
    'characters',
    'reasoning',
    'input',
    'output',
    'duration',
    'answers',
  ] as const),
  ...(['cached', 'cacheWrite', 'cacheWrite1h', 'thought', 'cost', 'requests', 'webSearches'] as const),
  ...(['event', 'childCall', 'waited', 'words'] as const),
  ...(['contentTokens', 'reasoningTokens', 'imageTokens', 'sourceId'] as const),
  'calls',
] as const;
const OF_CALLS = ['callId', 'callShape', 'callFiles', 'callHash', 'callTokens'] as const;
/** For each file that a call names: the number of its path among the ids, and of its use, as one number. */
const OF_FILES = ['file'] as const;
const ALL = [...OF_RECORDS, ...OF_CALLS, ...OF_FILES] as const;
type ColumnName = (typeof ALL)[number];

/** All that columns consist of. */
export interface GatheredFacts {
  readonly length: number;
  readonly columns: Readonly<Record<string, Cells>>;
  readonly tables: GatheredTables;
  readonly ids: Uint8Array;
}

/** The same, with times given as the differences between them, which are small. */
export interface StoredFacts extends GatheredFacts {
  readonly tables: FactTables;
}

/** The columns of a usage, in the order of `USED`. */
const USED_COLUMNS = [
  ...(['input', 'output', 'cached', 'cacheWrite', 'cacheWrite1h', 'thought', 'cost'] as const),
  ...(['requests', 'webSearches'] as const),
] as const;

/**
 * The facts of the records of a transcript in columns of numbers: they can be stored, and give the same facts again.
 * Facts are added in the order of their records.
 */
export class FactColumns {
  readonly #cells = Object.fromEntries(
    ALL.map((name) => [name, new GrowingColumn(1024, name === 'time' ? Float64Array : Uint8Array)]),
  ) as Readonly<Record<ColumnName, GrowingColumn>>;
  readonly #places = new Numbered<FactSite>(isSameCallSite, (place) => JSON.stringify(listOf(place)));
  readonly #kinds = new Numbered<Kind>(
    isSameKind,
    (kind) => JSON.stringify(listOfKind(kind)),
    (kind) => ({ ...kind }),
  );
  readonly #events = new Numbered<EventKind>(
    isSameEvent,
    (event) => JSON.stringify(listOfEvent(event)),
    ({ outcome, isApproved, decidedBy, rule, isInvented }) => ({
      outcome,
      isApproved,
      decidedBy,
      rule,
      isInvented,
    }),
  );
  readonly #shapes = new Numbered<Shape>(
    isSameShape,
    (shape) => JSON.stringify(shape),
    ([tool, names]) => [tool, [...names]],
  );
  #ids = new TextColumn();
  readonly #others = new Map<number, Facts>();
  /** For each record: how many tool calls there are before it; for each call: how many files. */
  readonly #firstCall = new GrowingColumn();
  readonly #firstFile = new GrowingColumn();
  /** A shape that is looked up, written again for the next. */
  readonly #shape: [tool: string, names: readonly string[]] = ['', []];
  #calls = 0;
  #files = 0;
  #length = 0;

  /** The number of records. */
  get length(): number {
    return this.#length;
  }

  /** Adds the facts of the next record. */
  add(facts: Facts): void {
    const at = this.#length++;
    const cells = this.#cells;
    this.#firstCall.set(at, this.#calls);
    if (!isPlain(facts)) {
      cells.time.set(at, at === 0 ? 0 : cells.time.get(at - 1));
      this.#others.set(at, plainFacts(facts));
      return;
    }
    const { usage, durationMs, calls, answers, event } = facts;
    cells.time.set(at, facts.time);
    cells.place.set(at, this.#places.numberOf(facts.place));
    cells.kind.set(at, this.#kinds.numberOf(kindOf(facts)));
    cells.characters.set(at, facts.characters);
    cells.reasoning.set(at, facts.reasoning);
    if (usage)
      USED_COLUMNS.forEach((column, part) => cells[column].set(at, usage[USED[part] ?? 'cost'] ?? 0));
    cells.duration.set(at, durationMs ?? 0);
    cells.answers.set(at, answers === '' ? 0 : this.#ids.numberOf(answers) + 1);
    if (event) this.#addEvent(at, event);
    for (const name of CONTEXT_COLUMNS) {
      const value = facts[name];
      if (value > 0) cells[name].set(at, value);
    }
    cells.calls.set(at, calls.length);
    for (const { id, name, names, files, hash, tokens } of calls) {
      const call = this.#addCall(this.#ids.numberOf(id), [name, names], hash, tokens);
      for (const { path, use } of files) this.#addFile(call, this.#ids.numberOf(path), use);
    }
  }

  /** Adds the facts of the next record, of which the line was scanned. */
  addScanned(record: ScannedRecord): void {
    const at = this.#length++;
    const cells = this.#cells;
    const { bytes, kind } = record;
    const ids = this.#ids;
    this.#firstCall.set(at, this.#calls);
    cells.time.set(at, record.time);
    cells.place.set(at, this.#places.numberOf(record.place));
    cells.kind.set(at, this.#kinds.numberOf(kind));
    cells.characters.set(at, record.characters);
    if (record.reasoning > 0) cells.reasoning.set(at, record.reasoning);
    for (const name of CONTEXT_COLUMNS) {
      const value = record[name];
      if (value > 0) cells[name].set(at, value);
    }
    if (kind.hasUsage)
      for (let part = 0; part < USED_COLUMNS.length; part++) {
        const value = record.used[part] ?? 0;
        if (value > 0) cells[USED_COLUMNS[part] ?? 'cost'].set(at, value);
      }
    if (kind.hasDuration) cells.duration.set(at, record.durationMs);
    if (record.answersTo > 0)
      cells.answers.set(at, ids.numberOfBytes(bytes, record.answersFrom, record.answersTo) + 1);
    if (record.callCount > 0) cells.calls.set(at, record.callCount);
    for (let index = 0; index < record.callCount; index++) {
      const made = record.call(index);
      this.#shape[0] = made.name;
      this.#shape[1] =
        made.names.length === made.nameCount ? made.names : made.names.slice(0, made.nameCount);
      const id = ids.numberOfBytes(bytes, made.idFrom, made.idTo);
      const call = this.#addCall(id, this.#shape, made.hash, made.tokens);
      if (made.pathTo > 0)
        this.#addFile(call, ids.numberOfBytes(bytes, made.pathFrom, made.pathTo), made.use);
      else for (const { path, use } of made.files) this.#addFile(call, ids.numberOf(path), use);
    }
  }

  /** Adds the facts of the next records, gathered elsewhere: the columns are then the same as if each had been added here. */
  append({ length, columns, tables, ids }: GatheredFacts): void {
    const first = this.#length;
    const ofId = this.#ids.numbersOf(
      columns.idLengths ?? [],
      Buffer.from(ids.buffer, ids.byteOffset, ids.length),
    );
    const ofEvent = tables.events.map((event) => this.#events.numberOf(event));
    const tableOf: Partial<Record<ColumnName, (number: number) => number>> = {
      place: numberIn(tables.places.map((list) => this.#places.numberOf(callSiteOf(list)))),
      kind: numberIn(tables.kinds.map((kind) => this.#kinds.numberOf(kind))),
      event: orNone(ofEvent),
      answers: orNone(ofId),
      childCall: orNone(ofId),
      words: orNone(ofId),
      callId: numberIn(ofId),
      callShape: numberIn(tables.shapes.map((shape) => this.#shapes.numberOf(shape))),
      file: (cell) =>
        (ofId[Math.floor(cell / FILE_USES.length)] ?? 0) * FILE_USES.length + (cell % FILE_USES.length),
    };
    const others = new Map(tables.others);
    const take = (names: readonly ColumnName[], at: number) => {
      for (const name of names) {
        const own = columns[name];
        const map = tableOf[name];
        if (!own) continue;
        const cells = map ? Uint32Array.from(own, map) : own;
        // What does not fit into columns leaves its cells empty.
        if (map && names === OF_RECORDS) for (const other of others.keys()) cells[other] = 0;
        this.#cells[name].setAll(at, cells);
      }
    };
    take(OF_RECORDS, first);
    take(OF_CALLS, this.#calls);
    take(OF_FILES, this.#files);
    const { time, calls, callFiles } = this.#cells;
    for (let at = first; at < first + length; at++) {
      this.#firstCall.set(at, this.#calls);
      for (const end = this.#calls + calls.get(at); this.#calls < end; this.#calls++) {
        this.#firstFile.set(this.#calls, this.#files);
        this.#files += callFiles.get(this.#calls);
      }
      const other = others.get(at - first);
      if (!other) continue;
      time.set(at, at === 0 ? 0 : time.get(at - 1));
      this.#others.set(at, other);
    }
    this.#length += length;
  }

  #addEvent(at: number, event: EventFacts): void {
    const cells = this.#cells;
    const { childCall, waitedMs, words } = event;
    cells.event.set(at, this.#events.numberOf(event) + 1);
    if (childCall !== undefined) cells.childCall.set(at, this.#ids.numberOf(childCall) + 1);
    if (waitedMs > 0) cells.waited.set(at, waitedMs);
    if (words !== '') cells.words.set(at, this.#ids.numberOf(words) + 1);
  }

  #addCall(id: number, shape: Shape, hash: number, tokens: number): number {
    const call = this.#calls++;
    this.#cells.callId.set(call, id);
    this.#cells.callHash.set(call, hash);
    this.#cells.callTokens.set(call, tokens);
    this.#cells.callShape.set(call, this.#shapes.numberOf(shape));
    this.#firstFile.set(call, this.#files);
    return call;
  }

  #addFile(call: number, path: number, use: FileUse['use']): void {
    const { file, callFiles } = this.#cells;
    callFiles.set(call, callFiles.get(call) + 1);
    file.set(this.#files++, path * FILE_USES.length + FILE_USES.indexOf(use));
  }

  /** The facts of the records from `start` up to, not including, `end`, as far as there are any. */
  slice(start: number, end: number): Facts[] {
    const facts: Facts[] = [];
    const others = this.#others;
    const last = Math.min(end, this.#length);
    for (let at = start; at < last; at++)
      facts.push((others.size > 0 ? others.get(at) : undefined) ?? this.#at(at));
    return facts;
  }

  #at(at: number): Facts {
    const cells = this.#cells;
    const kind = this.#kinds.at(cells.kind.get(at));
    const answers = cells.answers.get(at);
    const { reporter, role } = kind;
    const usage = kind.hasUsage ? this.#usageAt(at, kind) : undefined;
    // One plain literal, because this is made for every record of every transcript.
    return {
      isRecord: kind.isRecord,
      type: kind.type,
      place: this.#places.at(cells.place.get(at)),
      time: cells.time.get(at),
      role: role === 0 ? undefined : role,
      model: kind.model,
      toolName: kind.toolName,
      answers: answers === 0 ? '' : this.#ids.at(answers - 1),
      reporter: reporter === 0 ? undefined : reporter,
      tokens:
        reporter === 0
          ? undefined
          : { input: cells.input.get(at), output: cells.output.get(at), estimated: kind.isEstimated },
      usage,
      durationMs: kind.hasDuration ? cells.duration.get(at) : undefined,
      isFailure: kind.isFailure,
      state: kind.state,
      says: kind.says,
      hasText: kind.hasText,
      characters: cells.characters.get(at),
      reasoning: cells.reasoning.get(at),
      compaction: kind.compaction,
      contentTokens: cells.contentTokens.get(at),
      reasoningTokens: cells.reasoningTokens.get(at),
      imageTokens: cells.imageTokens.get(at),
      sourceId: cells.sourceId.get(at),
      describesWindow: kind.describesWindow,
      isAbsorbed: kind.isAbsorbed,
      calls: cells.calls.get(at) === 0 ? NO_FACT_CALLS : this.#callsOf(at),
      event: cells.event.get(at) === 0 ? undefined : this.#eventAt(at),
    };
  }

  #eventAt(at: number): EventFacts {
    const { event, childCall, waited, words } = this.#cells;
    const { outcome, isApproved, decidedBy, rule, isInvented } = this.#events.at(event.get(at) - 1);
    const child = childCall.get(at);
    const said = words.get(at);
    return {
      childCall: child === 0 ? undefined : this.#ids.at(child - 1),
      waitedMs: waited.get(at),
      outcome,
      isApproved,
      decidedBy,
      rule,
      words: said === 0 ? '' : this.#ids.at(said - 1),
      isInvented,
    };
  }

  #usageAt(at: number, { isEstimated: estimated, hasCost }: Kind): Usage {
    const cells = this.#cells;
    const [inputTokens, outputTokens] = [cells.input.get(at), cells.output.get(at)];
    // Field by field, because this is made for every request of every transcript.
    const usage: Writable<Usage> = { inputTokens, outputTokens, estimated };
    const cached = cells.cached.get(at);
    if (cached > 0) usage.cachedInputTokens = cached;
    const written = cells.cacheWrite.get(at);
    if (written > 0) usage.cacheWriteTokens = written;
    const hourly = cells.cacheWrite1h.get(at);
    if (hourly > 0) usage.cacheWrite1hTokens = hourly;
    const thought = cells.thought.get(at);
    if (thought > 0) usage.reasoningTokens = thought;
    if (hasCost) usage.cost = cells.cost.get(at) as unknown as NanoDollars;
    const requests = cells.requests.get(at);
    if (requests > 0) usage.requests = requests;
    const searches = cells.webSearches.get(at);
    if (searches > 0) usage.webSearches = searches;
    return usage;
  }

  #callsOf(at: number): readonly FactCall[] {
    const first = this.#firstCall.get(at);
    const calls: FactCall[] = [];
    for (let call = first; call < first + this.#cells.calls.get(at); call++) {
      const [name, names] = this.#shapes.at(this.#cells.callShape.get(call));
      const id = this.#ids.at(this.#cells.callId.get(call));
      const { callHash, callTokens } = this.#cells;
      const [hash, tokens] = [callHash.get(call), callTokens.get(call)];
      calls.push({ id, name, names, files: this.#filesOf(call), hash, tokens });
    }
    return calls;
  }

  #filesOf(call: number): readonly FileUse[] {
    const length = this.#cells.callFiles.get(call);
    if (length === 0) return NO_FILES;
    const first = this.#firstFile.get(call);
    const files: FileUse[] = [];
    for (let at = first; at < first + length; at++) {
      const cell = this.#cells.file.get(at);
      const path = this.#ids.at(Math.floor(cell / FILE_USES.length));
      files.push({ path, use: FILE_USES[cell % FILE_USES.length] ?? 'named' });
    }
    return files;
  }

  /** A copy of all of it, in memory that nothing else is in. */
  gathered(): GatheredFacts {
    const columns: Record<string, Cells> = {};
    for (const name of OF_RECORDS) columns[name] = this.#cells[name].copy(this.#length);
    for (const name of OF_CALLS) columns[name] = this.#cells[name].copy(this.#calls);
    for (const name of OF_FILES) columns[name] = this.#cells[name].copy(this.#files);
    const { lengths, bytes } = this.#ids.stored();
    columns.idLengths = lengths;
    const tables = {
      places: this.#places.all.map(listOf),
      kinds: this.#kinds.all,
      events: this.#events.all,
      shapes: this.#shapes.all,
      others: [...this.#others],
    };
    return { length: this.#length, columns, tables, ids: Uint8Array.prototype.slice.call(bytes) };
  }

  /** All of it, for storing. */
  stored(): StoredFacts {
    const { length, columns, tables, ids } = this.gathered();
    const { time } = columns;
    const start = time?.[0] ?? 0;
    for (let at = length - 1; time && at > 0; at--) time[at] = (time[at] ?? 0) - (time[at - 1] ?? 0);
    if (time) time[0] = 0;
    return { length, columns, tables: { start, ...tables }, ids };
  }

  /** Facts that were stored; undefined where they do not fit together. */
  static async from({ length, columns, tables, ids }: StoredFacts): Promise<FactColumns | undefined> {
    const made = new FactColumns();
    const { places, kinds, events, shapes, others } = tables;
    for (const list of places) made.#places.numberOf(callSiteOf(list));
    for (const kind of kinds) made.#kinds.numberOf(kind);
    for (const event of events) made.#events.numberOf(event);
    for (const shape of shapes) made.#shapes.numberOf(shape);
    for (const [at, facts] of others) made.#others.set(at, facts);
    const idColumn = TextColumn.from(
      columns.idLengths ?? [],
      Buffer.from(ids.buffer, ids.byteOffset, ids.length),
    );
    if (!idColumn) return undefined;
    made.#ids = idColumn;
    made.#length = length;
    for (const name of ALL) made.#cells[name].replace(columns[name] ?? new Uint8Array());
    const { time, calls } = made.#cells;
    if (length > 0) time.set(0, tables.start);
    await eachInTurn(length, (at) => {
      if (at > 0) time.set(at, time.get(at - 1) + time.get(at));
      made.#firstCall.set(at, made.#calls);
      made.#calls += calls.get(at);
    });
    for (const name of OF_CALLS) if (made.#calls !== columns[name]?.length) return undefined;
    await eachInTurn(made.#calls, (call) => {
      made.#firstFile.set(call, made.#files);
      made.#files += made.#cells.callFiles.get(call);
    });
    if (made.#files !== columns.file?.length) return undefined;
    return (await made.#refersToWhatIsThere()) ? made : undefined;
  }

  /** Whether every number refers to something: a checksum only says that a file is as somebody wrote it. */
  async #refersToWhatIsThere(): Promise<boolean> {
    const { place, kind, answers, event, childCall, words, callId, callShape, file } = this.#cells;
    let isAllThere = true;
    await eachInTurn(this.#length, (at) => {
      const isThere =
        place.get(at) < this.#places.all.length &&
        kind.get(at) < this.#kinds.all.length &&
        event.get(at) <= this.#events.all.length &&
        Math.max(answers.get(at), childCall.get(at), words.get(at)) <= this.#ids.length;
      if (!isThere && !this.#others.has(at)) isAllThere = false;
    });
    await eachInTurn(this.#calls, (at) => {
      const isThere = callId.get(at) < this.#ids.length && callShape.get(at) < this.#shapes.all.length;
      if (!isThere) isAllThere = false;
    });
    await eachInTurn(this.#files, (at) => {
      if (file.get(at) >= this.#ids.length * FILE_USES.length) isAllThere = false;
    });
    return isAllThere;
  }
}

/** How many cells are gone through before others on the thread get their turn: a few milliseconds. */
const CELLS_PER_TURN = 100_000;

async function eachInTurn(length: number, visit: (at: number) => void): Promise<void> {
  for (let at = 0; at < length;) {
    for (const end = Math.min(length, at + CELLS_PER_TURN); at < end; at++) visit(at);
    if (at < length) await yieldToEventLoop();
  }
}

/** The number that stands for one in a table of somewhere else; 0 where there is none. */
function numberIn(numbers: ArrayLike<number>): (number: number) => number {
  return (number) => numbers[number] ?? 0;
}

/** The same where 0 is none, and others are one more. */
function orNone(numbers: ArrayLike<number>): (number: number) => number {
  return (number) => (number === 0 ? 0 : (numbers[number - 1] ?? 0) + 1);
}

/** Whether columns hold facts without a loss: nearly all. */
function isPlain(facts: Facts): boolean {
  const { event, time, characters, reasoning, tokens, usage, durationMs, answers, calls, place } = facts;
  if (!Number.isSafeInteger(time)) return false;
  if (event && !(isCell(event.waitedMs) && isWellFormed(event.words) && isWellFormed(event.childCall ?? '')))
    return false;
  if (tokens) {
    if (tokens.input !== usage?.inputTokens || tokens.output !== usage.outputTokens) return false;
    if (tokens.estimated !== usage.estimated) return false;
  }
  if (!isCell(characters) || !isCell(reasoning) || !isCell(durationMs ?? 0)) return false;
  if (usage?.terms) return false;
  if (usage) for (const key of USED) if (!isCell(usage[key] ?? 0)) return false;
  for (const name of CONTEXT_COLUMNS) if (!isCell(facts[name])) return false;
  if (!isWellFormed(answers)) return false;
  for (const { id, files, tokens: size } of calls) {
    if (!isWellFormed(id) || !isCell(size)) return false;
    for (const { path } of files) if (!isWellFormed(path)) return false;
  }
  return place.depth === undefined || Number.isFinite(place.depth);
}
