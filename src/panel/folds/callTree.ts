import type { CallEndBody, CallStartBody, Outcome, RecordHeader } from '../../core/record.js';
import type { TokenCount } from '../../protocol/row.js';
import { numberOr, textOr } from '../rows/messageParts.js';
import { TokenSum } from './tokenSum.js';

/** What the panel knows of one call of an agent. */
export interface CallNode {
  readonly index: number;
  readonly id: string;
  readonly agent: string;
  readonly hue: number;
  readonly depth: number;
  /** The row of the dispatch that began this call; undefined for calls whose rows stand in the main line. */
  readonly owner: number | undefined;
  /** The call that `owner` belongs to. */
  readonly parent: CallNode | undefined;
  /** Its rows, in the order of the transcript. */
  readonly rows: number[];
  /** 1 for the first call that no dispatch began, 2 for the next; of other calls, that of their owner. */
  readonly run: number;
  readonly position: number;
  readonly start: number;
  /** The time of the last record seen. */
  end: number;
  task: string;
  model: string;
  outcome?: Outcome;
  messages: number;
  toolCalls: number;
  errors: number;
  /** Tokens as requests told them, as messages did, and as the call's end did. */
  readonly byRequests: TokenSum;
  readonly byMessages: TokenSum;
  readonly byEnd: TokenSum;
  /** Milliseconds, once the call has ended. */
  durationMs?: number;
}

/** The calls of a transcript, and which dispatch began which. */
export class CallTree {
  readonly all: CallNode[] = [];
  readonly #byId = new Map<string, CallNode>();
  #runs = 0;
  /** Dispatched calls that have not been seen yet, with the row that dispatched them. */
  readonly #awaited = new Map<string, { row: number; parent: CallNode }>();

  /** Notes that `row` of `parent` dispatches `childCall`. A call that already runs keeps the place it has. */
  dispatched(childCall: string, row: number, parent: CallNode): void {
    if (!this.#byId.has(childCall) && !this.#awaited.has(childCall)) {
      this.#awaited.set(childCall, { row, parent });
    }
  }

  find(call: string): CallNode | undefined {
    return this.#byId.get(call);
  }

  /** The call of a record; a new one where it was not met before. */
  of(record: RecordHeader, position: number, hueOf: (agent: string) => number): CallNode {
    const known = this.#byId.get(record.call);
    if (known) {
      known.end = Math.max(known.end, record.time);
      return known;
    }
    const owner = this.#awaited.get(record.call);
    this.#awaited.delete(record.call);
    const node: CallNode = {
      index: this.all.length,
      id: record.call,
      agent: record.agent,
      hue: hueOf(record.agent),
      // An owned call stands below its owner whatever its records claim, so that the tree cannot be torn.
      depth: owner ? owner.parent.depth + 1 : record.depth,
      owner: owner?.row,
      parent: owner?.parent,
      rows: [],
      run: owner ? owner.parent.run : ++this.#runs,
      position,
      start: record.time,
      end: record.time,
      task: '',
      model: '',
      messages: 0,
      toolCalls: 0,
      errors: 0,
      byRequests: new TokenSum(),
      byMessages: new TokenSum(),
      byEnd: new TokenSum(),
    };
    this.#byId.set(record.call, node);
    this.all.push(node);
    return node;
  }
}

/** Notes what a call begins with. */
export function beginCall(call: CallNode, record: CallStartBody): void {
  call.task = textOr(record.task);
  call.model = textOr(record.model);
}

/** Notes how a call ended. */
export function endCall(call: CallNode, record: CallEndBody): void {
  call.outcome = record.outcome;
  const duration = numberOr(record.durationMs);
  if (duration !== undefined) call.durationMs = duration;
  call.byEnd.add(record.ownUsage);
}

/** What a call alone cost: what its requests told, else its messages, else its end; undefined where nobody did. */
export function tokensOfCall({ byRequests, byMessages, byEnd }: CallNode): TokenCount | undefined {
  return byRequests.tokens ?? byMessages.tokens ?? byEnd.tokens;
}
