import { factsOf } from '../../query/numbers/facts.js';
import { FactScanner } from '../format/factScanner.js';
import type { Check } from '../format/lineFormat.js';
import { FactColumns, type GatheredFacts } from './factColumns.js';
import type { RecordVisitor } from './segmentFindings.js';
import { recordIn, type LineRun } from './readSpans.js';

/** The facts of records that were indexed together, by the position of the first; `copies`: which of them were not, if any. */
export type FactsVisitor = (facts: GatheredFacts, first: number, copies: ReadonlySet<number>) => void;

/** Takes the facts of lines into columns: by a scan of their bytes, and where that gives up from the parsed record. */
export class FactTaker {
  columns = new FactColumns();
  readonly #conversation: string;
  readonly #scanner: FactScanner;

  constructor(conversation: string) {
    this.#conversation = conversation;
    this.#scanner = new FactScanner(conversation);
  }

  /** Adds the facts of the line of a run with this number; `check`: the state of its checksum. */
  add(run: LineRun, at: number, check: Check): void {
    const { from, to } = run.spans[at] ?? { from: 0, to: 0 };
    const scanned = check === 'right' ? this.#scanner.scan(run.bytes, from, to) : undefined;
    if (scanned) this.columns.addScanned(scanned);
    else this.columns.add(factsOf(recordIn(run, at, this.#conversation, check)));
  }

  /** Takes the facts of a record while its line is read, so that this need not be read again for them. */
  readonly visitor: RecordVisitor = (line, position, check) => {
    if (position === this.columns.length) this.addLine(line, position, check);
  };

  /** The same of records that other threads have read. */
  readonly partsVisitor: FactsVisitor = (gathered, first, copies) => {
    const { columns } = this;
    if (first === columns.length && copies.size === 0) {
      columns.append(gathered);
      return;
    }
    const apart = new FactColumns();
    apart.append(gathered);
    let position = first;
    for (const [at, facts] of apart.slice(0, apart.length).entries()) {
      if (copies.has(at)) continue;
      if (position === columns.length) columns.add(facts);
      position++;
    }
  };

  /** Adds the facts of a line, of which the record has this position. */
  addLine(bytes: Buffer, position: number, check: Check): void {
    this.add({ first: position, bytes, spans: [{ from: 0, to: bytes.length }] }, 0, check);
  }
}
