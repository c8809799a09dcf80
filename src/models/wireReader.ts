import { isObject, textOf } from '../core/message.js';
import type { FinishReason, ModelEvent, ModelFailure } from '../ports/model.js';
import { embeddedFailure } from './modelFailure.js';
import { usageIn } from './wireUsage.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * Turns the chunks of a chat completion into model events. Takes the dialects that are about: absent choices and
 * indexes, null deltas, several names for reasoning, calls told apart by id alone, whole messages in one piece,
 * errors in between. Whatever a chunk holds, nothing throws.
 */
export class WireReader {
  /** Why the model stopped; undefined while it did not say. */
  finish: FinishReason | undefined;
  /** An error that came inside of the stream. */
  failure: ModelFailure | undefined;
  /** Whether a call came with something that its provider wants back. */
  hasExtra = false;
  /** The ids under which the calls of a wire index were announced, and the indexes we gave them. */
  readonly #calls = new Map<unknown, { readonly id: string; readonly index: number }>();
  #callCount = 0;
  #lastKey: unknown;

  *read(chunk: unknown): Generator<ModelEvent> {
    if (!isObject(chunk)) return;
    const usage = usageIn(chunk.usage) ?? usageIn(isObject(chunk.x_groq) ? chunk.x_groq.usage : undefined);
    if (usage) yield { type: 'usage', usage };
    const choices: readonly unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    const choice = choices.find(isObject);
    if (choice) yield* this.#readChoice(choice);
    const error = chunk.object === 'error' ? chunk : chunk.error;
    if (error) this.failure ??= embeddedFailure(error);
  }

  *#readChoice(choice: Json): Generator<ModelEvent> {
    const delta = isObject(choice.delta) ? choice.delta : choice.message;
    if (isObject(delta)) yield* this.#readDelta(delta);
    if (choice.error) this.failure ??= embeddedFailure(choice.error);
    const finish = choice.finish_reason;
    if (typeof finish !== 'string' || finish === '') return;
    if (broken.has(finish)) this.failure ??= embeddedFailure({ message: `it stopped with '${finish}'` });
    this.finish ??= finishOf(finish);
  }

  *#readDelta(delta: Json): Generator<ModelEvent> {
    const reasoning = reasoningOf(delta);
    if (reasoning !== '') yield { type: 'reasoning', text: reasoning };
    const text = textOf(delta.content) || (typeof delta.refusal === 'string' ? delta.refusal : '');
    if (text !== '') yield { type: 'text', text };
    const calls: readonly unknown[] = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
    for (const call of calls) if (isObject(call)) yield this.#readCall(call);
    if (isObject(delta.function_call)) yield this.#readCall({ index: 0, function: delta.function_call });
  }

  #readCall(call: Json): ModelEvent {
    const called = isObject(call.function) ? call.function : {};
    const id = typeof call.id === 'string' ? call.id : '';
    const name = typeof called.name === 'string' ? called.name : '';
    const { index, isNew } = this.#indexOf(call.index, id, name);
    const text = argumentsOf(called.arguments);
    const extra = isObject(call.extra_content) ? call.extra_content : undefined;
    this.hasExtra ||= extra !== undefined;
    return {
      type: 'toolCall',
      index,
      ...(isNew && id !== '' && { id }),
      ...(isNew && name !== '' && { name }),
      ...(text !== '' && { arguments: text }),
      ...(extra && { extra }),
    };
  }

  /** Our index of a call: a wire index with another id and a name is another call, and so is a name without index. */
  #indexOf(wireIndex: unknown, id: string, name: string): { index: number; isNew: boolean } {
    const key = typeof wireIndex === 'number' ? wireIndex : this.#keyWithoutIndex(id, name);
    const known = this.#calls.get(key);
    this.#lastKey = key;
    if (known && (id === '' || name === '' || id === known.id)) return { index: known.index, isNew: false };
    const call = { id, index: this.#callCount++ };
    this.#calls.set(key, call);
    return { index: call.index, isNew: true };
  }

  #keyWithoutIndex(id: string, name: string): unknown {
    if (id !== '') return id;
    return name === '' ? this.#lastKey : Symbol(name);
  }
}

function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}

function reasoningOf({ reasoning_content: content, reasoning, content: parts }: Json): string {
  if (typeof content === 'string') return content;
  if (typeof reasoning === 'string') return reasoning;
  if (!Array.isArray(parts)) return '';
  const thoughts = (parts as unknown[]).filter((part) => isObject(part) && part.type === 'thinking');
  return thoughts.map((part) => textOf(isObject(part) ? part.thinking : '')).join('');
}

const finishes: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['eos', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
]);

/** Words of providers for an end that is none. */
const broken: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource']);

function finishOf(word: string): FinishReason {
  return finishes.get(word.toLowerCase()) ?? 'unknown';
}
