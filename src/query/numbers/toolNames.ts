import { answeredIdOf, envelopeOf, messageIn, type UntypedMessage } from './transcriptItem.js';
import { callsOneOf, callsUnder, eachCall } from './toolCalls.js';

/** The calls of one message that share an id, in their order. */
interface SharedId {
  readonly names: string[];
  answered: number;
}

/** What was called under an id: one tool, or several. */
type Called = string | SharedId;

/**
 * The ids of one agent's call. They are forgotten a generation at a time, because deleting a map's oldest entry again and
 * again gets slower and slower.
 */
interface Generations {
  young: Map<string, Called>;
  old: Map<string, Called> | undefined;
}

/**
 * Tells for each item of a stream which tool's call it answers: a lighter ToolPairing for names alone.
 * Every item must be given, in order.
 */
export class ToolNames {
  readonly #scopes = new Map<string, Generations>();
  readonly #limit: number;
  readonly #only: ReadonlySet<string> | undefined;
  /** The scope of the latest lookup, because the items of one call often follow each other. */
  #lastScope: string | undefined;
  #lastIds: Generations | undefined;

  /**
   * At least `limit` tool call ids of each agent's call are remembered, and at most twice as many. `only`: the tools of
   * interest; calls of other tools may be ignored, which saves most of the work.
   */
  constructor(limit = Number.POSITIVE_INFINITY, only?: ReadonlySet<string>) {
    this.#limit = limit;
    this.#only = only;
  }

  /** Takes the next item; gives the tool's name where the item is the result of an earlier call. */
  next(item: unknown): string | undefined {
    const message = messageIn(item);
    if (message?.role === 'tool') return this.#answer(this.#idsOf(scopeOf(item)), answeredIdOf(message));
    if (message?.tool_calls) this.#open(this.#idsOf(scopeOf(item)), message);
    return undefined;
  }

  #open(ids: Generations, message: UntypedMessage): void {
    if (this.#only && !callsOneOf(message, this.#only) && !knowsAny(ids, message)) return;
    const { tool_calls: calls } = message;
    const mine = Array.isArray(calls) && calls.length > 1 ? new Set<string>() : undefined;
    if (ids.young.size >= this.#limit) {
      ids.old = ids.young;
      ids.young = new Map();
    }
    eachCall(message, (id, name) => {
      if (mine?.has(id)) share(ids.young, id, name);
      else ids.young.set(id, name);
      mine?.add(id);
    });
  }

  #answer({ young, old }: Generations, id: string): string | undefined {
    const called = young.get(id) ?? old?.get(id);
    if (called === undefined || typeof called === 'string') return called;
    return called.names[Math.min(called.answered++, called.names.length - 1)];
  }

  #idsOf(scope: string): Generations {
    if (scope === this.#lastScope && this.#lastIds) return this.#lastIds;
    const ids = this.#scopes.get(scope) ?? { young: new Map<string, Called>(), old: undefined };
    this.#scopes.set(scope, ids);
    this.#lastScope = scope;
    this.#lastIds = ids;
    return ids;
  }
}

/** Whether a message reuses a remembered id, which then stands for the new call. */
function knowsAny({ young, old }: Generations, message: UntypedMessage): boolean {
  return (young.size > 0 && callsUnder(message, young)) || (old !== undefined && callsUnder(message, old));
}

function share(ids: Map<string, Called>, id: string, name: string): void {
  const called = ids.get(id);
  if (typeof called === 'object') called.names.push(name);
  else ids.set(id, { names: called === undefined ? [name] : [called, name], answered: 0 });
}

/** The id of the agent's call within which tool call ids are unique; '' for a bare message. */
export function scopeOf(item: unknown): string {
  const call = envelopeOf(item)?.call;
  return typeof call === 'string' ? call : '';
}
