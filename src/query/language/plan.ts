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
}

/** A plan, or why there is none. */
export type Planned =
  | { readonly ok: true; readonly plan: QueryPlan }
  | { readonly ok: false; readonly problems: readonly QueryProblem[] };

/** Makes a question ready. Throws a RangeError for a time zone that does not exist. */
export function planQuery(asked: string | ParsedQuery, { rows, now, timeZone }: QuerySettings): Planned {
  if (!isTimeZone(timeZone)) throw new RangeError(`There is no time zone '${timeZone}'.`);
  const parsed = typeof asked === 'string' ? parseQuery(asked) : asked;
  const { query } = parsed;
  const problems = problemsIn(parsed, rows);
  if (problems.length > 0) return { ok: false, problems };
  const watch: PatternWatch = { current: undefined };
  const terms = new Map<Term, CompiledTerm>();
  for (const term of termsIn(query)) terms.set(term, compileTerm(term, { now, timeZone }, watch));
  return { ok: true, plan: { rows, now, timeZone, query, terms, watch } };
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
