import { ABORTED, onAbort } from '../../../core/abort.js';
import type { Disposable } from '../../../core/event.js';
import { STOPPED_WORDS } from '../../../core/cancelled.js';
import { addTo } from '../../../core/lists.js';
import { textOf, type ChatMessage } from '../../../core/message.js';
import { picturesOf } from '../../../core/picture.js';
import type { ApprovalDecision, ApprovalRequest, RunApprover } from '../../../core/ports/approvals.js';
import type { FinishReason, Model, ModelEvent, ModelRequest } from '../../../core/ports/model.js';
import type { ToolContext, ToolResult } from '../../../core/ports/tool.js';
import type { Recorder } from '../../../core/record/recorder.js';
import { draftAt, type ApprovalBody, type LogRecord, type RecordDraft } from '../../../core/record.js';
import type { Timers } from '../../../core/timers.js';
import { yieldToEventLoop } from '../../../core/yieldToEventLoop.js';
import { Scheduler } from '../limits/scheduler.js';
import { withoutIds } from '../requestDigest.js';
import type { MessageLog } from '../runtimeConfig.js';
import { RunStop } from '../runScope.js';

type RecordOf<Type extends LogRecord['type']> = Extract<LogRecord, { readonly type: Type }>;

/** Where a replay does something else than its record, and both. */
export interface TapeDeparture {
  /**
   * `request`: what is asked is not what was asked; `more`: the recorded run asked no more here; `other`: something else happens
   * than what is recorded; `fewer`: the replay ended before all recorded answers were asked for.
   */
  readonly kind: 'request' | 'more' | 'other' | 'fewer';
  /** The record that was expected; for `more` the last one of its call, if there is any. */
  readonly expected: LogRecord | undefined;
  /** What came instead, where it was not a request. */
  readonly came?: RecordDraft;
  /** What was asked instead. */
  readonly asked?: ModelRequest;
}

/** A call of the record, and how far the replay is in it. */
export interface TapeCall {
  readonly start: RecordOf<'callStart'>;
  /** Its tools by name, as JSON, so that they can be held against those of now. */
  readonly tools: ReadonlyMap<string, string>;
  /** What it says in order; approvals and dispatches of tools that run at the same time come in any order among it. */
  readonly spoken: readonly LogRecord[];
  readonly requests: readonly RecordOf<'request'>[];
}

interface Playing extends TapeCall {
  next: number;
  asked: number;
  readonly results: ReadonlyMap<string, RecordOf<'message'>>;
  /** Approvals and dispatches by the tool call that they belong to: what is left to be played, to be decided, to be recorded. */
  readonly inner: Map<string, (RecordOf<'approval'> | RecordOf<'dispatch'>)[]>;
  readonly decisions: Map<string, RecordOf<'approval'>[]>;
  readonly awaited: Map<string, (RecordOf<'approval'> | RecordOf<'dispatch'>)[]>;
}

/** Limits that come from outside of what is replayed: time, and what the record could not keep. */
const OUTSIDE: ReadonlySet<string> = new Set(['time', 'store', 'record']);

/**
 * A recorded run as a cassette: models, tools and people answer from it, each when it is their turn, and nothing else is
 * asked. What the replay says is held against it; the first difference ends the replay.
 *
 * Whatever answers waits until all loops do nothing but wait, and then the one goes on that did so first when the run was
 * recorded. So calls that ran at the same time meet their limits where they did.
 */
export class ReplayTape {
  readonly #order = new Map<LogRecord, number>();
  readonly #calls = new Map<string, Playing>();
  /** The calls of the replay by their ids. */
  readonly #playing = new Map<string, Playing>();
  readonly #waiting = new Map<() => void, number>();
  readonly #controller = new AbortController();
  readonly #hung: { readonly request: ModelRequest; readonly playing: Playing | undefined }[] = [];
  #entry: Playing | undefined;
  #isOver = false;
  #departure: TapeDeparture | undefined;
  #answers = 0;
  #results = 0;

  readonly #isStoppedWithin: boolean;

  /**
   * `records`: all of one run, in order. `isStoppedWithin`: where the run was stopped, this was in the very step in which something else
   * went on, by whoever was told of it, so that what was ended while it ran is over at once.
   */
  constructor(records: readonly LogRecord[], isStoppedWithin = false) {
    this.#isStoppedWithin = isStoppedWithin;
    const byCall = new Map<string, LogRecord[]>();
    for (const [at, record] of records.entries()) {
      this.#order.set(record, at);
      addTo(byCall, record.call, record);
    }
    for (const call of tapeCalls(records)) {
      const playing = playingOf(call, byCall.get(call.start.call) ?? []);
      this.#calls.set(call.start.call, playing);
      if (call.start.depth === 0) this.#entry ??= playing;
    }
  }

  /** The calls of the run; the first is the one that began it. */
  get calls(): readonly TapeCall[] {
    return [...this.#calls.values()];
  }

  /** Where the replay departed from the record; undefined as long as it has not. */
  get departure(): TapeDeparture | undefined {
    return this.#departure;
  }

  /** How many answers of models, and how many results of tools, were served. */
  get served(): { readonly answers: number; readonly results: number } {
    return { answers: this.#answers, results: this.#results };
  }

  /** Recorded answers that nobody asked for. */
  get unserved(): readonly RecordOf<'request'>[] {
    return [...this.#calls.values()].flatMap(({ requests, asked }) =>
      requests.slice(asked).filter(({ error }) => error?.code !== 'cancelled'),
    );
  }

  /** Whether the record ends before its run does. */
  get isOpen(): boolean {
    return !this.#entry?.spoken.some(({ type }) => type === 'callEnd');
  }

  /** Whether somebody stopped the run. */
  get isStopped(): boolean {
    return this.#outcome() === 'cancelled';
  }

  /** Aborted where the recorded run was stopped, and where the replay departs. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Time stands still; pauses between tries are over at once. */
  readonly timers: Timers = {
    after: (ms, act): Disposable => {
      let isDue = ms < MAX_MS;
      queueMicrotask(() => {
        if (isDue) act();
      });
      return { dispose: () => void (isDue = false) };
    },
  };

  /** As many requests at a time as there are; the tape says who is next. */
  readonly scheduler: Scheduler = new SteadyScheduler({ requestsAtOnce: Infinity });

  /** Ends the replay as a person does. */
  stop(): void {
    this.#controller.abort();
  }

  /** The agents that were called, or begin. */
  get agents(): ReadonlySet<string> {
    const names = new Set<string>();
    for (const record of this.#order.keys()) {
      if (record.type === 'callStart') names.add(record.agent);
      if (record.type === 'dispatch' && record.childCall !== undefined) names.add(record.target);
    }
    return names;
  }

  /** Why an agent that never began was not called; undefined where it was. */
  refusalOf(agent: string): string | undefined {
    for (const record of this.#order.keys())
      if (record.type === 'dispatch' && record.target === agent && record.refused !== undefined)
        return record.refused;
    return undefined;
  }

  /** Replays a run: serves what it waits for until it is over. Rejects as `run` does. */
  async play<T>(run: Promise<T>): Promise<T> {
    let isDone = false;
    const isOver = () => isDone;
    const end = () => {
      isDone = true;
    };
    run.then(end, end);
    // Nothing in a run waits for more than what is served here: behind a turn of the event loop, all that can go on has.
    for (;;) {
      await yieldToEventLoop();
      if (isOver()) break;
      if (!this.#serveNext()) this.#end();
    }
    this.#isOver = true;
    const result = await run;
    if (!this.#departure && this.unserved.length > 0)
      this.#departure = { kind: 'fewer', expected: this.unserved[0] };
    return result;
  }

  /** The model of a call; it answers from the tape. */
  model(about: Pick<Model, 'id' | 'label' | 'kind' | 'endpoint'>): Model {
    return { ...about, stream: (request) => this.#stream(request) };
  }

  /** Records what the replay says, after it was held against the tape. */
  log(recorder: Recorder): MessageLog {
    return {
      record: (draft) => {
        this.#hear(draft);
        return recorder.record(draft);
      },
    };
  }

  /** Decides as was decided. */
  approver(log: MessageLog): RunApprover {
    return {
      decide: async (request) => {
        const { type, toolName, toolCallId, subject, decision, decidedBy, rule, reason, waitedMs } =
          await this.#decisionOn(request);
        const body: ApprovalBody = {
          type,
          toolName,
          toolCallId,
          subject,
          decision,
          decidedBy,
          ...(rule !== undefined && { rule }),
          ...(reason !== undefined && { reason }),
          waitedMs,
        };
        log.record(draftAt(request.call, body));
        const decided: ApprovalDecision = { approved: decision === 'approved', decidedBy };
        return {
          ...decided,
          ...(rule !== undefined && { rule }),
          ...(reason !== undefined && { reason }),
        };
      },
    };
  }

  /** What a tool call said; undefined where its result is not in the record. */
  resultOf({ call, toolCallId }: Pick<ToolContext, 'call' | 'toolCallId'>): ToolResult | undefined {
    const record = this.#playing.get(call.call)?.results.get(toolCallId);
    if (!record) return undefined;
    const pictures = picturesOf(record.message.content);
    return {
      content: textOf(record.message.content),
      ...(pictures.length > 0 && { pictures }),
      ...(record.isError === true && { isError: true }),
    };
  }

  /**
   * Plays a tool call: it asks for approval and dispatches agents as it did, and says what it said. It does nothing. `isDispatch`:
   * it is the tool that dispatches at once, and not in an order of its own.
   */
  async tool(context: ToolContext, isDispatch: boolean): Promise<ToolResult> {
    const { call, toolCallId, signal } = context;
    const playing = this.#playing.get(call.call);
    const result = playing?.results.get(toolCallId);
    const until = result === undefined ? Infinity : (this.#order.get(result) ?? Infinity);
    const ended: Promise<unknown>[] = [];
    for (let inner; (inner = playing?.inner.get(toolCallId)?.shift());) {
      if (!isDispatch && (await this.#turn(inner, signal)) === ABORTED) break;
      // What is refused because of a stop comes behind it.
      if (inner.type === 'dispatch' && inner.refused === STOPPED_WORDS) await this.#aborted(signal);
      const work = this.#inner(inner, context);
      const end = inner.type === 'dispatch' ? this.#endOf(inner) : 0;
      if (end < until) ended.push(work);
    }
    await Promise.all(ended);
    const said = this.resultOf(context);
    // What was ended while it ran has said nothing itself: whatever ended it does so again.
    const isEnded = result?.partial === 'cancelled' && !this.#isStoppedWithin;
    if (!said || isEnded) return await this.#never();
    this.#results++;
    return said;
  }

  #inner(
    record: RecordOf<'approval'> | RecordOf<'dispatch'>,
    { approvals, call, dispatch, signal, toolCallId }: ToolContext,
  ): Promise<unknown> {
    if (record.type === 'dispatch') {
      const { target, task } = record;
      return dispatch?.({ target, task, toolCallId, caller: call, signal }) ?? Promise.resolve();
    }
    const { toolName, subject } = record;
    return approvals.decide({ toolName, toolCallId, call, subject, title: subject, key: subject, signal });
  }

  /** Where the call that a dispatch begins ends in the record. */
  #endOf({ childCall }: RecordOf<'dispatch'>): number {
    if (childCall === undefined) return 0;
    const end = this.#calls.get(childCall)?.spoken.find(({ type }) => type === 'callEnd');
    return end ? (this.#order.get(end) ?? Infinity) : Infinity;
  }

  async #decisionOn({ call, toolCallId, toolName, subject, signal }: ApprovalRequest) {
    const recorded = this.#playing.get(call.call)?.decisions.get(toolCallId)?.shift();
    if (recorded && recorded.decidedBy !== 'cancel') return recorded;
    await this.#aborted(signal);
    const body = { type: 'approval', toolName, toolCallId, subject, waitedMs: 0 } as const;
    return { ...body, decision: 'denied', decidedBy: 'cancel', rule: undefined, reason: undefined } as const;
  }

  async *#stream(request: ModelRequest): AsyncGenerator<ModelEvent, void, undefined> {
    const playing = this.#playing.get(request.call ?? '');
    const recorded = playing?.requests[playing.asked];
    if (!playing || !recorded) {
      // Perhaps the run was stopped here before the model was asked, which only shows when nothing else is left.
      this.#hung.push({ request, playing });
      return await this.#never();
    }
    if (recorded.digest !== request.digest) {
      this.#depart({ kind: 'request', expected: recorded, asked: request });
      return await this.#never();
    }
    playing.asked++;
    const { error, finishReason, usage, superseded = '', received = 0 } = recorded;
    const answer = answerTo(playing, recorded);
    if (error?.code !== 'cancelled') {
      if ((await this.#turn(recorded, request.signal)) === ABORTED) return;
      this.#answers++;
    }
    if (superseded !== '') yield { type: 'text', text: superseded };
    if (received > superseded.length)
      yield { type: 'reasoning', text: ' '.repeat(received - superseded.length) };
    if (answer) yield* eventsOf(answer);
    if (usage) yield { type: 'usage', usage };
    if (error?.code === 'cancelled') return await this.#never();
    yield error
      ? { type: 'error', error: { ...error, retryable: this.#wasRetried(playing, recorded) } }
      : { type: 'end', finishReason: (finishReason ?? 'unknown') as FinishReason };
  }

  /**
   * Whether a failed request was tried again, or would have been if nobody had stopped the run: its failure is not recorded as
   * one of the call then. One that the limit of tries ended may be tried again where there is none.
   */
  #wasRetried({ spoken }: Playing, recorded: RecordOf<'request'>): boolean {
    const after = spoken.slice(spoken.indexOf(recorded) + 1).find(({ type }) => type !== 'message');
    const most = this.#entry?.start.limits?.retries ?? Infinity;
    return !(after?.type === 'error' && after.where === 'model') || recorded.attempt > most;
  }

  /** Resolves when it is the turn of what the record leads to, or with ABORTED. */
  #turn(record: LogRecord, signal: AbortSignal): Promise<typeof ABORTED | undefined> {
    return new Promise((resolve) => {
      const go = () => {
        leave();
        resolve(undefined);
      };
      this.#waiting.set(go, this.#order.get(record) ?? Infinity);
      const leave = onAbort(signal, () => {
        this.#waiting.delete(go);
        resolve(ABORTED);
      });
    });
  }

  #aborted(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => void onAbort(signal, () => resolve()));
  }

  /** What never came either, whoever waits for it hears of its end by a signal. */
  #never(): Promise<never> {
    return new Promise(() => undefined);
  }

  /** Lets the one go on that waits and was first; false where nobody waits. */
  #serveNext(): boolean {
    let first: (() => void) | undefined;
    let at = Infinity;
    for (const [go, order] of this.#waiting) {
      if (first && order >= at) continue;
      first = go;
      at = order;
    }
    if (!first) return false;
    this.#waiting.delete(first);
    first();
    return true;
  }

  /** Nothing goes on by itself: what ended the recorded run ends this one, or it is one that did not stop here. */
  #end(): void {
    if (this.signal.aborted) throw new Error('The replay does not come to its end.');
    const { code, message } = this.#recordedLimit() ?? {};
    if (this.isOpen || this.isStopped) this.#controller.abort();
    else if (code !== undefined && OUTSIDE.has(code))
      this.#controller.abort(new RunStop(code, message ?? ''));
    else {
      const [hung] = this.#hung;
      const expected = hung?.playing?.spoken[hung.playing.next] ?? hung?.playing?.spoken.at(-1);
      this.#depart({ kind: 'more', expected, ...(hung && { asked: hung.request }) });
    }
  }

  #outcome(): string | undefined {
    const end = this.#entry?.spoken.find((record) => record.type === 'callEnd');
    return end?.type === 'callEnd' ? end.outcome : undefined;
  }

  #recordedLimit(): { readonly code: string; readonly message: string } | undefined {
    const limit = this.#entry?.spoken.find((record) => record.type === 'error' && record.where === 'limit');
    return limit?.type === 'error' ? limit.error : undefined;
  }

  #depart(departure: TapeDeparture): void {
    if (this.#isOver || this.#departure) return;
    this.#departure = departure;
    this.#controller.abort(new RunStop('departed', 'The replay departs from the record here.'));
  }

  /** Holds what the replay says against the record. */
  #hear(draft: RecordDraft): void {
    if (this.#departure || this.#isOver || (this.isOpen && this.signal.aborted)) return;
    if (draft.type === 'callStart' && draft.depth === 0 && this.#entry)
      this.#playing.set(draft.call, this.#entry);
    const playing = this.#playing.get(draft.call);
    if (!playing) {
      if (!this.isOpen) this.#depart({ kind: 'other', expected: undefined, came: draft });
      return;
    }
    if (draft.type === 'approval' || draft.type === 'dispatch') {
      this.#hearInner(playing, draft);
      return;
    }
    const expected = this.#nextOf(playing, draft);
    if (expected === 'none') return;
    if (!expected) {
      if (!this.isOpen) this.#depart({ kind: 'other', expected: playing.spoken.at(-1), came: draft });
      return;
    }
    playing.next++;
    if (saidBy(draft) !== saidBy(expected)) this.#depart({ kind: 'other', expected, came: draft });
    else if (isStoppedBefore(playing.spoken[playing.next])) this.#controller.abort();
  }

  /** The record that a draft is held against; `none` for what may be on one side alone. */
  #nextOf(playing: Playing, draft: RecordDraft): LogRecord | undefined | 'none' {
    const isInstructions = (record: LogRecord | RecordDraft | undefined) =>
      record?.type === 'message' && record.message.role === 'system';
    // An agent's instructions are recorded once; another text of them is a change, and its first request tells.
    if (isInstructions(draft)) {
      if (isInstructions(playing.spoken[playing.next])) playing.next++;
      return 'none';
    }
    while (isInstructions(playing.spoken[playing.next]) || isUnasked(playing.spoken[playing.next], draft))
      playing.next++;
    const next = playing.spoken[playing.next];
    // A run may be stopped before or after its model is asked: nothing is said in either case.
    if (draft.type === 'request' && draft.error?.code === 'cancelled' && next?.type !== 'request')
      return 'none';
    return next;
  }

  #hearInner(
    playing: Playing,
    draft: Extract<RecordDraft, { readonly type: 'approval' | 'dispatch' }>,
  ): void {
    const queue = playing.awaited.get(draft.toolCallId) ?? [];
    const at = queue.findIndex(({ type }) => type === draft.type);
    const expected = queue[at];
    if (!expected) {
      const isCancelled = draft.type === 'approval' && draft.decidedBy === 'cancel';
      if (!isCancelled && !this.isOpen) this.#depart({ kind: 'other', expected: undefined, came: draft });
      return;
    }
    queue.splice(at, 1);
    if (draft.type === 'dispatch' && expected.type === 'dispatch') {
      const child = this.#calls.get(expected.childCall ?? '');
      if (child && draft.childCall !== undefined) this.#playing.set(draft.childCall, child);
    }
    if (saidBy(draft) !== saidBy(expected)) this.#depart({ kind: 'other', expected, came: draft });
  }
}

/** Limits of time are as long as a timer can wait, and never over. */
const MAX_MS = 2 ** 31 - 1;

/** Loops are never sent away: what has its turn is decided by the tape alone. */
class SteadyScheduler extends Scheduler {
  override yieldWhenDue(): undefined {
    return undefined;
  }
}

/** Whether a run was stopped when a tool was about to be run: what stands before has come, and nothing waits. */
function isStoppedBefore(next: LogRecord | undefined): boolean {
  if (next?.type !== 'message' || next.message.role !== 'tool' || next.partial !== 'cancelled') return false;
  return textOf(next.message.content).startsWith('Not run: ');
}

/** A recorded request that nobody heard the end of: where the replay does not ask, nothing is missing. */
function isUnasked(record: LogRecord | undefined, draft: RecordDraft): boolean {
  return record?.type === 'request' && record.error?.code === 'cancelled' && draft.type !== 'request';
}

/** The calls of a run, with what each says and the tools that it had. */
function tapeCalls(records: readonly LogRecord[]): readonly TapeCall[] {
  const calls = new Map<
    string,
    { start: RecordOf<'callStart'>; tools: Map<string, string>; spoken: LogRecord[] }
  >();
  const told = new Map<string, string>();
  for (const record of records) {
    if (record.type === 'callStart') {
      for (const tool of record.schemas ?? []) told.set(tool.name, JSON.stringify(tool));
      const tools = new Map(record.tools.map((name) => [name, told.get(name) ?? '']));
      calls.set(record.call, { start: record, tools, spoken: [record] });
    } else if (isSpoken(record)) calls.get(record.call)?.spoken.push(record);
  }
  return [...calls.values()].map((call) => {
    const requests = call.spoken.filter((record): record is RecordOf<'request'> => record.type === 'request');
    return { ...call, requests };
  });
}

/** What an agent says or meets in order; what a store says of itself is no part of a run. */
function isSpoken(record: LogRecord): boolean {
  if (record.type === 'error') return record.where !== 'store';
  return record.type === 'message' || record.type === 'request' || record.type === 'callEnd';
}

/** A call as it is played; `records`: all of it, in order. */
function playingOf(call: TapeCall, records: readonly LogRecord[]): Playing {
  const results = new Map<string, RecordOf<'message'>>();
  const inner: Playing['inner'] = new Map();
  const decisions: Playing['decisions'] = new Map();
  const awaited: Playing['awaited'] = new Map();
  for (const record of records) {
    if (record.type === 'message' && record.message.role === 'tool')
      results.set(record.message.tool_call_id ?? '', record);
    if (record.type !== 'approval' && record.type !== 'dispatch') continue;
    addTo(inner, record.toolCallId, record);
    addTo(awaited, record.toolCallId, record);
    if (record.type === 'approval') addTo(decisions, record.toolCallId, record);
  }
  return { ...call, next: 0, asked: 0, results, inner, decisions, awaited };
}

/** What a model said to a request: the message behind it. */
function answerTo({ spoken }: Playing, request: LogRecord): ChatMessage | undefined {
  const next = spoken[spoken.indexOf(request) + 1];
  return next?.type === 'message' && next.message.role === 'assistant' ? next.message : undefined;
}

/** A message as a model says it. */
function* eventsOf(message: ChatMessage): Generator<ModelEvent> {
  const text = textOf(message.content);
  if (message.reasoning_content !== undefined && message.reasoning_content !== '')
    yield { type: 'reasoning', text: message.reasoning_content };
  if (text !== '') yield { type: 'text', text };
  if (message.reasoning_details) yield { type: 'reasoningDetails', details: message.reasoning_details };
  for (const [index, { id, function: called, extra_content: extra }] of (message.tool_calls ?? []).entries())
    yield {
      type: 'toolCall',
      index,
      id,
      name: called.name,
      arguments: called.arguments,
      ...(extra !== undefined && { extra }),
    };
}

/** What of a record must be alike; times, ids, models and numbers of tokens need not. */
function saidBy(record: LogRecord | RecordDraft): string {
  switch (record.type) {
    case 'callStart':
      return withoutIds([record.type, record.task]);
    case 'message': {
      const { message } = record;
      return withoutIds([message, record.isError ?? false]);
    }
    case 'request':
      return withoutIds([record.type, record.attempt, record.error?.code ?? '', record.finishReason ?? '']);
    case 'approval':
      return withoutIds([record.type, record.toolName, record.decision, record.decidedBy]);
    case 'dispatch':
      return withoutIds([record.type, record.target, record.task, record.refused ?? '']);
    case 'error':
      return withoutIds([record.type, record.where, record.error.code, record.error.message]);
    case 'callEnd':
      return withoutIds([record.type, record.outcome, record.reason ?? '']);
    default:
      return record.type;
  }
}
