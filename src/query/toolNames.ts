import { answeredIdOf, envelopeOf, messageIn, type LooseMessage } from './queryItem.js';
import { eachCall } from './toolCalls.js';

/** The calls of one message that share an id, in their order. */
interface SharedId {
  readonly names: string[];
  answered: number;
}

/** What an id means: the one tool that was called under it, or several. */
type Called = string | SharedId;

/**
 * Tells of each item of a stream which tool's call it answers: what ToolPairing does, for names alone and lighter.
 * Every item must be given, in order.
 */
export class ToolNames {
  readonly #scopes = new Map<string, Map<string, Called>>();
  readonly #limit: number;
  /** The scope that was asked for last, because agents say many things in a row. */
  #lastScope: string | undefined;
  #lastIds = new Map<string, Called>();

  /** `limit`: how many call ids of an agent's call are remembered, the oldest forgotten first. */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Takes the next item; the tool's name where the item is the result of a call that was made before it. */
  next(item: unknown): string | undefined {
    const message = messageIn(item);
    if (message?.role === 'tool') return this.#answer(this.#idsOf(scopeOf(item)), answeredIdOf(message));
    if (message?.tool_calls) this.#open(this.#idsOf(scopeOf(item)), message);
    return undefined;
  }

  #open(ids: Map<string, Called>, message: LooseMessage): void {
    const { tool_calls: calls } = message;
    const mine = Array.isArray(calls) && calls.length > 1 ? new Set<string>() : undefined;
    eachCall(message, (id, name) => {
      if (mine?.has(id)) share(ids, id, name);
      else {
        // Set again at the end, so that the ids stay in the order in which they were used.
        if (this.#limit !== Number.POSITIVE_INFINITY) this.#makeRoom(ids, id);
        ids.set(id, name);
      }
      mine?.add(id);
    });
  }

  #answer(ids: Map<string, Called>, id: string): string | undefined {
    const called = ids.get(id);
    if (called === undefined || typeof called === 'string') return called;
    return called.names[Math.min(called.answered++, called.names.length - 1)];
  }

  #makeRoom(ids: Map<string, Called>, id: string): void {
    if (ids.delete(id) || ids.size < this.#limit) return;
    const oldest = ids.keys().next();
    if (!oldest.done) ids.delete(oldest.value);
  }

  #idsOf(scope: string): Map<string, Called> {
    if (scope === this.#lastScope) return this.#lastIds;
    this.#lastScope = scope;
    this.#lastIds = this.#scopes.get(scope) ?? new Map<string, Called>();
    this.#scopes.set(scope, this.#lastIds);
    return this.#lastIds;
  }
}

function share(ids: Map<string, Called>, id: string, name: string): void {
  const called = ids.get(id);
  if (typeof called === 'object') called.names.push(name);
  else ids.set(id, { names: called === undefined ? [name] : [called, name], answered: 0 });
}

/** The agent's call inside which the tool call ids of an item are looked up. */
export function scopeOf(item: unknown): string {
  const call = envelopeOf(item)?.call;
  return typeof call === 'string' ? call : '';
}
