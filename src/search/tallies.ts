import type { Facet, FacetValue, Histogram, HistogramBar } from '../protocol/search.js';
import { dayOf, momentOf, readDate } from '../query/language/amounts.js';
import type { QueryPlan } from '../query/language/plan.js';
import { quoted } from '../query/language/scanner.js';
import type { SessionFacts, UnitFacts, UnitShapes } from '../query/language/sessionFacts.js';
import { foundRow, isOfUnits, type FoundRow } from './foundRows.js';

/** How many values of a facet are told. */
const MAX_VALUES = 30;
/** Times are counted in stretches of so many milliseconds: the days of every time zone begin with one. */
const BIN_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;
/** With more bars than this, hours become days, and days months. */
const MANY_BARS = 72;
/** So many bars are told, the latest. */
const MAX_BARS = 600;
/** The years that a day is written with four digits for; what is told of other times is no time. */
const [FIRST, LAST] = [Date.UTC(1, 0, 2), Date.UTC(9998, 11, 31)];

type Counts = Map<string, number>;

/** Counts what the matching rows of all sessions have. */
export class Tallies {
  rows = 0;
  sessions = 0;
  readonly #plan: Pick<QueryPlan, 'rows'>;
  readonly #timeZone: string;
  readonly #agents: Counts = new Map();
  readonly #tools: Counts = new Map();
  readonly #models: Counts = new Map();
  readonly #sources: Counts = new Map();
  readonly #projects: Counts = new Map();
  readonly #bins = new Map<number, number>();
  readonly #days = new Map<number, string>();
  #withoutTime = 0;

  constructor(plan: Pick<QueryPlan, 'rows' | 'timeZone'>) {
    this.#plan = plan;
    this.#timeZone = plan.timeZone;
  }

  /** Counts the matching rows of one session, of which there is at least one, by the indexes that `evaluate` gave. */
  add(facts: SessionFacts, indexes: readonly number[]): void {
    const { info, shapes } = facts;
    this.sessions++;
    this.rows += indexes.length;
    count(this.#sources, info.source, indexes.length);
    count(this.#projects, info.project, indexes.length);
    if (shapes && isOfUnits(this.#plan.rows)) this.#addByShape(facts, shapes, indexes);
    else for (const index of indexes) this.#addRow(foundRow(facts, this.#plan, index));
  }

  #addRow(row: FoundRow | undefined): void {
    if (row?.kind === 'span') {
      count(this.#agents, row.span.agent);
      this.#addTime(row.span.beganAt);
    } else if (row) {
      this.#addUnits(row.unit, 1);
      this.#addTime(row.unit.beganAt);
    }
  }

  #addByShape({ records }: SessionFacts, shapes: UnitShapes, indexes: readonly number[]): void {
    const first = this.#plan.rows === 'toolCalls' ? records.length : 0;
    const counts = new Uint32Array(shapes.examples.length);
    for (const index of indexes) {
      const shape = shapes.of[first + index] ?? 0;
      counts[shape] = (counts[shape] ?? 0) + 1;
      this.#addTime(shapes.beganAt(first + index));
    }
    for (const [shape, example] of shapes.examples.entries())
      if ((counts[shape] ?? 0) > 0) this.#addUnits(example, counts[shape] ?? 0);
  }

  #addUnits({ agent, tools, model }: UnitFacts, by: number): void {
    count(this.#agents, agent, by);
    for (const tool of tools) count(this.#tools, tool, by);
    count(this.#models, model, by);
  }

  #addTime(time: number | undefined): void {
    if (time === undefined || time < FIRST || time > LAST) {
      this.#withoutTime++;
      return;
    }
    const bin = Math.floor(time / BIN_MS);
    this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + 1);
  }

  /** What was counted so far. */
  facets(): Facet[] {
    const facets = [
      facetOf('agent', this.#agents),
      facetOf('tool', this.#tools),
      facetOf('model', this.#models),
      facetOf('source', this.#sources),
      facetOf('project', this.#projects),
      this.#dayFacet(),
    ];
    return facets.filter(({ values }) => values.length > 0);
  }

  histogram(): Histogram {
    const bins = [...this.#bins.keys()].sort((a, b) => a - b);
    const unit = this.#unitOf(bins);
    const bars: { from: number; to: number; count: number }[] = [];
    for (const bin of bins) {
      const last = bars.at(-1);
      const number = this.#bins.get(bin) ?? 0;
      if (last && bin * BIN_MS < last.to) last.count += number;
      else bars.push({ ...this.#stretch(bin, unit), count: number });
    }
    const told: readonly HistogramBar[] = bars.slice(-MAX_BARS);
    const earlier = bars.slice(0, -MAX_BARS).reduce((sum, bar) => sum + bar.count, 0);
    return { unit, bars: told, inNoBar: this.#withoutTime + earlier };
  }

  #unitOf(bins: readonly number[]): Histogram['unit'] {
    const span = ((bins.at(-1) ?? 0) - (bins[0] ?? 0)) * BIN_MS;
    if (span < MANY_BARS * HOUR_MS) return 'hour';
    return span < MANY_BARS * 24 * HOUR_MS ? 'day' : 'month';
  }

  #stretch(bin: number, unit: Histogram['unit']): { from: number; to: number } {
    const day = this.#dayOf(bin);
    if (unit === 'month') {
      const [year = 0, month = 0] = day.split('-').map(Number);
      const next = month === 12 ? `${padded(year + 1, 4)}-01` : `${padded(year, 4)}-${padded(month + 1, 2)}`;
      return { from: this.#beginOf(day.slice(0, 7)), to: this.#beginOf(next) };
    }
    const from = this.#beginOf(day);
    if (unit === 'day') return { from, to: this.#beginOf(dayAfter(day)) };
    const hour = from + Math.floor((bin * BIN_MS - from) / HOUR_MS) * HOUR_MS;
    return { from: hour, to: hour + HOUR_MS };
  }

  #beginOf(date: string): number {
    const read = readDate(date);
    if (!read) throw new RangeError(`'${date}' is no date.`);
    return momentOf(read, { now: 0, timeZone: this.#timeZone });
  }

  #dayOf(bin: number): string {
    const known = this.#days.get(bin);
    if (known !== undefined) return known;
    const day = dayOf(bin * BIN_MS, this.#timeZone);
    this.#days.set(bin, day);
    return day;
  }

  #dayFacet(): Facet {
    const days: Counts = new Map();
    for (const [bin, number] of this.#bins) count(days, this.#dayOf(bin), number);
    const all = [...days].sort(([a], [b]) => (a < b ? 1 : -1));
    const values = all.slice(0, MAX_VALUES).map(([value, number]) => ({
      ...{ value, count: number },
      refine: `since:${value} before:${dayAfter(value)}`,
    }));
    return { field: 'day', values, more: all.length - values.length };
  }
}

function count(counts: Counts, value: string | undefined, by = 1): void {
  if (value !== undefined && value !== '') counts.set(value, (counts.get(value) ?? 0) + by);
}

function facetOf(field: Exclude<Facet['field'], 'day'>, counts: Counts): Facet {
  const all = [...counts].sort(([a, most], [b, less]) => less - most || (a < b ? -1 : 1));
  const values = all
    .slice(0, MAX_VALUES)
    .map(([value, number]): FacetValue => ({ value, count: number, refine: `${field}:=${quoted(value)}` }));
  return { field, values, more: all.length - values.length };
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 24 * HOUR_MS).toISOString().slice(0, 10);
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
