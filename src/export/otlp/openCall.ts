import { compactJson } from '../../query/numbers/jsonText.js';
import type { UntypedMessage } from '../../query/numbers/transcriptItem.js';
import { chatMessageOf, differenceOf, type GenAiMessage } from '../../core/genAiMessage.js';
import { addMoney, nanos, NO_MONEY } from '../../core/money.js';
import { isObject } from '../../core/message.js';
import { CALL_SITE_FIELDS, type MessagePosition } from '../../core/ownSpans.js';
import { tokensOf } from '../../query/numbers/tokens.js';
import type { SpanCost } from './dialect.js';
import { type OtlpEvent, numberIn } from './otlpSpan.js';
import { USAGE_PARTS } from '../../core/usage.js';

const COUNTS = ['inputTokens', 'outputTokens', ...USAGE_PARTS] as const;

/**
 * The usage of one call as its spans tell it, so that who adds them up counts nothing twice: what requests tell is what counts,
 * and answers count where no request tells anything. Where answers came first, a request adds what they have not told.
 */
class UsageOnce {
  #hasRequests = false;
  /** What answers have told, and cost, that no request has. */
  readonly #ahead = new Map<string, number>();
  #costAhead = NO_MONEY;

  /** What a span of a request and its answer tells, of which one may be missing; `costOf` tells what either cost. */
  next(
    request: UntypedMessage | undefined,
    answer: UntypedMessage | undefined,
    costOf: () => SpanCost | undefined,
  ): UsageOfSpan {
    const asked = request?.usage;
    if (isObject(asked) && (tokensOf(asked) || !this.#hasAhead)) {
      this.#hasRequests ||= tokensOf(asked) !== undefined;
      return { usage: this.#rest(asked), cost: this.#restOf(costOf()) };
    }
    const said = answer?.usage;
    if (this.#hasRequests || !isObject(said)) return NO_USAGE_TOLD;
    for (const key of COUNTS) this.#ahead.set(key, (this.#ahead.get(key) ?? 0) + (numberIn(said[key]) ?? 0));
    const cost = costOf();
    this.#costAhead = addMoney(this.#costAhead, cost?.amount ?? NO_MONEY);
    return { usage: said, cost };
  }

  /** What the span of the call itself tells: what its end says, where neither requests nor answers say anything. */
  atEnd(end: UntypedMessage | undefined, costOf: () => SpanCost | undefined): UsageOfSpan {
    const usage = end?.ownUsage;
    const isTold = this.#hasRequests || this.#hasAhead;
    return isTold || !isObject(usage) ? NO_USAGE_TOLD : { usage, cost: costOf() };
  }

  get #hasAhead(): boolean {
    return [...this.#ahead.values()].some((count) => count > 0);
  }

  #rest(usage: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const rest: Record<string, unknown> = { ...usage };
    for (const key of COUNTS) {
      const count = numberIn(usage[key]);
      const told = this.#ahead.get(key) ?? 0;
      if (count === undefined || told === 0) continue;
      const again = Math.min(count, told);
      this.#ahead.set(key, told - again);
      rest[key] = count - again;
    }
    // What is left of a part cannot be more than what is left of the whole.
    const output = numberIn(rest.outputTokens) ?? 0;
    if ((numberIn(rest.reasoningTokens) ?? 0) > output) rest.reasoningTokens = output;
    return rest;
  }

  #restOf(cost: SpanCost | undefined): SpanCost | undefined {
    if (!cost) return undefined;
    const again = Math.min(this.#costAhead, cost.amount);
    this.#costAhead = nanos(this.#costAhead - again) ?? NO_MONEY;
    return { ...cost, amount: nanos(cost.amount - again) ?? NO_MONEY };
  }
}

/** What a span tells of tokens and money; undefined where it adds none. */
interface UsageOfSpan {
  readonly usage: unknown;
  readonly cost: SpanCost | undefined;
}

const NO_USAGE_TOLD: UsageOfSpan = { usage: undefined, cost: undefined };

/** A tool call that has no result yet. */
export interface OpenTool {
  readonly id: string;
  readonly name: string;
  /** Its arguments, as they were written. */
  readonly given: string | undefined;
  readonly spanId: string;
  readonly start: number;
  readonly agent: string;
  readonly events: OtlpEvent[];
  /** The records of decisions about it. */
  readonly pieces: string[];
  /** The agent that it dispatched. */
  target: string | undefined;
}

/** A record with its time in milliseconds since 1970. */
interface Timed {
  readonly record: UntypedMessage;
  readonly time: number;
}

/** A message for the next request. */
interface Input {
  /** Its record; undefined where another span has that. */
  readonly record: UntypedMessage | undefined;
  /** The message in the form of the conventions; undefined where no texts are written. */
  readonly said: { readonly said: GenAiMessage; readonly json: string } | undefined;
}

/** A call of an agent while records of it may come: what waits for its next span, and what its own span will say. */
export class OpenCall {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly agent: string;
  /** Where its records stand, as JSON. */
  readonly place: string;
  readonly tools = new Map<string, OpenTool[]>();
  readonly missing: string[] = [];
  events: OtlpEvent[] = [];
  request: Timed | undefined;
  answer: (Timed & { readonly message: UntypedMessage }) | undefined;
  /** The first message of a person and the last answer with words, as JSON. */
  firstInput: string | undefined;
  lastAnswer: string | undefined;
  model = '';
  readonly usage = new UsageOnce();
  toolNames: readonly string[] = [];
  isClosed = false;
  /** How many spans were made of what waited for none. */
  flushed = 0;
  start: number;
  end: number;
  /** When something was last said in it. */
  spoken: number;
  readonly #first: UntypedMessage;
  #pieces: string[] = [];
  #input: Input[] = [];
  #waiting = 0;

  constructor(
    first: UntypedMessage,
    {
      traceId,
      spanId,
      parentSpanId,
      start,
    }: {
      readonly traceId: string;
      readonly spanId: string;
      readonly parentSpanId: string | undefined;
      readonly start: number;
    },
  ) {
    this.traceId = traceId;
    this.spanId = spanId;
    this.parentSpanId = parentSpanId;
    this.agent = typeof first.agent === 'string' ? first.agent : '';
    this.#first = Object.fromEntries(CALL_SITE_FIELDS.map((field) => [field, first[field]]));
    this.place = compactJson(this.#first);
    const own = typeof first.time === 'number' && first.time > 0 ? first.time : start;
    this.start = this.end = this.spoken = own;
  }

  /** About how many characters wait for the next span. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Notes that something happened in it. */
  reach(time: number): void {
    this.cover(time, time);
  }

  /** Notes that a span lies in it. */
  cover(start: number, end: number): void {
    this.start = Math.min(this.start, start);
    this.end = Math.max(this.end, end);
  }

  /** A record as JSON, without what `place` says. */
  piece(record: UntypedMessage): string {
    return this.#pieceJson(record, undefined);
  }

  /** The same for a record whose message an attribute tells in the form of the conventions. */
  pieceSaid(record: UntypedMessage, at: MessagePosition, said: GenAiMessage): string {
    const isList = isObject(record.message) && Array.isArray(record.message.content);
    return this.pieceRead(record, { at, read: chatMessageOf(said, isList), isList });
  }

  /** The same where `read` is what is read of the attribute: only what differs from it is written. */
  pieceRead(
    record: UntypedMessage,
    {
      at,
      read,
      isList,
    }: { readonly at: MessagePosition; readonly read: UntypedMessage; readonly isList: boolean },
  ): string {
    const differs = differenceOf(isObject(record.message) ? record.message : {}, read);
    return this.#pieceJson(record, { at, ...(isList && { list: true }), ...(differs && { differs }) });
  }

  /** Adds a record to what waits for the next span. */
  add(piece: string): void {
    this.#pieces.push(piece);
    this.#waiting += piece.length;
  }

  /** Adds a message to what the next request is asked. */
  addInput(record: UntypedMessage | undefined, said: Input['said']): void {
    this.#input.push({ record, said });
    this.#waiting += said?.json.length ?? 0;
    if (record && !said) this.add(this.piece(record));
  }

  /** What waits for the next span. */
  take(): readonly string[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#waiting = 0;
    return pieces;
  }

  /** The messages for a request, as JSON; their records go to `pieces`. */
  takeInput(pieces: string[]): readonly string[] {
    const input = this.#input.filter(({ said }) => said !== undefined);
    this.#input = [];
    for (const [index, { record, said }] of input.entries())
      if (record && said) pieces.push(this.pieceSaid(record, ['in', index], said.said));
    return input.map(({ said }) => said?.json ?? '');
  }

  /** What waits for a span, with the messages for a request as whole records. */
  takeWhole(): readonly string[] {
    const input = this.#input;
    this.#input = [];
    return [
      ...this.take(),
      ...input.flatMap(({ record, said }) => (record && said ? [this.piece(record)] : [])),
    ];
  }

  openTool(tool: OpenTool): void {
    const same = this.tools.get(tool.id);
    if (same) same.push(tool);
    else this.tools.set(tool.id, [tool]);
  }

  /** The first open tool call with an id, which is closed. */
  closeTool(id: string): OpenTool | undefined {
    const same = this.tools.get(id);
    const tool = same?.shift();
    if (same?.length === 0) this.tools.delete(id);
    return tool;
  }

  /** The tool calls that are still open, which are closed. */
  closeTools(): readonly OpenTool[] {
    const open = [...this.tools.values()].flat();
    this.tools.clear();
    return open;
  }

  /** Gives up what its own span has told. */
  release(): void {
    this.firstInput = this.lastAnswer = undefined;
    this.events = [];
  }

  #pieceJson(record: UntypedMessage, elsewhere: object | undefined): string {
    const left = new Set<string>(['conversation', ...(elsewhere ? ['message'] : []), ...CALL_SITE_FIELDS]);
    const own = Object.entries(record).filter(([key]) => !left.has(key));
    const place = CALL_SITE_FIELDS.filter((field) => record[field] !== this.#first[field]);
    return compactJson({
      ...elsewhere,
      record: {
        ...Object.fromEntries(own),
        ...Object.fromEntries(place.map((field) => [field, record[field] ?? null])),
      },
    });
  }
}

/** Whether a request and an answer can be of one another: they say the same of what was used, or one of them nothing. */
export function isSameUsage(a: unknown, b: unknown): boolean {
  return !isObject(a) || !isObject(b) || differenceOf(a, b) === undefined;
}
