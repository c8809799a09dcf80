import type { TokenCounter } from '../ports/tokenCounter.js';
import { tokensOf } from '../query/messageTokens.js';
import { messageIn, placeOf, type ItemPlace, type LooseMessage } from '../query/queryItem.js';
import { ToolNames } from '../query/toolNames.js';
import type { Redactor } from './redact.js';

/** What a format gets to know of one message. */
export interface ExportRow {
  /** The position of the message, from 0. */
  readonly index: number;
  /** The message itself, without its secrets where they are to be left out. */
  readonly message: LooseMessage;
  /** The item as it was given: the message or the record around it. */
  readonly item: unknown;
  readonly place: ItemPlace;
  /** The tool whose call this message answers. */
  readonly calledTool: string | undefined;
  /** How many tokens the message has; undefined where nobody can tell. */
  readonly tokens: () => number | undefined;
}

/** How many call ids a format remembers; a result that comes later than so many calls stands without its tool's name. */
export const REMEMBERED_CALLS = 100_000;

/** Makes rows of items; items that carry no message make none. */
export class RowMaker {
  readonly #names = new ToolNames(REMEMBERED_CALLS);
  readonly #counter: TokenCounter | undefined;
  readonly #redactor: Redactor | undefined;
  #count = 0;

  constructor(counter: TokenCounter | undefined, redactor: Redactor | undefined) {
    this.#counter = counter;
    this.#redactor = redactor;
  }

  /** How many rows were made. */
  get count(): number {
    return this.#count;
  }

  /** The row of the next item, undefined where it carries no message. */
  next(item: unknown): ExportRow | undefined {
    const message = messageIn(item);
    if (!message) return undefined;
    return {
      index: this.#count++,
      message: this.#redactor ? this.#redactor.message(message) : message,
      item,
      place: placeOf(item),
      calledTool: this.#names.next(item),
      tokens: () => tokensOf(item, message, this.#counter).tokens,
    };
  }
}
