import { costOf, NO_COST, type Cost } from '../../core/cost.js';
import { NO_PRICES, type Prices } from '../../core/ports/prices.js';
import { addRequest } from './callCosts.js';
import { factsOf, type Facts } from './facts.js';
import { costOfCalls, wholeCosts } from './treeCosts.js';
import { TranscriptReader } from './transcriptReader.js';

/** No result is looked at, so few ids of tool calls are remembered: those that a dispatch may name. */
const REMEMBERED_CALLS = 100;

/** Adds up what a transcript cost, item by item, by the rules of every view; what is kept grows with the calls of agents alone. */
export class CostSum {
  /** Which tables prices are from; '' where there are none. */
  readonly version: string;
  readonly #prices: Prices;
  readonly #reader = new TranscriptReader(REMEMBERED_CALLS);

  constructor(prices: Prices = NO_PRICES) {
    this.version = prices.version;
    this.#prices = prices;
  }

  /**
   * Adds a record or a bare message; items must be given in order. Gives what the request cost that it tells of; undefined
   * where it tells of none. A request and its message tell of the same one, which `total` counts once.
   */
  add(item: unknown): Cost | undefined {
    return this.addFacts(factsOf(item));
  }

  /** The same from the facts of an item. */
  addFacts(facts: Facts): Cost | undefined {
    const cost = addRequest(facts, this.#reader.next(facts).call, this.#prices);
    return cost && costOf(cost, facts.usage?.requests);
  }

  /** What each call of an agent cost with all calls below it, by its id. */
  get wholeByCall(): ReadonlyMap<string, Cost> {
    const { all } = this.#reader.calls;
    const whole = wholeCosts(all);
    return new Map(all.map(({ id, index }) => [id, whole[index] ?? NO_COST]));
  }

  /** What all requests cost that were added. */
  get total(): Cost {
    return costOfCalls(this.#reader.calls.all);
  }
}
