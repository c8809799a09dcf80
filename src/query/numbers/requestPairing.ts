/**
 * Pairs each reply with its request, which is beside it in its call, before or after. Calls are given by index, what is
 * paired by any numbers. Only successful requests have a reply.
 */
export class RequestPairing {
  /** Requests and replies whose other half has not arrived yet. */
  readonly #requests = new Map<number, number>();
  readonly #replies = new Map<number, number>();

  /** Takes a successful request; gives its reply if that came first. */
  request(call: number, request: number): number | undefined {
    return pair(call, request, this.#requests, this.#replies);
  }

  /** Takes a reply; gives its request if that came first. */
  reply(call: number, reply: number): number | undefined {
    return pair(call, reply, this.#replies, this.#requests);
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
