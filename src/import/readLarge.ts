import type { Problem } from '../core/agent.js';
import { appendAll } from '../core/lists.js';
import type { Entries, Entry } from './reading/entries.js';
import { detect } from './detect.js';
import { linesOf, type FileEntries } from './reading/fileEntries.js';
import type { ImportedConversation, ImportedRecord } from './reading/importResult.js';
import { baseName, ImportSink } from './building/importSink.js';
import { read, readSidecar, tellLeft } from './importTranscript.js';
import { MAX_TRANSCRIPT_BYTES } from './reading/readBytes.js';
import {
  foundOf,
  halfReadOf,
  isLittle,
  isProse,
  isWatched,
  proseAside,
  proseIn,
  shownOf,
} from './building/halfRead.js';
import { keptOf, lossOf, positionOf } from './building/leftOver.js';
import { lostTexts, soughtTexts, stands, textInside, type LostText } from './rest/lostTexts.js';
import { SoughtTexts } from './rest/soughtTexts.js';
import { StandingTexts } from './rest/standingTexts.js';
import { Drafts } from './spool/drafts.js';
import type { GroupsOfFile } from './spool/groupsOfFile.js';
import { Numbers } from './spool/numbers.js';
import { Spool } from './spool/spool.js';
import { SpooledRecords } from './spool/spooledRecords.js';
import { inSlices, type Steps } from './reading/steps.js';
import {
  isOfAnyLength,
  type StreamedFormat,
  type SidecarEntries,
  type LinesFormat,
  type TranscriptFormat,
} from './building/transcriptFormat.js';

/** How much of a file is looked at to find its format, in bytes and in values. */
const HEAD_BYTES = 8 * 1024 * 1024;
const HEAD_VALUES = 2_000;

/** How much text is looked for in all records at once, in characters; each time goes through all of them. */
const SOUGHT_AT_ONCE = 8 * 1024 * 1024;

/** How much of a file that was read group by group is compared at once, and with how much of its records, in bytes. */
const COMPARED_AT_ONCE = 4 * 1024 * 1024;
const COMPARED_WITH = 16 * 1024 * 1024;

/** How often a file is gone through: to look ahead, to read it, to make its records, and to look for what they lack. */
const PASSES = 4;

/** A conversation of a file whose records may wait on the disk. */
export interface OpenedConversation extends Omit<ImportedConversation, 'records'> {
  /** In order, as often as they are asked for, until the import is closed. */
  readonly records: Iterable<ImportedRecord> & {
    readonly length: number;
    /** Those from `start` up to, not including, `end`. */
    slice(start: number, end: number): readonly ImportedRecord[];
  };
}

/** What was read from a file, of which the records may wait on the disk. */
export interface OpenedImport {
  readonly format: string;
  readonly conversations: readonly OpenedConversation[];
  readonly problems: readonly Problem[];
  /** Gives up the records. */
  close(): void;
}

/** A file on the disk that belongs to a transcript. */
export interface SidecarFile {
  readonly name: string;
  readonly path: string;
  readonly source: AsyncIterable<Uint8Array>;
}

/** What is needed to read a large file. */
export interface LargeOptions {
  /** How much of the file drafts are held of at once, in bytes; see `Drafts`. */
  readonly heldBytes: number;
  /** How long a conversation may be whose parts stand scattered over the file, in bytes; 512 MiB by default. */
  readonly maxGroupBytes?: number;
  /** Whether a last line that is not whole is left for later. */
  readonly isGrowing?: boolean;
  readonly sidecars: readonly SidecarFile[];
  readonly sidecarsLeft: number;
  readonly signal?: AbortSignal | undefined;
  /** Called now and then with how much of the work is done, from 0 to 1. */
  readonly onProgress?: ((done: number) => void) | undefined;
  /** Called when a part of the work begins. */
  readonly onPart?: ((part: ImportPart) => void) | undefined;
}

/**
 * The parts of reading a large file: its lines are read; records are made of what they gave, with the rest of each line
 * that stands in no message; and each line is compared with its records, so that nothing is missed.
 */
export type ImportPart = 'reading' | 'records' | 'comparing';

/**
 * Reads a file of lines, or of one list of objects, of any length in bounded memory: drafts and records wait in a spool, and what is needed of the
 * file's values later is read again. Undefined for a file that is read as a whole. Rejects with errors of the file system
 * and the signal's reason.
 */
export async function readLarge(
  path: string,
  name: string,
  { heldBytes, maxGroupBytes, isGrowing, sidecars, sidecarsLeft, signal, onProgress, onPart }: LargeOptions,
): Promise<OpenedImport | undefined> {
  const progress = new Progress(signal, onProgress);
  const spool = new Spool();
  const opened: FileEntries[] = [];
  try {
    const sink = new ImportSink(baseName(name), new Drafts(spool, heldBytes), maxGroupBytes);
    const open = (file: string, mayBeList = false) => {
      const entries = linesOf(file, sink, (bytes) => progress.read(bytes), isGrowing, mayBeList);
      if (entries) opened.push(entries);
      return entries;
    };
    const entries = open(path, isGrowing !== true);
    const format = entries && fedFormatOf(entries);
    if (!entries || !format) {
      spool.close();
      return undefined;
    }
    const beside: SidecarEntries[] = [];
    for (const each of sidecars) {
      const held = async () => readSidecar(each, MAX_TRANSCRIPT_BYTES, sink);
      beside.push({ name: each.name, entries: tried(() => open(each.path)) ?? (await held()) });
    }
    progress.begin(opened);
    onPart?.('reading');
    tellLeft(sidecarsLeft, sink);
    await inSlices(read(format, entries, sink, beside), signal);
    const files = [{ name: '', entries }, ...beside];
    const finishing = new LargeImport(sink, spool, progress, format).finish(files, onPart);
    const { conversations, problems } = await inSlices(finishing, signal);
    for (const each of opened) each.close();
    return { format: format.name, conversations, problems, close: () => spool.close() };
  } catch (error) {
    for (const each of opened) each.close();
    spool.close();
    throw error;
  }
}

/** Undefined where a file cannot be opened: reading it as a whole reports why. */
function tried<T>(open: () => T | undefined): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

/** The format of a large file of lines or of one list, where it is one whose reader is fed. */
function fedFormatOf(entries: FileEntries): LinesFormat | StreamedFormat | undefined {
  const head: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    head.push(entry);
    bytes += entry.length ?? 0;
    if (head.length >= HEAD_VALUES || bytes >= HEAD_BYTES) break;
  }
  const { format, entries: found } = detect(head);
  if (!format || !isOfAnyLength(format) || found !== head) return undefined;
  // What takes a list for something else than its items is read as a whole.
  if (!entries.isList) return format;
  const asList = [{ value: head.flatMap(({ value, raw }) => (raw === undefined ? [value] : [])) }];
  const whole = detect(asList);
  return whole.format === format && whole.entries !== asList ? format : undefined;
}

/** How much of what somebody wrote may be kept beside records before it is looked at more closely, by the bytes of the file. */
const ALLOWED_ASIDE = 0.001;

/** A text that stands in no record; undefined for a step in which none was found. */
type TextMatch = LostText | undefined;

/** How much of a large import is done. */
class Progress {
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: (done: number) => void;
  #all = Number.POSITIVE_INFINITY;
  #read = 0;
  #told = 0;

  constructor(signal: AbortSignal | undefined, onProgress: (done: number) => void = () => undefined) {
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  /** How many bytes the files have. */
  get size(): number {
    return this.#all / PASSES;
  }

  begin(files: readonly FileEntries[]): void {
    this.#all = files.reduce((sum, { size }) => sum + size, 0) * PASSES;
    this.#read = 0;
  }

  /** Throws the signal's reason where it is aborted. */
  read(bytes: number): void {
    this.#signal?.throwIfAborted();
    this.#read += bytes;
    const percent = Math.min(99, Math.floor((this.#read * 100) / this.#all));
    if (percent <= this.#told) return;
    this.#told = percent;
    this.#onProgress(percent / 100);
  }
}

/** The second half of a large import: from drafts to records, and what stands in none of them. */
class LargeImport {
  readonly #sink: ImportSink;
  readonly #spool: Spool;
  readonly #progress: Progress;
  readonly #format: TranscriptFormat;
  /** Where the record of each draft is in the spool. */
  readonly #recordOf = new Numbers();

  /** How many characters of what somebody wrote are kept beside records. */
  #aside = 0;

  /** What of a record counts as standing there. */
  #view: (record: ImportedRecord) => unknown = (record) => record;

  constructor(sink: ImportSink, spool: Spool, progress: Progress, format: TranscriptFormat) {
    this.#format = format;
    this.#sink = sink;
    this.#spool = spool;
    this.#progress = progress;
  }

  *finish(
    files: readonly SidecarEntries[],
    onPart: LargeOptions['onPart'],
  ): Steps<Omit<OpenedImport, 'format' | 'close'>> {
    onPart?.('records');
    const conversations = yield* this.#conversations();
    onPart?.('comparing');
    const lost: LostText[] = [];
    for (const each of this.#lostIn(files, conversations)) {
      if (each) lost.push(each);
      else yield;
    }
    const [first] = conversations;
    if (first) for (const record of keptOf(lost, first.id, first.records)) first.records.add(record);
    const halves = yield* this.#halfRead(files, conversations);
    return {
      conversations,
      problems: [...this.#sink.problems, ...lossOf(lost, first !== undefined), ...halves],
    };
  }

  /** Reports what of the words of the file its reader did not understand, as far as that is watched. */
  *#halfRead(
    files: readonly SidecarEntries[],
    conversations: readonly OpenedConversation[],
  ): Steps<readonly Problem[]> {
    const [file] = files;
    if (!file) return [];
    const isEachTold = isWatched(this.#format);
    if (!isEachTold && this.#aside <= ALLOWED_ASIDE * this.#progress.size) return [];
    let all = isEachTold ? undefined : yield* this.#proseOf(file);
    if (all !== undefined && isLittle(this.#aside, () => all ?? 0)) return [];
    this.#view = isEachTold ? shownOf : foundOf;
    const unread: LostText[] = [];
    for (const each of this.#lostIn([file], conversations)) {
      if (!each) yield;
      else if (isProse(each)) unread.push(each);
    }
    if (unread.length === 0) return [];
    all ??= yield* this.#proseOf(file);
    return halfReadOf(unread, all, this.#format);
  }

  /** How many characters of what somebody wrote a file has. */
  *#proseOf({ entries }: SidecarEntries): Steps<number> {
    let length = 0;
    for (const { value, raw } of entries) {
      if (raw === undefined) length += proseIn(value);
      yield;
    }
    return length;
  }

  *#conversations(): Steps<readonly (OpenedConversation & { readonly records: SpooledRecords })[]> {
    const { drafts } = this.#sink;
    const builders = this.#sink.finished();
    drafts.complete();
    const conversations = [];
    for (const builder of builders) {
      const records = new SpooledRecords(this.#spool);
      const about = yield* builder.finishInto((record, draft) => {
        this.#aside += proseAside(record);
        const number = records.add(record);
        this.#recordOf.set(draft, number);
        const bytes = this.#spool.sizeOf(number);
        drafts.settle(bytes);
        this.#progress.read(bytes);
      });
      conversations.push({ ...about, records });
    }
    return conversations;
  }

  /**
   * What of the files stands in no record, in their order: what is not in the records made of a value is sought in all.
   * Undefined is a step in which nothing was found, here and below.
   */
  *#lostIn(
    files: readonly SidecarEntries[],
    conversations: readonly OpenedConversation[],
  ): Generator<TextMatch> {
    let sought: LostText[] = [];
    let length = 0;
    for (const { name, entries } of files) {
      if (this.#sink.leftOut.has(name)) continue;
      for (const each of this.#missingIn(name, entries)) {
        if (!each) {
          yield undefined;
          continue;
        }
        sought.push(each);
        length += String(each.value).length;
        if (length < SOUGHT_AT_ONCE) continue;
        yield* this.#notIn(conversations, sought);
        sought = [];
        length = 0;
      }
    }
    if (sought.length > 0) yield* this.#notIn(conversations, sought);
  }

  *#notIn(conversations: readonly OpenedConversation[], sought: readonly LostText[]): Generator<TextMatch> {
    const all = new SoughtTexts(sought);
    all.lookIn([...this.#sink.counts]);
    for (const { title, records } of conversations) {
      all.lookIn(title);
      for (const record of records) {
        this.#progress.read(0);
        all.lookIn(this.#view(record));
        yield undefined;
      }
    }
    for (const each of sought) if (!all.has(each)) yield each;
  }

  /** The records that were made of a draft: its own, else those of the drafts that came into its place. */
  #recordsOf(draft: number): readonly number[] {
    const own = this.#recordOf.at(draft);
    const made = own >= 0 ? [own] : this.#sink.drafts.behind(draft).map((each) => this.#recordOf.at(each));
    return made.filter((record) => record >= 0);
  }

  /** What each value of a file says that stands in no record which was made or changed for it. */
  *#missingIn(name: string, entries: Entries): Generator<TextMatch> {
    const groups = this.#sink.groupsOf(entries);
    if (groups) {
      yield* this.#missingInGroups(name, entries, groups);
      return;
    }
    const from = this.#sink.takenFrom(entries);
    let at = 0;
    for (const entry of entries) {
      const standing = new StandingTexts();
      const taken = from === undefined ? undefined : from + at++;
      if (taken !== undefined) {
        if (this.#sink.isRepeated(taken)) continue;
        for (const record of this.#recordsFor(taken)) standing.add(this.#seen(record));
      }
      yield* lostTexts(this.#soughtIn(entry), positionOf(name, entry), standing);
      yield undefined;
    }
  }

  /** The same of a file that was read group by group: values that stand together mostly have their groups in common. */
  *#missingInGroups(name: string, entries: Entries, groups: GroupsOfFile): Generator<TextMatch> {
    let together: LostText[] = [];
    let takes = new Set<number>();
    let [at, bytes] = [0, 0];
    for (const entry of entries) {
      const index = at++;
      if (groups.isLeftOut(index)) continue;
      appendAll(together, soughtTexts(this.#soughtIn(entry), positionOf(name, entry)));
      for (const take of groups.takesOf(index)) takes.add(take);
      bytes += entry.length ?? 0;
      yield undefined;
      if (bytes < COMPARED_AT_ONCE) continue;
      yield* this.#notMadeOf(takes, together);
      [together, takes, bytes] = [[], new Set(), 0];
    }
    yield* this.#notMadeOf(takes, together);
  }

  /** Which of these texts, or of what stands in them in another form, do not stand in the records of what was taken. */
  #notMadeOf(takes: ReadonlySet<number>, texts: readonly LostText[]): readonly LostText[] {
    let sought = texts;
    const lost = new Set<LostText>();
    while (sought.some((each) => !lost.has(each))) {
      for (const standing of this.#standingIn(takes))
        sought = sought.filter((each) => lost.has(each) || !stands(each, standing));
      sought = sought.flatMap((each) => {
        const inside = lost.has(each) ? undefined : textInside(each);
        if (inside) return [...soughtTexts(inside.value, inside.path)];
        lost.add(each);
        return [each];
      });
    }
    return sought;
  }

  /** What stands in the records of what was taken, as much at a time as may be held. */
  *#standingIn(takes: ReadonlySet<number>): Generator<StandingTexts> {
    let [standing, bytes] = [new StandingTexts(), 0];
    for (const take of takes) {
      for (const record of this.#recordsFor(take)) {
        standing.add(this.#seen(record));
        bytes += this.#spool.sizeOf(record);
        if (bytes < COMPARED_WITH) continue;
        yield standing;
        [standing, bytes] = [new StandingTexts(), 0];
      }
    }
    yield standing;
  }

  /** What of an entry is sought: one that is no JSON was reported, and is kept as it was. */
  #soughtIn({ value, raw }: Entry): unknown {
    return this.#view === shownOf ? value : (raw ?? value);
  }

  /** What counts of a record, by its number in the spool. */
  #seen(record: number): unknown {
    return this.#view(this.#spool.read(record) as ImportedRecord);
  }

  /** The records that were made or changed for what was taken. */
  *#recordsFor(taken: number): Generator<number> {
    for (const draft of this.#sink.drafts.ofTaken(taken)) yield* this.#recordsOf(draft);
  }
}
