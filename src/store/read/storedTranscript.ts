import type { Event } from '../../core/event.js';
import type { LogRecord, SpillRef } from '../../core/record.js';
import type { DamagedLine, DamagePosition, ReadRecord, Transcript } from '../../core/ports/transcript.js';
import type { LineIndex } from './lineIndex.js';
import type { FactsVisitor } from './factTaker.js';
import type { RecordVisitor } from './segmentFindings.js';
import { eachRunAt } from './eachRunAt.js';
import { readRuns, readSpans, recordIn, type LineRun, type RecordsOnThread } from './readSpans.js';
import { readSpilled } from './readSpilled.js';
import { SpillRefs, idInPath } from '../format/spillTexts.js';
import { type ConversationPaths, segmentOf } from '../files/storePaths.js';

/** The records of a conversation: first those in its files, then those only in memory. */
export interface RecordSource {
  readonly index: LineIndex;
  readonly length: number;
  readonly damaged: readonly DamagedLine[];
  readonly onDidGrow: Event<void>;
  /** See `Transcript`. */
  readonly expected?: number;
  /**
   * Reads the next piece of what has not been read yet, and tells of each record in it; of those that another thread has
   * read, with their facts.
   */
  readOn?(visit?: RecordVisitor, take?: FactsVisitor): Promise<void>;
  /** The records in memory from `start` up to, not including, `end`, counted from the first that is not in a file. */
  peek(start: number, end: number): readonly LogRecord[];
}

/** A stored conversation as a transcript. Keeps no file open; reads only what is requested. */
export class StoredTranscript implements Transcript {
  readonly conversation: string;
  readonly #paths: ConversationPaths;
  readonly #source: RecordSource;
  readonly #refs = new SpillRefs();
  readonly #onThread: RecordsOnThread | undefined;
  #onClose: (() => void) | undefined;

  /** `beside` reads long lines on another thread; without it, this one does. */
  constructor(
    paths: ConversationPaths,
    source: RecordSource,
    onClose?: () => void,
    onThread?: RecordsOnThread,
  ) {
    this.conversation = paths.id;
    this.#paths = paths;
    this.#source = source;
    this.#onClose = onClose;
    this.#onThread = onThread;
  }

  get length(): number {
    return this.#source.length;
  }

  get expected(): number {
    return this.#source.expected ?? this.length;
  }

  get damaged(): readonly DamagedLine[] {
    return this.#source.damaged;
  }

  damagePositions(): readonly DamagePosition[] {
    return damagePositions(this.#source);
  }

  get onDidGrow(): Event<void> {
    return this.#source.onDidGrow;
  }

  async read(start: number, end: number): Promise<readonly ReadRecord[]> {
    const { index } = this.#source;
    const from = Math.max(0, start);
    // Determined before the first await, during which a waiting record may be written to the file.
    const written = Math.min(end, index.size);
    const waiting = this.#source.peek(Math.max(0, from - index.size), Math.max(0, end - index.size));
    if (from >= written) return waiting;
    const stored = await readSpans(this.#paths, index, from, written, this.#onThread);
    this.#refs.remember(stored);
    return [...stored, ...waiting];
  }

  /**
   * The bytes of the lines from `start` up to, not including, `end`, without their newlines; undefined for records that are
   * in no file yet, and for lines that are cut or gone. Rejects with errors of the file system.
   */
  async readLines(start: number, end: number): Promise<readonly (Buffer | undefined)[]> {
    const { index, length } = this.#source;
    const from = Math.max(0, start);
    const to = Math.min(end, length);
    const lines: (Buffer | undefined)[] = [];
    for await (const { bytes, spans } of readRuns(this.#paths, index, from, Math.min(to, index.size)))
      for (const span of spans)
        lines.push(span.to <= bytes.length ? bytes.subarray(span.from, span.to) : undefined);
    while (lines.length < to - from) lines.push(undefined);
    return lines;
  }

  // oxlint-disable-next-line typescript/require-await -- so that errors of the file system reject
  async readAt(positions: readonly number[]): Promise<ReadonlyMap<number, ReadRecord>> {
    return this.recordsAt(positions);
  }

  /**
   * The records at ascending positions, read at once on a thread that may wait for its files: of those in files the ones on
   * the lines that `wanted` names, or all; the other lines are not parsed. Throws errors of the file system.
   */
  recordsAt(
    positions: readonly number[],
    wanted: (run: LineRun, at: readonly number[]) => readonly number[] = allLines,
  ): ReadonlyMap<number, ReadRecord> {
    const { index } = this.#source;
    const records = new Map<number, ReadRecord>();
    const written = positions.filter((position) => position < index.size);
    for (const position of positions.slice(written.length)) {
      const [record] = this.#source.peek(position - index.size, position - index.size + 1);
      if (record) records.set(position, record);
    }
    eachRunAt(this.#paths, index, written, (run, at) => {
      for (const line of wanted(run, at)) {
        const position = at[line] ?? 0;
        const { bytes, spans } = run;
        records.set(
          position,
          recordIn({ first: position, bytes, spans: spans.slice(line, line + 1) }, 0, this.conversation),
        );
      }
    });
    this.#refs.remember([...records.values()]);
    return records;
  }

  async readSpill(path: string): Promise<string | undefined> {
    const ref = await this.#findRef(path);
    if (!ref) return undefined;
    const found = await readSpilled(this.#paths, ref);
    return 'text' in found ? found.text : undefined;
  }

  close(): Promise<void> {
    // Only once, or another reader of the same source would lose it.
    this.#onClose?.();
    this.#onClose = undefined;
    return Promise.resolve();
  }

  async #findRef(path: string): Promise<SpillRef | undefined> {
    const id = idInPath(path);
    if (!this.#refs.get(path) && id !== undefined) {
      const position = this.#source.index.find(id);
      if (position >= 0) await this.read(position, position + 1);
    }
    return this.#refs.get(path);
  }
}

function allLines({ spans }: LineRun): readonly number[] {
  return spans.map((_, line) => line);
}

/** What of a source is wrong, and where its records stand. */
interface Damaged {
  readonly index: LineIndex;
  readonly damaged: readonly DamagedLine[];
}

/**
 * What is wrong in journal files where it stands among their records, in order. What is in no file of the journal stands
 * before all of them.
 */
function damagePositions({ index, damaged }: Damaged): readonly DamagePosition[] {
  const lines = damaged.map((line) => ({ line, segment: segmentOf(line.file) ?? -1 }));
  // From the end, because a record that was written once more has moved there: what stands before it does not follow it.
  lines.sort((a, b) => b.segment - a.segment || b.line.offset - a.line.offset);
  const positions: DamagePosition[] = [];
  let position = index.size;
  for (const { line, segment } of lines) {
    for (; position > 0; position--) {
      const record = index.span(position - 1);
      if (record.segment < segment || (record.segment === segment && record.start < line.offset)) break;
    }
    positions.push({ position, line });
  }
  return positions.reverse();
}
