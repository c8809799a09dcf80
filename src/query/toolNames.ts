import { answeredIdOf, envelopeOf, messageIn } from './queryItem.js';
import { callsOf } from './toolCalls.js';
import { ToolPairing } from './toolPairing.js';

/** Tells of each item of a stream which tool's call it answers. Every item must be given, in order. */
export class ToolNames {
  readonly #pairing: ToolPairing<string>;
  #position = 0;

  /** `limit`: how many call ids of an agent's call are remembered, the oldest forgotten first. */
  constructor(limit?: number) {
    this.#pairing = new ToolPairing(limit);
  }

  /** Takes the next item; the tool's name where the item is the result of a call that was made before it. */
  next(item: unknown): string | undefined {
    const position = this.#position++;
    const message = messageIn(item);
    if (!message) return undefined;
    if (message.role === 'tool') {
      return this.#pairing.answer(scopeOf(item), answeredIdOf(message))?.call;
    }
    for (const call of callsOf(message)) this.#pairing.open(scopeOf(item), call.id, position, call.name);
    return undefined;
  }
}

/** The agent's call inside which the tool call ids of an item are looked up. */
export function scopeOf(item: unknown): string {
  const call = envelopeOf(item)?.call;
  return typeof call === 'string' ? call : '';
}
