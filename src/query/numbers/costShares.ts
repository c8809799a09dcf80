import { NO_PRICES, type Prices } from '../../core/ports/prices.js';
import { addRequest } from './callCosts.js';
import { factsOf } from './facts.js';
import { SpentByRecord, type SpentAt } from './spentByRecord.js';
import { TranscriptReader } from './transcriptReader.js';

/** No result is looked at, so few ids of tool calls are remembered: those that a dispatch may name. */
const REMEMBERED_CALLS = 100;

/** What each of a transcript's items adds to what all of them cost; the shares of all are the number of every view. */
export class CostShares {
  readonly #prices: Prices;
  readonly #reader = new TranscriptReader(REMEMBERED_CALLS);
  readonly #spent = new SpentByRecord();

  constructor(prices: Prices = NO_PRICES) {
    this.#prices = prices;
  }

  /** Adds a record or a bare message; items must be given in order. */
  add(item: unknown): void {
    const facts = factsOf(item);
    const reading = this.#reader.next(facts);
    this.#spent.add(reading, addRequest(facts, reading.call, this.#prices));
  }

  /**
   * The shares of the items that were added, by their positions; of chosen ones, by their indexes among `positions`. What adds
   * nothing has none.
   */
  finish(positions?: readonly number[]): SpentAt {
    const shares = this.#spent.finish();
    if (!positions) return shares;
    return { get: (index) => shares.get(positions[index] ?? -1) };
  }
}
