import type { TokenCounter } from '../ports/tokenCounter.js';
import { compileCriteria, type FilterCriteria } from './criteria.js';
import { statsOf, type MessageStats } from './messageStats.js';
import { messageIn } from './queryItem.js';
import { timelineOf, type Turn } from './timeline.js';
import { toolSummaryOf, type ToolCallInfo } from './toolSummary.js';

/** What a query may be given besides its messages. */
export interface QueryOptions {
  /** Counts what no provider told. */
  readonly tokenCounter?: TokenCounter | undefined;
}

/**
 * Questions about messages: chat-completions messages, records that carry them, or a mix. The items are read
 * afresh at each question; nothing is copied or kept between two questions, and nothing is changed.
 * Records that carry no message are no messages: they are not counted, found or exported.
 */
export class MessageQuestions<Item = unknown> {
  protected readonly items: readonly Item[];
  protected readonly tokenCounter: TokenCounter | undefined;

  constructor(items: readonly Item[], options: QueryOptions = {}) {
    this.items = items;
    this.tokenCounter = options.tokenCounter;
  }

  /** How many messages there are now. */
  get length(): number {
    let length = 0;
    for (const item of this.items) if (messageIn(item)) length++;
    return length;
  }

  /** The messages that match, in order. Throws an error that starts with `Invalid regex pattern:` for such a one. */
  filter(criteria: FilterCriteria = {}): Item[] {
    // Faster than a loop that gathers by hand, because the engine knows how to grow its own result.
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

  all(): Item[] {
    const all: Item[] = [];
    for (const item of this.items) if (messageIn(item)) all.push(item);
    return all;
  }

  /** Messages and tokens, in all, by role and by agent. */
  stats(): MessageStats {
    return statsOf(this.items, this.tokenCounter);
  }

  /** Calls and results by tool, tools in the order in which they were first seen. */
  toolSummary(): ToolCallInfo[] {
    return toolSummaryOf(this.items);
  }

  /** Prompts with their answers and the tool interactions between them; agents that were dispatched inside. */
  timeline(): Turn[] {
    return timelineOf(this.items);
  }
}
