import { clipName } from '../../../query/numbers/values.js';
import type { Timeline, TimelinePause, TimelineSpan } from '../../protocol/analysis.js';
import type { AgentHues } from '../rows/agentHues.js';
import { greatestOf, smallestOf } from '../../../core/lists.js';
import type { CallNode, Stretch } from '../../../query/numbers/callTree.js';
import { yieldToEventLoop } from '../../../core/yieldToEventLoop.js';
import { hiddenWithin } from './pauses.js';
import type { Detour } from '../../../query/numbers/detours.js';
import type { Moment, Moments } from '../../../query/numbers/moments.js';

/** The most spans that are sent at once. */
const MAX_SPANS = 4_000;
/** The most rows of one lane; more calls at the same time share the last. */
const MAX_ROWS = 12;

/** How many moments are processed without a pause. */
const MOMENTS_PER_TURN = 20_000;

/** A part of the time axis, and its width on the screen. */
export interface TimelinePart {
  readonly from?: number;
  readonly to?: number;
  readonly pixels: number;
  /** What of the axis is drawn shorter; nothing when left out. */
  readonly pauses?: readonly TimelinePause[];
  /** What is marked besides; nothing when left out. */
  readonly detours?: readonly Detour[];
  /** Whether the axis counts records instead of time, because no time is known. */
  readonly countsSteps?: boolean;
}

interface PositionedSpan {
  readonly lane: number;
  readonly row: number;
}

/**
 * The timeline of calls and moments for a part of the time axis; long ones are processed in bites. When the signal is
 * aborted, gives what it has so far.
 */
export async function timelineView(
  calls: readonly CallNode[],
  moments: Moments,
  hues: AgentHues,
  part: TimelinePart,
  running: boolean,
  signal?: AbortSignal,
): Promise<Timeline> {
  const { countsSteps = false } = part;
  const stretches = stretchesOf(calls, countsSteps);
  const start = smallestOf(
    stretches.map((each) => each.start),
    Infinity,
  );
  const end = greatestOf(
    stretches.map((each) => each.end),
    -Infinity,
  );
  if (calls.length === 0)
    return { countsSteps, start: 0, end: 0, lanes: [], spans: [], pauses: [], thinned: false };
  const from = part.from ?? start;
  const to = part.to ?? end;
  const pauses = part.pauses ?? [];
  const msPerPixel = Math.max(to - from - hiddenWithin(pauses, from, to), 1) / Math.max(part.pixels, 1);
  const { places, lanes } = placeStretches(stretches, hues);
  const merger = new SpanMerger(msPerPixel);
  for (const stretch of stretches) {
    const { call, agent } = stretch;
    const at = places.get(call)?.get(agent);
    const above =
      agent === call.agent && call.parent ? places.get(call.parent)?.get(call.parent.agent) : undefined;
    if (at && stretch.start <= to && stretch.end >= from) merger.add(callSpan(stretch, at, above, running));
  }
  const { length } = moments;
  for (let number = 0; number < length; number++) {
    if (number % MOMENTS_PER_TURN === MOMENTS_PER_TURN - 1) {
      await yieldToEventLoop();
      if (signal?.aborted) break;
    }
    const moment = moments.within(number, from, to, countsSteps);
    // Where requests are recorded, they tell when the model answered.
    if (!moment || (moment.kind === 'answer' && moment.call.hasRequests)) continue;
    const ofCall = places.get(moment.call);
    const at = ofCall?.get(moment.agent) ?? ofCall?.get(moment.call.agent);
    if (at) merger.addMoment(moment, at);
  }
  addDetours(merger, places, part, [from, to]);
  return {
    countsSteps,
    start,
    end,
    lanes,
    pauses: [...pauses],
    spans: merger.spans.slice(0, MAX_SPANS),
    thinned: merger.spans.length > MAX_SPANS,
  };
}

function addDetours(
  merger: SpanMerger,
  places: ReadonlyMap<CallNode, ReadonlyMap<string, PositionedSpan>>,
  { detours = [], countsSteps = false }: TimelinePart,
  [from, to]: readonly [from: number, to: number],
): void {
  for (const detour of detours) {
    const { position, call, agent } = detour;
    const mark = countsSteps ? { ...detour, start: position, end: position + 1 } : detour;
    const ofCall = places.get(call);
    const at = ofCall?.get(agent) ?? ofCall?.get(call.agent);
    if (at && mark.start <= to && mark.end >= from) merger.addMoment({ ...mark, state: 'done' }, at);
  }
}

/** An agent's part in a call, on the axis: that of the call's own agent is all of the call. */
interface AgentStretch {
  readonly call: CallNode;
  readonly agent: string;
  readonly start: number;
  readonly end: number;
  readonly position: number;
}

function stretchesOf(calls: readonly CallNode[], countsSteps: boolean): AgentStretch[] {
  const stretchOf = (call: CallNode, agent: string, { position, lastPosition, start, end }: Stretch) => ({
    call,
    agent,
    position,
    start: countsSteps ? position : start,
    end: countsSteps ? lastPosition + 1 : end,
  });
  const stretches = calls.flatMap((call) => [
    stretchOf(call, call.agent, call),
    ...[...(call.speakers ?? [])].map(([agent, stretch]) => stretchOf(call, agent, stretch)),
  ]);
  // What says no time stands nowhere on an axis of times, except where nothing says any.
  const timed = stretches.filter(({ start }) => start > 0);
  return countsSteps || timed.length === 0 ? stretches : timed;
}

function callSpan(
  { call, agent, start, end, position }: AgentStretch,
  at: PositionedSpan,
  from: PositionedSpan | undefined,
  running: boolean,
): TimelineSpan {
  const { depth } = call;
  const open = running ? 'running' : 'done';
  const state = call.outcome === undefined ? open : (OUTCOMES[call.outcome] ?? 'done');
  const span = {
    kind: 'call' as const,
    ...at,
    start,
    end,
    state,
    label: clipName(agent),
    depth,
    position,
    merged: 1,
  };
  return from ? { ...span, from } : span;
}

const OUTCOMES: Readonly<Partial<Record<string, TimelineSpan['state']>>> = {
  done: 'done',
  failed: 'failed',
  limited: 'failed',
  cancelled: 'cancelled',
};

/** One lane per agent; stretches that overlap get rows of their own. */
function placeStretches(stretches: readonly AgentStretch[], hues: AgentHues) {
  const lanes = new Map<string, { lane: number; calls: number; ends: number[] }>();
  const places = new Map<CallNode, Map<string, PositionedSpan>>();
  for (const { call, agent, start, end } of stretches.toSorted((a, b) => a.start - b.start)) {
    let at = lanes.get(agent);
    if (!at) lanes.set(agent, (at = { lane: lanes.size, calls: 0, ends: [] }));
    at.calls++;
    const free = at.ends.findIndex((ended) => ended <= start);
    const row = free >= 0 ? free : Math.min(at.ends.length, MAX_ROWS - 1);
    at.ends[row] = Math.max(end, at.ends[row] ?? -Infinity);
    const ofCall = places.get(call) ?? new Map<string, PositionedSpan>();
    places.set(call, ofCall.set(agent, { lane: at.lane, row }));
  }
  return {
    places,
    lanes: [...lanes].map(([agent, { calls: count, ends }]) => ({
      agent,
      hue: hues.of(agent),
      calls: count,
      rows: ends.length,
    })),
  };
}

/** A moment, or a detour as it is drawn like one. */
type Marked = Moment | (Detour & Pick<Moment, 'state'>);

type Open = { -readonly [K in keyof TimelineSpan]: TimelineSpan[K] };

/** Merges neighbours that cannot be distinguished on the screen. Failures are merged only with failures. */
class SpanMerger {
  readonly spans: TimelineSpan[] = [];
  /** The last span of each row, kind and state. */
  readonly #last = new Map<string, Map<number, Open>>();
  readonly #shortest: number;

  constructor(msPerPixel: number) {
    this.#shortest = msPerPixel * 2;
  }

  add(span: TimelineSpan): void {
    if (!this.#join(span, span)) this.#open({ ...span });
  }

  /** A moment that is merged makes no span of its own: in a long transcript, nearly all are. */
  addMoment(moment: Marked, at: PositionedSpan): void {
    if (this.#join(moment, at)) return;
    const { kind, state, label, position, start, end } = moment;
    const span = { kind, state, label, position, start, end };
    this.#open({ ...span, ...at, depth: moment.call.depth, merged: 1 });
  }

  #join(span: Pick<TimelineSpan, 'kind' | 'state' | 'start' | 'end'>, at: PositionedSpan): boolean {
    const before = this.#rows(span).get(placeKey(at));
    if (!before || !this.#joins(before, span)) return false;
    before.end = Math.max(before.end, span.end);
    before.merged++;
    return true;
  }

  #open(span: Open): void {
    this.#rows(span).set(placeKey(span), span);
    this.spans.push(span);
  }

  #rows({ kind, state }: Pick<TimelineSpan, 'kind' | 'state'>): Map<number, Open> {
    const key = `${kind}/${state}`;
    const known = this.#last.get(key) ?? new Map<number, Open>();
    this.#last.set(key, known);
    return known;
  }

  #joins(before: TimelineSpan, span: Pick<TimelineSpan, 'state' | 'start' | 'end'>): boolean {
    // Separate failures must stay visible as such, unless the gap between them is very short.
    if (span.state === 'failed') return span.start - before.end < this.#shortest / 4;
    const short = this.#shortest;
    const isShort = span.end - span.start < short && (before.merged > 1 || before.end - before.start < short);
    return isShort && span.start >= before.start && span.start - before.end < short / 2;
  }
}

function placeKey({ lane, row }: PositionedSpan): number {
  return lane * MAX_ROWS + row;
}
