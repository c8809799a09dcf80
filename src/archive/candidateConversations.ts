import { momentOf, readDate, type QueryClock } from '../query/language/amounts.js';
import type { QueryPlan } from '../query/language/plan.js';
import type { Part, Sequence, Term, Value } from '../query/language/syntax.js';
import type { Parameter } from './archiveConnection.js';
import { foldedName, SEPARATOR } from './archiveText.js';

/** A condition of SQL over a row of `summaries`, called `s`, and what its parameters stand for. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly Parameter[];
}

/**
 * Which conversations may hold an answer to a question, as a condition: it holds for each that does, and for others too.
 * What SQL and the language may understand in two ways (patterns, texts, amounts) is left to the language.
 */
export function candidateCondition({ query, now, timeZone }: QueryPlan): Condition {
  const { sql, values } = ofSequence(query, { now, timeZone });
  let number = 0;
  return { sql: sql.replaceAll(GIVEN, () => `$${++number}`), values };
}

/** What stands for the next parameter until all are numbered; no text of anybody else's is ever part of the SQL. */
const GIVEN = '$?';

const ANY: Condition = { sql: 'TRUE', values: [] };
const NONE: Condition = { sql: 'FALSE', values: [] };

/** The columns that list names in lower case, by the fields that ask for them. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['agent', 's.agents'],
  ['tool', 's.tools'],
  ['model', 's.models'],
  ['role', 's.roles'],
]);

/** Whatever begins in a conversation begins between its beginning and its end. */
const DATES: ReadonlySet<string> = new Set(['since', 'before', 'began.since', 'began.before']);

function ofSequence(sequence: Sequence, clock: QueryClock): Condition {
  const sides = sequence.kind === 'order' ? [sequence.left, sequence.right] : [sequence];
  return all(sides.flatMap(({ of }) => of.map((part) => ofPart(part, clock))));
}

function ofPart(part: Part, clock: QueryClock): Condition {
  // What is negated rules nothing out.
  if (part.kind === 'not') return ANY;
  if (part.kind === 'term') return ofTerm(part, clock);
  return any(part.of.map((sequence) => ofSequence(sequence, clock)));
}

function ofTerm({ field, values }: Term, clock: QueryClock): Condition {
  const list = LISTS.get(field);
  if (list !== undefined) return any(values.map((value) => ofName(list, value)));
  if (DATES.has(field)) return any(values.map((each) => ofDate(field, each, clock)));
  const isError = field === 'is' && values.every((value) => value.kind === 'text' && value.text === 'error');
  return isError ? { sql: 's.has_error', values: [] } : ANY;
}

function ofName(list: string, value: Value): Condition {
  if (value.kind !== 'text') return ANY;
  const name = foldedName(value.text);
  // Names that a column does not hold as they are may be the same there and others here.
  if (name !== value.text.toLowerCase()) return ANY;
  if (value.exact || !name.includes('*'))
    return { sql: `(${list} IS NULL OR ${GIVEN}::text = ANY (${list}))`, values: [name] };
  // All names in one text: a question about the rows of a list within a row is none that every engine takes.
  const pattern = `%${SEPARATOR}${name.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')}${SEPARATOR}%`;
  const names = `'${SEPARATOR}' || array_to_string(${list}, '${SEPARATOR}') || '${SEPARATOR}'`;
  return { sql: `(${list} IS NULL OR ${names} LIKE ${GIVEN}::text)`, values: [pattern] };
}

function ofDate(field: string, value: Value, clock: QueryClock): Condition {
  const date = value.kind === 'text' ? readDate(value.text) : undefined;
  if (!date) return ANY;
  const side = field.endsWith('since') ? 's.ended_ms >=' : 's.began_ms <';
  return { sql: `${side} ${GIVEN}::double precision`, values: [momentOf(date, clock)] };
}

function all(conditions: readonly Condition[]): Condition {
  return joined(
    conditions.filter((condition) => condition !== ANY),
    ' AND ',
    ANY,
  );
}

function any(conditions: readonly Condition[]): Condition {
  return conditions.includes(ANY) ? ANY : joined(conditions, ' OR ', NONE);
}

function joined(conditions: readonly Condition[], by: string, none: Condition): Condition {
  if (conditions.length === 0) return none;
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(by)})`,
    values: conditions.flatMap(({ values }) => values),
  };
}
