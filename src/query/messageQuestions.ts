import type { InEitherCase } from '../core/checkOptions.js';
import type { Prices } from '../core/ports/prices.js';
import type { TokenCounter } from '../core/ports/tokenCounter.js';
import { compileCriteria } from './compileCriteria.js';
import type { FilterCriteria } from './filterCriteria.js';
import type { MessageStats } from './numbers/answers.js';
import { statsOf } from './numbers/messageStats.js';
import { messageIn } from './numbers/transcriptItem.js';
import type { Turn } from './numbers/answers.js';
import { timelineOf } from './numbers/timeline.js';
import type { ToolCallInfo } from './numbers/answers.js';
import { toolSummaryOf } from './numbers/toolSummary.js';

/** Options of a query. */
export interface QueryOptions {
  /** Counts the tokens that no provider reported. */
  readonly tokenCounter?: TokenCounter | undefined;
  /** What models cost; without, nothing is said of money. */
  readonly prices?: Prices | undefined;
}

/**
 * Questions about chat-completions messages, records that carry them, or a mix of both. The items are read
 * afresh for each question; nothing is copied, cached or changed.
 * Records without a message are neither counted, found nor exported, unless failures are asked for.
 */
export class MessageQuestions<Item = unknown> {
  readonly #items: readonly Item[] | (() => readonly Item[]);
  protected readonly tokenCounter: TokenCounter | undefined;
  protected readonly prices: Prices | undefined;

  /** `items` may be a function, which is called for each question, where they are not always in the same array. */
  constructor(items: readonly Item[] | (() => readonly Item[]), options: QueryOptions = {}) {
    this.#items = items;
    this.tokenCounter = options.tokenCounter;
    this.prices = options.prices;
  }

  protected get items(): readonly Item[] {
    return typeof this.#items === 'function' ? this.#items() : this.#items;
  }

  /** The current number of messages. */
  get length(): number {
    let length = 0;
    for (const item of this.items) if (messageIn(item)) length++;
    return length;
  }

  /** The items that match, in order. Throws an error that starts with `Invalid regex pattern:` for an invalid pattern. */
  filter(criteria: InEitherCase<FilterCriteria> = {}): Item[] {
    // Faster than a loop with push, because the engine grows its own result better.
    return this.items.filter(compileCriteria(criteria).scan());
  }

  /** The messages from `start` up to, not including, `end`; negative positions count from the end. */
  slice(start?: number, end?: number): Item[] {
    return this.all().slice(start, end);
  }

  /** The first `n` messages; none for n below 1. */
  first(n = 1): Item[] {
    return n >= 1 ? this.all().slice(0, n) : [];
  }

  /** The last `n` messages; none for n below 1. */
  last(n = 1): Item[] {
    return n >= 1 ? this.all().slice(-n) : [];
  }

  /** All messages, in order. */
  all(): Item[] {
    const all: Item[] = [];
    for (const item of this.items) if (messageIn(item)) all.push(item);
    return all;
  }

  /** Numbers of messages and tokens: in total, by role and by agent; and what they cost, where prices were given. */
  stats(): MessageStats {
    return statsOf(this.items, this.tokenCounter, this.prices);
  }

  /** Calls and results by tool, in the order of each tool's first appearance. */
  toolSummary(): ToolCallInfo[] {
    return toolSummaryOf(this.items);
  }

  /** Prompts with their answers and the tool interactions between them, those of dispatched agents nested. */
  timeline(): Turn[] {
    return timelineOf(this.items);
  }
}
