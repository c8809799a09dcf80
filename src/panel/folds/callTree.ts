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
  /** The row of the dispatch that started this call; undefined for calls whose rows are in the main line. */
  readonly owner: number | undefined;
  /** The call that `owner` belongs to. */
  readonly parent: CallNode | undefined;
  /** Its rows, in the order of the transcript. */
  readonly rows: number[];
  /** 1 for the first call without a dispatch, 2 for the next; for other calls, that of their owner. */
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
  /** Tokens as reported by request records, by messages, and by the call's end. */
  readonly byRequests: TokenSum;
  readonly byMessages: TokenSum;
  readonly byEnd: TokenSum;
  /** Milliseconds, once the call has ended. */
  durationMs?: number;
}

/** The calls of a transcript, and the dispatches that started them. */
export class CallTree {
  readonly all: CallNode[] = [];
  readonly #byId = new Map<string, CallNode>();
  #runs = 0;
  /** Dispatched calls that have not been seen yet, with the row that dispatched them. */
  readonly #awaited = new Map<string, { row: number; parent: CallNode }>();

  /** Notes that `row` of `parent` dispatches `childCall`. A call that has already started keeps its place. */
  dispatched(childCall: string, row: number, parent: CallNode): void {
    if (!this.#byId.has(childCall) && !this.#awaited.has(childCall)) {
      this.#awaited.set(childCall, { row, parent });
    }
  }

  find(call: string): CallNode | undefined {
    return this.#byId.get(call);
  }

  /** The call of a record; created where it is new. */
  of(
    record: RecordHeader & { readonly type?: string },
    position: number,
    hueOf: (agent: string) => number,
  ): CallNode {
    const known = this.#byId.get(record.call);
    if (known) {
      // A title that is given days later is no work.
      if (record.type !== 'title') known.end = Math.max(known.end, record.time);
      return known;
    }
    const owner = this.#awaited.get(record.call);
    this.#awaited.delete(record.call);
    const node: CallNode = {
      index: this.all.length,
      id: record.call,
      agent: record.agent,
      hue: hueOf(record.agent),
      // An owned call is placed below its owner whatever its records claim, so that the tree stays consistent.
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

/** Notes the start of a call. */
export function beginCall(call: CallNode, record: CallStartBody): void {
  call.task = textOr(record.task);
  call.model = textOr(record.model);
}

/** Notes the end of a call. */
export function endCall(call: CallNode, record: CallEndBody): void {
  call.outcome = record.outcome;
  const duration = numberOr(record.durationMs);
  if (duration !== undefined) call.durationMs = duration;
  call.byEnd.add(record.ownUsage);
}

/** The tokens of a call alone: from its requests, else its messages, else its end; undefined where none reports any. */
export function tokensOfCall({ byRequests, byMessages, byEnd }: CallNode): TokenCount | undefined {
  return byRequests.tokens ?? byMessages.tokens ?? byEnd.tokens;
}
