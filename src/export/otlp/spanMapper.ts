import { createHash } from 'node:crypto';
import { isFailedMessage, stateIn } from '../../query/numbers/failures.js';
import { compactJson } from '../../query/numbers/jsonText.js';
import { finishReasonOf } from '../../query/numbers/finishReason.js';
import { answeredIdOf, type UntypedMessage } from '../../query/numbers/transcriptItem.js';
import { genAiMessageOf } from '../../core/genAiMessage.js';
import { appendAll } from '../../core/lists.js';
import { isObject, textOf } from '../../core/message.js';
import { OWN } from '../../core/ownSpans.js';
import { NO_PRICES, type Prices } from '../../core/ports/prices.js';
import { withoutTexts, withShortTexts, type ContentLevel, type ReducedRecord } from './contentLevel.js';
import {
  costAttributes,
  operationAttributes,
  saidAttributes,
  transferAttributes,
  endUsageAttributes,
  type Addition,
  type Dialect,
  type Operation,
} from './dialect.js';
import { requestAttributes, spanCost } from './requestAttributes.js';
import {
  failureOf,
  failureWords,
  hasHalves,
  numberIn,
  textIn,
  type Attributes,
  type OtlpEvent,
  type OtlpSpan,
  spanIdOf,
  traceIdOf,
} from './otlpSpan.js';
import { isSameUsage, OpenCall, type OpenTool } from './openCall.js';

/** A record with a message, and its time in milliseconds since 1970. */
interface TimedMessage {
  readonly record: UntypedMessage;
  readonly message: UntypedMessage;
  readonly time: number;
}

/** How records become spans. */
export interface SpanOptions {
  /** What the conversation is called on every span, and what ids are made of. */
  readonly conversation: string;
  readonly dialect?: Dialect;
  readonly additions?: ReadonlySet<Addition>;
  readonly content?: ContentLevel;
  /** The longest text in UTF-8 bytes where `content` is `cut`. */
  readonly maxTextBytes?: number;
  /** What requests cost that do not say so themselves. */
  readonly prices?: Prices;
  /** The time of what has none and follows nothing that has one, in milliseconds since 1970. */
  readonly timeless?: number;
  /** Told of each field of a record of which something is missing in what is written. */
  readonly onMissing?: (field: string) => void;
}

/** The longest text where it is to be cut, unless somebody says otherwise. */
export const DEFAULT_TEXT_BYTES = 10_000;

/** How many characters of records wait at most for the next span of their call. */
const MAX_WAITING = 2 * 1024 * 1024;

/**
 * The records of one conversation as spans by OpenTelemetry's conventions for generative AI: a trace for each run; in it
 * `invoke_agent` for a call of an agent, below it `chat` for each request and `execute_tool` for each tool call, below that the
 * agent that it dispatched. A span is given once nothing can be added to it. The messages of a request are those that are new
 * since the one before, so that a conversation does not grow with the square of its length. What the conventions have no word
 * for stands in an attribute of its own, so that nothing of a record is lost; which spans a record is in depends on the records alone.
 */
export class SpanMapper {
  readonly #options: Required<Omit<SpanOptions, 'onMissing'>> & Pick<SpanOptions, 'onMissing'>;
  readonly #calls = new Map<string, OpenCall>();
  /** The first call of each run, which is the root of its trace. */
  readonly #roots = new Map<string, OpenCall>();
  /** The span of the tool call that dispatched a call, by run and call. */
  readonly #dispatched = new Map<string, string>();
  #lastTime: number;
  #count = 0;

  constructor(options: SpanOptions) {
    this.#options = {
      dialect: '1.41',
      additions: new Set(),
      content: 'full',
      maxTextBytes: DEFAULT_TEXT_BYTES,
      prices: NO_PRICES,
      timeless: 0,
      ...options,
    };
    this.#lastTime = this.#options.timeless;
  }

  /** Takes the next record; gives the spans that are complete with it. */
  add(item: UntypedMessage): readonly OtlpSpan[] {
    this.#count++;
    const numbered = typeof item.seq === 'number' ? item : { ...item, seq: this.#count };
    const { record, missing } = this.#reduced(numbered);
    for (const field of missing) this.#options.onMissing?.(field);
    const spans: OtlpSpan[] = [];
    const call = this.#callOf(record);
    const time = this.#timeOf(record);
    call.reach(time);
    const isRequest = record.type === 'request' && !isObject(record.error);
    if (call.answer && !(isRequest && !call.request)) this.#chat(call, spans);
    appendAll(call.missing, missing);
    if (isObject(record.message)) this.#message(call, record, record.message, time, spans);
    else this.#other(call, record, time, spans);
    if (call.waiting > MAX_WAITING) this.#flush(call, spans);
    return spans;
  }

  /** The spans that are still open, as far as they came. */
  end(): readonly OtlpSpan[] {
    const spans: OtlpSpan[] = [];
    // What was dispatched ends before what dispatched it.
    for (const call of [...this.#calls.values()].reverse()) this.#close(call, undefined, spans);
    return spans;
  }

  #reduced(record: UntypedMessage): ReducedRecord {
    const { content, maxTextBytes } = this.#options;
    if (content === 'full') return { record, missing: [] };
    return content === 'none' ? withoutTexts(record) : withShortTexts(record, maxTextBytes);
  }

  #timeOf({ time }: UntypedMessage): number {
    if (typeof time === 'number' && Number.isFinite(time) && time > 0) this.#lastTime = time;
    return this.#lastTime;
  }

  #callOf(record: UntypedMessage): OpenCall {
    const [run, id] = [textIn(record.run), textIn(record.call)];
    const key = `${run}\0${id}`;
    const known = this.#calls.get(key);
    if (known) return known;
    const { conversation } = this.#options;
    const root = this.#roots.get(run);
    const above = this.#calls.get(`${run}\0${textIn(record.parentCall)}`);
    const call = new OpenCall(record, {
      traceId: root?.traceId ?? traceIdOf(conversation, run),
      spanId: spanIdOf(conversation, 'call', run, id),
      parentSpanId: root ? (this.#dispatched.get(key) ?? above?.spanId ?? root.spanId) : undefined,
      start: this.#lastTime,
    });
    this.#calls.set(key, call);
    if (!root) this.#roots.set(run, call);
    return call;
  }

  #message(
    call: OpenCall,
    record: UntypedMessage,
    message: UntypedMessage,
    time: number,
    spans: OtlpSpan[],
  ): void {
    if (message.role === 'assistant') {
      call.answer = { record, message, time };
      if (call.request && !isSameUsage(call.request.record.usage, record.usage)) {
        const { answer } = call;
        call.answer = undefined;
        this.#chat(call, spans);
        call.answer = answer;
      }
      // With its request it is complete; else that may come next.
      if (call.request) this.#chat(call, spans);
      return;
    }
    const said = this.#isSilent ? undefined : genAiMessageOf(message);
    if (message.role === 'tool') this.#tool(call, record, message, time, spans);
    else {
      if (message.role === 'user' && said) call.firstInput ??= compactJson(said);
      call.addInput(record, said && { said, json: compactJson(said) });
      return;
    }
    if (said) call.addInput(undefined, { said, json: compactJson(said) });
  }

  get #isSilent(): boolean {
    return this.#options.content === 'none';
  }

  #other(call: OpenCall, record: UntypedMessage, time: number, spans: OtlpSpan[]): void {
    switch (record.type) {
      case 'request':
        if (isObject(record.error)) this.#failedChat(call, record, record.error, time, spans);
        else {
          if (call.request) this.#chat(call, spans);
          call.request = { record, time };
          if (call.answer) this.#chat(call, spans);
        }
        return;
      case 'callStart':
        call.model = textIn(record.model);
        call.toolNames = Array.isArray(record.tools)
          ? (record.tools as unknown[]).filter((name) => typeof name === 'string')
          : [];
        break;
      case 'callEnd':
        call.add(call.piece(record));
        this.#close(call, record, spans);
        return;
      case 'dispatch':
        this.#dispatch(call, record);
        break;
      case 'approval': {
        const tool = call.tools.get(textIn(record.toolCallId))?.[0];
        if (!tool) call.events.push(approvalEvent(record, time));
        else {
          tool.events.push(approvalEvent(record, time));
          tool.pieces.push(call.piece(record));
          return;
        }
        break;
      }
      case 'error':
        if (isObject(record.error))
          call.events.push({ name: 'agent_logbook.error', time, attributes: failureOf(record.error) });
    }
    call.add(call.piece(record));
  }

  #dispatch(call: OpenCall, record: UntypedMessage): void {
    const tool = call.tools.get(textIn(record.toolCallId))?.[0];
    if (tool) tool.target = textIn(record.target);
    const { childCall } = record;
    if (typeof childCall === 'string')
      this.#dispatched.set(`${textIn(record.run)}\0${childCall}`, tool?.spanId ?? call.spanId);
  }

  /** The request and the answer that wait in a call, as a span. */
  #chat(call: OpenCall, spans: OtlpSpan[]): void {
    const { request, answer } = call;
    const about = answer ?? request;
    if (!about) return;
    call.request = call.answer = undefined;
    const end = Math.max(request?.time ?? 0, answer?.time ?? 0);
    const took = numberIn(request?.record.durationMs);
    const before = call.spoken;
    const pieces: string[] = [];
    const input = request || answer ? call.takeInput(pieces) : [];
    if (request) pieces.push(call.piece(request.record));
    const finish = finishReasonOf(request?.record, answer?.record);
    const output = answer && this.#answer(call, answer, finish, pieces);
    const attributes: Attributes = {
      ...(input.length > 0 && { 'gen_ai.input.messages': `[${input.join(',')}]` }),
      ...(output !== undefined && { 'gen_ai.output.messages': `[${output}]` }),
      ...this.#requestAttributes(call, request?.record, answer?.record),
    };
    const spanId = this.#idOf(about.record);
    const start = took === undefined ? Math.min(before, end) : Math.max(0, end - took);
    spans.push(this.#span(call, 'chat', { spanId, start, end, attributes, pieces }));
    if (answer) this.#open(call, answer, spanId);
  }

  /** The answer in the form of the conventions; its record goes to the pieces. */
  #answer(
    call: OpenCall,
    { record, message }: Pick<TimedMessage, 'record' | 'message'>,
    finish: string | undefined,
    pieces: string[],
  ): string | undefined {
    if (this.#isSilent) {
      pieces.push(call.piece(record));
      return undefined;
    }
    const said = genAiMessageOf(message);
    pieces.push(call.pieceSaid(record, ['out', 0], said));
    const json = compactJson({
      ...said,
      // The conventions of 1.41 want one at each answer; one that nobody recorded would be made up.
      ...(this.#options.dialect === '1.41' && finish !== undefined && { finish_reason: finish }),
    });
    if (textOf(message.content) !== '') call.lastAnswer = json;
    return json;
  }

  /** The tool calls of an answer, which are open from now on. */
  #open(call: OpenCall, { record, message, time }: TimedMessage, spanId: string): void {
    if (!Array.isArray(message.tool_calls)) return;
    for (const [index, made] of (message.tool_calls as unknown[]).entries()) {
      const about = isObject(made) ? made : {};
      const called = isObject(about.function) ? about.function : {};
      const id = textIn(about.id);
      call.openTool({
        id,
        name: textIn(called.name),
        given: this.#isSilent || typeof called.arguments !== 'string' ? undefined : called.arguments,
        spanId: spanIdOf(this.#options.conversation, 'tool', spanId, index),
        start: time,
        agent: textIn(record.agent),
        events: [],
        pieces: [],
        target: undefined,
      });
    }
  }

  #requestAttributes(
    call: OpenCall,
    request: UntypedMessage | undefined,
    answer: UntypedMessage | undefined,
  ): Attributes {
    const told = call.usage.next(request, answer, () =>
      spanCost(this.#options.prices, request ?? answer, call.model),
    );
    return requestAttributes({ request, answer, ...told, model: call.model }, this.#options);
  }

  #failedChat(
    call: OpenCall,
    record: UntypedMessage,
    failure: UntypedMessage,
    time: number,
    spans: OtlpSpan[],
  ): void {
    const start = Math.max(0, time - (numberIn(record.durationMs) ?? 0));
    const { code } = failureOf(failure);
    spans.push(
      this.#span(call, 'chat', {
        spanId: this.#idOf(record),
        start,
        end: time,
        attributes: { ...this.#requestAttributes(call, record, undefined), 'error.type': code ?? 'error' },
        pieces: [call.piece(record)],
        error: failureWords(failure),
      }),
    );
  }

  #tool(
    call: OpenCall,
    record: UntypedMessage,
    message: UntypedMessage,
    time: number,
    spans: OtlpSpan[],
  ): void {
    const id = answeredIdOf(message);
    const named = [record.toolName, message.name].map(textIn).find((name) => name !== '') ?? 'tool';
    const tool = call.closeTool(id) ?? {
      id,
      name: named,
      given: undefined,
      spanId: this.#idOf(record),
      start: time,
      agent: textIn(record.agent),
      events: [],
      pieces: [],
      target: undefined,
    };
    this.#executed(call, tool, { record, message, time }, spans);
  }

  /** A tool call with its result, or without one where the call of its agent ended before that. */
  #executed(call: OpenCall, tool: OpenTool, result: TimedMessage | undefined, spans: OtlpSpan[]): void {
    const end = Math.max(tool.start, result?.time ?? call.end);
    const took = numberIn(result?.record.durationMs);
    const pieces = [...tool.pieces];
    const told = result && this.#resultOf(call, tool, result, pieces);
    const isError = result !== undefined && isFailedMessage(result.record);
    const state = stateIn(result?.record ?? {});
    const words = isError && !this.#isSilent ? textOf(result.message.content) : '';
    spans.push(
      this.#span(call, 'execute_tool', {
        spanId: tool.spanId,
        name: tool.name,
        start: took === undefined ? tool.start : Math.max(tool.start, end - took),
        end,
        attributes: {
          'gen_ai.tool.name': tool.name,
          'gen_ai.tool.type': 'function',
          ...(tool.id !== '' && { 'gen_ai.tool.call.id': tool.id }),
          ...(tool.given !== undefined && { 'gen_ai.tool.call.arguments': tool.given }),
          ...(told !== undefined && { 'gen_ai.tool.call.result': told }),
          ...(isError && { 'error.type': 'tool_error' }),
          ...(state !== '' && { 'agent_logbook.tool.state': state }),
          ...(!result && { 'agent_logbook.unanswered': true }),
          ...(tool.target !== undefined && transferAttributes(tool.target, this.#options.dialect)),
        },
        pieces,
        events: tool.events,
        ...(isError && { error: words === '' ? 'The tool failed.' : words.slice(0, 500) }),
      }),
    );
  }

  #resultOf(
    call: OpenCall,
    tool: OpenTool,
    { record, message }: Pick<TimedMessage, 'record' | 'message'>,
    pieces: string[],
  ): string | undefined {
    const { content } = message;
    const isToldWhole = typeof content === 'string' && !hasHalves(content);
    if (this.#isSilent || content === undefined || content === null) {
      pieces.push(call.piece(record));
      return undefined;
    }
    const told = typeof content === 'string' ? content : compactJson(content);
    const read = { role: 'tool', tool_call_id: tool.id, content };
    if (typeof content === 'string' ? isToldWhole : !hasHalves(told))
      pieces.push(call.pieceRead(record, { at: ['result'], read, isList: typeof content !== 'string' }));
    else pieces.push(call.piece(record));
    return told;
  }

  /** Writes what waits in a call for its next span, as one that is no step of its own. */
  #flush(call: OpenCall, spans: OtlpSpan[]): void {
    const pieces = call.takeWhole();
    if (pieces.length === 0) return;
    const spanId = spanIdOf(this.#options.conversation, 'records', call.spanId, call.flushed++);
    spans.push(
      this.#span(call, undefined, { spanId, start: call.end, end: call.end, attributes: {}, pieces }),
    );
  }

  #close(call: OpenCall, ending: UntypedMessage | undefined, spans: OtlpSpan[]): void {
    this.#chat(call, spans);
    for (const tool of call.closeTools()) this.#executed(call, tool, undefined, spans);
    if (call.isClosed) {
      this.#flush(call, spans);
      return;
    }
    call.isClosed = true;
    const isFailed = ending !== undefined && ending.outcome !== 'done';
    const { firstInput, lastAnswer } = call;
    const pieces = call.takeWhole();
    const span = this.#span(call, 'invoke_agent', {
      spanId: call.spanId,
      name: call.agent,
      start: call.start,
      end: call.end,
      pieces,
      events: call.events,
      attributes: {
        'gen_ai.agent.name': call.agent,
        ...(firstInput !== undefined && { 'gen_ai.input.messages': `[${firstInput}]` }),
        ...(lastAnswer !== undefined && { 'gen_ai.output.messages': `[${lastAnswer}]` }),
        ...(call.toolNames.length > 0 && {
          'gen_ai.tool.definitions': JSON.stringify(
            call.toolNames.map((name) => ({ type: 'function', name })),
          ),
        }),
        ...this.#endAttributes(call, ending),
        ...(isFailed && { 'error.type': textIn(ending.outcome) || 'failed' }),
      },
      ...(isFailed && { error: textIn(ending.reason) || 'It failed.' }),
    });
    spans.push(span);
    call.release();
  }

  #endAttributes(call: OpenCall, ending: UntypedMessage | undefined): Attributes {
    const { additions, prices } = this.#options;
    const { usage, cost } = call.usage.atEnd(ending, () => spanCost(prices, ending, call.model));
    return { ...endUsageAttributes(usage), ...costAttributes(cost, additions) };
  }

  #idOf({ id, seq }: UntypedMessage): string {
    return spanIdOf(this.#options.conversation, 'record', textIn(id), numberIn(seq) ?? 0);
  }

  #span(
    call: OpenCall,
    operation: Operation | undefined,
    about: {
      readonly spanId: string;
      readonly name?: string;
      readonly start: number;
      readonly end: number;
      readonly attributes: Attributes;
      readonly pieces: readonly string[];
      readonly events?: readonly OtlpEvent[];
      readonly error?: string;
    },
  ): OtlpSpan {
    const { conversation, additions } = this.#options;
    const { spanId, start, end, events = [], error, attributes } = about;
    const model = textIn(attributes['gen_ai.request.model']);
    const subject = operation === 'chat' ? model : (about.name ?? '');
    const waiting = operation === 'invoke_agent' || !operation ? [] : call.take();
    const pieces = [...waiting, ...about.pieces];
    call.cover(start, end);
    call.spoken = Math.max(call.spoken, end);
    const missing = [...new Set(call.missing.splice(0))];
    const parent = operation === 'invoke_agent' ? call.parentSpanId : call.spanId;
    const named = operation !== 'invoke_agent' && call.agent !== '' && { 'gen_ai.agent.name': call.agent };
    const said = { ...named, ...attributes };
    return {
      traceId: call.traceId,
      spanId,
      ...(parent !== undefined && { parentSpanId: parent }),
      name: `${operation ?? 'agent_logbook.records'}${subject === '' ? '' : ` ${subject}`}`,
      isClient: operation === 'chat',
      start,
      end: Math.max(start, end),
      events,
      attributes: {
        ...(operation && operationAttributes(operation, additions)),
        'gen_ai.conversation.id': conversation,
        'session.id': conversation,
        ...said,
        ...(operation && saidAttributes(operation, said, additions)),
        [OWN.place]: call.place,
        ...(pieces.length > 0 && { [OWN.records]: `[${pieces.join(',')}]` }),
        ...(missing.length > 0 && { [OWN.truncated]: missing }),
      },
      ...(error !== undefined && { error }),
    };
  }
}

/** A decision about a tool call as an event of its span; the conventions have no word for one. */
function approvalEvent(record: UntypedMessage, time: number): OtlpEvent {
  const { decision, decidedBy, rule, reason, subject, toolName } = record;
  const said = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  return {
    name: 'agent_logbook.approval',
    time,
    attributes: {
      decision: said(decision),
      by: said(decidedBy),
      rule: said(rule),
      reason: said(reason),
      tool: said(toolName),
      args_sha256:
        typeof subject === 'string' ? createHash('sha256').update(subject).digest('hex') : undefined,
    },
  };
}
