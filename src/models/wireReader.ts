import { isObject, textOf } from '../core/message.js';
import type { FinishReason, ModelEvent, ModelFailure } from '../ports/model.js';
import { embeddedFailure } from './modelFailure.js';
import { ReasoningDetails } from './reasoningDetails.js';
import { WireCalls } from './wireCalls.js';
import { usageIn } from './wireUsage.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * Turns the chunks of a chat completion into model events. Accepts all known dialects: absent choices, null deltas,
 * several names for reasoning, usage in several places, whole messages in one piece, errors in between. Never throws,
 * whatever a chunk contains.
 */
export class WireReader {
  /** Why the model stopped; undefined until it says so. */
  finish: FinishReason | undefined;
  /** An error that came within the stream. */
  failure: ModelFailure | undefined;
  readonly #calls = new WireCalls();
  readonly #details = new ReasoningDetails();

  /** Whether data came that the provider expects back. */
  get hasExtra(): boolean {
    return this.#calls.haveExtra || this.#details.all.length > 0;
  }

  *read(chunk: unknown): Generator<ModelEvent> {
    if (!isObject(chunk)) {
      // Google's errors come in a list.
      if (Array.isArray(chunk) && chunk.some(isObject)) this.failure ??= embeddedFailure(chunk);
      return;
    }
    const choices: readonly unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    const choice = choices.find(isObject);
    const usage = [chunk.usage, groqUsage(chunk), choice?.usage]
      .map(usageIn)
      .find((one) => one !== undefined);
    if (usage) yield { type: 'usage', usage };
    if (choice) yield* this.#readChoice(choice);
    const error = chunk.object === 'error' ? chunk : chunk.error;
    if (error) this.failure ??= embeddedFailure(error);
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
    if (typeof finish !== 'string' || finish === '') return;
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
