import { inLanguage, t } from '../../src/core/l10n.js';
import { greatestOf } from '../../src/core/lists.js';
import { CONTEXT_KINDS, type ContextColumn, type ContextKind } from '../../src/page/protocol/context.js';
import { el, fill, setWords, svg } from '../dom.js';
import { formatCount } from '../format.js';
import { shortNumber } from '../../src/core/shortNumber.js';
import { niceCeiling } from '../views/lineChart.js';
import { KIND_WORDS } from './contextWords.js';

const HEIGHT = 240;
const LEFT = 48;
const RIGHT = 8;
const TOP = 18;
const BOTTOM = 22;
/** The lane below the chart that shows what was read from a cache. */
const LANE = 16;
const LANE_GAP = 8;

/** What a chart needs. */
export interface ContextChartOptions {
  /** A request was chosen, by its number from 0. */
  readonly onChoose: (request: number) => void;
  /** A person wants to see the message of the chosen request. */
  readonly onOpen: () => void;
}

/** What a chart shows. */
export interface ChartedContext {
  readonly columns: readonly ContextColumn[];
  readonly requests: number;
  readonly chosen: number | undefined;
}

/**
 * The windows of requests as stacked columns, oldest first, with compactions and what was read from a cache. It is a slider
 * over the requests: arrows, Home and End choose one, Enter goes to its message.
 */
export class ContextChart {
  readonly element: HTMLElement;
  readonly #options: ContextChartOptions;
  readonly #tip = el('div', { class: 'context-tip', attributes: { 'aria-hidden': 'true' } });
  readonly #drawing = el('div', { class: 'context-drawing' });
  #shown: ChartedContext = { columns: [], requests: 0, chosen: undefined };

  constructor(options: ContextChartOptions) {
    this.#options = options;
    this.element = el(
      'div',
      {
        class: 'chart context-chart',
        role: 'slider',
        tabIndex: 0,
        attributes: { 'aria-label': t`Request, by what filled its window`, 'aria-valuemin': 1 },
        on: {
          keydown: (event) => this.#onKey(event),
          pointermove: (event) => this.#point(event),
          pointerleave: () => (this.#tip.textContent = ''),
          click: (event) => this.#click(event),
          dblclick: () => options.onOpen(),
        },
      },
      this.#tip,
      this.#drawing,
    );
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  /** How many columns there is room for. */
  get room(): number {
    const width = (this.element.clientWidth || 800) - LEFT - RIGHT;
    return Math.max(20, Math.min(400, Math.floor(width / 3)));
  }

  update(shown: ChartedContext): void {
    this.#shown = shown;
    this.#draw();
  }

  /** Handles a key that was pressed anywhere in the view; whether it was one of the chart's. */
  handleKey(event: KeyboardEvent): boolean {
    const by = event.key === ',' ? -1 : event.key === '.' ? 1 : 0;
    if (by === 0) return false;
    this.#step(by);
    return true;
  }

  #onKey(event: KeyboardEvent): void {
    const { columns } = this.#shown;
    const steps: Readonly<Partial<Record<string, number>>> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -10,
      PageUp: 10,
      Home: -columns.length,
      End: columns.length,
    };
    const by = steps[event.key];
    if (by !== undefined) this.#step(by);
    else if (event.key === 'Enter') this.#options.onOpen();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #step(by: number): void {
    const { columns } = this.#shown;
    const at = Math.max(0, Math.min(columns.length - 1, this.#chosenColumn + by));
    const column = columns[at];
    if (column) this.#options.onChoose(column.request);
  }

  get #chosenColumn(): number {
    const { columns, chosen = Infinity } = this.#shown;
    const after = columns.findIndex(({ request }) => request > chosen);
    const at = after < 0 ? columns.length - 1 : Math.max(0, after - 1);
    const exact = columns.findIndex(({ request }) => request === chosen);
    return exact < 0 ? at : exact;
  }

  #columnAt(event: MouseEvent): ContextColumn | undefined {
    const { left, width } = this.#drawing.getBoundingClientRect();
    const part = (event.clientX - left - LEFT) / Math.max(1, width - LEFT - RIGHT);
    if (part < 0 || part >= 1) return undefined;
    return this.#shown.columns[Math.floor(part * this.#shown.columns.length)];
  }

  #point(event: PointerEvent): void {
    const column = this.#columnAt(event);
    this.#tip.textContent = column ? columnWords(column) : '';
  }

  #click(event: MouseEvent): void {
    const column = this.#columnAt(event);
    if (column) this.#options.onChoose(column.request);
  }

  #draw(): void {
    const { columns, requests } = this.#shown;
    const at = this.#chosenColumn;
    const column = columns[at];
    this.element.setAttribute('aria-valuemax', String(Math.max(1, requests)));
    this.element.setAttribute('aria-valuenow', String((column?.request ?? 0) + 1));
    setWords(this.element, 'aria-valuetext', column ? columnWords(column) : '');
    const width = Math.max(this.element.clientWidth, 240);
    fill(this.#drawing, drawing(columns, at, requests, width));
  }
}

/** A column in words: its request, its size, its largest part, and what happened there. */
export function columnWords(column: ContextColumn): string {
  const { request, requests, total, provenance, parts, read, isCompacted, isBroken } = column;
  const largest = parts.indexOf(greatestOf(parts, 0));
  const kind = CONTEXT_KINDS[largest] ?? 'unrecorded';
  const about = provenance === 'estimated' ? '≈ ' : '';
  const of = requests > 1 ? t` (the largest of ${requests})` : '';
  return [
    t`Request ${request + 1}${of}: ${about}${formatCount(total)} tokens`,
    t`mostly ${inLanguage(KIND_WORDS[kind])} (${percent(parts[largest] ?? 0, total)})`,
    read !== undefined && t`${percent(read, total)} read from the cache`,
    isCompacted && t`after a compaction`,
    isBroken && t`cached prefix broken`,
  ]
    .filter((words) => words !== false)
    .join(', ');
}

/** A part in percent, as `12 %`; what is there is never 0. */
export function percent(part: number, whole: number): string {
  const share = whole === 0 ? 0 : (100 * part) / whole;
  return part > 0 && share < 1 ? '< 1 %' : `${Math.round(share)} %`;
}

/** Where things stand in a drawing. */
interface Scale {
  readonly width: number;
  /** The tokens at the top. */
  readonly most: number;
  /** The width of a column, and of what is drawn of it. */
  readonly each: number;
  readonly wide: number;
  readonly xOf: (at: number) => number;
  readonly yOf: (tokens: number) => number;
}

function scaleOf(columns: readonly ContextColumn[], width: number): Scale {
  const most = niceCeiling(
    greatestOf(
      columns.map(({ total }) => total),
      1,
    ),
  );
  const each = (width - LEFT - RIGHT) / Math.max(1, columns.length);
  return {
    width,
    most,
    each,
    wide: Math.max(each > 5 ? each - 1 : each, 0.6),
    xOf: (at) => LEFT + at * each,
    yOf: (tokens) => TOP + (1 - tokens / most) * (HEIGHT - TOP - BOTTOM),
  };
}

function drawing(
  columns: readonly ContextColumn[],
  chosen: number,
  requests: number,
  width: number,
): SVGSVGElement {
  const hasCache = columns.some(({ read }) => read !== undefined);
  const height = HEIGHT + (hasCache ? LANE + LANE_GAP : 0);
  const scale = scaleOf(columns, width);
  const { xOf, wide } = scale;
  const outline =
    chosen >= 0 &&
    svg('rect', {
      class: 'chosen',
      x: xOf(chosen) - 1,
      y: TOP - 4,
      width: Math.max(wide, 2) + 2,
      height: HEIGHT - TOP - BOTTOM + 6,
    });
  const bottom = HEIGHT - 6;
  return svg(
    'svg',
    { width, height, 'aria-hidden': 'true' },
    patterns(),
    gridLines(scale),
    stacks(columns, scale),
    compactionMarks(columns, scale),
    outline,
    svg('text', { class: 'tick', x: LEFT, y: bottom }, t`request ${1}`),
    columns.length > 1 &&
      svg(
        'text',
        { class: 'tick', x: width - RIGHT, y: bottom, 'text-anchor': 'end' },
        t`request ${requests}`,
      ),
    hasCache && cacheLane(columns, scale),
  );
}

function gridLines({ most, width, yOf }: Scale): SVGElement[] {
  // In steps that are easy to read: 10k of 50k, 25k of 100k.
  const steps = String(most).startsWith('5') ? 5 : 4;
  return Array.from({ length: steps + 1 }, (_, step) => step / steps).flatMap((part) => {
    const y = yOf(most * part);
    return [
      svg('line', { class: 'grid', x1: LEFT, x2: width - RIGHT, y1: y, y2: y }),
      svg('text', { class: 'tick', x: LEFT - 8, y: y + 4, 'text-anchor': 'end' }, shortNumber(most * part)),
    ];
  });
}

/** One path for each kind, however many columns there are. */
function stacks(columns: readonly ContextColumn[], { xOf, yOf, wide }: Scale): SVGElement[] {
  const boxes = CONTEXT_KINDS.map((): string[] => []);
  columns.forEach(({ parts }, at) => {
    let below = 0;
    parts.forEach((tokens, kind) => {
      if (tokens === 0) return;
      const top = yOf(below + tokens);
      boxes[kind]?.push(box(xOf(at), top, wide, yOf(below) - top));
      below += tokens;
    });
  });
  return CONTEXT_KINDS.flatMap((kind, at) => {
    const d = boxes[at]?.join('') ?? '';
    return d === '' ? [] : kindPaths(kind, d);
  });
}

function kindPaths(kind: ContextKind, d: string): SVGElement[] {
  return [
    svg('path', { class: `part part-${kind}`, d }),
    svg('path', { class: 'part-pattern', d, fill: `url(#context-${kind})` }),
  ];
}

function box(x: number, y: number, width: number, height: number): string {
  const across = width.toFixed(2);
  return `M${x.toFixed(2)} ${y.toFixed(2)}h${across}v${height.toFixed(2)}h-${across}z`;
}

function compactionMarks(columns: readonly ContextColumn[], { xOf }: Scale): SVGElement[] {
  return columns.flatMap(({ isCompacted }, at) => {
    if (!isCompacted) return [];
    const x = xOf(at);
    return [
      svg('line', { class: 'compaction', x1: x, x2: x, y1: TOP - 8, y2: HEIGHT - BOTTOM }),
      svg('path', { class: 'compaction-flag', d: `M${x - 5} ${TOP - 16}h10l-5 8z` }),
    ];
  });
}

/** What share of each request was read from a cache, and where the prefix was found broken. */
function cacheLane(columns: readonly ContextColumn[], { xOf, wide }: Scale): SVGElement[] {
  const top = HEIGHT + LANE_GAP;
  const bars = columns.flatMap(({ total, read, written = 0, isBroken }, at) => {
    if (read === undefined || total === 0) return [];
    const x = xOf(at);
    const ofRead = (read / total) * LANE;
    const ofWritten = (written / total) * LANE;
    const bar = (looks: object, y: number, height: number) =>
      svg('rect', { ...looks, x, y, width: wide, height });
    const middle = x + wide / 2;
    return [
      bar({ class: 'cache-none' }, top, LANE),
      bar({ class: 'cache-read' }, top + LANE - ofRead, ofRead),
      bar({ class: 'cache-written' }, top + LANE - ofRead - ofWritten, ofWritten),
      bar(WRITTEN_PATTERN, top + LANE - ofRead - ofWritten, ofWritten),
      ...(isBroken
        ? [svg('path', { class: 'cache-broken', d: `M${middle - 4} ${top - 4}l8 8m0 -8l-8 8` })]
        : []),
    ];
  });
  const label = { class: 'tick', x: LEFT - 8, y: top + LANE - 4, 'text-anchor': 'end' };
  return [...bars, svg('text', label, t`cache`)];
}

/** Which kinds are told apart by a pattern too, and by which: neighbours never have the same. */
const PATTERNS: Readonly<Record<ContextKind, string>> = {
  unrecorded: 'M0 4h8',
  system: '',
  tools: 'M-2 2l4 -4M0 8l8 -8M6 10l4 -4',
  summary: 'M0 0l8 8M0 8l8 -8',
  prompts: '',
  answers: 'M4 0v8',
  thinking: 'M1.5 2h1M5.5 6h1',
  calls: 'M-2 6l4 4M0 0l8 8M6 -2l4 4',
  files: '',
  results: 'M0 2h8M0 6h8',
  images: 'M2 0v8M6 0v8M0 2h8M0 6h8',
};

function patterns(): SVGElement {
  return svg(
    'defs',
    {},
    CONTEXT_KINDS.map((kind) =>
      svg(
        'pattern',
        { id: `context-${kind}`, width: 8, height: 8, patternUnits: 'userSpaceOnUse' },
        PATTERNS[kind] === '' ? [] : [svg('path', { class: 'pattern', d: PATTERNS[kind] })],
      ),
    ),
  );
}

/** What is written differs by a pattern, too. */
const WRITTEN_PATTERN = { class: 'part-pattern', fill: 'url(#context-calls)' };

/** What the colours of the lane below the chart mean. */
export function cacheLegend(): HTMLElement {
  const size = { class: 'context-swatch', width: 14, height: 14, 'aria-hidden': 'true' };
  const pattern = svg('rect', { ...WRITTEN_PATTERN, width: 14, height: 14 });
  const swatch = (name: string, over?: SVGElement) =>
    svg('svg', size, svg('rect', { class: `cache-${name}`, width: 14, height: 14 }), over);
  const cross = svg('svg', size, svg('path', { class: 'cache-broken', d: 'M3 3l8 8m0 -8l-8 8' }));
  return el('div', { class: 'context-cache-legend faint' }, [
    el('span', {}, swatch('read'), t`read from the cache`),
    el('span', {}, swatch('written', pattern), t`written to it`),
    el('span', {}, swatch('none'), t`neither`),
    el('span', {}, cross, t`cached prefix broken`),
  ]);
}

/** How a kind looks, for a legend. */
export function kindSwatch(kind: ContextKind): SVGSVGElement {
  const d = 'M0 0h14v14h-14z';
  return svg(
    'svg',
    { class: 'context-swatch', width: 14, height: 14, 'aria-hidden': 'true' },
    kindPaths(kind, d),
  );
}
