import { t } from '../../src/core/l10n.js';
import type { Timeline, TimelineSpan } from '../../src/page/protocol/analysis.js';
import { visibleText } from '../../src/core/visibleText.js';
import { svg } from '../dom.js';
import { formatDuration } from '../../src/core/duration.js';
import { TimeAxis } from './timeAxis.js';
import { toPixels, type TimeWindow } from './timeScale.js';

/** Heights in pixels. */
const AXIS = 28;
const LANE_GAP = 12;
const ROW_GAP = 6;
/** A row is as high as there is room for, within these. */
const MIN_ROW = 44;
const MAX_ROW = 110;
/** The line with a call's name; below it requests, and below those tools. */
const NAME = 17;
/** How much of a row a request or a tool takes. */
const STEP = 8 / MIN_ROW;
/** A failed step that is narrower than this, in pixels, is drawn at the foot of its line only, so high. */
const THIN = 4;
const FOOT = 0.4;
/** About how wide a letter of a small label is. */
const LETTER = 6.5;

/** Where each lane begins, and where the last one ends, in pixels from the top; and how high a row is. */
export interface LaneLayout {
  readonly tops: readonly number[];
  readonly row: number;
}

/** Divides the height that is there among the lanes; more lanes than fit into it go on below. */
export function laneLayout(lanes: Timeline['lanes'], height: number): LaneLayout {
  const rows = lanes.reduce((sum, lane) => sum + Math.max(lane.rows, 1), 0);
  const room = (height - AXIS - lanes.length * LANE_GAP) / Math.max(rows, 1);
  const row = Math.floor(Math.min(MAX_ROW, Math.max(MIN_ROW, room)));
  const tops = [AXIS];
  for (const lane of lanes) tops.push((tops.at(-1) ?? AXIS) + Math.max(lane.rows, 1) * row + LANE_GAP);
  return { tops, row };
}

/** What the chart shows. */
export interface ChartOptions {
  readonly timeline: Timeline;
  readonly view: TimeWindow;
  readonly width: number;
  readonly layout: LaneLayout;
  readonly selected: TimelineSpan | undefined;
  /** A stretch of time to be shown, as that of a turn. */
  readonly shaded: TimeWindow | undefined;
}

/** The drawing of a timeline; each span's element carries the span's index as `data-span`. */
export function timelineChart({
  timeline,
  view,
  width,
  layout,
  selected,
  shaded,
}: ChartOptions): SVGSVGElement {
  const { tops, row: rowHeight } = layout;
  const height = tops.at(-1) ?? AXIS;
  const axis = new TimeAxis(timeline.pauses, timeline.countsSteps);
  const drawn = axis.drawnWindow(view);
  const x = (time: number): number => toPixels(axis.drawn(time), drawn, width);
  const spanY = (lane: number, row: number): number => (tops[lane] ?? AXIS) + LANE_GAP / 2 + row * rowHeight;
  const pauses = axis.pausesIn(view).map(({ start, end }) => pauseBand(start, end, x, height));
  // A label that finds no room, before the edge or beside the one before it, is left out.
  let taken = -Infinity;
  const marks = axis.marks(view, timeline.start, width).map(({ time, words }) => {
    const left = x(time) + 4;
    const right = left + words.length * LETTER;
    const isShown = left >= taken && right <= width;
    if (isShown) taken = right + LETTER;
    const label = { class: 'tick', x: left, y: AXIS - 10, visibility: isShown ? undefined : 'hidden' };
    return svg(
      'g',
      {},
      svg('line', { class: 'grid', x1: x(time), x2: x(time), y1: AXIS - 4, y2: height }),
      svg('text', label, words),
    );
  });
  const lines = timeline.lanes.map((_, lane) =>
    svg('line', { class: 'lane-line', x1: 0, x2: width, y1: tops[lane], y2: tops[lane] }),
  );
  const shade =
    shaded &&
    svg('rect', {
      class: 'shade',
      x: x(shaded.from),
      y: AXIS,
      width: Math.max(2, x(shaded.to) - x(shaded.from)),
      height: height - AXIS,
    });
  const order = timeline.spans
    .map((span, index) => ({ span, index }))
    .sort((a, b) => layer(a.span) - layer(b.span));
  const signs = timeline.spans.filter(({ kind }) => SIGNS.has(kind));
  const spans = order.map(({ span, index }) =>
    spanElement(span, index, {
      x,
      signs,
      y: spanY(span.lane, span.row),
      row: rowHeight,
      hue: timeline.lanes[span.lane]?.hue ?? 0,
      isSelected: span === selected,
    }),
  );
  const arrows = timeline.spans.flatMap((span) => {
    if (!span.from || span.merged > 1) return [];
    const from = spanY(span.from.lane, span.from.row) + rowHeight / 2;
    const at = x(span.start);
    return [
      svg('path', {
        class: 'dispatch-line',
        d: `M${at} ${from}V${spanY(span.lane, span.row) + rowHeight / 2}`,
      }),
    ];
  });
  return svg(
    'svg',
    { class: 'timeline-svg', width, height, role: 'img', 'aria-label': describe(timeline) },
    lines,
    pauses,
    marks,
    shade,
    arrows,
    spans,
  );
}

/** A pause, which is drawn shorter than it was, and says how long it was. */
function pauseBand(start: number, end: number, x: (time: number) => number, height: number): SVGElement {
  const [left, right] = [x(start), x(end)];
  const words = t`Pause of ${formatDuration(end - start)}`;
  const isRoom = right - left > words.length * LETTER;
  const at = `${(left + right) / 2} ${height / 2}`;
  const turn = isRoom ? {} : { transform: `rotate(-90 ${at})` };
  const isTold = isRoom || right - left > LETTER * 2;
  const place = { x: (left + right) / 2, y: height / 2, 'text-anchor': 'middle', ...turn };
  return svg(
    'g',
    { class: 'pause' },
    svg('title', {}, t`${words}, drawn shorter`),
    svg('rect', { x: left, y: AXIS, width: Math.max(1, right - left), height: height - AXIS }),
    isTold && svg('text', { class: 'tick', ...place }, words),
  );
}

/** What is drawn as a sign on the line of the names. */
const SIGNS: ReadonlySet<TimelineSpan['kind']> = new Set(['error', 'reread', 'retry']);
/** How wide a sign is, and a little more. */
const SIGN = 12;

interface WindowPosition {
  readonly x: (time: number) => number;
  /** The signs of all rows. */
  readonly signs: readonly TimelineSpan[];
  readonly y: number;
  /** How high a row is. */
  readonly row: number;
  readonly hue: number;
  readonly isSelected: boolean;
}

function spanElement(
  span: TimelineSpan,
  index: number,
  { x, signs, y, row, hue, isSelected }: WindowPosition,
): SVGElement {
  const left = x(span.start);
  const call = row - ROW_GAP;
  const step = Math.round(row * STEP);
  const width = Math.max(span.kind === 'call' ? 3 : 1.5, x(span.end) - left);
  const classes = [
    'span',
    `span-${span.kind}`,
    `span-${span.state}`,
    `hue-${hue}`,
    isSelected ? 'selected' : '',
  ];
  const shared = { class: classes.join(' ').trim(), 'data-span': index, 'data-merged': span.merged };
  if (span.kind === 'error') {
    const middle = y + NAME / 2;
    return svg('path', { ...shared, d: `M${left} ${middle - 6}l6 6l-6 6l-6 -6z` });
  }
  if (span.kind === 'call') {
    const box = svg('rect', { ...shared, x: left, y, width, height: call, rx: 4 });
    if (width < 60) return box;
    const start = Math.max(left, 0) + 6;
    const ends = signs.flatMap((sign) =>
      sign.lane === span.lane && sign.row === span.row ? [x(sign.start) + SIGN] : [],
    );
    const free = ends.reduce((at, end) => (end > at && end < at + 2 * SIGN ? end : at), start);
    return svg('g', {}, box, callLabel(span, free, y, left + width));
  }
  if (span.kind === 'compaction') {
    // A flag on a pole over the whole row: whatever stands behind it was sent another way.
    return svg('path', { ...shared, d: `M${left} ${y - 2}h10l-3 4l3 4h-9v${call - 6}h-1z` });
  }
  if (span.kind === 'reread') {
    const middle = y + NAME / 2;
    return svg('path', { ...shared, d: `M${left} ${middle - 5}l4.5 5l4.5 -5v5l-4.5 5l-4.5 -5z` });
  }
  if (span.kind === 'loop') {
    return svg('rect', { ...shared, x: left, y: y + call - 5, width: Math.max(width, 6), height: 4, rx: 2 });
  }
  if (span.kind === 'retry') {
    const middle = y + NAME / 2;
    return svg('path', { ...shared, d: `M${left} ${middle - 5}h9l-4.5 10z` });
  }
  if (span.kind === 'approval' || span.kind === 'idle') {
    return svg('rect', { ...shared, x: left, y: y + NAME - 2, width, height: call - NAME, rx: 3 });
  }
  const isAnswer = span.kind === 'model' || span.kind === 'answer';
  // Of many steps nearly all go well: those that failed, each at least as wide as can be seen, do not cover them.
  const isThin = span.state === 'failed' && width < THIN && span.kind !== 'dispatch';
  const top = y + NAME + (isAnswer ? 0 : step + 2) + (isThin ? step - Math.ceil(step * FOOT) : 0);
  const height = span.kind === 'dispatch' ? 2 : isThin ? Math.ceil(step * FOOT) : step;
  return svg('rect', {
    ...shared,
    x: left,
    y: span.kind === 'dispatch' ? top + 3 : top,
    width,
    height,
    rx: 2,
  });
}

/** A name inside of its span, which begins at `start`, as long as it fits before `end`. */
function callLabel(span: TimelineSpan, start: number, y: number, end: number): SVGElement {
  const label = visibleText(span.label);
  const letters = Math.floor((end - start - 4) / 7);
  const words = label.length > letters ? `${label.slice(0, Math.max(0, letters - 1))}…` : label;
  return svg('text', { class: 'span-label', x: start, y: y + 13 }, letters > 3 ? words : '');
}

/** What lies above what: calls below, then requests and tools, then waiting and errors. */
function layer({ kind, depth }: TimelineSpan): number {
  const layers = { call: depth / 1_000, dispatch: 1, model: 2, answer: 2, tool: 3, approval: 4, idle: 4 };
  return { ...layers, loop: 5, reread: 5, retry: 5, error: 5, compaction: 6 }[kind];
}

function describe({ lanes, start, end, countsSteps }: Timeline): string {
  const names = lanes.map(({ agent, calls }) => t`${agent} with ${calls} calls`);
  const length = countsSteps ? t`${end - start} steps` : formatDuration(end - start);
  return t`Timeline over ${length}: ${names.join(', ')}`;
}
