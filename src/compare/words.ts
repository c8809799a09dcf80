import { formatDuration } from '../core/duration.js';
import { withoutHalfAtEnd } from '../core/halves.js';
import { inLanguage, message, t } from '../core/l10n.js';
import { appendAll } from '../core/lists.js';
import { dollars, formatMoney, NO_MONEY } from '../core/money.js';
import { RULES, type Rule } from './normal.js';
import {
  deltasOf,
  succeeded,
  type Changed,
  type Comparison,
  type Delta,
  type DifferenceKind,
  type Divergence,
  type InputDifference,
  type Row,
  type RunFacts,
  type StepView,
} from './comparison.js';

const MAX_VALUE = 60;

/** The kinds of differences for a person. */
export const KIND_WORDS = {
  same: message`alike`,
  left: message`only left`,
  right: message`only right`,
  tool: message`another tool`,
  arguments: message`other arguments`,
  result: message`another result`,
  prompt: message`asked otherwise`,
  answer: message`answered otherwise`,
  error: message`another failure`,
  moved: message`moved`,
  style: message`other words only`,
} as const satisfies Readonly<Record<Row['kind'], unknown>>;

/** What inputs are called. */
const INPUT_WORDS = {
  systemPrompt: message`system prompt`,
  tools: message`tools`,
  models: message`models`,
  agent: message`agent`,
  prompt: message`prompt`,
} as const satisfies Readonly<Record<InputDifference['what'], unknown>>;

/** What numbers are called. */
export const DELTA_WORDS = {
  cost: message`Cost`,
  inputTokens: message`Tokens in`,
  outputTokens: message`Tokens out`,
  duration: message`Time`,
  models: message`Models at work`,
  tools: message`Tools at work`,
  waiting: message`Waiting for people`,
  steps: message`Steps`,
  messages: message`Messages`,
  toolCalls: message`Tool calls`,
  failedCalls: message`Failed calls`,
  errors: message`Failures`,
  files: message`Files named`,
  tokens: message`Tokens`,
} as const satisfies Readonly<Record<Delta['what'] | 'tokens', unknown>>;

/** What an agent did in a step: `read scale.mjs`. */
export function didWords({ kind, name, about, use }: StepView): string {
  switch (kind) {
    case 'prompt':
      return t`was asked “${cut(about)}”`;
    case 'answer':
      return about === '' ? t`answered nothing` : t`answered “${cut(about)}”`;
    case 'agent':
      return about === '' ? t`asked ${name}` : t`asked ${name} “${cut(about)}”`;
    case 'error':
      return name === 'departed' ? t`departed: ${cut(about)}` : t`failed: ${cut(about)}`;
    case 'call':
      if (use === 'read') return t`read ${cut(about)}`;
      if (use === 'written') return t`changed ${cut(about)}`;
      return about === '' ? t`called ${name}` : t`called ${name}: ${cut(about)}`;
  }
}

function cut(text: string): string {
  return text.length > MAX_VALUE ? `${withoutHalfAtEnd(text.slice(0, MAX_VALUE))}…` : text;
}

/** What two runs are about in one sentence: what went in otherwise, where they part first and last, and what came of it. */
export function sentenceOf(comparison: Comparison): string {
  const { inputs, rows, divergences } = comparison;
  const isAskedOtherwise = inputs.some(({ what }) => what === 'prompt');
  const [head, ...behind] = divergences;
  // That they were asked something else is said with what went in.
  const isPromptAlone = isAskedOtherwise && head?.from === 0 && head.to === 1 && head.kind === 'prompt';
  const [first, ...rest] = isPromptAlone ? behind : divergences;
  const parts: string[] = [];
  if (inputs.length > 0) parts.push(inputsWords(inputs));
  if (first) appendAll(parts, [firstWords(comparison, first), ...laterWords(first, rest, rows)]);
  else if (inputs.length > 0) parts.push(t`every step is the same`);
  else parts.push(rows.length === 1 ? t`The same in 1 step` : t`The same in all ${count(rows.length)} steps`);
  if (!first && comparison.counts.style > 0)
    parts.push(t`${count(comparison.counts.style)} of them in other words`);
  appendAll(parts, cameWords(comparison));
  const text = parts.join('; ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** What an input is called, and whose it is. */
export function inputName({ what, of }: Pick<InputDifference, 'what' | 'of'>): string {
  const name = inLanguage(INPUT_WORDS[what]);
  return of === undefined ? name : t`${name} of ${of}`;
}

function inputsWords(inputs: Comparison['inputs']): string {
  const [only] = inputs;
  const names = joined(inputs.map(inputName));
  const isOne = inputs.length === 1 && only?.what !== 'tools' && only?.what !== 'models';
  return isOne ? t`another ${names}` : t`other ${names}`;
}

const sides = () => ({ left: t`left`, right: t`right` });

/** The numbers of the step that a row begins with. */
function placeOf({ left, right }: Row): string {
  const [a, b] = [left?.number, right?.number];
  if (a !== undefined && b !== undefined && a !== b) return t`step ${a} left, ${b} right`;
  return t`step ${a ?? b ?? 0}`;
}

function firstWords({ rows }: Comparison, divergence: Divergence): string {
  const row = rows[divergence.from];
  if (!row) return '';
  const isFirst = divergence.from === 0;
  const start = isFirst ? t`different from the first step` : t`the same until ${placeOf(row)}`;
  return `${start}: ${whatWords(row, rows.slice(divergence.from, divergence.to))}`;
}

function whatWords(row: Row, part: readonly Row[]): string {
  const { left, right } = sides();
  const { kind, left: a, right: b } = row;
  if (a && b) {
    if (kind === 'arguments') {
      const [changed] = row.changed ?? [];
      const what = a.kind === 'agent' ? t`both asked ${a.name}` : t`both called ${a.name}`;
      if (!changed || changed.path === '')
        return t`${what}, ${left} with ${cut(a.about)}, ${right} with ${cut(b.about)}`;
      return t`${what}, with another ${changed.path}: ${valueWords(changed.left)} ${left}, ${valueWords(changed.right)} ${right}`;
    }
    if (kind === 'result') {
      if (a.end === b.end) return t`both ${didWords(a)}, with another result`;
      return t`both ${didWords(a)}, which ${endWords(a.end)} ${left} and ${endWords(b.end)} ${right}`;
    }
    return t`${left} ${didWords(a)}, ${right} ${didWords(b)}`;
  }
  const own = a ?? b;
  if (!own) return '';
  const [side, other] = a ? [left, right] : [right, left];
  if (kind === 'moved') return t`${side} ${didWords(own)} there, ${other} at step ${row.movedTo ?? 0}`;
  const opposite = part.find(
    (each) => (a ? each.right && !each.left : each.left && !each.right) && each.kind !== 'moved',
  );
  const found = a ? opposite?.right : opposite?.left;
  if (found)
    return a
      ? t`${left} ${didWords(own)}, ${right} ${didWords(found)}`
      : t`${left} ${didWords(found)}, ${right} ${didWords(own)}`;
  const more = part.filter((each) => (a ? each.left : each.right) && each.kind === kind).length - 1;
  const further =
    more === 1 ? t` and did 1 step more` : more > 1 ? t` and did ${count(more)} steps more` : '';
  return t`${side} ${didWords(own)}${further}, which ${other} did not`;
}

function valueWords(text: string): string {
  return text === '' ? t`none` : cut(text.replace(/\s+/g, ' '));
}

function endWords(end: string): string {
  switch (end) {
    case 'done':
      return t`ended well`;
    case 'failed':
      return t`failed`;
    case 'denied':
      return t`was denied`;
    case 'cancelled':
      return t`was cancelled`;
    case 'timedOut':
      return t`timed out`;
    default:
      return t`never ended`;
  }
}

function laterWords(first: Divergence, rest: readonly Divergence[], rows: readonly Row[]): readonly string[] {
  if (!first.recovers)
    return [first.rejoins ? t`they hardly come together again` : t`they do not come together again`];
  const { rejoins } = first;
  if (!rejoins) return [];
  const together =
    rejoins.left === rejoins.right
      ? t`together again from step ${rejoins.left} on`
      : t`together again from step ${rejoins.left} left, ${rejoins.right} right on`;
  const fork = rest.find(({ recovers }) => !recovers);
  if (fork) {
    const row = rows[fork.from];
    return [together, ...(row ? [t`they part for good at ${placeOf(row)}`] : [])];
  }
  if (rest.length === 0) return [together];
  return [together, rest.length === 1 ? t`and 1 detour more` : t`and ${count(rest.length)} detours more`];
}

/** How the runs ended, and what the left one cost less or more. */
function cameWords({ left: a, right: b }: Comparison): readonly string[] {
  const { left, right } = sides();
  const [first, second] = [outcomeWords(a), outcomeWords(b)];
  const words: string[] = [];
  if (first !== '' && first === second) words.push(t`both ${first}`);
  else if (first !== '' || second !== '')
    words.push(
      t`${left} ${first === '' ? t`does not say how it ended` : first}, ${right} ${second === '' ? t`does not say how it ended` : second}`,
    );
  const [less, more]: [string[], string[]] = [[], []];
  for (const { what, left: x, right: y, unit } of deltasOf({ left: a, right: b })) {
    if ((what !== 'cost' && what !== 'duration') || x === undefined || y === undefined || x === y) continue;
    const amount = amountWords(Math.abs(x - y), unit);
    if (amount !== amountWords(0, unit)) (x < y ? less : more).push(amount);
  }
  if (less.length > 0) words.push(t`${left} took ${joined(less)} less`);
  if (more.length > 0) words.push(t`${left} took ${joined(more)} more`);
  return words;
}

/** How a run ended, as far as anything says it: a score before all; '' where nothing does. */
export function outcomeWords(facts: RunFacts): string {
  const isGood = succeeded(facts);
  if (facts.scores.some(({ passed }) => passed !== undefined))
    return isGood === true ? t`succeeded` : t`did not succeed`;
  switch (facts.end) {
    case 'done':
      return t`ended well`;
    case 'failed':
      return t`failed`;
    case 'cancelled':
      return t`was cancelled`;
    case 'limited':
      return t`reached a limit`;
    case 'open':
      return t`never ended`;
    case 'unknown':
      return '';
  }
}

/** An amount as people say it; of undefined, that it is not known. */
export function amountWords(value: number | undefined, unit: Delta['unit']): string {
  if (value === undefined) return t`unknown`;
  if (unit === 'dollars') return formatMoney(dollars(value) ?? NO_MONEY);
  return unit === 'ms' ? formatDuration(value) : count(value);
}

/** The difference of two amounts: `+12`, `−$0.31`; '' where one is not known or there is none. */
export function differenceWords({ left, right, unit }: Pick<Delta, 'left' | 'right' | 'unit'>): string {
  if (left === undefined || right === undefined || left === right) return '';
  return `${right > left ? '+' : '−'}${amountWords(Math.abs(right - left), unit)}`;
}

function joined(parts: readonly string[]): string {
  if (parts.length < 2) return parts[0] ?? '';
  return t`${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}

function count(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}

/** Rows as they are shown: those that differ, and how many are alike between them. */
export type Shown =
  | { readonly alike: number; readonly from: number; readonly row?: undefined }
  | { readonly row: Row; readonly at: number; readonly alike?: undefined };

/** Folds stretches of rows that are alike; `around` of them stay beside each difference. */
export function foldedRows(rows: readonly Row[], around = 1): readonly Shown[] {
  const shown: Shown[] = [];
  const isShown = new Uint8Array(rows.length);
  for (const [at, { kind }] of rows.entries())
    if (kind !== 'same') isShown.fill(1, Math.max(0, at - around), Math.min(rows.length, at + around + 1));
  for (let at = 0; at < rows.length; at++) {
    let end = at;
    while (end < rows.length && isShown[end] === 0) end++;
    // To fold one step would hide it without saving a line.
    if (end - at > 1) {
      shown.push({ alike: end - at, from: at });
      at = end - 1;
      continue;
    }
    const row = rows[at];
    if (row) shown.push({ row, at });
  }
  return shown;
}

/** `12 steps alike`. */
export function alikeWords(steps: number): string {
  return t`${count(steps)} steps alike`;
}

/** What is otherwise in a row, besides its two sides; '' where that says all. */
export function detailWords({ kind, changed, movedTo, left, right }: Row): string {
  if (kind === 'moved') return left ? t`right at step ${movedTo ?? 0}` : t`left at step ${movedTo ?? 0}`;
  if (kind === 'arguments') return (changed ?? []).map(changedWords).join('; ');
  if (kind === 'result' && left && right && left.end !== right.end)
    return t`${endWords(left.end)} → ${endWords(right.end)}`;
  return '';
}

function changedWords({ path, left, right }: Changed): string {
  const values = `${valueWords(left)} → ${valueWords(right)}`;
  return path === '' ? values : `${path}: ${values}`;
}

/** What was replaced before comparing, by what rule, and how often in both. */
export function normalisedWords({ left, right }: Pick<Comparison, 'left' | 'right'>): readonly string[] {
  return (Object.keys(RULES) as Rule[]).flatMap((rule) => {
    const times = (left.normalised[rule] ?? 0) + (right.normalised[rule] ?? 0);
    return times === 0 ? [] : [t`${inLanguage(RULES[rule])} (${count(times)} times)`];
  });
}

/** How sure it is that no shorter way leads from one run to the other; '' where it is. */
export function wayWords({ way }: Pick<Comparison, 'way'>): string {
  if (way === 'anchored')
    return t`Aligned between steps that are unique in both runs, because they are long.`;
  return way === 'banded' ? t`The runs are so long that not every way of aligning them was tried.` : '';
}

/** That something of a source cannot be read; '' where all of it can. */
export function damageWords(name: string, { damaged }: RunFacts): string {
  if (damaged === 0) return '';
  return damaged === 1
    ? t`1 place of ${name} cannot be read: what is missing there may be what differs.`
    : t`${count(damaged)} places of ${name} cannot be read: what is missing there may be what differs.`;
}

/** The kinds of differences, with how many rows are of each: `2 only left`. */
export function countWords({ counts }: Pick<Comparison, 'counts'>): string {
  const kinds = Object.entries(counts) as [Row['kind'], number][];
  const some = kinds.filter(([kind, rows]) => rows > 0 && kind !== 'same');
  return some
    .map(([kind, rows]) => `${count(rows)} ${inLanguage(KIND_WORDS[kind as DifferenceKind])}`)
    .join(', ');
}
