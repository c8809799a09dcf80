/** Pairs each reply with its request, which is beside it in its call, before or after. Calls are given by index. */
export class RequestPairing {
  /** Positions of requests, and rows of replies, whose other half has not arrived yet. */
  readonly #requests = new Map<number, number>();
  readonly #replies = new Map<number, number>();

  /** Takes the position of a successful request; gives the row of its reply if that came first. */
  request(call: number, position: number): number | undefined {
    return pair(call, position, this.#requests, this.#replies);
  }

  /** Takes the first row of a reply; gives the position of its request if that came first. */
  reply(call: number, row: number): number | undefined {
    return pair(call, row, this.#replies, this.#requests);
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
