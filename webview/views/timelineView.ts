import { t, inLanguage, message, type Message } from '../../src/core/l10n.js';
import type { Timeline, TimelineSpan, TurnSummary } from '../../src/page/protocol/analysis.js';
import type { Answer, Params } from '../../src/page/protocol/requests.js';
import { iconButton } from '../controls.js';
import { el, fill, type Child } from '../dom.js';
import type { PageActions } from '../rows/pageActions.js';
import { laneLayout, timelineChart, type LaneLayout } from './timelineChart.js';
import { spanBeside, spanOf, panned, zoomed, type TimeWindow } from './timeScale.js';
import { TimeAxis } from './timeAxis.js';
import { plainText } from '../content/plainText.js';
import { formatNoun, formatCount, formatMoment, formatTime } from '../format.js';
import { formatDuration } from '../../src/core/duration.js';
import { plainWords } from '../../src/query/plainWords.js';

const KINDS: Readonly<Record<TimelineSpan['kind'], Message>> = {
  call: message`Call of`,
  model: message`Request to`,
  answer: message`Answer of`,
  tool: message`Tool`,
  dispatch: message`Waiting for the answer to`,
  approval: message`Waiting for approval of`,
  error: message`Error`,
  retry: message`Another try of`,
  idle: message`Nothing ran, and nobody was waited for`,
  loop: message`The same calls again and again, the last of`,
  reread: message`Read again, although nothing had changed, by`,
  compaction: message`Compaction: what was said before is no longer sent as it was`,
};

/** How far from what it is about, and from the edges of the window, in pixels. */
const BESIDE = 12;
const EDGE = 8;

/** Says in words what a span of the timeline is. */
class TimelineTip {
  readonly element = el('div', { class: 'tip', hidden: true, role: 'tooltip' });

  /** What it says; '' where it is hidden. */
  get words(): string {
    return this.element.hidden ? '' : [...this.element.children].map((line) => line.textContent).join(', ');
  }

  hide(): void {
    this.element.hidden = true;
  }

  /** Shows the words below and beside a place of the window. */
  show(
    span: TimelineSpan,
    at: { readonly left: number; readonly bottom: number },
    countsSteps: boolean,
  ): void {
    this.element.hidden = false;
    const many = span.merged > 1 ? t` and ${formatNoun(span.merged - 1, 'more', 'more')}` : '';
    fill(
      this.element,
      el('div', { class: 'tip-name' }, `${inLanguage(KINDS[span.kind])} `, plainText(span.label), many),
      el(
        'div',
        {},
        countsSteps ? span.state : `${formatDuration(Math.max(0, span.end - span.start))}, ${span.state}`,
      ),
      el(
        'div',
        { class: 'faint' },
        countsSteps ? t`Step ${formatCount(span.position + 1)}` : formatMoment(span.start),
      ),
    );
    const { offsetWidth, offsetHeight } = this.element;
    const within = (position: number, most: number): string =>
      `${Math.max(EDGE, Math.min(position, most - EDGE))}px`;
    this.element.style.left = within(at.left + BESIDE, innerWidth - offsetWidth);
    this.element.style.top = within(at.bottom + BESIDE, innerHeight - offsetHeight);
  }
}

/** The names of so many lanes are measured: who has more scrolls, and the chart stands still meanwhile. */
const MAX_MEASURED = 100;

/** What the timeline tab needs. */
export interface TimelineViewOptions {
  readonly actions: PageActions;
  /** Asks for what is looked at; `view` is absent for all of it. */
  readonly onLook: () => void;
}

/** A place of the window, in pixels. */
interface WindowPosition {
  readonly left: number;
  readonly bottom: number;
}

/** What stays free below the lanes, in pixels. */
const BOTTOM = 18;

/** How many turns are listed at once. */
const TURNS = 100;

/** How far one key or one notch of the wheel zooms and pans. */
const ZOOM = 1.25;
const PAN = 0.15;

/** The timeline tab: what each agent did when, in lanes on a time axis, with the turns beside them. */
export class TimelineView {
  readonly element: HTMLElement;
  /** The first turn of the list; undefined where that follows from the part that is looked at. */
  #firstTurn: number | undefined = 0;
  readonly #options: TimelineViewOptions;
  readonly #chart: HTMLElement;
  readonly #frame: HTMLElement;
  readonly #labels = el('div', { class: 'lane-labels', attributes: { 'aria-hidden': 'true' } });
  readonly #tip = new TimelineTip();
  /** Says what was stepped to. */
  readonly #announcer = el('div', { class: 'sr', attributes: { 'aria-live': 'polite' } });
  readonly #turns: TurnList;
  readonly #hint = el('span', { class: 'faint' });
  #timeline: Timeline | undefined;
  #view: TimeWindow | undefined;
  /** What was stepped to, as it was drawn then. */
  #chosen: TimelineSpan | undefined;
  /** What the tip is about: the span that was stepped to, or whatever is at this place of the window. */
  #tipOf: 'chosen' | WindowPosition | undefined;
  #shaded: TimeWindow | undefined;
  #drag: { readonly x: number; readonly view: TimeWindow } | undefined;

  constructor(options: TimelineViewOptions) {
    this.#options = options;
    this.#turns = new TurnList({
      onOpen: ({ position }) => options.actions.showInContext(position),
      onLook: (turn) => this.#shade(turn),
      onPage: (first) => {
        this.#firstTurn = first;
        options.onLook();
      },
    });
    this.#chart = el('div', {
      class: 'timeline-chart',
      tabIndex: 0,
      attributes: {
        'aria-label': t`Timeline. Plus and minus zoom, left and right pan, comma and full stop step through, Enter opens.`,
      },
      role: 'group',
    });
    this.#frame = el('div', { class: 'timeline-frame' }, this.#labels, this.#chart);
    this.element = el(
      'div',
      { class: 'timeline' },
      el('div', { class: 'turn-side' }, el('h2', {}, t`Turns`), this.#turns.element),
      el(
        'div',
        { class: 'timeline-main' },
        el(
          'div',
          { class: 'timeline-bar' },
          iconButton('zoom-out', t`Zoom out (-)`, () => this.#zoom(ZOOM)),
          iconButton('zoom-in', t`Zoom in (+)`, () => this.#zoom(1 / ZOOM)),
          iconButton('clear-all', t`Show all of it (0)`, () => this.#look(undefined)),
          this.#hint,
          el('span', { class: 'spacer' }),
          timelineLegend(),
        ),
        this.#frame,
      ),
      this.#tip.element,
      this.#announcer,
    );
    this.#chart.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false });
    this.#chart.addEventListener('pointerdown', (event) => this.#onDown(event));
    this.#chart.addEventListener('pointermove', (event) => this.#onMove(event));
    this.#chart.addEventListener('pointerup', (event) => this.#onUp(event));
    this.#chart.addEventListener('pointerleave', () => this.#showTip(undefined));
    const resized = new ResizeObserver(() => this.#draw());
    for (const part of [this.#chart, this.#frame]) resized.observe(part);
  }

  /** Which part is looked at, and how wide it is. */
  get part(): { from?: number; to?: number; pixels: number } {
    const pixels = Math.max(1, Math.round(this.#width));
    return this.#view ? { ...this.#view, pixels } : { pixels };
  }

  /** Which turns are to be listed. */
  get turnsWanted(): Params<'turns'> {
    const isPage = this.#firstTurn !== undefined || !this.#view;
    return {
      start: this.#firstTurn ?? 0,
      count: TURNS,
      ...(!isPage && this.#view && { time: this.#view.from }),
    };
  }

  update(timeline: Timeline, turns: Answer<'turns'>): void {
    this.#timeline = timeline;
    this.#hint.textContent = timeline.thinned
      ? t`There is more than can be drawn: zoom in to see all of it.`
      : timeline.countsSteps
        ? t`No times are recorded: the axis counts steps.`
        : t`Ctrl+wheel zooms, dragging pans.`;
    this.#turns.update(turns.turns, turns.total, TURNS);
    this.#draw();
  }

  /** Handles a key of the view; whether it meant anything. */
  handleKey(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#timeline) return false;
    const isOnChart = event.target === this.#chart;
    if (event.key === '+' || event.key === '=') this.#zoom(1 / ZOOM);
    else if (event.key === '-') this.#zoom(ZOOM);
    else if (event.key === '0') this.#look(undefined);
    else if (event.key === 'ArrowLeft' && isOnChart) this.#pan(-PAN);
    else if (event.key === 'ArrowRight' && isOnChart) this.#pan(PAN);
    else if (event.key === '.') this.#step(1);
    else if (event.key === ',') this.#step(-1);
    else if (event.key === 'Enter' && isOnChart && this.#chosen)
      this.#options.actions.showInContext(this.#chosen.position);
    else return false;
    return true;
  }

  get #width(): number {
    return this.#chart.clientWidth;
  }

  get #whole(): TimeWindow {
    const { start = 0, end = 1 } = this.#timeline ?? {};
    return { from: start, to: Math.max(end, start + 1) };
  }

  #draw(): void {
    const timeline = this.#timeline;
    if (!timeline || this.#width === 0) return;
    if (timeline.lanes.length === 0) {
      fill(
        this.#chart,
        el(
          'div',
          { class: 'empty' },
          el('h2', {}, t`Nothing happened yet`),
          el('p', {}, t`The first call of an agent draws the first lane.`),
        ),
      );
      return;
    }
    const view = this.#view ?? this.#whole;
    const { scrollTop } = this.#chart;
    const layout = laneLayout(timeline.lanes, this.#frame.clientHeight - BOTTOM);
    const drawn = { selected: this.#drawn, shaded: this.#shaded };
    fill(this.#chart, timelineChart({ timeline, view, width: this.#width, layout, ...drawn }));
    this.#chart.scrollTop = scrollTop;
    fillLaneLabels(this.#labels, timeline.lanes, layout);
    this.#placeTip();
  }

  /** The span that stands for what was stepped to, where it is drawn. */
  get #drawn(): TimelineSpan | undefined {
    return this.#chosen && spanOf(this.#timeline?.spans ?? [], this.#chosen);
  }

  get #axis(): TimeAxis {
    return new TimeAxis(this.#timeline?.pauses ?? [], this.#timeline?.countsSteps);
  }

  /** Looks at another part of the axis, in which pauses are as short as they are drawn. */
  #move(view: TimeWindow, to: (view: TimeWindow, whole: TimeWindow) => TimeWindow): void {
    const axis = this.#axis;
    this.#look(axis.timeWindow(to(axis.drawnWindow(view), axis.drawnWindow(this.#whole))));
  }

  #look(view: TimeWindow | undefined): void {
    const { from, to } = this.#whole;
    this.#view = view && (view.from > from + 0.5 || view.to < to - 0.5) ? view : undefined;
    this.#firstTurn = undefined;
    this.#draw();
    this.#options.onLook();
  }

  #zoom(factor: number, around?: number): void {
    this.#move(this.#view ?? this.#whole, (view, whole) =>
      zoomed(view, whole, factor, around ?? (view.from + view.to) / 2),
    );
  }

  #pan(part: number): void {
    if (this.#view) this.#move(this.#view, (view, whole) => panned(view, whole, part));
  }

  #step(by: 1 | -1): void {
    this.#chosen = spanBeside(this.#timeline?.spans ?? [], this.#chosen, by) ?? this.#chosen;
    this.#tipOf = 'chosen';
    this.#draw();
    this.#chart.querySelector('.span.selected')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.#placeTip();
    this.#announcer.textContent = this.#tip.words;
  }

  #shade(turn: TurnSummary | undefined): void {
    const isStep = this.#timeline?.countsSteps === true;
    const steps = turn && { from: turn.position, to: turn.lastPosition + 1 };
    this.#shaded = isStep ? steps : turn && { from: turn.start, to: turn.end };
    this.#draw();
  }

  #onWheel(event: WheelEvent): void {
    const isZoom = event.ctrlKey || event.metaKey;
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (!isZoom && sideways === 0) return;
    event.preventDefault();
    if (isZoom) this.#zoom(event.deltaY > 0 ? ZOOM : 1 / ZOOM, this.#placeAt(event.clientX));
    else this.#pan(sideways / Math.max(this.#width, 1));
  }

  #onDown(event: PointerEvent): void {
    if (event.button === 0) this.#drag = { x: event.clientX, view: this.#view ?? this.#whole };
  }

  #onMove(event: PointerEvent): void {
    if (!this.#drag || event.buttons === 0) {
      this.#showTip({ left: event.clientX, bottom: event.clientY });
      return;
    }
    const moved = this.#drag.x - event.clientX;
    if (Math.abs(moved) < 4 || !this.#view) return;
    this.#showTip(undefined);
    const part = moved / Math.max(this.#width, 1);
    this.#move(this.#drag.view, (view, whole) => panned(view, whole, part));
  }

  #onUp(event: PointerEvent): void {
    const isClick = this.#drag !== undefined && Math.abs(this.#drag.x - event.clientX) < 4;
    this.#drag = undefined;
    const span = isClick ? this.#spanAt(event.target) : undefined;
    if (span) this.#options.actions.showInContext(span.position);
  }

  /** A place of the window as a place of the axis. */
  #placeAt(clientX: number): number {
    const { from, to } = this.#axis.drawnWindow(this.#view ?? this.#whole);
    return (
      from + ((clientX - this.#chart.getBoundingClientRect().left) / Math.max(this.#width, 1)) * (to - from)
    );
  }

  #spanAt(target: EventTarget | null): TimelineSpan | undefined {
    const index = target instanceof SVGElement ? target.dataset.span : undefined;
    return index === undefined ? undefined : this.#timeline?.spans[Number(index)];
  }

  #showTip(of: WindowPosition | undefined): void {
    this.#tipOf = of;
    this.#placeTip();
  }

  /** Puts the tip where the span is that it is about; what was drawn anew may have moved it, or left it out. */
  #placeTip(): void {
    const of = this.#tipOf;
    const [span, at] =
      of === 'chosen'
        ? [this.#drawn, this.#chart.querySelector('.span.selected')?.getBoundingClientRect()]
        : [of && this.#spanAt(document.elementFromPoint(of.left, of.bottom)), of];
    if (span && at) this.#tip.show(span, at, this.#timeline?.countsSteps === true);
    else this.#tip.hide();
  }
}

/** Puts the name of each lane's agent beside the lane. */
function fillLaneLabels(labels: HTMLElement, lanes: Timeline['lanes'], { tops, row }: LaneLayout): void {
  const longest = lanes.slice(0, MAX_MEASURED).reduce((most, { agent }) => Math.max(most, agent.length), 0);
  labels.style.setProperty('--longest-name', String(longest));
  fill(
    labels,
    lanes.map(({ agent, hue, calls }, lane) => {
      const label = el(
        'div',
        { class: 'lane-label', title: `${agent}: ${formatNoun(calls, 'call')}` },
        el('span', { class: `dot hue-${hue}` }),
        el('span', { class: 'lane-name' }, plainText(agent)),
      );
      label.style.height = `${row + 12}px`;
      label.style.top = `${tops[lane] ?? 0}px`;
      return label;
    }),
  );
  labels.style.height = `${tops.at(-1) ?? 0}px`;
}

/** What the shapes of the drawing mean. */
function timelineLegend(): HTMLElement {
  const entries = [
    ['call', t`agent at work`],
    ['model', 'request'],
    ['tool', 'tool'],
    ['approval', t`waiting for approval`],
    ['failed', 'failed'],
    ['retry', t`another try`],
    ['loop', t`loop`],
    ['reread', t`read again`],
    ['idle', t`idle`],
    ['compaction', t`compaction`],
  ] as const;
  return el(
    'span',
    { class: 'timeline-legend', attributes: { 'aria-hidden': 'true' } },
    entries.map(([kind, words]) => el('span', {}, el('i', { class: `key key-${kind}` }), words)),
  );
}

/** What the list of turns needs. */
interface TurnListOptions {
  readonly onOpen: (turn: TurnSummary) => void;
  /** Told which turn the pointer or the focus is on. */
  readonly onLook: (turn: TurnSummary | undefined) => void;
  /** Asked for the turns from another one on. */
  readonly onPage: (first: number) => void;
}

/** The turns of a conversation, to be read from top to bottom. */
class TurnList {
  readonly element = el('ol', { class: 'turns', attributes: { 'aria-label': t`Turns` } });
  readonly #options: TurnListOptions;

  constructor(options: TurnListOptions) {
    this.#options = options;
  }

  /** Lists a page of the turns that there are; so many make one. */
  update(turns: readonly TurnSummary[], total: number, page: number): void {
    const first = turns[0]?.index ?? 0;
    const end = first + turns.length;
    const isAnother = Number(this.element.dataset.first ?? 0) !== first;
    this.element.dataset.first = String(first);
    const held = this.element.querySelector<HTMLElement>(':focus')?.dataset.place;
    fill(
      this.element,
      first > 0 && this.#page('earlier', t`Earlier turns (${formatCount(first)})`, Math.max(0, first - page)),
      turns.map((turn) => this.#turn(turn)),
      end < total && this.#page('later', t`Later turns (${formatCount(total - end)})`, end),
      turns.length === 0 && el('li', { class: 'faint turns-more' }, t`No prompt was given yet.`),
    );
    if (isAnother) this.element.scrollTop = 0;
    if (held !== undefined) this.#focus(held, isAnother);
  }

  /** Gives the focus back to what stands where it was; on another page, or where nothing does, to the first turn. */
  #focus(place: string, isAnother: boolean): void {
    const isTurn = /^\d/.test(place);
    const same = this.element.querySelector<HTMLElement>(`[data-place="${place}"]`);
    const first = this.element.querySelector<HTMLElement>('.turn');
    (isAnother && !isTurn ? first : (same ?? first))?.focus({ preventScroll: true });
  }

  #page(place: 'earlier' | 'later', words: string, first: number): HTMLElement {
    const click = (): void => this.#options.onPage(first);
    const attributes = { type: 'button', 'data-place': place };
    const more = el('button', { class: 'more', attributes, on: { click } }, words);
    return el('li', { class: 'turns-more' }, more);
  }

  #turn(turn: TurnSummary): HTMLElement {
    const { onOpen, onLook } = this.#options;
    const took = turn.end - turn.start;
    const facts = [
      took > 0 && formatDuration(took),
      turn.toolCalls > 0 && formatNoun(turn.toolCalls, 'tool call'),
      turn.dispatches > 0 && formatNoun(turn.dispatches, 'dispatch', 'dispatches'),
    ].filter((fact) => fact !== false);
    const errors: Child = turn.errors > 0 && el('span', { class: 'bad' }, formatNoun(turn.errors, 'error'));
    return el(
      'li',
      {},
      el(
        'button',
        {
          class: `turn turn-${turn.state}`,
          attributes: { type: 'button', 'data-place': turn.index },
          on: {
            click: () => onOpen(turn),
            pointerenter: () => onLook(turn),
            pointerleave: () => onLook(undefined),
            focus: () => onLook(turn),
            blur: () => onLook(undefined),
          },
        },
        el(
          'span',
          { class: 'turn-head' },
          el('span', { class: 'turn-number' }, formatCount(turn.index + 1)),
          turn.start > 0 && el('time', {}, formatTime(turn.start)),
        ),
        el(
          'span',
          { class: 'turn-prompt' },
          plainText(turn.prompt === '' ? t`An empty prompt` : plainWords(turn.prompt)),
        ),
        turn.answer !== '' && el('span', { class: 'turn-answer' }, plainText(plainWords(turn.answer))),
        el(
          'span',
          { class: 'turn-facts' },
          facts.map((fact) => el('span', {}, fact)),
          errors,
        ),
      ),
    );
  }
}
