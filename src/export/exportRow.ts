import type { Cost } from '../core/cost.js';
import type { Spent } from '../query/numbers/spentByRecord.js';
import { BoundedMap } from '../core/boundedMap.js';
import {
  injectedOf,
  inParts,
  injectedWords,
  withoutInjected,
  type Injected,
  type InjectedWords,
} from '../core/injected.js';
import { isObject, textOf } from '../core/message.js';
import type { TokenCounter } from '../core/ports/tokenCounter.js';
import { tokensOfMessage, type TokensOfMessage } from '../query/numbers/messageTokens.js';
import {
  envelopeOf,
  messageIn,
  originOf,
  speakerIn,
  UNKNOWN_ROLE,
  type ItemOrigin,
  type UntypedMessage,
} from '../query/numbers/transcriptItem.js';
import { ToolNames } from '../query/numbers/toolNames.js';
import { resultNameOf } from '../query/numbers/toolCalls.js';
import { someTime } from '../query/numbers/requestPairing.js';
import { numberOr } from '../query/numbers/values.js';
import type { ExportNote } from './exportNote.js';
import type { Redactor } from './secrets/redact.js';

/** One message as the formats see it. Costly properties are computed only when a format reads them. */
export class ExportRow {
  /** The position of the message, from 0. */
  readonly index: number;
  /** The message, or the record around it. */
  readonly item: unknown;
  /** The message itself, redacted if that is asked for. */
  readonly message: UntypedMessage;
  /** What the request cost that it tells of, in a full export; undefined where it tells of none. */
  readonly cost: Cost | undefined;
  /** What it adds to the sums of all, and whether the export tells that of each row. */
  readonly counts: Spent | undefined;
  readonly addsUp: boolean;
  /** What a person has noted about it, redacted if that is asked for. */
  readonly notes: readonly ExportNote[];
  readonly #tookMs: number | undefined;
  readonly #original: UntypedMessage;
  readonly #tell: TokensOfMessage;
  readonly #calledTool: string | undefined;
  readonly #clean: CleanName;
  readonly #redactor: Redactor | undefined;
  #envelope: UntypedMessage | undefined;

  constructor(
    index: number,
    item: unknown,
    message: UntypedMessage,
    original: UntypedMessage,
    tell: TokensOfMessage,
    calledTool: string | undefined,
    clean: CleanName,
    redactor: Redactor | undefined,
    { cost, counts, addsUp = false, tookMs, notes = [] }: RowContext,
  ) {
    this.cost = cost;
    this.counts = counts;
    this.addsUp = addsUp;
    this.notes = notes;
    this.#tookMs = tookMs;
    this.index = index;
    this.item = item;
    this.message = message;
    this.#original = original;
    this.#tell = tell;
    this.#calledTool = calledTool;
    this.#clean = clean;
    this.#redactor = redactor;
  }

  /** Where and when the message was recorded; the agent's name without secrets, if that is asked for. */
  get place(): ItemOrigin {
    const place = originOf(this.item);
    const { agent, run, call } = place;
    if (this.#redactor === undefined) return place;
    // Ids are names, too: some hold that of a machine or a person.
    return {
      ...place,
      ...(agent !== undefined && { agent: this.#clean(agent) }),
      ...(run !== undefined && { run: this.#clean(run) }),
      ...(call !== undefined && { call: this.#clean(call) }),
    };
  }

  /**
   * The record around the message without the message, redacted if that is asked for; undefined for a bare message.
   * For full exports only: its secrets are counted too.
   */
  get envelope(): UntypedMessage | undefined {
    if (this.#envelope) return this.#envelope;
    const envelope = envelopeOf(this.item);
    if (!envelope) return undefined;
    const rest = Object.fromEntries(Object.entries(envelope).filter(([key]) => key !== 'message'));
    return (this.#envelope = cleanRecord(rest, this.item, this.#redactor, this.#clean));
  }

  /**
   * How long what the row tells of took, in milliseconds, as every view says it: a tool without the time that a person was
   * waited for. Undefined where it is unknown.
   */
  get durationMs(): number | undefined {
    return this.#tookMs ?? someTime(numberOr(envelopeOf(this.item)?.durationMs));
  }

  /**
   * What a tool put into a person's message, and that person's own words, redacted if that is asked for; undefined where
   * all of it is one speaker's.
   */
  get spoken(): SpokenText | undefined {
    const spans = injectedOf(this.item);
    if (spans.length === 0) return undefined;
    const text = textOf(this.message.content);
    const moved = movedTo(text, textOf(this.#original.content), spans);
    const apart = inParts(this.message.content, moved);
    return {
      own: withoutInjected(apart.text, apart.spans),
      injected: injectedWords(text, moved),
      put: putIn(text, moved),
    };
  }

  /** Who speaks, see `speakerIn`. */
  get speaker(): string {
    return speakerIn(this.item) ?? UNKNOWN_ROLE;
  }

  /** The number of tokens of the original message; undefined where it is unknown. */
  get tokens(): number | undefined {
    return this.#tell(this.item, this.#original).tokens;
  }

  /** The message's own id, by which links lead to it; '' where it has none. */
  get ownId(): string {
    const id = envelopeOf(this.item)?.id;
    return typeof id === 'string' ? (this.#redactor?.text(id) ?? id) : '';
  }

  /** The name of the tool whose result this is: as the result says, else as its call says; '' where both are unknown. */
  get resultName(): string {
    return this.#clean(resultNameOf(this.message, envelopeOf(this.item)) || (this.#calledTool ?? ''));
  }
}

/** The words of a message by who said them. */
export interface SpokenText {
  readonly own: string;
  readonly injected: readonly InjectedWords[];
  /** What was put there as it was sent, with its tags and envelopes; those of one kind that follow each other as one. */
  readonly put: readonly InjectedWords[];
}

function putIn(text: string, spans: readonly Injected[]): readonly InjectedWords[] {
  const put: InjectedWords[] = [];
  for (const { from, to, kind, by } of spans) {
    const words = text.slice(from, to).trim();
    const last = put.at(-1);
    if (last?.kind === kind && last.by === by)
      put[put.length - 1] = { ...last, text: `${last.text}\n${words}` };
    else put.push({ kind, ...(by !== undefined && { by }), text: words });
  }
  return put;
}

/** How much of a text is compared to find where it stands after secrets in it were replaced, in UTF-16 code units. */
const MARK_LENGTH = 12;

/** Where spans of a text are after its secrets were replaced; those that are not found again are left out. */
function movedTo(text: string, before: string, spans: readonly Injected[]): readonly Injected[] {
  if (text === before) return spans;
  let at = 0;
  return spans.flatMap((span) => {
    const head = before.slice(span.from, Math.min(span.to, span.from + MARK_LENGTH));
    const tail = before.slice(Math.max(span.from, span.to - MARK_LENGTH), span.to);
    const from = text.indexOf(head, at);
    const end = from < 0 ? -1 : text.indexOf(tail, from);
    if (end < 0) return [];
    at = end + tail.length;
    return [{ ...span, from, to: at }];
  });
}

/** What is known of a row besides its item, in a full export. */
export interface RowContext {
  /** What the request cost that it tells of. */
  readonly cost?: Cost | undefined;
  /** See `ExportRow`. */
  readonly counts?: Spent | undefined;
  readonly addsUp?: boolean;
  /** How long the tool took whose result it is, see `toolDuration`. */
  readonly tookMs?: number | undefined;
  /** What a person has noted about it, redacted if that is asked for. */
  readonly notes?: readonly ExportNote[];
}

/** A name of an agent or a tool, redacted if that is asked for. */
type CleanName = (name: string) => string;

/** How many names are remembered, so that each is looked through, and its secrets counted, once. */
const MAX_NAMES = 1_000;

function cleanNames(redactor: Redactor | undefined): CleanName {
  if (!redactor) return (name) => name;
  const known = new BoundedMap<string, string>(MAX_NAMES);
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const clean = redactor.text(name);
    known.set(name, clean);
    return clean;
  };
}

/** The fields of records that hold a name: each name is looked through, and its secrets counted, once. */
const NAME_FIELDS: ReadonlySet<string> = new Set(['agent', 'target', 'toolName', 'model']);

/** A record without its secrets. */
function cleanRecord(
  record: UntypedMessage,
  item: unknown,
  redactor: Redactor | undefined,
  clean: CleanName,
): UntypedMessage {
  if (!redactor) return record;
  const isName = ([key, value]: [string, unknown]) => NAME_FIELDS.has(key) && typeof value === 'string';
  const entries = Object.entries(record);
  const names = entries.filter(isName).map(([key, name]) => [key, clean(String(name))]);
  const rest = Object.fromEntries(entries.filter((entry) => !isName(entry)));
  const cleanRest = partOf(item, rest, redactor);
  return cleanRest === rest
    ? { ...record, ...(Object.fromEntries(names) as UntypedMessage) }
    : { ...(Object.fromEntries(names) as UntypedMessage), ...cleanRest };
}

/** A part of a record without its secrets. */
function partOf(item: unknown, part: UntypedMessage, redactor: Redactor): UntypedMessage {
  const clean = redactor.partOf(item, part);
  return isObject(clean) ? clean : part;
}

/** How many tool call ids are remembered; a result that comes after more calls than these lacks its tool's name. */
export const REMEMBERED_CALLS = 5_000;

/** Turns items into rows; items without a message give none. */
export class RowMaker {
  readonly #names: ToolNames | undefined;
  readonly #tell: TokensOfMessage;
  readonly #redactor: Redactor | undefined;
  readonly #clean: CleanName;
  #count = 0;

  /** `namesTools`: whether the format reads `resultName`. */
  constructor(counter: TokenCounter | undefined, redactor: Redactor | undefined, namesTools: boolean) {
    this.#names = namesTools ? new ToolNames(REMEMBERED_CALLS) : undefined;
    this.#tell = tokensOfMessage(counter);
    this.#redactor = redactor;
    this.#clean = cleanNames(redactor);
  }

  /** The number of rows made so far. */
  get count(): number {
    return this.#count;
  }

  /** A name or an id, redacted if that is asked for. */
  name(name: string): string {
    return this.#clean(name);
  }

  /** A record that carries no message, redacted if that is asked for. */
  bare(item: unknown): UntypedMessage | undefined {
    const record = envelopeOf(item);
    return record && cleanRecord(record, item, this.#redactor, this.#clean);
  }

  /** The row of the next item; undefined where it carries no message. */
  next(item: unknown, told: RowContext = {}): ExportRow | undefined {
    const original = messageIn(item);
    if (!original) return undefined;
    const redactor = this.#redactor;
    const message = redactor ? partOf(item, original, redactor) : original;
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
      redactor,
      told,
    );
  }
}
