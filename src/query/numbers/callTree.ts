import { firstCodePoints } from '../../core/text.js';
import { CallCosts } from './callCosts.js';
import { CallTokens } from './callTokens.js';
import type { MadeCall } from './toolCalls.js';
import type { Facts } from './facts.js';
import { numberOr } from './values.js';

/** When an agent spoke in a call, in milliseconds since 1970 (0 where no record says a time) and in positions of records. */
export interface Stretch {
  start: number;
  readonly position: number;
  end: number;
  lastPosition: number;
}

/** What is known of one call of an agent. */
export interface CallNode extends Stretch {
  /** From 0, in the order in which calls are first heard of. */
  readonly index: number;
  readonly id: string;
  readonly agent: string;
  readonly depth: number;
  /** The call that dispatched it; undefined for an entry call, whose prompts come from a person. */
  readonly parent: CallNode | undefined;
  /** The position of the dispatch record that announced it; undefined where none did. */
  readonly dispatchedAt: number | undefined;
  /** The tool call that dispatched it, where a record names it. */
  dispatcher: MadeCall | undefined;
  /** 1 for the first entry call, 2 for the next; for other calls, that of their parent. */
  readonly run: number;
  /** Agents other than its own that speak in it, as in the log of a group chat, and when each did; undefined for none. */
  speakers: Map<string, Stretch> | undefined;
  model: string;
  /** How it ended, see `Outcome`, or what else its record says; undefined while that is not known. */
  outcome: string | undefined;
  messages: number;
  /** The tool calls that its messages make, and those of which only the result is recorded. */
  toolCalls: number;
  /** See `isFailedRecord`. */
  errors: number;
  /**
   * The position of the first record that tells of the failure of its model that is not over yet: until it answers, or is
   * asked anew, all further records of the same failure are part of it. Undefined where there is none.
   */
  failingSince: number | undefined;
  /** Whether a compaction was told of and no message has come since: a summary that follows is that of the same one. */
  isCompacted: boolean;
  /** What its last error says, see `reasonOf`; '' where there was none. */
  lastError: string;
  /** Whether its requests are recorded. */
  hasRequests: boolean;
  readonly tokens: CallTokens;
  readonly costs: CallCosts;
  /** The calls that it dispatched, in the order in which they are first heard of. */
  readonly children: CallNode[];
  /** Milliseconds, once the call has ended. */
  durationMs: number | undefined;
}

/** How many speakers of one call are told apart; a hostile transcript may have any number. */
const MAX_SPEAKERS = 200;

/** A dispatch whose call has not been heard of yet. */
interface Awaited {
  readonly position: number;
  readonly parent: CallNode;
  readonly dispatcher: MadeCall | undefined;
}

/**
 * The calls of a transcript and which call dispatched which. A call is dispatched where a dispatch record announced it,
 * or where its first record names a parent that is known by then; any other is an entry call.
 */
export class CallTree {
  readonly all: CallNode[] = [];
  readonly #byId = new Map<string, CallNode>();
  readonly #awaited = new Map<string, Awaited>();
  /** The call of the latest record, because the records of one call often follow each other. */
  #last: CallNode | undefined;
  #runs = 0;

  /** Notes that the record at `position`, of `parent`, dispatches `child`. A call that has already started keeps its place. */
  dispatched(child: string, position: number, parent: CallNode, dispatcher: MadeCall | undefined): void {
    const known = this.#byId.get(child);
    if (known) {
      known.dispatcher ??= dispatcher;
      if (dispatcher) dispatcher.child ??= known;
    } else if (!this.#awaited.has(child)) this.#awaited.set(child, { position, parent, dispatcher });
  }

  /** The call with this id, as far as it was heard of. */
  find(call: string): CallNode | undefined {
    return this.#byId.get(call);
  }

  /** The call of a record at a position; created where it is new. Bare messages, without a record, are of one call. */
  of(facts: Facts, position: number): CallNode {
    const id = facts.place.call ?? '';
    const known = this.#last?.id === id ? this.#last : this.#byId.get(id);
    if (known) {
      this.#last = known;
      if (facts.isRecord && isWork(facts)) extend(known, facts, position);
      return known;
    }
    // A title that is given later is no call of its own: it stands with the run before it.
    if (this.#last && !isWork(facts)) return entryOf(this.#last);
    const node = this.#newCall(id, facts, position);
    node.parent?.children.push(node);
    if (node.dispatcher) node.dispatcher.child ??= node;
    this.#byId.set(id, node);
    this.all.push(node);
    return (this.#last = node);
  }

  #newCall(id: string, facts: Facts, position: number): CallNode {
    const { place } = facts;
    const awaited = this.#awaited.get(id);
    this.#awaited.delete(id);
    const parent = awaited?.parent ?? this.#byId.get(place.parentCall ?? id);
    return {
      index: this.all.length,
      id,
      agent: place.agent ?? '',
      // A dispatched call is placed below its parent whatever its records claim, so that the tree stays consistent.
      depth: parent ? parent.depth + 1 : (numberOr(place.depth) ?? 0),
      parent,
      dispatchedAt: awaited?.position,
      dispatcher: awaited?.dispatcher,
      run: parent ? parent.run : ++this.#runs,
      ...stretchAt(facts, position),
      speakers: undefined,
      model: '',
      outcome: undefined,
      messages: 0,
      toolCalls: 0,
      errors: 0,
      failingSince: undefined,
      lastError: '',
      hasRequests: false,
      isCompacted: false,
      tokens: new CallTokens(),
      costs: new CallCosts(),
      children: [],
      durationMs: undefined,
    };
  }
}

/** The entry call of the run that a call belongs to. */
function entryOf(call: CallNode): CallNode {
  let entry = call;
  while (entry.parent) entry = entry.parent;
  return entry;
}

/** The type of what stands in the place of a record that another session owns, where several are counted together. */
export const TOLD_ELSEWHERE = 'toldElsewhere';

/** Whether a record is part of the work: a title that is given days later is none, nor what another session tells. */
export function isWork({ type }: Pick<Facts, 'type'>): boolean {
  return type !== 'title' && type !== TOLD_ELSEWHERE;
}

/** So much of an error is kept, in code points: enough to know it again. */
const MAX_REASON = 500;

/** A reason as calls keep it. */
export function reasonOf(reason: string): string {
  return firstCodePoints(reason, MAX_REASON);
}

/** Notes an error in a call. */
export function noteError(call: CallNode, { event }: Facts): void {
  call.lastError = reasonOf(event?.words ?? '');
}

/** The first and the last known time of a transcript's work, in milliseconds since 1970; 0 where none is known. */
export interface TimeSpan {
  startedAt: number;
  endedAt: number;
}

/** Widens a span by the time of a record. */
export function widenSpan(span: TimeSpan, facts: Pick<Facts, 'type' | 'time'>): void {
  const { time } = facts;
  if (time === 0 || !isWork(facts)) return;
  span.startedAt = span.startedAt === 0 ? time : Math.min(span.startedAt, time);
  span.endedAt = Math.max(span.endedAt, time);
}

/** Notes the start of a call. */
export function beginCall(call: CallNode, { model }: Facts): void {
  call.model = model;
}

/** Notes the end of a call. */
export function endCall(call: CallNode, { event, durationMs }: Facts): void {
  call.outcome = event?.outcome ?? '';
  if (durationMs !== undefined) call.durationMs = durationMs;
}

function extend(call: CallNode, facts: Facts, position: number): void {
  lengthen(call, facts.time, position);
  const { agent = '' } = facts.place;
  if (agent === call.agent) return;
  const speakers = (call.speakers ??= new Map<string, Stretch>());
  const speaker = speakers.get(agent);
  if (speaker) lengthen(speaker, facts.time, position);
  else if (speakers.size < MAX_SPEAKERS) speakers.set(agent, stretchAt(facts, position));
}

function lengthen(stretch: Stretch, time: number, position: number): void {
  stretch.lastPosition = position;
  if (time === 0) return;
  if (stretch.start === 0) stretch.start = time;
  stretch.end = Math.max(stretch.end, time);
}

function stretchAt({ time }: Facts, position: number): Stretch {
  return { start: time, end: time, position, lastPosition: position };
}
