import type { CallNode } from '../../query/numbers/callTree.js';
import type { TableRow } from './tableColumns.js';

type RequestRow = TableRow<'requests'>;

/** How many rows wait at most until it is known whether they count. */
export const MAX_HELD_REQUESTS = 100_000;

/**
 * What tells of requests, until it is known which of it counts: requests, messages and the end of a call may all tell of the
 * same ones, and only one kind counts, by the rule of every view (`reportedTokens`). Recorded requests are always written; where
 * they do not count, they are none of what is added up.
 */
export class BufferedRequests {
  readonly #write: (row: RequestRow) => void;
  readonly #held = new Map<CallNode, RequestRow[]>();
  #count = 0;

  constructor(write: (row: RequestRow) => void) {
    this.#write = write;
  }

  /** Adds what a record of a call tells, which the call's sums already hold. */
  add(call: CallNode, row: RequestRow): void {
    // Once requests tell of tokens, they count, whatever else comes.
    if (call.tokens.reporter === 'requests') {
      this.#writeOf(call);
      if (row.told_by === 'request') this.#write(row);
      return;
    }
    const rows = this.#held.get(call);
    if (rows) rows.push(row);
    else this.#held.set(call, [row]);
    if (++this.#count > MAX_HELD_REQUESTS) this.end();
  }

  /** Writes what counts of all that waits. */
  end(): void {
    for (const call of this.#held.keys()) this.#writeOf(call);
  }

  #writeOf(call: CallNode): void {
    const rows = this.#held.get(call);
    if (!rows) return;
    const counting = TOLD_BY[call.tokens.reporter ?? call.costs.reporter ?? 'requests'];
    for (const row of rows) {
      if (row.told_by === counting) this.#write(row);
      else if (row.told_by === 'request') this.#write({ ...row, ...COUNTS_NOT });
    }
    this.#held.delete(call);
    this.#count -= rows.length;
  }
}

/** What a request has that others of its call are added up instead of. */
const COUNTS_NOT = { requests: 0, cost_usd: undefined, cost_provenance: undefined, prices: undefined };

const TOLD_BY = { requests: 'request', messages: 'message', end: 'end' } as const;
