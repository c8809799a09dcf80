import {
  areSame,
  compareRuns,
  dollarsOf,
  factsOf,
  haveSameOutcome,
  succeeded,
  timeOf,
  type Comparison,
  type RunFacts,
  type StepView,
} from './comparison.js';
import type { Run, Step } from './steps.js';
import { greatestOf } from '../core/lists.js';

/** Fewer runs say nothing about a difference, whatever they show: no test free of assumptions reaches 5 % with three. */
const FEWEST_RUNS = 4;
/** Fewer points have no outliers. */
const FEWEST_POINTS = 5;
/** How far from the middle a point must lie: so many times the scaled median of the distances (Iglewicz and Hoaglin). */
const FAR = 3.5;
const MAX_K = 10;
const MAX_FORKS = 50;

/** A number of several runs: all points, in the order of the runs. */
export interface Points {
  readonly what: 'cost' | 'duration' | 'tokens' | 'steps' | 'toolCalls' | 'failedCalls';
  readonly unit: 'dollars' | 'ms' | 'count';
  /** Undefined where a run does not tell it. */
  readonly points: readonly (number | undefined)[];
  /** How many points are known, and of these the median and the range. */
  readonly n: number;
  readonly median: number | undefined;
  readonly least: number | undefined;
  readonly most: number | undefined;
}

/** A run that lies far from the others. */
export interface Outlier {
  readonly run: number;
  readonly what: Points['what'];
  readonly value: number;
  readonly median: number;
}

/** A share of runs, with Wilson's interval of 95 %. */
export interface Rate {
  readonly passed: number;
  /** Of so many that tell how they ended; the others are `excluded`. */
  readonly n: number;
  readonly excluded: number;
  readonly rate: number | undefined;
  readonly low: number | undefined;
  readonly high: number | undefined;
}

/** For a number of tries: that at least one of them succeeds, and that all do. Unbiased; undefined for more tries than runs. */
export interface PassAt {
  readonly k: number;
  readonly any: number;
  readonly all: number;
}

/** Where runs leave the baseline, and which they are. */
export interface Fork {
  /** Of the baseline's steps; undefined where they do all of it. */
  readonly step: number | undefined;
  readonly kind: string;
  /** What the baseline does there, and what they do. */
  readonly baseline: StepView | undefined;
  readonly other: StepView | undefined;
  /** The numbers of the runs, from 0. */
  readonly runs: readonly number[];
}

/** A step of the baseline, and in how many of the runs it stands. */
export interface CommonStep {
  readonly step: StepView;
  readonly depth: number;
  readonly runs: number;
}

/** Several runs of one task, compared with one of them. Plain data. */
export interface RunSet {
  readonly names: readonly string[];
  readonly baseline: number;
  readonly facts: readonly RunFacts[];
  readonly steps: readonly CommonStep[];
  /** Steps that the baseline does not have, by how many runs have them, the most frequent first. */
  readonly others: readonly { readonly step: StepView; readonly runs: number }[];
  readonly forks: readonly Fork[];
  /** How many runs do what the baseline does, without any divergence. */
  readonly same: number;
  /** How many call the same tools in the same order, see `areSame`. */
  readonly sameTools: number;
  readonly sameOutcome: number;
  /** Of how many tasks the runs are, as far as it is told; and how many are of another one than the baseline, whose steps are not compared. */
  readonly tasks: number;
  readonly otherTasks: number;
  readonly points: readonly Points[];
  readonly outliers: readonly Outlier[];
  readonly success: Rate;
  readonly passAt: readonly PassAt[];
  /** Whether what tells of success is a score, or only how the run ended. */
  readonly by: 'score' | 'end';
  /** Whether there are too few runs to claim anything. */
  readonly isFew: boolean;
}

/**
 * Which run has most in common with what most of them do: the steps that at least half have, how often each is met included. The
 * first of those that have as much.
 */
export function mostTypical(runs: readonly Pick<Run, 'steps'>[]): number {
  const steps = runs.map(({ steps: own }) => stepsIn(own));
  const counts = new Map<string, number>();
  for (const own of steps) for (const key of own) counts.set(key, (counts.get(key) ?? 0) + 1);
  const usual = new Set([...counts].flatMap(([key, count]) => (count * 2 >= runs.length ? [key] : [])));
  const shares = steps.map((own) => {
    const common = [...own].filter((key) => usual.has(key)).length;
    return (2 * common) / Math.max(1, own.size + usual.size);
  });
  return Math.max(0, shares.indexOf(greatestOf(shares, 0)));
}

/** Each step by what it is compared by, and the how manieth of these it is. */
function stepsIn(steps: readonly Step[]): ReadonlySet<string> {
  const met = new Map<string, number>();
  const found = new Set<string>();
  const visit = (list: readonly Step[]) => {
    for (const { shape, input, below } of list) {
      const key = `${shape}\n${input}`;
      const times = (met.get(key) ?? 0) + 1;
      met.set(key, times);
      found.add(`${times} ${key}`);
      visit(below);
    }
  };
  visit(steps);
  return found;
}

/** Puts runs together, one after the other, so that only the baseline and what is told of each must be held. */
export class RunTable {
  readonly #baseline: Run;
  readonly #at: number;
  readonly #names: string[] = [];
  readonly #facts: RunFacts[] = [];
  readonly #steps = new Map<number, { step: StepView; depth: number; runs: number }>();
  readonly #others = new Map<string, { step: StepView; runs: number }>();
  readonly #forks = new Map<string, Fork & { readonly runs: number[] }>();
  #same = 0;
  #sameTools = 0;
  #sameOutcome = 0;
  #otherTasks = 0;

  /** `at`: the place of the baseline among the runs. */
  constructor(baseline: Run, at: number) {
    this.#baseline = baseline;
    this.#at = at;
  }

  /** Adds the next run; the baseline, too, in its place. Of a run of another task no steps are compared. Yields now and then. */
  *add(name: string, run: Run): Generator<void, Comparison | undefined> {
    const number = this.#names.push(name) - 1;
    if (number !== this.#at && haveSameOutcome(factsOf(this.#baseline), factsOf(run))) this.#sameOutcome++;
    if (run.task !== this.#baseline.task && run.task !== '' && this.#baseline.task !== '') {
      this.#otherTasks++;
      this.#facts.push(factsOf(run));
      return undefined;
    }
    const comparison = yield* compareRuns(this.#baseline, run);
    this.#facts.push(comparison.right);
    const seen = new Set<string>();
    for (const { kind, left, right, depth } of comparison.rows) {
      if (left) {
        const known = this.#steps.get(left.number) ?? { step: left, depth, runs: 0 };
        this.#steps.set(left.number, known);
        if (kind === 'same' || kind === 'style' || kind === 'result' || kind === 'answer' || kind === 'moved')
          known.runs++;
      } else if (right && kind === 'right') {
        const key = `${right.kind}\n${right.name}\n${right.about}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const known = this.#others.get(key) ?? { step: right, runs: 0 };
        known.runs++;
        this.#others.set(key, known);
      }
    }
    this.#fork(comparison, number);
    return comparison;
  }

  #fork(comparison: Comparison, number: number): void {
    const { rows, divergences } = comparison;
    if (number === this.#at) return;
    if (areSame(comparison, 'tools')) this.#sameTools++;
    const [first] = divergences;
    if (!first) {
      this.#same++;
      return;
    }
    const row = rows[first.from];
    const { left: baseline, right } = row ?? {};
    const other = right ?? rows.slice(first.from, first.to).find(({ right: each }) => each)?.right;
    const key = JSON.stringify([baseline?.number, first.kind, other?.kind, other?.name, other?.about]);
    const known = this.#forks.get(key);
    if (known) known.runs.push(number);
    else this.#forks.set(key, { step: baseline?.number, kind: first.kind, baseline, other, runs: [number] });
  }

  /** What all runs so far come to. */
  summary(): RunSet {
    const facts = this.#facts;
    const points = pointsOf(facts);
    const success = rateOf(facts.map(succeeded));
    const runs = facts.length;
    return {
      names: this.#names,
      baseline: this.#at,
      facts,
      steps: [...this.#steps].sort(([a], [b]) => a - b).map(([, step]) => step),
      others: [...this.#others.values()].sort((a, b) => b.runs - a.runs).slice(0, MAX_FORKS),
      forks: [...this.#forks.values()]
        .sort((a, b) => b.runs.length - a.runs.length || (a.step ?? 0) - (b.step ?? 0))
        .slice(0, MAX_FORKS),
      same: this.#same,
      sameTools: this.#sameTools,
      sameOutcome: this.#sameOutcome,
      tasks: new Set(facts.map(({ task }) => task)).size,
      otherTasks: this.#otherTasks,
      points,
      outliers: points.flatMap(outliersIn),
      success,
      passAt: passAtByTask(facts),
      by: facts.some(({ scores }) => scores.some(({ passed }) => passed !== undefined)) ? 'score' : 'end',
      isFew: runs < FEWEST_RUNS,
    };
  }
}

function pointsOf(facts: readonly RunFacts[]): readonly Points[] {
  const of = (
    what: Points['what'],
    unit: Points['unit'],
    value: (facts: RunFacts) => number | undefined,
  ): Points => {
    const points = facts.map(value);
    const known = points.filter((each) => each !== undefined).sort((a, b) => a - b);
    return {
      what,
      unit,
      points,
      n: known.length,
      median: median(known),
      least: known[0],
      most: known.at(-1),
    };
  };
  return [
    of('cost', 'dollars', ({ totals }) => dollarsOf(totals)),
    of('duration', 'ms', ({ totals }) => timeOf(totals)),
    of('tokens', 'count', ({ totals: { tokens } }) => tokens.input + tokens.output),
    of('steps', 'count', ({ totals }) => totals.steps),
    of('toolCalls', 'count', ({ totals }) => totals.toolCalls),
    of('failedCalls', 'count', ({ totals }) => totals.failedCalls),
  ];
}

/** The middle of numbers in order. */
function median(sorted: readonly number[]): number | undefined {
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle];
  const [below, above] = [sorted[middle - 1], sorted[middle]];
  return below === undefined || above === undefined ? undefined : (below + above) / 2;
}

/** Points that lie far from the middle of all, measured by the median of their distances. */
export function outliersIn({ what, points, n, median: middle }: Points): readonly Outlier[] {
  if (n < FEWEST_POINTS || middle === undefined) return [];
  const distances = points.flatMap((each) => (each === undefined ? [] : [Math.abs(each - middle)]));
  const scale = (median(distances.sort((a, b) => a - b)) ?? 0) * 1.4826;
  return points.flatMap((value, run) =>
    value !== undefined && scale > 0 && Math.abs(value - middle) / scale > FAR
      ? [{ run, what, value, median: middle }]
      : [],
  );
}

const Z = 1.959_963_984_540_054;

/** The share of what succeeded, among those that tell it. */
export function rateOf(told: readonly (boolean | undefined)[]): Rate {
  const known = told.filter((each) => each !== undefined);
  const n = known.length;
  const passed = known.filter(Boolean).length;
  const excluded = told.length - n;
  if (n === 0) return { passed, n, excluded, rate: undefined, low: undefined, high: undefined };
  const rate = passed / n;
  const square = Z * Z;
  const centre = (rate + square / (2 * n)) / (1 + square / n);
  const half = (Z / (1 + square / n)) * Math.sqrt((rate * (1 - rate)) / n + square / (4 * n * n));
  return { passed, n, excluded, rate, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** The same for each task, and of these the mean over the tasks with enough runs: runs of one task are not independent. */
function passAtByTask(facts: readonly RunFacts[]): readonly PassAt[] {
  const tasks = new Map<string, RunFacts[]>();
  for (const run of facts) {
    const known = tasks.get(run.task);
    if (known) known.push(run);
    else tasks.set(run.task, [run]);
  }
  const each = [...tasks.values()].map((runs) => passAtOf(rateOf(runs.map(succeeded))));
  const most = each.reduce((length, found) => Math.max(length, found.length), 0);
  return Array.from({ length: most }, (_, at) => {
    const known = each.flatMap((found) => found[at] ?? []);
    const mean = (of: (found: PassAt) => number) =>
      known.reduce((sum, found) => sum + of(found), 0) / known.length;
    return { k: at + 1, any: mean(({ any }) => any), all: mean(({ all }) => all) };
  });
}

/** Unbiased: 1 − C(n−c, k)/C(n, k) that one of k succeeds, and C(c, k)/C(n, k) that all do. */
export function passAtOf({ passed, n }: Pick<Rate, 'passed' | 'n'>): readonly PassAt[] {
  const found: PassAt[] = [];
  let [none, all] = [1, 1];
  for (let k = 1; k <= Math.min(n, MAX_K); k++) {
    none *= Math.max(0, n - passed - k + 1) / (n - k + 1);
    all *= Math.max(0, passed - k + 1) / (n - k + 1);
    found.push({ k, any: 1 - none, all });
  }
  return found;
}
