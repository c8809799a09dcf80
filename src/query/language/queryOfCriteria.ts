import type { InEitherCase } from '../../core/checkOptions.js';
import { ROLES } from '../../core/messageProblem.js';
import { mayFindRecords } from '../compileCriteria.js';
import { readCriteria, type FilterCriteria, type Names } from '../filterCriteria.js';
import { patternOf, type Needle, type TextCriteria } from '../textTest.js';
import { readCount } from './amounts.js';
import { printQuery } from './print.js';
import type { Part, Range, RowKind, Term, Value } from './syntax.js';

/** Criteria as a question that finds the same: its text, and the rows that it is asked for. */
export interface CriteriaQuery {
  readonly text: string;
  readonly rows: Extract<RowKind, 'messages' | 'records'>;
}

const range: Range = { start: 0, end: 0 };
const NONE: ReadonlySet<unknown> = new Set();

/**
 * Criteria in the language of questions. Throws what `compileCriteria` throws for criteria that are wrong, and a TypeError
 * for a RegExp without the flag `u` or `v`, because every pattern of the language has one of them.
 */
export function queryOfCriteria(criteria: InEitherCase<FilterCriteria>): CriteriaQuery {
  return questionOfChecked(readCriteria(criteria));
}

/** The same for criteria that were checked before, as those are that a page keeps. */
export function questionOfChecked(criteria: FilterCriteria): CriteriaQuery {
  const { role, toolName, agent, depth, run, call, errorsOnly, content, text } = criteria;
  const parts: Part[] = [
    ...namesPart('agent', agent),
    ...namesPart('tool', toolName),
    ...namesPart('role', role, ROLES),
    ...(errorsOnly === true ? [term('is', [{ kind: 'text', text: 'error', exact: false, range }])] : []),
    ...(depth === undefined ? [] : depthPart(depth)),
    ...namesPart('run', run),
    ...namesPart('call', call),
    ...(content === undefined ? [] : [textPart('content', content, criteria)]),
    ...(text === undefined || text === '' ? [] : [textPart('text', text, criteria)]),
  ];
  const findsRecords = role === undefined && toolName === undefined && mayFindRecords(criteria);
  return {
    text: printQuery({ kind: 'all', of: parts, range }),
    rows: findsRecords ? 'records' : 'messages',
  };
}

function term(field: string, values: readonly Value[]): Term {
  return { kind: 'term', field, path: [], values, range };
}

/** What no row is. */
function nothing(): Part[] {
  const isMessage = term('is', [{ kind: 'text', text: 'message', exact: false, range }]);
  return [isMessage, { kind: 'not', of: isMessage, range }];
}

/** `plain`: names of which no other is the same but for its letter case, so that nothing has to say that they are meant exactly. */
function namesPart(field: string, names: Names | undefined, plain: ReadonlySet<unknown> = NONE): Part[] {
  if (names === undefined) return [];
  const list = typeof names === 'string' ? [names] : names;
  if (list.length === 0) return nothing();
  return [
    term(
      field,
      list.map((text) => ({ kind: 'text', text, exact: !plain.has(text), range })),
    ),
  ];
}

function depthPart(depth: number): Part[] {
  const text = String(depth);
  if (readCount(text) !== depth) return nothing();
  return [term('depth', [{ kind: 'compare', operator: '=', text, range }])];
}

function textPart(field: 'content' | 'text', needle: Needle, criteria: TextCriteria): Part {
  const pattern = patternOf(needle, criteria);
  if (pattern) return term(field, [patternValue(pattern)]);
  const { matchCase = false, wholeWord = false } = criteria;
  const text = String(needle);
  // Nothing at all stands in every text, and only a text is asked for.
  if (text === '') return term(field, [{ kind: 'pattern', source: '^', flags: '', range }]);
  const word = field === 'text' ? 'word' : 'content.word';
  return term(wholeWord ? word : field, [{ kind: 'text', text, exact: matchCase, range }]);
}

function patternValue({ source, flags }: RegExp): Value {
  if (!/[uv]/.test(flags))
    throw new TypeError(`The pattern /${source}/${flags} needs the flag u to be asked as a question.`);
  const kept = Array.from(flags)
    .filter((flag) => !'dgu'.includes(flag))
    .sort();
  return { kind: 'pattern', source, flags: kept.join(''), range };
}
