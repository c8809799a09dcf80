import { t } from '../../src/core/l10n.js';
import { greatestOf } from '../../src/core/lists.js';
import { momentOf, readDate } from '../../src/query/language/amounts.js';
import type { Histogram, HistogramBar } from '../../src/page/protocol/search.js';
import { el, fill } from '../dom.js';
import { formatCount, formatDate } from '../format.js';

/** More bars are joined, so that each can be seen and hit. */
const MAX_BARS = 60;

/** A bar as it is drawn: one or several of those that were counted. */
export type DrawnBar = HistogramBar;

/**
 * The bars of a histogram from its first to its last, with those between that are empty: whole stretches of its unit, and
 * where these are too many to be seen, several of them together.
 */
export function drawnBars({ unit, bars }: Histogram, most = MAX_BARS): readonly DrawnBar[] {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return [];
  const each = Math.max(1, Math.ceil((last.to - first.from) / UNIT_MS[unit] / most));
  const drawn: { from: number; to: number; count: number }[] = [];
  let next = 0;
  for (let from = first.from; from < last.to;) {
    const to = later(from, unit, each);
    let count = 0;
    for (let bar = bars[next]; bar && bar.from < to; bar = bars[++next]) count += bar.count;
    drawn.push({ from, to, count });
    from = to;
  }
  return drawn;
}

/** About how long a stretch is; days and months differ. */
const UNIT_MS = { hour: 3_600_000, day: 86_400_000, month: 2_629_800_000 };

/** The moment so many stretches later, by the person's calendar. */
function later(time: number, unit: Histogram['unit'], by: number): number {
  if (unit === 'hour') return time + by * UNIT_MS.hour;
  const date = new Date(time);
  if (unit === 'day') date.setDate(date.getDate() + by);
  else date.setMonth(date.getMonth() + by);
  return date.getTime();
}

/** A moment as the language writes it in the person's time zone: a day where one begins, else to the minute. */
export function writtenMoment(time: number): string {
  const date = new Date(time);
  const day = formatDate(time).slice(0, 10);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  const written = isMidnight ? day : `${day}T${formatDate(time).slice(11)}`;
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const read = readDate(written);
  // Of an hour that clocks show twice, it is told which one is meant.
  const isTold = read !== undefined && momentOf(read, { now: time, timeZone }) === time;
  return isTold ? written : `${date.toISOString().slice(0, 16)}Z`;
}

/** When things happened: bars that narrow the question to their time, one or several side by side. */
export class HistogramView {
  readonly element: HTMLElement;
  readonly #narrow: (from: number, to: number) => void;
  readonly #bars = el('div', {
    class: 'histogram-bars',
    role: 'toolbar',
    attributes: { 'aria-label': t`Matches over time`, 'aria-orientation': 'horizontal' },
  });
  readonly #axis = el('div', { class: 'histogram-axis', attributes: { 'aria-hidden': 'true' } });
  #shown: Histogram | undefined;
  #drawn: readonly DrawnBar[] = [];
  /** The bars that are chosen together, while they are. */
  #from = -1;
  #to = -1;
  #isDragging = false;

  constructor(narrow: (from: number, to: number) => void) {
    this.#narrow = narrow;
    this.element = el('div', { class: 'histogram', hidden: true }, this.#bars, this.#axis);
    this.#bars.addEventListener('keydown', (event) => this.#onKey(event));
    this.#bars.addEventListener('pointerdown', (event) => this.#onPointer(event));
    this.#bars.addEventListener('pointermove', (event) => this.#onPointer(event));
    window.addEventListener('pointerup', () => this.#end());
  }

  update(histogram: Histogram): void {
    if (histogram === this.#shown) return;
    this.#shown = histogram;
    const held = [...this.#bars.children].indexOf(document.activeElement as HTMLElement);
    this.#drawn = drawnBars(histogram);
    this.element.hidden = this.#drawn.length < 2;
    const most = greatestOf(
      this.#drawn.map(({ count }) => count),
      1,
    );
    fill(
      this.#bars,
      this.#drawn.map((bar, at) => this.#bar(bar, at, most, histogram.unit)),
    );
    const [first, last] = [this.#drawn[0], this.#drawn.at(-1)];
    fill(
      this.#axis,
      first && el('span', {}, dayWords(first.from, histogram.unit)),
      last && el('span', {}, dayWords(last.to - 1, histogram.unit)),
    );
    if (held >= 0) this.#focus(Math.min(held, this.#drawn.length - 1));
  }

  #bar({ from, to, count }: DrawnBar, at: number, most: number, unit: Histogram['unit']): HTMLElement {
    const words = t`${spanWords(from, to, unit)}: ${formatCount(count)}`;
    const bar = el(
      'button',
      {
        class: 'histogram-bar',
        title: words,
        tabIndex: at === this.#drawn.length - 1 ? 0 : -1,
        attributes: { type: 'button', 'aria-label': words },
      },
      el('span'),
    );
    const level = bar.firstElementChild;
    // The smallest count is still seen.
    if (level instanceof HTMLElement) level.style.height = count === 0 ? '0' : `${6 + (count / most) * 94}%`;
    return bar;
  }

  #onKey(event: KeyboardEvent): void {
    const at = [...this.#bars.children].indexOf(document.activeElement as HTMLElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.#drawn.length - 1 }[event.key];
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      if (this.#from < 0) this.#from = at;
      this.#to = at;
      this.#choose();
    } else if (event.key === 'Escape' && this.#from >= 0) {
      event.preventDefault();
      event.stopPropagation();
      this.#mark(-1, -1);
    } else if (to !== undefined) {
      event.preventDefault();
      const next = Math.min(this.#drawn.length - 1, Math.max(0, to));
      if (event.shiftKey) this.#mark(this.#from < 0 ? at : this.#from, next);
      else this.#mark(-1, -1);
      this.#focus(next);
    }
  }

  #onPointer(event: PointerEvent): void {
    const bar = event.target instanceof Element ? event.target.closest('.histogram-bar') : null;
    const at = bar ? [...this.#bars.children].indexOf(bar) : -1;
    if (at < 0 || event.button > 0) return;
    if (event.type === 'pointerdown') {
      this.#isDragging = true;
      this.#mark(at, at);
      this.#focus(at);
    } else if (this.#isDragging) this.#mark(this.#from, at);
  }

  #end(): void {
    if (!this.#isDragging) return;
    this.#isDragging = false;
    this.#choose();
  }

  #choose(): void {
    const [low, high] = [
      this.#drawn[Math.min(this.#from, this.#to)],
      this.#drawn[Math.max(this.#from, this.#to)],
    ];
    this.#mark(-1, -1);
    if (low && high) this.#narrow(low.from, high.to);
  }

  #mark(from: number, to: number): void {
    this.#from = from;
    this.#to = to;
    for (const [at, bar] of [...this.#bars.children].entries())
      bar.classList.toggle('chosen', from >= 0 && at >= Math.min(from, to) && at <= Math.max(from, to));
  }

  #focus(at: number): void {
    for (const [each, bar] of [...this.#bars.children].entries())
      if (bar instanceof HTMLElement) bar.tabIndex = each === at ? 0 : -1;
    const bar = this.#bars.children[at];
    if (bar instanceof HTMLElement) bar.focus();
  }
}

function spanWords(from: number, to: number, unit: Histogram['unit']): string {
  const [first, last] = [dayWords(from, unit), dayWords(to - 1, unit)];
  return first === last ? first : t`${first} to ${last}`;
}

function dayWords(time: number, unit: Histogram['unit']): string {
  const date = formatDate(time);
  if (unit === 'month') return date.slice(0, 7);
  return unit === 'hour' ? `${date.slice(0, 14)}00` : date.slice(0, 10);
}
