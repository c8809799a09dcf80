import { inBrackets, needsBrackets, partsInBrackets, partsOf } from './edit.js';
import { isLarger } from './checkRows.js';
import { fieldOf } from './fields.js';
import { parseQuery } from './parse.js';
import { printPart, printQuery, printWithin } from './print.js';
import type { All, Order, Part, RowKind, Sequence, Term } from './syntax.js';

/** The question without a part, and that part as it is written. */
export interface Loosened {
  readonly without: string;
  readonly question: string;
}

/**
 * Something that narrows a question: what to add to it. What is added for one field takes the place of what another one
 * added for it (`replaces`), stands beside it, so that either will do (`joins`), or so that both have to hold (`narrows`;
 * of dates the narrower one stays where both are written in the same way).
 */
export interface Refinement {
  readonly refine: string;
  readonly with: 'replaces' | 'joins' | 'narrows';
}

/** Whether a question asks for all that a refinement does, without alternatives and negations. */
export function isRefinedBy(text: string, { refine }: Pick<Refinement, 'refine'>): boolean {
  const [query, wanted] = [readQuery(text), partsIn(refine)];
  if (!query || !wanted || wanted.length === 0) return false;
  const there = partsOf(query).flatMap((part) => partsInBrackets(part) ?? [part]);
  return wanted.every((part) => there.some((each) => asksFor(each, part)));
}

/**
 * The question for some rows with a refinement; without it, where it has it already. An order is refined in what it finds:
 * its left side. What is asked of a larger row stands in brackets where it stood beside something else, so that less is
 * found, never something else. Undefined where the question or the refinement has problems, and where an order would be
 * left without a side.
 */
export function toggleRefinement(
  text: string,
  refinement: Refinement,
  rows: RowKind = 'messages',
): string | undefined {
  const [query, wanted] = [readQuery(text), partsIn(refinement.refine)];
  if (!query || !wanted) return undefined;
  const there = partsOf(query);
  if (isRefinedBy(text, refinement))
    return withParts(
      query,
      there.flatMap((part) => eachIn(part, (parts) => without(parts, wanted))),
    );
  if (refinement.with === 'joins') {
    const joined = there.flatMap((part) => eachIn(part, (of) => of.map((each) => joinedWith(each, wanted))));
    if (printAll(joined) !== printAll(there)) return withParts(query, joined);
  }
  // What is added to an order of a larger row is asked of the row, and not of the message that its left side finds.
  if (query.kind === 'order' && isLarger(rows)) return printAll([orderInBrackets(query), ...wanted]);
  if (refinement.with === 'narrows') {
    const more = wanted.filter((each) => !there.some((part) => isNarrower(part, each)));
    const kept = there.filter((part) => !more.some((each) => isNarrower(each, part)));
    return withParts(query, [...kept, ...more]);
  }
  const fields = new Set(wanted.map(fieldIn));
  const isReplaced = (part: Part) => refinement.with === 'replaces' && fields.has(fieldIn(part));
  const others = there.filter((part) => !isReplaced(part));
  const isAlone = needsBrackets(fieldsOf(wanted), query.kind === 'all' ? others : [], rows);
  // Beside something else, what it said of the same fields is asked of the same message or call, and stays.
  const kept = (isAlone ? there : others).filter((part) => !partsInBrackets(part)?.every(isReplaced));
  return withParts(query, [...kept, ...(isAlone ? [inBrackets(wanted)] : wanted)]);
}

function orderInBrackets(order: Order): Part {
  return { kind: 'group', of: [order], range: order.range };
}

/** A date or a time of day of a calendar: of two that are written so, the text tells which is later. */
const CALENDAR = /^\d{4}-\d\d(?:-\d\d(?:T\d\d:\d\d)?)?$/;

/** Whether all that a term of a date finds is found by another one, as far as their texts tell. */
function isNarrower(part: Part, other: Part): boolean {
  if (part.kind !== 'term' || other.kind !== 'term' || part.field !== other.field) return false;
  const [one, wide] = [dateIn(part), dateIn(other)];
  if (one === undefined || wide === undefined) return false;
  return part.field.endsWith('since') ? one >= wide : one <= wide;
}

function dateIn({ field, values: [only, other] }: Term): string | undefined {
  const isDate = fieldOf({ field }).type === 'date' && only?.kind === 'text' && !other;
  return isDate && CALENDAR.test(only.text) ? only.text : undefined;
}

/** A part as `change` makes it, or what it makes of all that stands in its own brackets. */
function eachIn(part: Part, change: (parts: readonly Part[]) => readonly Part[]): readonly Part[] {
  const inner = partsInBrackets(part);
  if (!inner) return change([part]);
  const changed = change(inner);
  if (changed.length === 0) return [];
  return printAll(changed) === printAll(inner) ? [part] : [inBrackets(changed)];
}

function fieldsOf(parts: readonly Part[]) {
  return parts.flatMap((part) => (part.kind === 'term' ? [fieldOf(part)] : []));
}

function printAll(parts: readonly Part[]): string {
  return parts.map(printPart).join(' ');
}

/** A stretch of time, from one date to another that is excluded. */
export interface TimeStretch {
  readonly since: string;
  readonly before: string;
}

/** What asks for the rows of a kind that began in a stretch of time. */
export function stretchOf({ since, before }: TimeStretch, rows: RowKind): string {
  const began = isLarger(rows) ? 'began.' : '';
  return `${began}since:${since} ${began}before:${before}`;
}

/** The question limited to rows that began in a stretch of time; undefined as for a refinement. */
export function withinTime(text: string, stretch: TimeStretch, rows: RowKind): string | undefined {
  const refine = stretchOf(stretch, rows);
  return isRefinedBy(text, { refine }) ? text : toggleRefinement(text, { refine, with: 'narrows' }, rows);
}

/**
 * The question without each of its parts in turn, the last one first: what may find more. Of an order these are the parts of
 * its left side, where there are several, its right side as one, and each `same:` and `within:`. Empty for a single part.
 */
export function loosened(text: string): readonly Loosened[] {
  const query = readQuery(text);
  if (!query) return [];
  if (query.kind === 'order') {
    const { order, left, right, same, within } = query;
    const limits = [
      ...same.map((each) => ({ ...query, same: same.filter((other) => other !== each) })),
      ...(within ? [{ ...query, within: undefined }] : []),
    ];
    const written = [
      ...same.map((each) => `same:${each}`),
      ...(within ? [`within:${printWithin(within)}`] : []),
    ];
    return [
      ...(left.of.length < 2 ? [] : left.of).map((part) => ({
        without: printPart(part),
        question: printQuery({ ...query, left: { ...left, of: left.of.filter((each) => each !== part) } }),
      })),
      { without: `${order} ${printQuery(right)}`, question: printQuery(left) },
      ...limits.map((looser, at) => ({ without: written[at] ?? '', question: printQuery(looser) })),
    ].reverse();
  }
  if (query.of.length < 2) return [];
  return query.of
    .map((part) => ({
      without: printPart(part),
      question: printQuery({ ...query, of: query.of.filter((each) => each !== part) }),
    }))
    .reverse();
}

function withParts(query: Sequence, of: readonly Part[]): string | undefined {
  const all: All = { kind: 'all', of, range: query.range };
  if (query.kind === 'all') return printQuery(all);
  return of.length === 0 ? undefined : printQuery({ ...query, left: all });
}

function without(parts: readonly Part[], gone: readonly Part[]): readonly Part[] {
  return parts.flatMap((part) => {
    const wanted = gone.find((each) => asksFor(part, each));
    if (!wanted) return [part];
    if (part.kind !== 'term' || wanted.kind !== 'term') return [];
    const values = part.values.filter((value) => !written(wanted).includes(writtenValue(part, value)));
    return values.length === 0 ? [] : [{ ...part, values }];
  });
}

/** Whether a part asks for another: it is the same, or lists its values among others. */
function asksFor(part: Part, wanted: Part): boolean {
  if (part.kind !== 'term' || wanted.kind !== 'term') return printPart(part) === printPart(wanted);
  if (part.field !== wanted.field) return false;
  const there = new Set(written(part));
  return written(wanted).every((value) => there.has(value));
}

/** A part that lists values of a field, with those of a refinement; any other as it is. */
function joinedWith(part: Part, wanted: readonly Part[]): Part {
  const more = wanted.find((each): each is Term => each.kind === 'term' && each.field === fieldIn(part));
  if (!more || part.kind !== 'term') return part;
  const isList = part.values.every(
    (value) => value.kind === 'text' && (value.exact || !value.text.includes('*')),
  );
  return isList ? { ...part, values: [...part.values, ...more.values] } : part;
}

function written(term: Term): readonly string[] {
  return term.values.map((value) => writtenValue(term, value));
}

function writtenValue(term: Term, value: Term['values'][number]): string {
  return printPart({ ...term, values: [value] });
}

function fieldIn(part: Part): string | undefined {
  return part.kind === 'term' ? part.field : undefined;
}

function readQuery(text: string): Sequence | undefined {
  const { query, problems } = parseQuery(text);
  return problems.length > 0 ? undefined : query;
}

function partsIn(refinement: string): readonly Part[] | undefined {
  const query = readQuery(refinement);
  return query?.kind === 'all' ? query.of : undefined;
}
