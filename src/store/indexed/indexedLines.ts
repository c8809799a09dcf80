import type { JournalLines } from '../journal/journalLines.js';
import { readRuns, recordIn } from '../reading/readSpans.js';
import { TranscriptIndex } from './transcriptIndex.js';

/** Lines are read for so many milliseconds, then others have their turn. */
const STEP_MS = 8;
/** How many lines are read between two looks at the clock. */
const BITE = 16;

/** The lines of a conversation's journal, and an index of what criteria ask of their records, which follows them. */
export class IndexedLines {
  readonly index = new TranscriptIndex();
  readonly lines: JournalLines;

  constructor(lines: JournalLines) {
    this.lines = lines;
  }

  /** How many lines the index does not know yet. */
  get behind(): number {
    return this.lines.index.size - this.index.size;
  }

  /** Reads lines into the index until it knows all; may be left after each step, and begun again. */
  async *grow(): AsyncGenerator<void, void, undefined> {
    const { paths } = this.lines;
    for await (const run of readRuns(paths, this.lines.index, this.index.size, this.lines.index.size)) {
      let until = performance.now() + STEP_MS;
      for (let at = 0; at < run.spans.length; at++) {
        const record = recordIn(run, at, paths.id);
        this.index.add(record, !('spill' in record));
        if (at % BITE !== 0 || performance.now() < until) continue;
        yield;
        until = performance.now() + STEP_MS;
      }
    }
  }
}
