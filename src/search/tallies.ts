import type { Spent } from '../query/numbers/spentByRecord.js';
import { knownAmount, NO_COST, type Cost } from '../core/cost.js';
import { CostTally } from '../core/costTally.js';
import type { Facet, FacetValue, Histogram, HistogramBar, SearchLimits } from '../page/protocol/search.js';
import { Days } from './days.js';
import { dayAfter } from '../query/language/amounts.js';
import { toolWords } from '../import/toolWords.js';
import { needsExact } from '../query/language/edit.js';
import type { QueryPlan } from '../query/language/plan.js';
import { stretchOf } from '../query/language/refine.js';
import { quoted } from '../query/language/values.js';
import type { SessionFacts, UnitFacts, UnitShapes } from '../query/language/sessionFacts.js';
import { costOfRow, foundRow, isOfUnits, type RowMatch } from './rowMatches.js';
import type { RowKind } from '../query/language/syntax.js';

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

/** How many rows have a value, and what they cost. */
class Tally {
  rows = 0;
  readonly #costs = new CostTally();

  add(rows: number, cost: Cost | undefined): void {
    this.rows += rows;
    if (cost) this.#costs.addCost(cost);
  }

  addSpent(spent: Spent | undefined): void {
    this.rows++;
    if (spent) this.#costs.add(spent.cost, spent.requests);
  }

  /** What they cost, each request once; undefined where none of them asked anything of a model. */
  get cost(): Cost | undefined {
    return this.#costs.spent;
  }
}

/** The same of all rows of a shape. */
class RecordKindTally extends Tally {
  readonly example: UnitFacts;

  constructor(example: UnitFacts) {
    super();
    this.example = example;
  }
}

type Counts = Map<string, Tally>;

/** How many rows have a value, and what they cost; plain data. */
type Counted = readonly (readonly [value: string, rows: number, cost: Cost | undefined])[];

/** What was counted since it was last taken; plain data. */
export interface CountedRows {
  readonly rows: number;
  readonly sessions: number;
  readonly cost: Cost | undefined;
  readonly values: readonly Counted[];
  /** The numbers of bins, each with how many rows are in it behind it. */
  readonly bins: Float64Array;
  readonly days: Counted;
  readonly withoutTime: number;
}

/** Counts what the matching rows of all sessions have. */
export class Tallies {
  rows = 0;
  sessions = 0;
  readonly #plan: Pick<QueryPlan, 'rows'>;
  readonly #costliest: number | undefined;
  readonly #agents: Counts = new Map();
  readonly #tools: Counts = new Map();
  readonly #models: Counts = new Map();
  readonly #sources: Counts = new Map();
  readonly #projects: Counts = new Map();
  /** Those of them that are told as they are. */
  readonly #values = [this.#agents, this.#tools, this.#models, this.#sources, this.#projects];
  /** What is still counted by the shapes of a table, by their keys: there are few of them, and very many rows and sessions. */
  #recordKinds: { readonly table: object | undefined; readonly tallies: RecordKindTally[] } = {
    table: undefined,
    tallies: [],
  };
  #all = new Tally();
  /** How many rows there are in each bin, by its number. */
  readonly #bins = new Map<number, number>();
  readonly #days: Counts = new Map();
  readonly #calendar: Days;
  #withoutTime = 0;
  /** What was made of the counts, until they change: what is found is told in many updates after the last was counted. */
  #facets: Facet[] | undefined;
  #histogram: Histogram | undefined;

  /** `limits`: see `SearchLimits.costliest`. */
  constructor(
    plan: Pick<QueryPlan, 'rows' | 'timeZone'> & { readonly limits?: Pick<SearchLimits, 'costliest'> },
  ) {
    this.#plan = plan;
    this.#costliest = plan.limits?.costliest;
    this.#calendar = Days.of(plan.timeZone);
  }

  /**
   * Counts the matching rows of one session, of which there is at least one, by the indexes that `evaluate` gave. Gives what
   * they cost, see `cost`.
   */
  add(facts: SessionFacts, indexes: readonly number[]): Cost | undefined {
    const { info, recordKinds } = facts;
    const all = new Tally();
    this.#forgetMade();
    this.sessions++;
    this.rows += indexes.length;
    if (!isOfUnits(this.#plan.rows)) this.#addSpans(facts, indexes, all);
    else if (recordKinds) this.#addByRecordKind(facts, recordKinds, indexes, all);
    else
      for (const index of indexes) {
        const row = foundRow(facts, this.#plan, index);
        if (row) this.#addRow(row, all);
      }
    const { cost } = all;
    this.#all.add(indexes.length, cost);
    tally(this.#sources, info.source, indexes.length, cost);
    tally(this.#projects, info.project, indexes.length, cost);
    return cost;
  }

  /**
   * What all matching rows cost: each without calls below it, and each request once, at the message that answers it, else at
   * its own record. Undefined where none asked anything of a model, as with tool calls.
   */
  get cost(): Cost | undefined {
    return this.#all.cost;
  }

  /** What was counted, which is forgotten here. */
  take(): CountedRows {
    this.#countRecordKinds();
    const { rows, sessions, cost } = this;
    const taken = {
      rows,
      sessions,
      cost,
      values: this.#values.map(countedOf),
      bins: Float64Array.from([...this.#bins].flat()),
      days: countedOf(this.#days),
      withoutTime: this.#withoutTime,
    };
    this.#forgetMade();
    this.rows = this.sessions = this.#withoutTime = 0;
    this.#all = new Tally();
    for (const counts of this.#values) counts.clear();
    this.#bins.clear();
    this.#days.clear();
    return taken;
  }

  /** Adds what was taken elsewhere. */
  addTaken({ rows, sessions, cost, values, bins, days, withoutTime }: CountedRows): void {
    this.#forgetMade();
    this.rows += rows;
    this.sessions += sessions;
    this.#all.add(rows, cost);
    for (const [at, counts] of this.#values.entries())
      for (const [value, count, spent] of values[at] ?? []) tally(counts, value, count, spent);
    for (let at = 0; at < bins.length; at += 2) this.#countInBin(bins[at], bins[at + 1] ?? 0);
    for (const [day, count, spent] of days) tally(this.#days, day, count, spent);
    this.#withoutTime += withoutTime;
  }

  #forgetMade(): void {
    this.#facets = undefined;
    this.#histogram = undefined;
  }

  #addRow(row: RowMatch, all: Tally): void {
    const cost = costOfRow(row);
    all.add(1, cost);
    if (row.kind === 'unit') this.#addUnits(row.unit, 1, cost);
    const bin = binOf(row.kind === 'span' ? row.span.beganAt : row.unit.beganAt);
    this.#countInBin(bin, 1);
    this.#dayOf(bin)?.add(1, cost);
  }

  /** A larger row has what any message in it has: that is what each value asks for. */
  #addSpans(facts: SessionFacts, indexes: readonly number[], all: Tally): void {
    const { rows } = this.#plan;
    const values = valuesInRows(facts, rows, indexes);
    for (const index of indexes) {
      const row = foundRow(facts, this.#plan, index);
      if (!row) continue;
      this.#addRow(row, all);
      const cost = costOfRow(row);
      for (const agent of values.get(index)?.agents ?? []) tally(this.#agents, agent, 1, cost);
      for (const tool of values.get(index)?.tools ?? []) tally(this.#tools, tool, 1, cost);
      for (const model of values.get(index)?.models ?? []) tally(this.#models, model, 1, cost);
    }
  }

  #addByRecordKind(
    { records }: SessionFacts,
    recordKinds: UnitShapes,
    indexes: readonly number[],
    all: Tally,
  ): void {
    const first = this.#plan.rows === 'toolCalls' ? records.length : 0;
    const { examples, keys = { table: recordKinds, of: undefined } } = recordKinds;
    if (keys.table !== this.#recordKinds.table) this.#countRecordKinds(keys.table);
    const { tallies } = this.#recordKinds;
    // Whatever is the same for all rows of a bin is looked up once: there are very many rows.
    let [bin, inBin, day]: [number | undefined, number, Tally | undefined] = [undefined, 0, undefined];
    for (const index of indexes) {
      const recordKind = recordKinds.of[first + index] ?? 0;
      const example = examples[recordKind];
      if (!example) continue;
      const hasCost = example.kind === 'record' && example.spent !== undefined;
      const spent = hasCost ? recordKinds.spent(first + index) : undefined;
      (tallies[keys.of?.[recordKind] ?? recordKind] ??= new RecordKindTally(example)).addSpent(spent);
      all.addSpent(spent);
      const next = binOf(recordKinds.beganAt(first + index));
      if (next !== bin) {
        this.#countInBin(bin, inBin);
        [bin, inBin, day] = [next, 0, this.#dayOf(next)];
      }
      inBin++;
      day?.addSpent(spent);
    }
    this.#countInBin(bin, inBin);
  }

  /** Counts the values of the shapes of a table, and begins to count those of another. */
  #countRecordKinds(table?: object): void {
    // Not of shapes that no row has.
    this.#recordKinds.tallies.forEach(({ example, rows, cost }) => this.#addUnits(example, rows, cost));
    this.#recordKinds = { table, tallies: [] };
  }

  #addUnits({ agent, tools, model }: UnitFacts, rows: number, cost: Cost | undefined): void {
    tally(this.#agents, agent, rows, cost);
    for (const tool of tools) tally(this.#tools, tool, rows, cost);
    tally(this.#models, model, rows, cost);
  }

  #countInBin(bin: number | undefined, rows: number): void {
    if (bin === undefined) this.#withoutTime += rows;
    else this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + rows);
  }

  /** Where the rows of a bin are counted by their day. */
  #dayOf(bin: number | undefined): Tally | undefined {
    return bin === undefined ? undefined : entryOf(this.#days, this.#calendar.of(bin * BIN_MS));
  }

  /** What was counted so far. */
  facets(): readonly Facet[] {
    return (this.#facets ??= this.#newFacets());
  }

  #newFacets(): Facet[] {
    this.#countRecordKinds();
    const facets = [
      this.#facetOf('agent', this.#agents),
      this.#facetOf('tool', this.#tools),
      this.#facetOf('model', this.#models),
      this.#facetOf('source', this.#sources, toolWords),
      this.#facetOf('project', this.#projects),
      this.#dayFacet(),
    ];
    return facets.filter(({ values }) => values.length > 0);
  }

  histogram(): Histogram {
    return (this.#histogram ??= this.#newHistogram());
  }

  #newHistogram(): Histogram {
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
    const day = this.#calendar.of(bin * BIN_MS);
    if (unit === 'month') return this.#calendar.month(day);
    const { from, to } = this.#calendar.stretch(day);
    if (unit === 'day') return { from, to };
    const hour = from + Math.floor((bin * BIN_MS - from) / HOUR_MS) * HOUR_MS;
    return { from: hour, to: hour + HOUR_MS };
  }

  /** `nameOf`: what a person calls a value. */
  #facetOf(field: Exclude<Facet['field'], 'day'>, counts: Counts, nameOf = (value: string) => value): Facet {
    const costOfOne = ({ cost = NO_COST }: Tally) => (this.#costliest === undefined ? 0 : knownAmount(cost));
    const all = [...counts].sort(
      ([a, most], [b, less]) =>
        costOfOne(less) - costOfOne(most) || less.rows - most.rows || (a < b ? -1 : 1),
    );
    const refine = (value: string) =>
      `${field}:${needsExact(value, counts.keys()) ? '=' : ''}${quoted(value)}`;
    const values = all.slice(0, this.#costliest ?? MAX_VALUES).map(([value, told]): FacetValue => {
      const name = nameOf(value);
      return { ...valueOf(value, told), ...(name !== value && { name }), refine: refine(value) };
    });
    return { field, values, more: all.length - values.length };
  }

  #dayFacet(): Facet {
    const all = [...this.#days].sort(([a], [b]) => (a < b ? 1 : -1));
    const values = all.slice(0, this.#costliest ?? MAX_VALUES).map(([value, told]) => ({
      ...valueOf(value, told),
      refine: stretchOf({ since: value, before: dayAfter(value) }, this.#plan.rows),
    }));
    return { field: 'day', values, more: all.length - values.length };
  }
}

/** The number of the bin that a time is in; undefined where it is in none. */
function binOf(time: number | undefined): number | undefined {
  return time === undefined || time < FIRST || time > LAST ? undefined : Math.floor(time / BIN_MS);
}

function countedOf(tallies: Counts): Counted {
  return [...tallies].map(([value, { rows, cost }]) => [value, rows, cost]);
}

function entryOf(tallies: Counts, key: string): Tally {
  const known = tallies.get(key);
  if (known) return known;
  const made = new Tally();
  tallies.set(key, made);
  return made;
}

function tally(counts: Counts, value: string | undefined, rows: number, cost: Cost | undefined): void {
  if (value !== undefined && value !== '') entryOf(counts, value).add(rows, cost);
}

function valueOf(value: string, { rows, cost }: Tally): Omit<FacetValue, 'refine'> {
  return { value, count: rows, ...(cost && { cost }) };
}

/** Who said something in a row, with which tools and models. */
interface ValuesInRow {
  readonly agents: Set<string>;
  readonly tools: Set<string>;
  readonly models: Set<string>;
}

/** The values in some rows of a session that are larger than a record, by their indexes. */
function valuesInRows(
  { records, recordKinds }: SessionFacts,
  rows: RowKind,
  indexes: readonly number[],
): ReadonlyMap<number, ValuesInRow> {
  const values = new Map<number, ValuesInRow>();
  for (const index of indexes) values.set(index, { agents: new Set(), tools: new Set(), models: new Set() });
  const add = (to: ValuesInRow | undefined, { agent, tools, model }: UnitFacts): void => {
    if (!to) return;
    if (agent !== undefined) to.agents.add(agent);
    for (const tool of tools) to.tools.add(tool);
    if (model !== undefined) to.models.add(model);
  };
  if (rows === 'sessions' && recordKinds) {
    for (const example of recordKinds.examples) add(values.get(0), example);
    return values;
  }
  for (let at = 0; at < records.length; at++) {
    const record = records.at(at);
    const row = rows === 'sessions' ? 0 : rows === 'runs' ? record?.run : record?.agentCall;
    if (record && row !== undefined) add(values.get(row), record);
  }
  return values;
}
