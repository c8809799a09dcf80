import { knownAmount, requestsOf } from '../core/cost.js';
import { withoutHalfAtEnd, withoutHalves } from '../core/halves.js';
import { inDollars } from '../core/money.js';
import { isObject } from '../core/message.js';
import { alignment, type Alignment, type Pair, type Way } from './align.js';
import { isCall, type Given, type Inputs, type Run, type RunTotals, type Step } from './steps.js';

/** How two steps differ, or that one run has none. `style`: only in words that a call or an answer is put in. */
export const DIFFERENCES = [
  'left',
  'right',
  'tool',
  'arguments',
  'result',
  'prompt',
  'answer',
  'error',
  'moved',
  'style',
] as const;
/** See `DIFFERENCES`. */
export type DifferenceKind = (typeof DIFFERENCES)[number];

/** A step as it is shown. */
export type StepView = Pick<
  Step,
  'number' | 'kind' | 'name' | 'agent' | 'position' | 'resultPosition' | 'about' | 'use' | 'end' | 'tookMs'
>;

/** A step of both runs, or of one. */
export interface Row {
  readonly kind: 'same' | DifferenceKind;
  /** How many agents it stands below. */
  readonly depth: number;
  readonly left: StepView | undefined;
  readonly right: StepView | undefined;
  /** For other arguments: which, and their values. */
  readonly changed?: readonly Changed[];
  /** For a moved step: its number in the other run. */
  readonly movedTo?: number;
}

/** An argument that is another one. */
export interface Changed {
  readonly path: string;
  readonly left: string;
  readonly right: string;
}

/** Rows one after the other that differ: from `from` up to, not including, `to`. */
export interface Divergence {
  readonly from: number;
  readonly to: number;
  /** What the first of them is. */
  readonly kind: DifferenceKind;
  /** How many steps only one run has there. */
  readonly onlyLeft: number;
  readonly onlyRight: number;
  /** The steps with which the runs are together again; undefined where they stay apart to the end. */
  readonly rejoins: { readonly left: number; readonly right: number } | undefined;
  /** Whether they stay together then, so that it was a detour and no fork. */
  readonly recovers: boolean;
}

/** Something that went in otherwise. */
export interface InputDifference {
  readonly what: 'systemPrompt' | 'tools' | 'models' | 'agent' | 'prompt';
  /** The agent that was dispatched with it; left out for the run itself. */
  readonly of?: string;
  readonly left: string;
  readonly right: string;
}

/** What is said of a run besides its steps. */
export type RunFacts = Omit<Run, 'steps' | 'inputs'>;

/** Two runs, compared. Plain data. */
export interface Comparison {
  readonly left: RunFacts;
  readonly right: RunFacts;
  readonly inputs: readonly InputDifference[];
  readonly rows: readonly Row[];
  /** In order; differences of style alone are in none of them. */
  readonly divergences: readonly Divergence[];
  /** How many rows are of each kind. */
  readonly counts: Readonly<Record<Row['kind'], number>>;
  /** Files that only one of them names. */
  readonly filesOnlyLeft: readonly string[];
  readonly filesOnlyRight: readonly string[];
  readonly cost: number;
  readonly way: Way;
}

/** The runs are together again where so many steps are the same in a row, or the last ones. */
const REJOINED = 3;
/** Answers that have so many of their words in common say the same. */
const SAME_WORDS = 0.9;
const MAX_INPUT = 2_000;
const SHOWN_BEFORE = 200;
const MAX_CHANGED = 20;
const MAX_VALUE = 200;

/** Compares two runs. Yields now and then, so that others get their turn. */
export function* compareRuns(left: Run, right: Run): Generator<void, Comparison> {
  const aligned = yield* alignment(left.steps, right.steps);
  return comparisonOf(left, right, aligned);
}

function comparisonOf(left: Run, right: Run, { pairs, cost, way }: Alignment): Comparison {
  const flat = flatten(pairs);
  const rows = settled(flat, movedIn(flat));
  const divergences = divergencesIn(rows);
  const counts = Object.fromEntries(['same', ...DIFFERENCES].map((kind) => [kind, 0])) as Record<
    Row['kind'],
    number
  >;
  for (const { kind } of rows) counts[kind]++;
  const names = (run: Run) => new Set(run.totals.files.map(({ path }) => path));
  const [filesLeft, filesRight] = [names(left), names(right)];
  return {
    left: factsOf(left),
    right: factsOf(right),
    inputs: inputsOf(left.inputs, right.inputs),
    rows,
    divergences,
    counts,
    filesOnlyLeft: [...filesLeft].filter((path) => !filesRight.has(path)),
    filesOnlyRight: [...filesRight].filter((path) => !filesLeft.has(path)),
    cost,
    way,
  };
}

/** What is said of a run besides its steps. */
export function factsOf({ totals, end, scores, task, normalised, damaged }: Run): RunFacts {
  return { totals, end, scores, task, normalised, damaged };
}

interface Flat {
  readonly left: Step | undefined;
  readonly right: Step | undefined;
  readonly depth: number;
}

function flatten(pairs: readonly Pair[]): readonly Flat[] {
  const flat: Flat[] = [];
  const visit = (list: readonly Pair[], depth: number) => {
    for (const { left, right, below } of list) {
      flat.push({ left, right, depth });
      visit(below, depth + 1);
    }
  };
  visit(pairs, 0);
  return flat;
}

function kindOf({ left, right }: Flat): Row['kind'] {
  if (!left) return 'right';
  if (!right) return 'left';
  if (left.shape !== right.shape) return 'tool';
  if (left.kind === 'answer') {
    if (left.end !== right.end) return 'answer';
    if (left.output === right.output) return 'same';
    return alike(left.outputText, right.outputText) >= SAME_WORDS ? 'style' : 'answer';
  }
  if (left.input !== right.input)
    return left.kind === 'prompt' || left.kind === 'error' ? left.kind : 'arguments';
  if (left.end !== right.end || left.output !== right.output) return 'result';
  return left.said === right.said ? 'same' : 'style';
}

/** The share of words that two texts have in common, how often each is said included. */
function alike(a: string, b: string): number {
  const [first, second] = [wordsOf(a), wordsOf(b)];
  let [common, all] = [0, 0];
  for (const word of new Set([...first.keys(), ...second.keys()])) {
    const [x, y] = [first.get(word) ?? 0, second.get(word) ?? 0];
    common += Math.min(x, y);
    all += Math.max(x, y);
  }
  return all === 0 ? 1 : common / all;
}

function wordsOf(text: string): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

/** Of steps that do the same in both runs but stand elsewhere, the one of the other run. */
function movedIn(flat: readonly Flat[]): ReadonlyMap<Step, Step> {
  const isApart = (each: Flat) => ['left', 'right', 'tool', 'arguments'].includes(kindOf(each));
  const keyOf = ({ shape, input }: Step) => `${shape}\n${input}`;
  const rights = new Map<string, Step[]>();
  for (const each of flat) {
    if (!each.right || !isCall(each.right) || !isApart(each)) continue;
    const key = keyOf(each.right);
    const known = rights.get(key);
    if (known) known.push(each.right);
    else rights.set(key, [each.right]);
  }
  const moved = new Map<Step, Step>();
  for (const queue of rights.values()) queue.reverse();
  for (const each of flat) {
    if (!each.left || !isCall(each.left) || !isApart(each)) continue;
    const other = rights.get(keyOf(each.left))?.pop();
    if (!other) continue;
    moved.set(each.left, other);
    moved.set(other, each.left);
  }
  return moved;
}

function settled(flat: readonly Flat[], moved: ReadonlyMap<Step, Step>): readonly Row[] {
  return flat.flatMap((each): readonly Row[] => {
    const { left, right, depth } = each;
    const kind = kindOf(each);
    const [toLeft, toRight] = [right && moved.get(right), left && moved.get(left)];
    if (!toLeft && !toRight) {
      const row = { kind, depth, left: left && viewOf(left), right: right && viewOf(right) };
      const changed = kind === 'arguments' && left && right ? changesIn(left, right) : [];
      return [changed.length > 0 ? { ...row, changed } : row];
    }
    const sides: Row[] = [];
    if (left)
      sides.push({
        kind: toRight ? 'moved' : 'left',
        depth,
        left: viewOf(left),
        right: undefined,
        ...(toRight && { movedTo: toRight.number }),
      });
    if (right)
      sides.push({
        kind: toLeft ? 'moved' : 'right',
        depth,
        left: undefined,
        right: viewOf(right),
        ...(toLeft && { movedTo: toLeft.number }),
      });
    return sides;
  });
}

function viewOf({
  number,
  kind,
  name,
  agent,
  position,
  resultPosition,
  about,
  use,
  end,
  tookMs,
}: Step): StepView {
  return { number, kind, name, agent, position, resultPosition, about, use, end, tookMs };
}

/** Which arguments are others; where they are no JSON, or were too long to be kept, all of them together. */
function changesIn(left: Step, right: Step): readonly Changed[] {
  const changes: Changed[] = [];
  const visit = (path: string, a: unknown, b: unknown, depth: number) => {
    if (changes.length >= MAX_CHANGED || JSON.stringify(a) === JSON.stringify(b)) return;
    if (isObject(a) && isObject(b) && depth < 6) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
        visit(path === '' ? key : `${path}.${key}`, a[key], b[key], depth + 1);
      return;
    }
    changes.push({ path, left: shown(a), right: shown(b) });
  };
  visit('', parsed(left.inputText), parsed(right.inputText), 0);
  return changes;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON, or only the beginning of it: compared as the text that it is.
    return text;
  }
}

function shown(value: unknown): string {
  if (value === undefined) return '';
  return withoutHalfAtEnd((typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_VALUE));
}

function divergencesIn(rows: readonly Row[]): readonly Divergence[] {
  const found: Divergence[] = [];
  const isTogether = (row: Row | undefined) =>
    row !== undefined && (row.kind === 'same' || row.kind === 'style');
  for (let from = 0; from < rows.length; from++) {
    const first = rows[from];
    if (!first || isTogether(first)) continue;
    let to = from;
    while (to < rows.length && !isTogether(rows[to])) to++;
    let together = to;
    while (together < rows.length && isTogether(rows[together])) together++;
    const part = rows.slice(from, to);
    const next = rows[to];
    found.push({
      from,
      to,
      kind: first.kind as DifferenceKind,
      onlyLeft: part.filter(({ right }) => !right).length,
      onlyRight: part.filter(({ left }) => !left).length,
      rejoins: next?.left && next.right ? { left: next.left.number, right: next.right.number } : undefined,
      recovers: together - to >= REJOINED || (together === rows.length && together > to),
    });
    from = to;
  }
  return found;
}

function inputsOf(left: Inputs, right: Inputs): readonly InputDifference[] {
  const tools = toolsOf(left, right);
  const texts = (inputs: Inputs, side: 0 | 1): Readonly<Record<InputDifference['what'], string>> => ({
    systemPrompt: inputs.systemPrompt,
    tools: tools[side],
    models: inputs.models.join(', '),
    agent: inputs.agent,
    prompt: inputs.prompt,
  });
  const [a, b] = [texts(left, 0), texts(right, 1)];
  const own = (['systemPrompt', 'tools', 'models', 'agent', 'prompt'] as const)
    .filter((what) => a[what].trim() !== b[what].trim())
    .map((what) => ({ what, ...beginnings(a[what], b[what]) }));
  return [...own, ...inputsBelow(left, right)];
}

/** What dispatched agents were given that both runs tell it of. */
function inputsBelow(left: Inputs, right: Inputs): readonly InputDifference[] {
  return [...left.below].flatMap(([of, before]) => {
    const now = right.below.get(of);
    if (!now) return [];
    const prompts = [before.systemPrompt, now.systemPrompt] as const;
    const tools = toolsOf(before, now);
    const isOther = ([a, b]: readonly [string, string]) =>
      a.trim() !== '' && b.trim() !== '' && a.trim() !== b.trim();
    return [
      ...(isOther(prompts) ? [{ what: 'systemPrompt' as const, of, ...beginnings(...prompts) }] : []),
      ...(isOther(tools) ? [{ what: 'tools' as const, of, ...beginnings(...tools) }] : []),
    ];
  });
}

/** The names of the tools of both; of the same names, what is described otherwise. */
function toolsOf(before: Given, now: Given): readonly [string, string] {
  const [a, b] = [before.tools.join(', '), now.tools.join(', ')];
  if (a !== b) return [a, b];
  const others = before.tools.filter((name) => {
    const [was, is] = [before.described.get(name), now.described.get(name)];
    return was !== undefined && is !== undefined && was !== is;
  });
  if (others.length === 0) return [a, b];
  const told = ({ described }: Given) =>
    others.map((name) => `${name}: ${described.get(name) ?? ''}`).join('\n');
  return [told(before), told(now)];
}

/** Both from shortly before where they part, so that this is among what is shown. */
function beginnings(left: string, right: string): { readonly left: string; readonly right: string } {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  const from = at < MAX_INPUT / 2 ? 0 : at - SHOWN_BEFORE;
  const part = (text: string) => `${from > 0 ? '…' : ''}${withoutHalves(text.slice(from, from + MAX_INPUT))}`;
  return { left: part(left), right: part(right) };
}

/** Whether a run solved its task, as its scores say; where it has none, whether it ended well. Undefined: nothing says it. */
export function succeeded({ end, scores }: Pick<RunFacts, 'end' | 'scores'>): boolean | undefined {
  const told = scores.map(({ passed }) => passed).filter((each) => each !== undefined);
  if (told.length > 0) return told.every(Boolean);
  if (end === 'done') return true;
  return end === 'failed' || end === 'limited' || end === 'cancelled' ? false : undefined;
}

/** A number of both runs. */
export interface Delta {
  readonly what:
    | 'cost'
    | 'inputTokens'
    | 'outputTokens'
    | 'duration'
    | 'models'
    | 'tools'
    | 'waiting'
    | 'steps'
    | 'messages'
    | 'toolCalls'
    | 'failedCalls'
    | 'errors'
    | 'files';
  readonly unit: 'dollars' | 'ms' | 'count';
  /** Undefined where it is not known. */
  readonly left: number | undefined;
  readonly right: number | undefined;
}

/** What the runs came to, side by side. A cost of which nothing is known is undefined, and never zero. */
export function deltasOf({ left, right }: Pick<Comparison, 'left' | 'right'>): readonly Delta[] {
  const of = (
    what: Delta['what'],
    unit: Delta['unit'],
    value: (totals: RunTotals) => number | undefined,
  ): Delta => ({
    what,
    unit,
    left: value(left.totals),
    right: value(right.totals),
  });
  return [
    of('cost', 'dollars', dollarsOf),
    of('inputTokens', 'count', ({ tokens }) => tokens.input),
    of('outputTokens', 'count', ({ tokens }) => tokens.output),
    of('duration', 'ms', timeOf),
    of('models', 'ms', ({ modelMs }) => modelMs),
    of('tools', 'ms', ({ toolMs }) => toolMs),
    of('waiting', 'ms', ({ waitedMs }) => waitedMs),
    of('steps', 'count', ({ steps }) => steps),
    of('messages', 'count', ({ messages }) => messages),
    of('toolCalls', 'count', ({ toolCalls }) => toolCalls),
    of('failedCalls', 'count', ({ failedCalls }) => failedCalls),
    of('errors', 'count', ({ errors }) => errors),
    of('files', 'count', ({ files }) => files.length),
  ];
}

/** What a run cost in dollars, as far as all of it is known; undefined where some of it is not. */
export function dollarsOf({ cost }: RunTotals): number | undefined {
  return requestsOf(cost) === 0 || cost.unknown > 0 ? undefined : inDollars(knownAmount(cost));
}

/** How long a run took, in milliseconds; undefined where no time is recorded. */
export function timeOf({ durationMs }: RunTotals): number | undefined {
  return durationMs > 0 ? durationMs : undefined;
}

/** What must be alike for two runs to count as the same. */
export const SAMENESS = ['steps', 'tools', 'outcome'] as const;
/** See `SAMENESS`. */
export type Sameness = (typeof SAMENESS)[number];

/** Whether a row is no other tool: steps that call none may stand in one run alone. */
function keepsTools({ kind, left, right }: Row): boolean {
  if (kind === 'moved' || kind === 'tool') return false;
  const only = left && right ? undefined : (left ?? right);
  return only === undefined || !isCall(only);
}

/**
 * Whether two runs are the same: in their steps (differences of style alone do not count), in the tools that they call in
 * order with whatever arguments, or in their outcome.
 */
export function areSame({ rows, divergences, left, right }: Comparison, by: Sameness): boolean {
  if (by === 'steps') return divergences.length === 0;
  return by === 'tools' ? rows.every(keepsTools) : haveSameOutcome(left, right);
}

/** Whether two runs have come to the same end, with the same scores. */
export function haveSameOutcome(left: RunFacts, right: RunFacts): boolean {
  const scoresOf = ({ scores }: RunFacts) =>
    JSON.stringify(scores.map(({ name, value }) => [name, value]).sort());
  return left.end === right.end && scoresOf(left) === scoresOf(right);
}
