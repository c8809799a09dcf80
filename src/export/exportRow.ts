import { isObject } from '../core/message.js';
import type { TokenCounter } from '../ports/tokenCounter.js';
import { tellTokens, type TellTokens } from '../query/messageTokens.js';
import { envelopeOf, messageIn, placeOf, type ItemPlace, type LooseMessage } from '../query/queryItem.js';
import { ToolNames } from '../query/toolNames.js';
import { resultNameOf } from '../query/toolCalls.js';
import type { Redactor } from './redact.js';

/** What a format gets to know of one message. What costs something is found out when a format asks for it. */
export class ExportRow {
  /** The position of the message, from 0. */
  readonly index: number;
  /** The item as it was given: the message or the record around it. */
  readonly item: unknown;
  /** The message itself, without its secrets where they are to be left out. */
  readonly message: LooseMessage;
  readonly #original: LooseMessage;
  readonly #tell: TellTokens;
  readonly #calledTool: string | undefined;

  constructor(
    index: number,
    item: unknown,
    message: LooseMessage,
    original: LooseMessage,
    tell: TellTokens,
    calledTool: string | undefined,
  ) {
    this.index = index;
    this.item = item;
    this.message = message;
    this.#original = original;
    this.#tell = tell;
    this.#calledTool = calledTool;
  }

  get place(): ItemPlace {
    return placeOf(this.item);
  }

  /** How many tokens the message has; undefined where nobody can tell. */
  get tokens(): number | undefined {
    return this.#tell(this.item, this.#original).tokens;
  }

  /** The tool whose result this is: its own name, else that of the call it answers; '' where neither is known. */
  get resultName(): string {
    return resultNameOf(this.message, envelopeOf(this.item)) || (this.#calledTool ?? '');
  }
}

/** How many call ids a format remembers; a result that comes later than so many calls stands without its tool's name. */
export const REMEMBERED_CALLS = 100_000;

/** Makes rows of items; items that carry no message make none. */
export class RowMaker {
  readonly #names: ToolNames | undefined;
  readonly #tell: TellTokens;
  readonly #redactor: Redactor | undefined;
  #count = 0;

  /** `namesTools`: whether the format asks for the names of tools. */
  constructor(counter: TokenCounter | undefined, redactor: Redactor | undefined, namesTools: boolean) {
    this.#names = namesTools ? new ToolNames(REMEMBERED_CALLS) : undefined;
    this.#tell = tellTokens(counter);
    this.#redactor = redactor;
  }

  /** How many rows were made. */
  get count(): number {
    return this.#count;
  }

  /** The row of the next item, undefined where it carries no message. */
  next(item: unknown): ExportRow | undefined {
    const original = messageIn(item);
    if (!original) return undefined;
    const redactor = this.#redactor;
    const message = redactor ? redactor.message(original) : original;
    // What is no object stands for itself.
    const shown = redactor && !isObject(item) ? redactor.value(item) : item;
    return new ExportRow(this.#count++, shown, message, original, this.#tell, this.#names?.next(item));
  }
}
