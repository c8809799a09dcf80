import type { Step } from './steps.js';

/**
 * What the ways to make one run of the other cost, as whole numbers: a gap costs `open` once and the weight of each step in
 * it, so that a detour is one difference and not many. Steps that differ in less cost less; kinds that cannot stand for each
 * other are never paired.
 */
export const COSTS = {
  open: 4,
  /** For each step of a gap, those of agents that it dispatched included. */
  step: 2,
  /** The same call, that gave another text, or came to another end. */
  text: 1,
  end: 2,
  arguments: 3,
  tool: 6,
  never: 1_000_000,
} as const;

const HARD = 1 << 30;
/** In place of the numbers of a unit whose cost is no look-up. */
const DEEP = -1;

/** Steps that one message asks for together, or one step. */
export interface Unit {
  readonly steps: readonly Step[];
  readonly weight: number;
  /** The same number for units that are alike in all, and for those that do the same. */
  readonly full: number;
  readonly same: number;
  /** For one step: its name, and its end. */
  readonly shape: number;
  readonly end: number;
  readonly isCall: boolean;
  /** Whether its cost is no look-up: a set, or an agent's work. */
  readonly isDeep: boolean;
}

/** What two units of one step cost, by their numbers alone. */
export function plainCost(a: Unit, b: Unit): number {
  if (a.shape !== b.shape) return a.isCall && b.isCall ? COSTS.tool : COSTS.never;
  if (a.same !== b.same) return COSTS.arguments;
  return a.end === b.end ? COSTS.text : COSTS.end;
}

/** A row of the table: the least that the rest costs, and where a step of the first run is left out first. */
export interface Row {
  readonly best: Int32Array;
  readonly gap: Int32Array;
}

/** The table of all pairs of units, of which one row is held. */
export class Table {
  readonly #m: number;
  readonly #n: number;
  readonly #band: number;
  readonly #a: readonly Unit[];
  readonly #b: readonly Unit[];
  readonly #slow: (a: Unit, b: Unit | undefined) => number;
  readonly #full: Int32Array;
  readonly #same: Int32Array;
  readonly #shape: Int32Array;
  readonly #end: Int32Array;
  readonly #weight: Int32Array;
  readonly #call: Int32Array;
  /** What each unit of the second run costs beside the one that is looked at; of what is repeated, kept by its number. */
  readonly #pairs: Int32Array;
  readonly #kept = new Map<number, Int32Array>();
  readonly #repeated: ReadonlySet<number>;
  readonly #unmarked: Uint8Array;

  constructor(
    a: readonly Unit[],
    b: readonly Unit[],
    band: number,
    slow: (a: Unit, b: Unit | undefined) => number,
  ) {
    this.#a = a;
    this.#b = b;
    this.#n = a.length;
    this.#m = b.length;
    this.#band = band;
    this.#slow = slow;
    this.#full = columnOf(b, ({ full }) => full);
    this.#same = columnOf(b, ({ same, isDeep }) => (isDeep ? DEEP : same));
    this.#shape = columnOf(b, ({ shape, isDeep }) => (isDeep ? DEEP : shape));
    this.#end = columnOf(b, ({ end }) => end);
    this.#weight = columnOf(b, ({ weight }) => weight);
    this.#call = columnOf(b, ({ isCall }) => Number(isCall));
    this.#unmarked = new Uint8Array(b.length + 1);
    this.#pairs = new Int32Array(b.length);
    this.#repeated = repeatedIn(a);
  }

  /** The row behind the last unit: what is left of the other run is a gap. */
  last(): Row {
    const m = this.#m;
    const best = new Int32Array(m + 2).fill(HARD);
    const gap = new Int32Array(m + 2).fill(HARD);
    best[m] = 0;
    let rest = 0;
    const first = this.#n - 1;
    for (let j = m - 1; j >= Math.max(0, this.#low(first)); j--) {
      rest += this.#weight[j] ?? 0;
      best[j] = COSTS.open + rest;
    }
    return { best, gap };
  }

  #low(i: number): number {
    return this.#band >= this.#m ? 0 : Math.max(0, Math.round((i * this.#m) / this.#n) - this.#band);
  }

  #high(i: number): number {
    if (this.#band >= this.#m) return this.#m;
    return Math.min(this.#m, Math.round(((i + 1) * this.#m) / this.#n) + this.#band);
  }

  /** Makes the row of the unit at `i` of the row behind it, from the column `from` on; `marks` say which way is best. */
  step(i: number, from: number, { best, gap }: Row, marks = this.#unmarked, at = 0): void {
    const unit = this.#a[i];
    if (!unit) return;
    const { weight } = unit;
    const weights = this.#weight;
    const low = Math.max(from, this.#low(i));
    const high = this.#high(i);
    const open = COSTS.open;
    const m = this.#m;
    const pairs = this.#pairsOf(unit, low, high);
    let diagonal = best[high] ?? 0;
    let right = HARD;
    let behind = HARD;
    if (high === m) {
      // Nothing is left of the other run.
      const onward = gap[m] ?? 0;
      const starts = diagonal <= onward;
      const down = weight + (starts ? diagonal : onward);
      gap[m] = down;
      behind = open + down;
      best[m] = behind;
      marks[at + m] = starts ? 1 : 5;
    } else {
      // Beyond the band.
      best[high] = HARD;
      gap[high] = HARD;
      best[high + 1] = HARD;
      gap[high + 1] = HARD;
    }
    for (let j = high - 1; j >= low; j--) {
      const below = best[j] ?? 0;
      const deeper = gap[j] ?? 0;
      let left = weight + deeper;
      let mark = 12;
      if (below <= deeper) {
        left = weight + below;
        mark = 8;
      }
      const aside = weights[j] ?? 0;
      if (behind <= right) {
        right = aside + behind;
        mark -= 8;
      } else right += aside;
      let value = diagonal + (pairs[j] ?? 0);
      if (open + left < value) {
        value = open + left;
        mark |= 1;
      }
      if (open + right < value) {
        value = open + right;
        mark = (mark & 12) | 2;
      }
      marks[at + j] = mark;
      diagonal = below;
      best[j] = value;
      gap[j] = left;
      behind = value;
    }
  }

  /** What the units of some columns cost beside a unit. */
  #pairsOf(unit: Unit, low: number, high: number): Int32Array {
    const { full } = unit;
    if (unit.isDeep || !this.#repeated.has(full)) return this.#priced(unit, low, high, this.#pairs);
    const known = this.#kept.get(full);
    if (known) return known;
    const pairs = this.#priced(unit, 0, this.#m, new Int32Array(this.#m));
    this.#kept.set(full, pairs);
    return pairs;
  }

  #priced(unit: Unit, low: number, high: number, pairs: Int32Array): Int32Array {
    const { full, same, shape, end, isDeep } = unit;
    const calls = unit.isCall ? 1 : 0;
    const [fulls, sames, shapes, ends] = [this.#full, this.#same, this.#shape, this.#end];
    const call = this.#call;
    for (let j = low; j < high; j++) {
      let pair: number = COSTS.arguments;
      if (isDeep) pair = this.#slow(unit, this.#b[j]);
      else if (same === sames[j]) pair = full === fulls[j] ? 0 : end === ends[j] ? COSTS.text : COSTS.end;
      else if (shape !== shapes[j]) {
        if (shapes[j] === DEEP) pair = this.#slow(unit, this.#b[j]);
        else pair = (calls & (call[j] ?? 0)) === 1 ? COSTS.tool : COSTS.never;
      }
      pairs[j] = pair;
    }
    return pairs;
  }
}

/** What each unit is in one respect. `Int32Array.from` would go through an iterator. */
function columnOf(units: readonly Unit[], of: (unit: Unit) => number): Int32Array {
  const column = new Int32Array(units.length);
  for (const [at, unit] of units.entries()) column[at] = of(unit);
  return column;
}

/** So many units are kept with what they cost beside all others, at most. */
const MAX_KEPT = 64;

/** The numbers of units that are met more than twice; none where there are many. */
function repeatedIn(units: readonly Unit[]): ReadonlySet<number> {
  const times = new Map<number, number>();
  for (const { full, isDeep } of units) if (!isDeep) times.set(full, (times.get(full) ?? 0) + 1);
  const repeated = [...times].flatMap(([full, count]) => (count > 2 ? [full] : []));
  return new Set(repeated.length <= MAX_KEPT ? repeated : []);
}
