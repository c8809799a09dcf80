import type { JournalLines } from '../../read/journalLines.js';
import { readRuns, recordIn } from '../../read/readSpans.js';
import { TranscriptIndex } from './transcriptIndex.js';

/** How long lines are read before others get their turn, in milliseconds. */
const STEP_MS = 8;
/** How many lines are read between two looks at the clock. */
const BITE = 16;

/** The lines of a conversation's journal and an index of their records, which grows after them. */
export class IndexedLines {
  readonly index = new TranscriptIndex();
  readonly lines: JournalLines;

  constructor(lines: JournalLines) {
    this.lines = lines;
  }

  /** How many lines are not indexed yet. */
  get behind(): number {
    return this.lines.index.size - this.index.size;
  }

  /** Indexes lines until none is left; may be abandoned after any step, and started again. */
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
