import { codedError } from '../../core/errorCode.js';
import { isTimeZone, type QueryClock } from './amounts.js';
import { parseQuery } from './parse.js';
import { problemsIn } from './question.js';
import { compileTerm, type CompiledTerm, type PatternWatch } from './terms.js';
import type { ParsedQuery, QueryProblem, Part, RowKind, Sequence, Term } from './syntax.js';

/** What a question is asked for, and when and where it is asked. */
export interface QuerySettings extends QueryClock {
  readonly rows: RowKind;
}

/** A question made ready for any number of sessions. */
export interface QueryPlan extends QuerySettings {
  readonly query: Sequence;
  readonly terms: ReadonlyMap<Term, CompiledTerm>;
  readonly watch: PatternWatch;
  /** Whether it looks for anything that may take very long, so that whoever runs it has to limit the time. */
  readonly needsGuard: boolean;
  /** Whether it may do so before any text is read: in names and titles. */
  readonly needsFactGuard: boolean;
  /** Whether it asks for anything but texts in which records and calls of one shape may differ, see `UnitShapes`. */
  readonly needsUnits: boolean;
}

/** A plan, or why there is none. */
export type Planned =
  | { readonly ok: true; readonly plan: QueryPlan }
  | { readonly ok: false; readonly problems: readonly QueryProblem[] };

/** Makes a question ready. Throws a RangeError for a time zone that does not exist. */
export function planQuery(asked: string | ParsedQuery, { rows, now, timeZone }: QuerySettings): Planned {
  if (!isTimeZone(timeZone))
    throw codedError(RangeError, `There is no time zone '${timeZone}'.`, 'UNKNOWN_VALUE');
  const parsed = typeof asked === 'string' ? parseQuery(asked) : asked;
  const { query } = parsed;
  const problems = problemsIn(parsed, rows);
  if (problems.length > 0) return { ok: false, problems };
  const watch: PatternWatch = { current: undefined };
  const terms = new Map<Term, CompiledTerm>();
  for (const term of termsIn(query)) terms.set(term, compileTerm(term, { now, timeZone }, watch));
  const plan = { rows, now, timeZone, query, terms, watch };
  const early = [...terms.keys()].filter((term) => !READ_LATE.has(terms.get(term)?.on ?? ''));
  const needsGuard = isSlow([...terms.keys()]);
  const needsFactGuard = needsGuard && isSlow(early, terms.size);
  const needsUnits = hasOthers(query) || [...terms.values()].some(isOfUnit);
  return { ok: true, plan: { ...plan, needsGuard, needsFactGuard, needsUnits } };
}

function isOfUnit(compiled: CompiledTerm): boolean {
  return compiled.on === 'measure' || (compiled.on === 'facts' && compiled.isOfUnit === true);
}

/** Whether other records and calls decide on some part: in an order, or in `in:`, `under:` and `with:`. */
export function hasOthers(sequence: Sequence): boolean {
  if (sequence.kind === 'order') return true;
  return sequence.of.some((part) => {
    const inner = part.kind === 'not' ? part.of : part;
    return inner.kind === 'inside' || (inner.kind === 'group' && inner.of.some(hasOthers));
  });
}

/** With more values than this, a question may take long on a long text, whatever it asks for. */
const MANY_VALUES = 200;

/** What is tested on texts and arguments, once these are read. */
const READ_LATE: ReadonlySet<string> = new Set(['texts', 'arguments']);

/** `all`: how many terms the question has, where these are only some of them. */
function isSlow(terms: readonly Term[], all = 0): boolean {
  const values = terms.flatMap((term) => term.values.map((value) => ({ field: term.field, value })));
  return (
    Math.max(values.length, all) > MANY_VALUES ||
    values.some(
      ({ field, value }) =>
        value.kind === 'pattern' || (field === 'file' && value.kind === 'text' && /[*?]/.test(value.text)),
    )
  );
}

/** All terms of a question, wherever they stand. */
export function* termsIn(sequence: Sequence): Generator<Term> {
  const sides = sequence.kind === 'all' ? [sequence] : [sequence.left, sequence.right];
  for (const side of sides) for (const part of side.of) yield* termsOf(part);
}

function* termsOf(part: Part): Generator<Term> {
  if (part.kind === 'term') yield part;
  else if (part.kind === 'not') yield* termsOf(part.of);
  else for (const sequence of part.of) yield* termsIn(sequence);
}
