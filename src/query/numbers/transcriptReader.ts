import { beginCall, CallTree, endCall, noteError, type CallNode } from './callTree.js';
import { toolDuration } from './requestPairing.js';
import type { FactCall, Facts } from './facts.js';
import type { CallState } from '../../core/record.js';
import type { MadeCall } from './toolCalls.js';
import { ToolPairing, type PairedCall } from './toolPairing.js';

/**
 * What a tool's result is of. `first`: it answers a call. `unseen`: it has a tool's name but no id, and counts as a call of
 * which only the result is recorded. `orphan`: it answers no known call, or one that was already answered.
 */
export type ResultKind = 'first' | 'unseen' | 'orphan';

/** A tool's result and what it answers. */
export interface ReadResult {
  readonly kind: ResultKind;
  readonly id: string;
  /** The tool: that of the call it answers, else the one it names itself, else that of the call answered before; or ''. */
  readonly tool: string;
  /** The call that it answers; undefined unless it is the first to do so. */
  readonly made: MadeCall | undefined;
  /** The call that it answers, also where another result was first. */
  readonly of: MadeCall | undefined;
  /** How long the tool took, in milliseconds, see `toolDuration`; undefined where it is unknown. */
  readonly tookMs: number | undefined;
}

/** That something became of a call of a tool; `before` is undefined where only its result is recorded. */
export interface CallChange {
  readonly tool: string;
  readonly before: MadeCall['state'] | undefined;
  readonly after: MadeCall['state'];
}

/** One item of a transcript, read: the only thing that the questions about a transcript are answered from. */
export interface Reading {
  readonly facts: Facts;
  /** The item's position among all items. */
  readonly position: number;
  /** The message's position among all messages. */
  readonly index: number;
  /** The call of an agent that it belongs to. */
  readonly call: CallNode;
  /** The tool calls that the message makes, in the order of `facts.calls`, as later items refer to them. */
  readonly made: readonly MadeCall[];
  /** How many tool calls are counted for it: those that it makes, and that of a result whose call is not recorded. */
  readonly toolCalls: number;
  /** For a tool's message. */
  readonly result: ReadResult | undefined;
  /** The tool call that a dispatch or an approval is of; undefined where it is of none, or where another one was first. */
  readonly concerns: MadeCall | undefined;
  /** The tool call that a dispatch or an approval is of, also where another one was first. */
  readonly about: MadeCall | undefined;
  /** What it says became of a tool call, where no earlier item said that. */
  readonly change: CallChange | undefined;
  /** Whether it tells of a failure that no earlier item told of: of one message or tool call, the first that does. */
  readonly isNewFailure: boolean;
  /** The position of the record by which this failure is counted, where that is of another row than its own. */
  readonly countedAt: number | undefined;
  /** The tool whose call is now known to have failed, and that call where it is recorded; once for each call. */
  readonly failedTool: string | undefined;
  readonly failedCall: MadeCall | undefined;
  /** Whether it tells of a compaction that no earlier item told of. */
  readonly isCompaction: boolean;
}

/** How a tool call has failed: the message that makes it shows nothing else and failed, or the call itself did. */
const FAILED = { message: 1, call: 2 } as const;

/** Whether a tool call has failed, as far as the items read so far tell. */
export function hasFailed({ failed }: MadeCall): boolean {
  return (failed & FAILED.call) !== 0;
}

const NO_CALLS: readonly MadeCall[] = [];

/**
 * Reads a transcript item by item: to which call of an agent each belongs, which tool call it makes, answers, approves or
 * dispatches, and whether it tells of a new failure. Every item must be given, in order. What is kept does not grow with
 * the texts; with a limit of remembered ids it grows with the calls of agents alone.
 */
export class TranscriptReader {
  readonly calls = new CallTree();
  readonly #pairing: ToolPairing<MadeCall>;
  #position = 0;
  #index = 0;
  #made = 0;

  /** `remembered`: of how many tool calls of each call of an agent the ids are remembered; of all when left out. */
  constructor(remembered = Number.POSITIVE_INFINITY) {
    this.#pairing = new ToolPairing(remembered);
  }

  /** Reads the next item. */
  next(facts: Facts): Reading {
    const position = this.#position++;
    const call = this.calls.of(facts, position);
    const hasMessage = facts.role !== undefined;
    const index = hasMessage ? this.#index++ : this.#index;
    if (hasMessage) call.messages++;
    const result = facts.role === 'tool' ? this.#resultOf(facts, call, position) : undefined;
    const made = facts.calls.length === 0 ? NO_CALLS : this.#make(facts, call, position);
    const toolCalls = made.length + (result?.kind === 'unseen' ? 1 : 0);
    call.toolCalls += toolCalls;
    const paired = facts.isRecord && !hasMessage ? this.#other(facts, position, call) : undefined;
    const concerns = firstOf(paired);
    const change =
      result || facts.type === 'approval' ? this.#changeOf(facts, result, paired?.call) : undefined;
    const news = facts.isFailure
      ? modelFailure(facts, call, position, () =>
          failureOf(facts, made, concerns ?? result?.of ?? dispatcherOf(facts, call), result),
        )
      : NO_NEWS;
    if (isAnswered(facts)) call.failingSince = undefined;
    if (news.isNewFailure) call.errors++;
    const { isNewFailure, failedTool, failedCall, countedAt } = news;
    const isCompaction = facts.compaction === 'told' || (facts.compaction === 'summary' && !call.isCompacted);
    call.isCompacted = hasMessage ? false : isCompaction || call.isCompacted;
    // One plain literal, because this is made for every record of every transcript.
    return {
      facts,
      position,
      index,
      call,
      made,
      toolCalls,
      result,
      concerns,
      about: paired?.call,
      change,
      isNewFailure,
      countedAt,
      failedTool,
      failedCall,
      isCompaction,
    };
  }

  #make({ calls, time }: Facts, call: CallNode, position: number): MadeCall[] {
    return calls.map(({ id, name }: FactCall) => {
      const made: MadeCall = {
        number: this.#made++,
        tool: name,
        askedAt: position,
        answeredAt: undefined,
        calledAt: time,
        waitedMs: 0,
        isDispatch: false,
        state: 'open',
        failed: 0,
      };
      this.#pairing.open(call.id, id, position, made);
      return made;
    });
  }

  #resultOf(facts: Facts, call: CallNode, position: number): ReadResult {
    const { answers: id, toolName: own } = facts;
    const paired = this.#pairing.answer(call.id, id);
    const made = firstOf(paired);
    if (made) {
      made.answeredAt = position;
      return { kind: 'first', id, tool: made.tool, made, of: made, tookMs: tookOf(facts, made) };
    }
    const kind = id === '' && !paired && own !== '' ? 'unseen' : 'orphan';
    const tookMs = kind === 'unseen' ? facts.durationMs : undefined;
    const tool = own === '' ? (paired?.call.tool ?? '') : own;
    return { kind, id, tool, made, of: paired?.call, tookMs };
  }

  /** Where several tell of a call the last one counts, but the first result of one that was denied only repeats that. */
  #changeOf(
    facts: Facts,
    result: ReadResult | undefined,
    about: MadeCall | undefined,
  ): CallChange | undefined {
    if (result?.kind === 'unseen') return { tool: result.tool, before: undefined, after: endOf(facts.state) };
    const call = result ? result.of : about;
    if (!call) return undefined;
    const before = call.state;
    const isDenied = before === 'denied';
    const isStopped = isDenied || before === 'cancelled';
    if (!result) {
      if (facts.event?.isApproved === false) call.state = deniedAs(facts);
      else if (isStopped && call.answeredAt === undefined) call.state = 'open';
    } else if (!(isStopped && facts.state === 'failed') && !(isDenied && result.made && facts.state === ''))
      call.state = endOf(facts.state);
    return call.state === before ? undefined : { tool: call.tool, before, after: call.state };
  }

  /** Reads a record without a message; gives the tool call that it concerns. */
  #other(facts: Facts, position: number, call: CallNode): PairedCall<MadeCall> | undefined {
    const { type, answers, event, place } = facts;
    switch (type) {
      case 'dispatch': {
        const paired = this.#pairing.answer(call.id, answers, 'dispatch');
        const made = firstOf(paired);
        if (made) made.isDispatch = true;
        if (event?.childCall !== undefined) this.calls.dispatched(event.childCall, position, call, made);
        return paired;
      }
      case 'approval': {
        const paired = this.#pairing.answer(call.id, answers, 'approval');
        const made = firstOf(paired);
        if (made) made.waitedMs = event?.waitedMs ?? 0;
        return paired;
      }
      case 'callStart':
        beginCall(call, facts);
        call.dispatcher ??= this.#pairing.latest(place.parentCall ?? '', answers);
        if (call.dispatcher) call.dispatcher.child ??= call;
        break;
      case 'callEnd':
        endCall(call, facts);
        this.#pairing.end(call.id);
        break;
      case 'request':
        call.hasRequests = true;
        break;
      case 'error':
        noteError(call, facts);
        break;
      default:
    }
    return undefined;
  }
}

function firstOf(paired: PairedCall<MadeCall> | undefined): MadeCall | undefined {
  return paired && !paired.again ? paired.call : undefined;
}

function endOf(state: CallState | ''): MadeCall['state'] {
  return state === '' ? 'done' : state;
}

/** What a denial makes of a call; what the end of a run denies was stopped with it. */
function deniedAs({ event }: Facts): CallState {
  return event?.decidedBy === 'cancel' ? 'cancelled' : 'denied';
}

function tookOf({ durationMs, time }: Facts, { calledAt, waitedMs }: MadeCall): number | undefined {
  return toolDuration({ durationMs, calledAt, answeredAt: time, waitedMs });
}

/** The tool call that dispatched a call which ends: that it failed, and the result that says so, are one failure. */
function dispatcherOf({ type }: Facts, { dispatcher }: CallNode): MadeCall | undefined {
  return type === 'callEnd' ? dispatcher : undefined;
}

type News = Pick<Reading, 'isNewFailure' | 'failedTool' | 'failedCall' | 'countedAt'>;
const NO_NEWS: News = {
  isNewFailure: false,
  failedTool: undefined,
  failedCall: undefined,
  countedAt: undefined,
};

/** Whether a model has answered or a person asks anew: a failure of it that comes then is another one. */
function isAnswered({ type, role, isFailure }: Facts): boolean {
  if (role === 'user') return true;
  return !isFailure && (role === 'assistant' || type === 'request');
}

/**
 * A failing model is one failure, however many records tell of it: the requests that failed, the message that broke off,
 * the error, and the end of the call. `other` tells what the record is news of by itself.
 */
function modelFailure({ type, role }: Facts, call: CallNode, position: number, other: () => News): News {
  const isSaid = role === 'assistant';
  const isOfModel = isSaid || (role === undefined && /^(?:request|error|callEnd)$/.test(type));
  const since = call.failingSince;
  if (!isOfModel) return other();
  if (since === undefined) {
    if (type !== 'callEnd') call.failingSince = position;
    return other();
  }
  if (type !== 'callEnd') return { ...NO_NEWS, countedAt: since };
  const { dispatcher } = call;
  if (dispatcher?.failed === 0) dispatcher.failedAt = since;
  return { ...other(), isNewFailure: false, countedAt: since };
}

/** What a failure is news of: of a tool call, or of the message itself, which may show nothing but its first tool call. */
function failureOf(
  { role, says }: Facts,
  made: readonly MadeCall[],
  concerned: MadeCall | undefined,
  result: ReadResult | undefined,
): News {
  const shown = concerned ?? (role !== undefined && !says ? made[0] : undefined);
  if (!shown) {
    const failedTool = result?.kind === 'unseen' ? result.tool : undefined;
    return { ...NO_NEWS, isNewFailure: true, failedTool };
  }
  // The result of a dispatch may be recorded before the end of the call that failed.
  shown.failedAt ??= concerned?.child?.failingSince;
  const before = shown.failed;
  const isKnown = before !== 0 || shown.failedAt !== undefined;
  shown.failed |= concerned ? FAILED.call : FAILED.message;
  const failedCall = concerned && (before & FAILED.call) === 0 ? shown : undefined;
  return {
    isNewFailure: !isKnown,
    failedTool: failedCall?.tool,
    failedCall,
    countedAt: shown.failedAt,
  };
}
