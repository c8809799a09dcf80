import { factsOf, type Facts } from '../../analysis/facts.js';
import { FactScanner } from '../format/factScanner.js';
import { checkLine } from '../format/lineFormat.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { readRuns, recordIn, type LineRun } from './readSpans.js';
import type { RecordSource } from './storedTranscript.js';

/** Reads the facts of a conversation's records, by a scan of their bytes wherever that is possible. */
export class FactReader {
  readonly #paths: ConversationPaths;
  readonly #source: Pick<RecordSource, 'index' | 'peek'>;
  readonly #scanner: FactScanner;

  constructor(paths: ConversationPaths, source: Pick<RecordSource, 'index' | 'peek'>) {
    this.#paths = paths;
    this.#source = source;
    this.#scanner = new FactScanner(paths.id);
  }

  /** The facts of the records from `start` up to, not including, `end`, as far as there are any. */
  async read(start: number, end: number): Promise<Facts[]> {
    const { index } = this.#source;
    // Determined before the first await, during which a waiting record may be written to the file.
    const written = Math.min(end, index.size);
    const waiting = this.#source.peek(Math.max(0, start - index.size), Math.max(0, end - index.size));
    const found: Facts[] = [];
    for await (const run of readRuns(this.#paths, index, start, written)) {
      for (let at = 0; at < run.spans.length; at++) found.push(this.#factsOf(run, at));
    }
    for (const record of waiting) found.push(factsOf(record));
    return found;
  }

  #factsOf(run: LineRun, at: number): Facts {
    const { from, to } = run.spans[at] ?? { from: 0, to: 0 };
    const isOurs = to <= run.bytes.length && checkLine(run.bytes.subarray(from, to)) === 'right';
    const scanned = isOurs ? this.#scanner.scan(run.bytes, from, to) : undefined;
    return scanned ?? factsOf(recordIn(run, at, this.#paths.id));
  }
}
