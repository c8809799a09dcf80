import { appendAll } from '../core/lists.js';
import { longestRow } from '../query/numbers/lineDiff.js';
import { COSTS, plainCost, Table, type Row, type Unit } from './costTable.js';
import { isCall, type Step } from './steps.js';

/** How an alignment was found: it is the cheapest there is, or was looked for between steps that are unique in both, or in a band. */
export type Way = 'whole' | 'anchored' | 'banded';

/** A step of one run and what stands for it in the other; of two parallel calls that are a set, whichever fits best. */
export interface Pair {
  readonly left: Step | undefined;
  readonly right: Step | undefined;
  /** What the agents did that both dispatched, or that the only one did. */
  readonly below: readonly Pair[];
}

/** Two runs, aligned. */
export interface Alignment {
  readonly pairs: readonly Pair[];
  readonly cost: number;
  readonly way: Way;
}

/** Up to so many cells everything is looked at; beyond it, steps that are unique in both hold the alignment together. */
const WHOLE_CELLS = 4_000_000;
/** So many cells are looked at in all, whatever comes; what is left is aligned in a band. */
const MAX_CELLS = 130_000_000;
const NARROWEST = 16;
/** What sets and agents may cost to be compared, in pairs of steps; and what each comparison costs at least. */
const MAX_DEEP = 5_000_000;
const LEAST_DEEP = 500;
/** Sets of more calls, and more pairs of dispatches, are not tried in all ways. */
const MAX_IN_SET = 12;
/** How many cells are looked at before others get their turn. */
const TURN = 1_500_000;

/** How many steps beside the diagonal are looked at first. */
const FIRST_BESIDE = 24;

/** What every way costs at least that goes so many steps further beside the diagonal than the lengths of the runs ask for. */
function costBeyond(beside: number, further: number): number {
  return 2 * COSTS.open + COSTS.step * (2 * (beside + 1) + further);
}

/** How many steps beside the diagonal have to be looked at so that no way of this cost, or less, leads further away. */
function besideFor(cost: number, further: number): number {
  return Math.max(0, Math.ceil((cost - 2 * COSTS.open - COSTS.step * further) / (2 * COSTS.step)));
}

/** Where a way is looked for, and where it goes. */
interface Within {
  readonly band: number;
  readonly offsetA: number;
  readonly offsetB: number;
  readonly ops: Op[];
}

interface Found {
  readonly cost: number;
  readonly ops: readonly Op[];
}

/** Indexes of units; -1 where one side has none. */
type Op = readonly [left: number, right: number];

/** Steps of two sets that stand for each other. */
type Couple = readonly [Step | undefined, Step | undefined];

/**
 * Aligns two runs, step by step. It is computed in one direction only, so that right and left give the mirror of left and
 * right; where ways cost the same, steps stay together as long as possible, then the left one is left out, then the right one.
 * Yields now and then, so that others get their turn. `mostCells`: how many pairs of steps are looked at.
 */
export function* alignment(
  left: readonly Step[],
  right: readonly Step[],
  mostCells = MAX_CELLS,
): Generator<void, Alignment> {
  const isTurned = isBehind(left, right);
  const aligner = new Aligner(mostCells);
  const [first, second] = isTurned ? [right, left] : [left, right];
  const [a, b] = [aligner.units(first), aligner.units(second)];
  const found = yield* aligner.align(a, b);
  const pairs = aligner.pairs(a, b, found.ops);
  return { pairs: isTurned ? pairs.map(turned) : pairs, cost: found.cost, way: aligner.way };
}

/** How many steps a unit is. */
function sizeIn({ weight }: Unit): number {
  return weight / COSTS.step;
}

function turned({ left, right, below }: Pair): Pair {
  return { left: right, right: left, below: below.map(turned) };
}

/** Whether steps come behind others in an order that does not ask which of them stands left. */
function isBehind(left: readonly Step[], right: readonly Step[]): boolean {
  if (left.length !== right.length) return left.length > right.length;
  for (let at = 0; at < left.length; at++) {
    const [a, b] = [left[at]?.key ?? '', right[at]?.key ?? ''];
    if (a !== b) return a > b;
  }
  return false;
}

class Aligner {
  way: Way = 'whole';
  #left: number;
  #deepLeft = MAX_DEEP;
  readonly #numbers = {
    full: new Map<string, number>(),
    same: new Map<string, number>(),
    shape: new Map<string, number>(),
    end: new Map<string, number>(),
  };
  readonly #known = new Map<Unit, Map<Unit, number>>();
  readonly #below = new Map<Step, readonly Unit[]>();

  constructor(mostCells: number) {
    this.#left = mostCells;
  }

  units(steps: readonly Step[]): readonly Unit[] {
    const units: Unit[] = [];
    for (let at = 0; at < steps.length;) {
      let end = at + 1;
      const group = steps[at]?.group;
      while (group !== undefined && steps[end]?.group === group) end++;
      units.push(this.#unit(steps.slice(at, end)));
      at = end;
    }
    return units;
  }

  #number(of: 'full' | 'same' | 'shape' | 'end', text: string): number {
    const numbers = this.#numbers[of];
    const known = numbers.get(text) ?? numbers.size + 1;
    numbers.set(text, known);
    return known;
  }

  #unit(steps: readonly Step[]): Unit {
    const [only] = steps;
    const isSet = steps.length > 1;
    const textOf = (of: (step: Step) => string) =>
      only && !isSet ? of(only) : steps.map(of).sort().join('\n\n');
    return {
      steps,
      weight: steps.reduce((sum, step) => sum + COSTS.step * step.size, 0),
      full: this.#number(
        'full',
        textOf(({ key }) => key),
      ),
      same: this.#number(
        'same',
        textOf(({ shape, input }) => `${shape}\n${input}`),
      ),
      shape: isSet ? 0 : this.#number('shape', only?.shape ?? ''),
      end: isSet ? 0 : this.#number('end', only?.end ?? ''),
      isCall: only !== undefined && isCall(only),
      isDeep: isSet || (only?.below.length ?? 0) > 0,
    };
  }

  *align(a: readonly Unit[], b: readonly Unit[]): Generator<void, Found> {
    const ops: Op[] = [];
    yield* this.#range(a, b, [0, a.length, 0, b.length], ops);
    return { ops, cost: this.#costOf(a, b, ops) };
  }

  *#range(
    a: readonly Unit[],
    b: readonly Unit[],
    [fromA, toA, fromB, toB]: readonly [number, number, number, number],
    ops: Op[],
  ): Generator<void, void> {
    let [startA, startB, endA, endB] = [fromA, fromB, toA, toB];
    while (startA < endA && startB < endB && a[startA]?.full === b[startB]?.full)
      ops.push([startA++, startB++]);
    let behind = 0;
    while (startA < endA && startB < endB && a[endA - 1]?.full === b[endB - 1]?.full) {
      endA--;
      endB--;
      behind++;
    }
    const [rows, columns] = [endA - startA, endB - startB];
    if (rows === 0) for (let at = startB; at < endB; at++) ops.push([-1, at]);
    else if (columns === 0) for (let at = startA; at < endA; at++) ops.push([at, -1]);
    else {
      const anchors = rows * columns > WHOLE_CELLS ? anchorsIn(a, b, [startA, endA, startB, endB]) : [];
      if (anchors.length > 0) {
        if (this.way === 'whole') this.way = 'anchored';
        let [lastA, lastB] = [startA, startB];
        for (const [atA, atB] of anchors) {
          yield* this.#range(a, b, [lastA, atA, lastB, atB], ops);
          ops.push([atA, atB]);
          [lastA, lastB] = [atA + 1, atB + 1];
        }
        yield* this.#range(a, b, [lastA, endA, lastB, endB], ops);
      } else yield* this.#table(a.slice(startA, endA), b.slice(startB, endB), [startA, startB], ops);
    }
    for (let at = 0; at < behind; at++) ops.push([endA + at, endB + at]);
  }

  /**
   * The cheapest way through the table of all pairs, by Gotoh's method with the costs of what is still to come, from the end to
   * the beginning. Of the table a few rows are kept; what lies between them is computed again where the way goes through.
   */
  *#table(
    a: readonly Unit[],
    b: readonly Unit[],
    [offsetA, offsetB]: readonly [number, number],
    ops: Op[],
  ): Generator<void, void> {
    const [n, m] = [a.length, b.length];
    const further = Math.abs(n - m);
    const widest = n * m <= this.#left ? m : Math.max(NARROWEST, Math.floor(this.#left / (2 * n)));
    // Runs that are alike stay near the diagonal: it is looked there first.
    let beside = FIRST_BESIDE;
    for (;;) {
      const wanted = further + beside + 2;
      const band = Math.min(widest, 2 * wanted < m ? wanted : m);
      this.#left = Math.max(0, this.#left - Math.min(n * m, n * (2 * band + 1)));
      const found: Op[] = [];
      const cost = yield* this.#within(a, b, { band, offsetA, offsetB, ops: found });
      // Whatever leaves the band has a gap in each run.
      const isSure = band >= m || (band === wanted && cost < costBeyond(beside, further));
      if (!isSure && band < widest) {
        beside = besideFor(cost, further);
        continue;
      }
      if (!isSure) this.way = 'banded';
      appendAll(ops, found);
      return;
    }
  }

  /** The same within a band around the diagonal. Gives the cost. */
  *#within(
    a: readonly Unit[],
    b: readonly Unit[],
    { band, offsetA, offsetB, ops }: Within,
  ): Generator<void, number> {
    const [n, m] = [a.length, b.length];
    const cells = n * m;
    const table = new Table(a, b, band, (left, right) => (right ? this.#pairCost(left, right) : COSTS.never));
    const height = cells <= WHOLE_CELLS ? n : Math.max(16, Math.ceil(Math.sqrt(n)));
    const kept: Row[] = [];
    let row = table.last();
    let looked = 0;
    kept[Math.ceil(n / height)] = { best: row.best.slice(), gap: row.gap.slice() };
    // The rows of the first block are made once, with their marks.
    for (let at = n; at > height; at--) {
      if (at % height === 0) kept[Math.ceil(at / height)] = { best: row.best.slice(), gap: row.gap.slice() };
      table.step(at - 1, 0, row);
      looked += Math.min(m, 2 * band + 1);
      if (looked < TURN) continue;
      looked = 0;
      yield;
    }
    kept[1] ??= row;
    let cost = 0;
    let [i, j] = [0, 0];
    let state: 'any' | 'left' | 'right' = 'any';
    const marks = new Uint8Array(height * (m + 1));
    for (let block = 0; i < n; block++) {
      const [top, bottom] = [block * height, Math.min(n, (block + 1) * height)];
      const start = kept[block + 1];
      if (!start) break;
      row = { best: start.best.slice(), gap: start.gap.slice() };
      for (let at = bottom; at > top; at--) {
        table.step(at - 1, j, row, marks, (at - 1 - top) * (m + 1));
        looked += Math.min(m - j, 2 * band + 1);
        if (looked < TURN) continue;
        looked = 0;
        yield;
      }
      if (block === 0) cost = row.best[0] ?? 0;
      while (i < bottom && j < m) {
        const mark = marks[(i - top) * (m + 1) + j] ?? 0;
        if (state === 'any') state = (['any', 'left', 'right'] as const)[mark & 3] ?? 'any';
        if (state === 'left') {
          ops.push([offsetA + i++, -1]);
          if ((mark & 4) === 0) state = 'any';
        } else if (state === 'right') {
          ops.push([-1, offsetB + j++]);
          if ((mark & 8) === 0) state = 'any';
        } else ops.push([offsetA + i++, offsetB + j++]);
      }
      if (j === m) break;
    }
    while (i < n) ops.push([offsetA + i++, -1]);
    while (j < m) ops.push([-1, offsetB + j++]);
    return cost;
  }

  #costOf(a: readonly Unit[], b: readonly Unit[], ops: readonly Op[]): number {
    let cost = 0;
    let gap = '';
    for (const [left, right] of ops) {
      const [unitA, unitB] = [a[left], b[right]];
      const side = unitA && unitB ? '' : unitA ? 'left' : 'right';
      if (unitA && unitB) cost += this.#pairCost(unitA, unitB);
      else cost += (unitA ?? unitB)?.weight ?? 0;
      if (side !== '' && side !== gap) cost += COSTS.open;
      gap = side;
    }
    return cost;
  }

  #pairCost(a: Unit, b: Unit): number {
    if (a.full === b.full) return 0;
    if (!a.isDeep && !b.isDeep) return plainCost(a, b);
    const known = this.#known.get(a)?.get(b);
    if (known !== undefined) return known;
    this.#deepLeft -= LEAST_DEEP + sizeIn(a) * sizeIn(b);
    if (this.#deepLeft < 0) {
      this.way = 'banded';
      return plainCost(a, b);
    }
    const cost = a.isCall === b.isCall ? this.#matched(a, b).cost : COSTS.never;
    const of = this.#known.get(a) ?? new Map<Unit, number>();
    this.#known.set(a, of.set(b, cost));
    return cost;
  }

  /** Which calls of two sets stand for each other. What is left over is a gap of its own in the set. */
  #matched(a: Unit, b: Unit): { readonly cost: number; readonly pairs: readonly Couple[] } {
    const [few, many] = a.steps.length <= b.steps.length ? [a.steps, b.steps] : [b.steps, a.steps];
    const isSmall = many.length <= MAX_IN_SET;
    const chosen = isSmall ? assignment(few, many, (x, y) => this.#stepCost(x, y)) : byLikeness(few, many);
    const rest = many.filter((_, at) => !chosen.includes(at));
    const cost =
      few.reduce((sum, step, at) => sum + this.#stepCost(step, many[chosen[at] ?? 0] ?? step), 0) +
      (rest.length > 0 ? COSTS.open : 0) +
      rest.reduce((sum, step) => sum + COSTS.step * step.size, 0);
    const turnedPairs = few !== a.steps;
    const pairs = many.flatMap((step, at): Couple[] => {
      const other = few[chosen.indexOf(at)];
      return [turnedPairs ? [step, other] : [other, step]];
    });
    return { cost, pairs };
  }

  #stepCost(a: Step, b: Step): number {
    return this.#stepPair(a, b).cost;
  }

  #stepPair(a: Step, b: Step): { readonly cost: number; readonly below: readonly Pair[] } {
    const own = ownCost(a, b);
    if (a.below.length === 0 && b.below.length === 0) return { cost: own, below: [] };
    if (a.shape !== b.shape || own >= COSTS.never) {
      const cost = COSTS.step * (a.size + b.size - 2);
      return { cost: own + cost, below: alone(a, b).below };
    }
    const [unitsA, unitsB] = [this.#unitsBelow(a), this.#unitsBelow(b)];
    const found = finished(this.align(unitsA, unitsB));
    return { cost: own + found.cost, below: this.pairs(unitsA, unitsB, found.ops) };
  }

  #unitsBelow(step: Step): readonly Unit[] {
    const known = this.#below.get(step) ?? this.units(step.below);
    this.#below.set(step, known);
    return known;
  }

  pairs(a: readonly Unit[], b: readonly Unit[], ops: readonly Op[]): readonly Pair[] {
    return ops.flatMap(([left, right]): readonly Pair[] => {
      const [unitA, unitB] = [a[left], b[right]];
      if (!unitA) return unitB?.steps.map((step) => alone(undefined, step)) ?? [];
      if (!unitB) return unitA.steps.map((step) => alone(step, undefined));
      const [stepA, stepB] = [unitA.steps[0], unitB.steps[0]];
      const steps: readonly Couple[] =
        unitA.steps.length === 1 && unitB.steps.length === 1
          ? [[stepA, stepB]]
          : this.#matched(unitA, unitB).pairs;
      return steps.map(([x, y]) => {
        if (!x || !y) return alone(x, y);
        return { left: x, right: y, below: this.#stepPair(x, y).below };
      });
    });
  }
}

/** Steps that nothing stands for, or that are paired although what is below them is not. */
function alone(left: Step | undefined, right: Step | undefined): Pair {
  const below = [
    ...(left?.below ?? []).map((each) => alone(each, undefined)),
    ...(right?.below ?? []).map((each) => alone(undefined, each)),
  ];
  return { left, right, below };
}

/** What two steps cost by themselves. */
function ownCost(a: Step, b: Step): number {
  if (a.shape === b.shape) {
    if (a.input !== b.input) return COSTS.arguments;
    if (a.end !== b.end) return COSTS.end;
    return a.output === b.output ? 0 : COSTS.text;
  }
  return isCall(a) && isCall(b) ? COSTS.tool : COSTS.never;
}

/** The longest row of units that do the same, are unique in both runs, and come in the same order in both. */
function anchorsIn(
  a: readonly Unit[],
  b: readonly Unit[],
  [fromA, toA, fromB, toB]: readonly [number, number, number, number],
): readonly Op[] {
  const placesA = uniqueIn(a, fromA, toA);
  const placesB = uniqueIn(b, fromB, toB);
  const pairs: Op[] = [];
  for (const [same, at] of placesA) {
    const other = placesB.get(same);
    if (at >= 0 && other !== undefined && other >= 0) pairs.push([at, other]);
  }
  return longestRow(pairs);
}

/** Where each unit stands that is met once, in order; -1 for those that are met more often. */
function uniqueIn(units: readonly Unit[], from: number, to: number): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (const [index, { same }] of units.slice(from, to).entries())
    places.set(same, places.has(same) ? -1 : from + index);
  return places;
}

/** For each of few, which of many it is paired with, so that all together cost least: the Hungarian method. */
function assignment(
  few: readonly Step[],
  many: readonly Step[],
  cost: (a: Step, b: Step) => number,
): readonly number[] {
  const [n, m] = [few.length, many.length];
  // What is left over costs by its size, so that pairing a large one is worth more.
  const of = few.map((a) => many.map((b) => cost(a, b) - COSTS.step * b.size));
  const potentialA = new Array<number>(n + 1).fill(0);
  const potentialB = new Array<number>(m + 1).fill(0);
  const taken = new Array<number>(m + 1).fill(0);
  for (let i = 1; i <= n; i++) {
    const way = new Array<number>(m + 1).fill(0);
    const least = new Array<number>(m + 1).fill(Infinity);
    const seen = new Array<boolean>(m + 1).fill(false);
    taken[0] = i;
    let at = 0;
    do {
      seen[at] = true;
      const row = taken[at] ?? 0;
      let [delta, next] = [Infinity, 0];
      for (let j = 1; j <= m; j++) {
        if (seen[j]) continue;
        const reduced = (of[row - 1]?.[j - 1] ?? 0) - (potentialA[row] ?? 0) - (potentialB[j] ?? 0);
        if (reduced < (least[j] ?? 0)) {
          least[j] = reduced;
          way[j] = at;
        }
        if ((least[j] ?? 0) < delta) [delta, next] = [least[j] ?? 0, j];
      }
      for (let j = 0; j <= m; j++) {
        if (seen[j]) {
          const taker = taken[j] ?? 0;
          potentialA[taker] = (potentialA[taker] ?? 0) + delta;
          potentialB[j] = (potentialB[j] ?? 0) - delta;
        } else least[j] = (least[j] ?? 0) - delta;
      }
      at = next;
    } while (taken[at] !== 0);
    while (at !== 0) {
      const back = way[at] ?? 0;
      taken[at] = taken[back] ?? 0;
      at = back;
    }
  }
  const chosen = new Array<number>(n).fill(0);
  for (let j = 1; j <= m; j++) if ((taken[j] ?? 0) > 0) chosen[(taken[j] ?? 1) - 1] = j - 1;
  return chosen;
}

/** The same for large sets: what is alike in all first, then what does the same, then the same tools, then the rest in order. */
function byLikeness(few: readonly Step[], many: readonly Step[]): readonly number[] {
  const chosen = new Array<number>(few.length).fill(-1);
  const free = new Set(many.keys());
  const keys: readonly ((step: Step) => string)[] = [
    ({ key }) => key,
    ({ shape, input, end }) => `${shape}\n${input}\n${end}`,
    ({ shape, input }) => `${shape}\n${input}`,
    ({ shape }) => shape,
    () => '',
  ];
  for (const keyOf of keys) {
    const places = new Map<string, number[]>();
    for (const at of free) {
      const step = many[at];
      if (!step) continue;
      const key = keyOf(step);
      const known = places.get(key);
      if (known) known.push(at);
      else places.set(key, [at]);
    }
    for (const [at, step] of few.entries()) {
      if (chosen[at] !== -1) continue;
      const place = places.get(keyOf(step))?.shift();
      if (place === undefined) continue;
      chosen[at] = place;
      free.delete(place);
    }
  }
  return chosen;
}

/** The end of work that is never stopped in between. */
export function finished<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
