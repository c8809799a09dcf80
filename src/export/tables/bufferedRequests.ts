import type { CallNode } from '../../query/numbers/callTree.js';
import type { TableRow } from './tableColumns.js';

type RequestRow = TableRow<'requests'>;

/** How many rows wait at most until it is known whether they count. */
export const MAX_HELD_REQUESTS = 100_000;

/**
 * What tells of requests, until it is known which of it counts: requests, messages and the end of a call may all tell of the
 * same ones, and only one kind counts, by the rule of every view (`reportedTokens`). Recorded requests are always written.
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
    if (row.told_by === 'request') {
      this.#write(row);
      return;
    }
    // Once requests tell of tokens, they count, whatever else comes.
    if (call.tokens.reporter === 'requests') {
      this.#forget(call);
      return;
    }
    const rows = this.#held.get(call);
    if (rows) rows.push(row);
    else this.#held.set(call, [row]);
    if (++this.#count > MAX_HELD_REQUESTS) this.end();
  }

  /** Writes what counts of all that waits. */
  end(): void {
    for (const [call, rows] of this.#held) {
      const reporter = call.tokens.reporter ?? call.costs.reporter;
      for (const row of rows) if (TOLD_BY[reporter ?? 'requests'] === row.told_by) this.#write(row);
    }
    this.#held.clear();
    this.#count = 0;
  }

  #forget(call: CallNode): void {
    this.#count -= this.#held.get(call)?.length ?? 0;
    this.#held.delete(call);
  }
}

const TOLD_BY = { requests: 'request', messages: 'message', end: 'end' } as const;
