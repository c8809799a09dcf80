import { isObject, textOf } from '../../core/message.js';
import { preview } from '../../core/text.js';
import type { FinishReason, ModelEvent, ModelFailure } from '../../core/ports/model.js';
import { embeddedFailure } from './modelFailure.js';
import { isWebPage, parsedBody, wordsOfPage } from './providerError.js';
import type { WireEvent } from './readEvents.js';
import { WireCalls } from './wireCalls.js';
import { usageIn } from './wireUsage.js';

type Json = Readonly<Record<string, unknown>>;

/** The data of the event with which a stream says that it is complete. */
const DONE = '[DONE]';

/**
 * Turns the events of a chat completion into model events. Accepts all known dialects: absent choices, null deltas,
 * several names for reasoning, usage in several places, whole messages in one piece, errors in between. Never throws,
 * whatever an event contains.
 */
export class WireReader {
  /** Why the model stopped; undefined until it says so, or the stream says that it is complete. */
  finish: FinishReason | undefined;
  /** An error that came within the stream before the model had finished; a later one does not change its answer. */
  failure: ModelFailure | undefined;
  /** Whether the stream has said that it is complete; what comes after that is not read. */
  isDone = false;
  readonly #calls = new WireCalls();
  readonly #details = new ReasoningDetails();
  /** The place of the answer that is read, among several that a request may have asked for. */
  #answer: number | undefined;

  /** Whether data came that the provider expects back. */
  get hasExtra(): boolean {
    return this.#calls.haveExtra || this.#details.all.length > 0;
  }

  *read({ event, data }: WireEvent): Generator<ModelEvent> {
    const text = data.trim();
    if (this.isDone || (text === '' && event !== 'error')) return;
    if (text === DONE) {
      this.isDone = true;
      this.finish ??= 'unknown';
      return;
    }
    const wasFinished = this.finish !== undefined;
    if (event === 'error') this.failure = embeddedFailure(parsedBody(text));
    else yield* this.#readData(text);
    if (wasFinished) this.failure = undefined;
  }

  *#readData(text: string): Generator<ModelEvent> {
    let chunk: unknown;
    try {
      chunk = JSON.parse(text);
    } catch {
      // The failure says what came instead.
      this.failure = unreadable(text);
      return;
    }
    if (isObject(chunk)) yield* this.#readChunk(chunk);
    // Google's errors come in a list.
    else if (Array.isArray(chunk) && chunk.some(isObject)) this.failure ??= embeddedFailure(chunk);
  }

  *#readChunk(chunk: Json): Generator<ModelEvent> {
    const choices: readonly unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    const choice = choices.filter(isObject).find((one) => this.#isOurs(one));
    const usage = [chunk.usage, groqUsage(chunk), choice?.usage]
      .map(usageIn)
      .find((one) => one !== undefined);
    if (usage) yield { type: 'usage', usage };
    if (choice) yield* this.#readChoice(choice);
    const error = chunk.object === 'error' ? chunk : chunk.error;
    if (error) this.failure ??= embeddedFailure(error);
  }

  /** Whether a choice belongs to the answer that came first: pieces of two in one text would be neither. */
  #isOurs({ index }: Json): boolean {
    if (typeof index !== 'number') return true;
    this.#answer ??= index;
    return index === this.#answer;
  }

  /** The events that are due when the answer is complete. */
  *end(): Generator<ModelEvent> {
    const details = this.#details.all;
    if (details.length > 0) yield { type: 'reasoningDetails', details };
  }

  *#readChoice(choice: Json): Generator<ModelEvent> {
    const delta = isObject(choice.delta) ? choice.delta : choice.message;
    if (isObject(delta)) yield* this.#readDelta(delta);
    if (choice.error) this.failure ??= embeddedFailure(choice.error);
    const finish = choice.finish_reason;
    if (typeof finish !== 'string' || notFinished.has(finish.toLowerCase())) return;
    if (broken.test(finish)) this.failure ??= embeddedFailure({ message: `it stopped with '${finish}'` });
    this.finish ??= finishOf(finish);
  }

  *#readDelta(delta: Json): Generator<ModelEvent> {
    const detail = this.#details.add(delta.reasoning_details);
    const reasoning = reasoningOf(delta) || detail;
    if (reasoning !== '') yield { type: 'reasoning', text: reasoning };
    const text = textOf(delta.content) || (typeof delta.refusal === 'string' ? delta.refusal : '');
    if (text !== '') yield { type: 'text', text };
    const calls: readonly unknown[] = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
    for (const call of calls) if (isObject(call)) yield this.#calls.read(call);
    if (isObject(delta.function_call)) yield this.#calls.read({ index: 0, function: delta.function_call });
  }
}

function groqUsage({ x_groq: groq }: Json): unknown {
  return isObject(groq) ? groq.usage : undefined;
}

function reasoningOf({ reasoning_content: content, reasoning, content: parts }: Json): string {
  const text = [content, reasoning].find((one) => typeof one === 'string' && one !== '');
  if (typeof text === 'string') return text;
  if (!Array.isArray(parts)) return '';
  const thoughts = (parts as unknown[]).filter((part) => isObject(part) && part.type === 'thinking');
  return thoughts.map((part) => textOf(isObject(part) ? part.thinking : '')).join('');
}

/** What some servers send as the finish reason of each chunk while the model goes on. */
const notFinished: ReadonlySet<string> = new Set(['', 'null', 'none']);

const finishes: ReadonlyMap<string, FinishReason> = new Map([
  ...wordsFor('stop', 'stop end_turn eos eos_token stop_sequence complete'),
  ...wordsFor('tool_calls', 'tool_calls tool_call function_call tool_use'),
  ...wordsFor('length', 'length max_tokens model_length model_context_window_exceeded'),
  ...wordsFor(
    'content_filter',
    'content_filter safety recitation prohibited_content blocklist spii refusal sensitive',
  ),
]);

/** Finish reasons that mean a failure. Google puts them after a colon, for a call that its model wrote wrongly. */
const broken =
  /^(?:error|abort|network_error|insufficient_system_resource|.*(?:malformed_function_call|unexpected_tool_call))$/is;

function wordsFor(reason: FinishReason, words: string): readonly (readonly [string, FinishReason])[] {
  return words.split(' ').map((word) => [word, reason] as const);
}

/** The finish reason for a provider's word, or for the part before its colon. */
function finishOf(word: string): FinishReason {
  const lower = word.toLowerCase();
  return finishes.get(lower) ?? finishes.get(lower.split(':', 1)[0] ?? '') ?? 'unknown';
}

function unreadable(text: string): ModelFailure {
  if (isWebPage(text)) {
    const message = `The endpoint answered with a web page ('${wordsOfPage(text)}'): is its address right?`;
    return { code: 'badResponse', message, retryable: false };
  }
  const message = `The endpoint sent something that is no JSON: '${preview(text, 200)}'`;
  return { code: 'badResponse', message, retryable: true };
}

type Detail = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Collects the pieces of reasoning that a router sends (`reasoning_details`), signed or encrypted, in the form in which
 * it expects them back: the pieces of one detail joined, everything in order.
 */
class ReasoningDetails {
  readonly #details: Detail[] = [];

  get all(): readonly Detail[] {
    return this.#details;
  }

  /** Adds the details in a chunk; gives the readable text in them. */
  add(chunk: unknown): string {
    if (!Array.isArray(chunk)) return '';
    return (chunk as unknown[]).map((one) => (isObject(one) ? this.#addOne(flat(one)) : '')).join('');
  }

  #addOne(detail: Detail): string {
    const { text, summary } = detail;
    const last = this.#details.at(-1);
    const goesOn =
      last &&
      last.type === detail.type &&
      last.index === detail.index &&
      !('data' in detail || 'data' in last);
    if (goesOn) this.#details[this.#details.length - 1] = joined(last, detail);
    else this.#details.push(detail);
    return [text, summary].filter((one) => typeof one === 'string').join('');
  }
}

/** Only what is no list and no object: nothing else is in these pieces. */
function flat(piece: Readonly<Record<string, unknown>>): Detail {
  return Object.fromEntries(
    Object.entries(piece).filter(
      (entry): entry is [string, string | number | boolean | null] =>
        entry[1] === null || ['string', 'number', 'boolean'].includes(typeof entry[1]),
    ),
  );
}

function joined(before: Detail, after: Detail): Detail {
  const news = Object.entries(after).map(([key, value]) => {
    const old = before[key];
    const grows =
      (key === 'text' || key === 'summary') && typeof old === 'string' && typeof value === 'string';
    return [key, grows ? old + value : (value ?? old ?? null)] as const;
  });
  return { ...before, ...Object.fromEntries(news) };
}
