import { isObject } from '../../core/message.js';
import type { ModelEvent } from '../../core/ports/model.js';
import { isShallow } from './providerError.js';

type Json = Readonly<Record<string, unknown>>;

interface WireCallState {
  readonly id: string;
  readonly name: string;
  readonly index: number;
  /** The arguments received so far, as long as they can matter. */
  text: string;
}

/** Longer arguments, in UTF-16 code units, are not checked for completeness. */
const LOOKED_AT = 20_000;
/** Deeper values are not kept for their provider, so that nothing that walks them can exhaust the stack. */
const EXTRA_DEPTH = 8;
/** Deeper arguments that a server gives as an object are not written as text, which could exhaust the stack. */
const ARGUMENT_DEPTH = 100;
const TOO_DEEP = `(arguments more than ${ARGUMENT_DEPTH} levels deep)`;

/**
 * Reads fragments of tool calls. Indexes may be missing, or equal for calls that differ only in id or name; ids and names
 * may be repeated with every fragment; arguments may be a text or an object.
 */
export class WireCalls {
  /** Whether a call came with data that its provider expects back. */
  haveExtra = false;
  /** The latest call by its index on the wire, or by what replaces it. */
  readonly #calls = new Map<unknown, WireCallState>();
  #count = 0;
  #lastKey: unknown;

  read(call: Json): ModelEvent {
    const called = isObject(call.function) ? call.function : {};
    const id = typeof call.id === 'string' ? call.id : '';
    const name = typeof called.name === 'string' ? called.name : '';
    const text = argumentsOf(called.arguments);
    const { index, isNew } = this.#indexOf(call.index, { id, name, text });
    const extra =
      isObject(call.extra_content) && isShallow(call.extra_content, EXTRA_DEPTH)
        ? call.extra_content
        : undefined;
    this.haveExtra ||= extra !== undefined;
    return {
      type: 'toolCall',
      index,
      ...(isNew && id !== '' && { id }),
      ...(isNew && name !== '' && { name }),
      ...(text !== '' && { arguments: text }),
      ...(extra && { extra }),
    };
  }

  #indexOf(wireIndex: unknown, fragment: Omit<WireCallState, 'index'>): { index: number; isNew: boolean } {
    const key = typeof wireIndex === 'number' ? wireIndex : this.#keyWithoutIndex(fragment);
    const known = this.#calls.get(key);
    this.#lastKey = key;
    if (known && !isAnother(known, fragment)) {
      if (known.text.length < LOOKED_AT) known.text += fragment.text;
      return { index: known.index, isNew: false };
    }
    const call = { ...fragment, index: this.#count++ };
    this.#calls.set(key, call);
    return { index: call.index, isNew: true };
  }

  #keyWithoutIndex({ id, name }: Omit<WireCallState, 'index'>): unknown {
    if (id !== '') return id;
    return name === '' ? this.#lastKey : Symbol(name);
  }
}

/** Whether a fragment starts a call other than the known one with its index. Only first fragments have a name. */
function isAnother(known: WireCallState, { id, name, text }: Omit<WireCallState, 'index'>): boolean {
  if (name === '') return false;
  if (id !== '') return id !== known.id;
  return name !== known.name || (text.startsWith('{') && isWhole(known.text));
}

function isWhole(text: string): boolean {
  if (text.length >= LOOKED_AT || !text.endsWith('}')) return false;
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Arguments as text. Too deep ones become a text that is no JSON, so that no tool runs without what it was told. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return '';
  return isShallow(value, ARGUMENT_DEPTH) ? JSON.stringify(value) : TOO_DEEP;
}
