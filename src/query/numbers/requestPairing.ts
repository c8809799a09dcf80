import { isPromptRole } from './transcriptItem.js';

/**
 * Pairs each reply with its request, which is beside it in its call, before or after. Calls are given by index, what is
 * paired by any numbers. Only successful requests have a reply, and a request that comes after a person's words has none
 * before them: what was said earlier is history that was given to it.
 */
export class RequestPairing {
  /** Requests and replies whose other half has not arrived yet. */
  readonly #requests = new Map<number, number>();
  readonly #replies = new Map<number, number>();

  /** Takes a successful request; gives its reply if that came first. */
  request(call: number, request: number): number | undefined {
    return pair(call, request, this.#requests, this.#replies);
  }

  /** Takes a message by its role, as which it is known if it is a reply; gives its request if that came first. */
  message(call: number, role: string | null | undefined, reply: number): number | undefined {
    if (isPromptRole(role)) this.#replies.delete(call);
    return role === 'assistant' ? pair(call, reply, this.#replies, this.#requests) : undefined;
  }
}

function pair(
  call: number,
  mine: number,
  same: Map<number, number>,
  others: Map<number, number>,
): number | undefined {
  const other = others.get(call);
  if (other === undefined) same.set(call, mine);
  else others.delete(call);
  return other;
}
