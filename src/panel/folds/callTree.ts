import { CallTokens } from '../../analysis/tokens.js';
import type { CallEndBody, CallStartBody, Outcome, RecordHeader } from '../../core/record.js';
import { knownTime, numberOr } from '../../analysis/values.js';
import { textOr } from '../rows/messageParts.js';

/** When an agent spoke in a call, in milliseconds since 1970 (0 where no record says a time) and in positions of records. */
export interface Stretch {
  start: number;
  readonly position: number;
  end: number;
  lastPosition: number;
}

/** What the panel knows of one call of an agent. */
export interface CallNode extends Stretch {
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
  /** Agents other than its own that speak in it, as in the log of a group chat, and when each did. */
  readonly speakers: Map<string, Stretch>;
  task: string;
  model: string;
  outcome?: Outcome;
  messages: number;
  toolCalls: number;
  errors: number;
  /** Whether its requests are recorded. */
  hasRequests: boolean;
  readonly tokens: CallTokens;
  /** Milliseconds, once the call has ended. */
  durationMs?: number;
}

/** How many speakers of one call are told apart; a hostile transcript may have any number. */
const MAX_SPEAKERS = 200;

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
      if (record.type !== 'title') extend(known, record, position);
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
      ...stretchAt(record, position),
      speakers: new Map(),
      task: '',
      model: '',
      messages: 0,
      toolCalls: 0,
      errors: 0,
      hasRequests: false,
      tokens: new CallTokens(),
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
}

function extend(call: CallNode, { agent, time }: RecordHeader, position: number): void {
  lengthen(call, time, position);
  if (agent === call.agent) return;
  const speaker = call.speakers.get(agent);
  if (speaker) lengthen(speaker, time, position);
  else if (call.speakers.size < MAX_SPEAKERS) call.speakers.set(agent, stretchAt({ time }, position));
}

function lengthen(stretch: Stretch, time: number, position: number): void {
  stretch.lastPosition = position;
  const known = knownTime(time);
  if (known === undefined) return;
  if (stretch.start === 0) stretch.start = known;
  stretch.end = Math.max(stretch.end, known);
}

function stretchAt({ time }: Pick<RecordHeader, 'time'>, position: number): Stretch {
  return { start: time, end: time, position, lastPosition: position };
}
