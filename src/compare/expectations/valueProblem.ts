import { RE2JS } from 're2js';
import { schemaProblem } from '../../agents/loop/toolCalls/schemaValidator.js';
import { t } from '../../core/l10n.js';
import { isObject } from '../../core/message.js';
import { nearest } from '../../core/nearest.js';
import { firstCodePoints, messageOf, singleLine } from '../../core/text.js';
import { readDuration } from '../../query/language/amounts.js';
import { planQuery } from '../../query/language/plan.js';
import { problemWords } from '../../query/language/problemWords.js';
import { alternatives, type Shape, type TextForm } from './expectationWords.js';

/** Values that nest deeper are refused; nothing that is expected needs this depth. */
export const MAX_DEPTH = 50;
const SHOWN = 60;

/** What is wrong with a value that must have a shape, but for what stands in it; undefined where nothing is. */
export function problemOf(shape: Shape, value: unknown): string | undefined {
  switch (shape.kind) {
    case 'any':
      return undefined;
    case 'text':
      if (typeof value !== 'string') return t`This must be a text${not(value)}.`;
      if (value === '' && shape.form !== 'any') return t`This must not be empty.`;
      return formProblem(shape.form, value);
    case 'count':
      if (Number.isSafeInteger(value) && (value as number) >= shape.least) return undefined;
      return t`This must be a whole number, at least ${shape.least}${not(value)}.`;
    case 'number':
      if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return undefined;
      return t`This must be a number, at least 0${not(value)}.`;
    case 'choice':
      return shape.of.includes(value as string) ? undefined : choiceProblem(shape.of, value);
    case 'list':
      return Array.isArray(value) ? undefined : t`This must be a list${not(value)}.`;
    case 'map':
    case 'schema':
      if (!isObject(value)) return t`This must be a map of words to values${not(value)}.`;
      if (shape.kind === 'map') return undefined;
      return schemaWords(schemaProblem(value));
    case 'tree':
      return treeProblem(value, 0);
    case 'either':
      return eitherProblem(alternatives(shape), value);
  }
}

function schemaWords(problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : t`This is no JSON Schema that can be used: ${problem}.`;
}

/** The problem of the alternative that was meant: that of the value's own kind, else all that it may be. */
function eitherProblem(shapes: readonly Shape[], value: unknown): string | undefined {
  const problems = shapes.map((shape) => problemOf(shape, value));
  if (problems.includes(undefined)) return undefined;
  const at = shapes.findIndex((shape) => kindOf(shape) === kindOfValue(value));
  if (at >= 0) return problems[at];
  const kinds = shapes.map((shape) =>
    shape.kind === 'choice' ? shape.of.join(', ') : KINDS[kindOf(shape)](),
  );
  return t`This must be ${[...new Set(kinds)].join(t` or `)}${not(value)}.`;
}

type ValueKind = 'text' | 'number' | 'list' | 'map' | 'other';

const KINDS: Readonly<Record<ValueKind, () => string>> = {
  text: () => t`a text`,
  number: () => t`a number`,
  list: () => t`a list`,
  map: () => t`a map`,
  other: () => t`a value`,
};

function kindOf({ kind }: Shape): ValueKind {
  if (kind === 'text' || kind === 'choice') return 'text';
  if (kind === 'count' || kind === 'number') return 'number';
  return kind === 'list' || kind === 'map' ? kind : 'other';
}

function kindOfValue(value: unknown): ValueKind {
  if (Array.isArray(value)) return 'list';
  if (isObject(value)) return 'map';
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'other';
}

function not(value: unknown): string {
  if (value === null || value === undefined) return t`, and nothing stands here`;
  if (typeof value === 'object') return '';
  return t`, not ${shown(JSON.stringify(value))}`;
}

/** The beginning of a text, on one line. */
export function shown(text: string): string {
  const start = firstCodePoints(singleLine(text), SHOWN);
  return start.length < text.length ? `${start}…` : start;
}

function choiceProblem(of: readonly string[], value: unknown): string {
  const [meant] = typeof value === 'string' ? nearest(value, of) : [];
  const hint = meant === undefined ? '' : ` ${t`Did you mean ${meant}?`}`;
  return `${t`This must be one of ${of.join(', ')}${not(value)}.`}${hint}`;
}

/** That a word is not known, and which one was probably meant. */
export function notKnown(name: string, known: readonly string[]): string {
  const [meant] = nearest(name, known);
  return meant === undefined
    ? t`${shown(name)} is not known here; known are ${known.join(', ')}.`
    : t`${shown(name)} is not known here. Did you mean ${meant}?`;
}

function formProblem(form: TextForm, text: string): string | undefined {
  switch (form) {
    case 'plain':
    case 'any':
      return undefined;
    case 'session':
      if (!/^(?:[a-z][a-z\d+.-]+:\/\/)/i.test(text) && text !== '-') return undefined;
      return t`A session is a file beside this one, the id of a conversation, or latest.`;
    case 'pattern':
      return patternProblem(text);
    case 'duration':
      return readDuration(text) === undefined
        ? t`This must be a duration as 90s, 5m or 1h30m${not(text)}.`
        : undefined;
    case 'order':
      return readOrder(text) ? undefined : t`This must be an order as Reviewer after Writer${not(text)}.`;
    case 'question': {
      const planned = planQuery(text, { rows: 'messages', now: 0, timeZone: 'UTC' });
      return planned.ok ? undefined : problemWords(text, planned.problems);
    }
  }
}

/** What is wrong with a pattern; undefined where nothing is. */
export function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return t`This is no pattern of RE2: ${shown(messageOf(error))}`;
  }
}

/** The two names of an order, the first one first. */
export function readOrder(text: string): readonly [first: string, second: string] | undefined {
  const [, one, word, other] = /^\s*(\S.*?)\s+(before|after)\s+(\S.*?)\s*$/.exec(text) ?? [];
  if (one === undefined || other === undefined) return undefined;
  return word === 'before' ? [one, other] : [other, one];
}

function treeProblem(value: unknown, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return t`This is nested too deep.`;
  if (typeof value === 'string' || (value === null && depth > 0)) return undefined;
  const inner = Array.isArray(value)
    ? (value as unknown[])
    : isObject(value)
      ? Object.values(value)
      : undefined;
  if (!inner || inner.length === 0)
    return t`This must be names of agents, each with those below it that it asks${not(value)}.`;
  for (const each of inner) {
    const problem = treeProblem(each, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
