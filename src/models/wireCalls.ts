import { isObject } from '../core/message.js';
import type { ModelEvent } from '../ports/model.js';

type Json = Readonly<Record<string, unknown>>;

interface KnownCall {
  readonly id: string;
  readonly name: string;
  readonly index: number;
  /** What came of its arguments, as long as that can matter. */
  text: string;
}

/** Longer arguments are not looked at again to see whether they are whole, in UTF-16 code units. */
const LOOKED_AT = 20_000;
/** Deeper values are not kept for their provider: nothing that goes through them may run out of stack. */
const DEPTH = 8;

/**
 * Reads fragments of tool calls. Indexes may be missing, or be the same for calls that are told apart by their ids or
 * names alone; ids and names may be said again with every fragment; arguments may be a text or an object.
 */
export class WireCalls {
  /** Whether a call came with something that its provider wants back. */
  haveExtra = false;
  /** By the index on the wire, or what stands in for it: the call that was announced last under it. */
  readonly #calls = new Map<unknown, KnownCall>();
  #count = 0;
  #lastKey: unknown;

  read(call: Json): ModelEvent {
    const called = isObject(call.function) ? call.function : {};
    const id = typeof call.id === 'string' ? call.id : '';
    const name = typeof called.name === 'string' ? called.name : '';
    const text = argumentsOf(called.arguments);
    const { index, isNew } = this.#indexOf(call.index, { id, name, text });
    const extra =
      isObject(call.extra_content) && isShallow(call.extra_content) ? call.extra_content : undefined;
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

  #indexOf(wireIndex: unknown, fragment: Omit<KnownCall, 'index'>): { index: number; isNew: boolean } {
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

  #keyWithoutIndex({ id, name }: Omit<KnownCall, 'index'>): unknown {
    if (id !== '') return id;
    return name === '' ? this.#lastKey : Symbol(name);
  }
}

/** Whether a fragment begins another call than the one that is known under its index. Only beginnings have a name. */
function isAnother(known: KnownCall, { id, name, text }: Omit<KnownCall, 'index'>): boolean {
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

function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) && isShallow(value, 100) ? JSON.stringify(value) : '';
}

function isShallow(value: unknown, depth = DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}
