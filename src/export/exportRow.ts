import { isObject } from '../core/message.js';
import type { TokenCounter } from '../ports/tokenCounter.js';
import { tellTokens, type TellTokens } from '../query/messageTokens.js';
import { envelopeOf, messageIn, placeOf, type ItemPlace, type LooseMessage } from '../query/queryItem.js';
import { ToolNames } from '../query/toolNames.js';
import { resultNameOf } from '../query/toolCalls.js';
import type { Redactor } from './redact.js';

/** One message as the formats see it. Costly properties are computed only when a format reads them. */
export class ExportRow {
  /** The position of the message, from 0. */
  readonly index: number;
  /** The message, or the record around it. */
  readonly item: unknown;
  /** The message itself, redacted if that is asked for. */
  readonly message: LooseMessage;
  readonly #original: LooseMessage;
  readonly #tell: TellTokens;
  readonly #calledTool: string | undefined;
  readonly #clean: CleanName;

  constructor(
    index: number,
    item: unknown,
    message: LooseMessage,
    original: LooseMessage,
    tell: TellTokens,
    calledTool: string | undefined,
    clean: CleanName,
  ) {
    this.index = index;
    this.item = item;
    this.message = message;
    this.#original = original;
    this.#tell = tell;
    this.#calledTool = calledTool;
    this.#clean = clean;
  }

  /** Where and when the message was recorded; the agent's name without secrets, if that is asked for. */
  get place(): ItemPlace {
    const place = placeOf(this.item);
    return place.agent === undefined ? place : { ...place, agent: this.#clean(place.agent) };
  }

  /** The number of tokens of the original message; undefined where it is unknown. */
  get tokens(): number | undefined {
    return this.#tell(this.item, this.#original).tokens;
  }

  /** The name of the tool whose result this is: as the result says, else as its call says; '' where both are unknown. */
  get resultName(): string {
    return this.#clean(resultNameOf(this.message, envelopeOf(this.item)) || (this.#calledTool ?? ''));
  }
}

/** A name of an agent or a tool, redacted if that is asked for. */
type CleanName = (name: string) => string;

/** How many names are remembered, so that each is looked through, and its secrets counted, once. */
const REMEMBERED_NAMES = 1_000;

function cleanNames(redactor: Redactor | undefined): CleanName {
  if (!redactor) return (name) => name;
  const known = new Map<string, string>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    if (known.size >= REMEMBERED_NAMES) known.clear();
    const clean = redactor.text(name);
    known.set(name, clean);
    return clean;
  };
}

/** How many tool call ids are remembered; a result that comes after more calls than these lacks its tool's name. */
export const REMEMBERED_CALLS = 100_000;

/** Turns items into rows; items without a message give none. */
export class RowMaker {
  readonly #names: ToolNames | undefined;
  readonly #tell: TellTokens;
  readonly #redactor: Redactor | undefined;
  readonly #clean: CleanName;
  #count = 0;

  /** `namesTools`: whether the format reads `resultName`. */
  constructor(counter: TokenCounter | undefined, redactor: Redactor | undefined, namesTools: boolean) {
    this.#names = namesTools ? new ToolNames(REMEMBERED_CALLS) : undefined;
    this.#tell = tellTokens(counter);
    this.#redactor = redactor;
    this.#clean = cleanNames(redactor);
  }

  /** The number of rows made so far. */
  get count(): number {
    return this.#count;
  }

  /** The row of the next item; undefined where it carries no message. */
  next(item: unknown): ExportRow | undefined {
    const original = messageIn(item);
    if (!original) return undefined;
    const redactor = this.#redactor;
    const message = redactor ? redactor.message(original) : original;
    // An item that is no object is exported as it is, not as the empty message it counts as.
    const shown = redactor && !isObject(item) ? redactor.value(item) : item;
    return new ExportRow(
      this.#count++,
      shown,
      message,
      original,
      this.#tell,
      this.#names?.next(item),
      this.#clean,
    );
  }
}
