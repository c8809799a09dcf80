import { ROW_WORDS } from './checkRows.js';
import { fieldNamed, fieldOf, KEYWORDS } from './fields.js';
import { printDuration } from './print.js';
import type { Inside, Order, ParsedQuery, Part, Range, RowKind, Sequence, Term, Value } from './syntax.js';

/** What a part of a question asks for, in prose: for whoever points at it. */
export interface Description extends Range {
  /** What exactly this part asks for. */
  readonly summary: string;
  /** What its field or keyword asks for; absent for brackets and orders. */
  readonly meaning?: string;
  readonly example?: string;
}

/** The whole question as one sentence. */
export function describeQuery(query: Sequence, rows: RowKind): string {
  const several = ROW_WORDS[rows][1];
  if (query.kind === 'all' && query.of.length === 0) return `All ${several}.`;
  return `${several.charAt(0).toUpperCase()}${several.slice(1)} for which ${sequenceWords(query)}.`;
}

/** What the innermost part at an offset asks for; undefined where none stands there. */
export function describeAt({ query }: ParsedQuery, offset: number): Description | undefined {
  const part = partAt(query, offset);
  if (!part) return undefined;
  const summary = `It holds where ${partWords(part)}.`;
  const inner = part.kind === 'not' ? part.of : part;
  const known =
    inner.kind === 'term'
      ? fieldNamed(inner.field)
      : inner.kind === 'inside'
        ? KEYWORDS.find(({ name }) => name === inner.where)
        : undefined;
  return {
    ...part.range,
    summary,
    ...(known && { meaning: `\`${known.name}:\` asks for ${known.meaning}.`, example: known.example }),
  };
}

function partAt(sequence: Sequence, offset: number): Part | undefined {
  const parts = sequence.kind === 'all' ? sequence.of : [...sequence.left.of, ...sequence.right.of];
  const part = parts.find(({ range }) => range.start <= offset && offset <= range.end);
  if (!part) return undefined;
  const inner = part.kind === 'not' ? part.of : part;
  if (inner.kind === 'term') return part;
  for (const each of inner.of) {
    const found = partAt(each, offset);
    if (found) return found;
  }
  return part;
}

function sequenceWords(sequence: Sequence): string {
  return sequence.kind === 'order' ? orderWords(sequence) : sequence.of.map(partWords).join(' and ');
}

function orderWords({ order, left, right, same, within }: Order): string {
  const nearness =
    within &&
    (within.unit === 'rows'
      ? `with at most ${within.most} ${within.most === 1 ? 'row' : 'rows'} between them`
      : `at most ${printDuration(within.most)} apart`);
  const begins = order === 'after' ? 'which begins after one has ended' : 'which has ended before one begins';
  return [
    sequenceWords(left),
    `${begins} for which ${sequenceWords(right)}`,
    ...(same.length > 0 ? [`with the same ${same.join(' and ')}`] : []),
    ...(nearness === undefined ? [] : [nearness]),
  ].join(', ');
}

function partWords(part: Part): string {
  switch (part.kind) {
    case 'not':
      return part.of.kind === 'term' ? `not: ${termWords(part.of)}` : `not (${partWords(part.of)})`;
    case 'group':
      return part.of
        .map((each) => (part.of.length > 1 ? `(${sequenceWords(each)})` : sequenceWords(each)))
        .join(' or ');
    case 'inside':
      return insideWords(part);
    case 'term':
      return termWords(part);
  }
}

function insideWords({ where, of }: Inside): string {
  const words = of.map(sequenceWords).join(', or ');
  if (where === 'in') return `it belongs to a call of an agent for which (${words})`;
  if (where === 'under') return `it belongs to a call below one of an agent for which (${words})`;
  return `one message or tool call in it is one for which (${words})`;
}

const COMPARED = { '=': '', '>': ' more than', '>=': ' at least', '<': ' less than', '<=': ' at most' };

function termWords(term: Term): string {
  const { type } = fieldOf(term);
  const name = term.path.length > 0 ? `the argument ${term.path.join('.')}` : term.field;
  return term.values.map((value) => valueWords(value, type, name, term)).join(' or ');
}

/** What `is:` and `has:` ask for, as a person says it. */
const CHOICES: Readonly<Record<string, string>> = {
  'is error': 'it is an error',
  'is message': 'it is a message',
  'is partial': 'it was cut off',
  'is compaction': 'it tells of a compaction',
  'is subagent': 'it is the work of a subagent',
  'is live': 'its session is live',
  'has image': 'it has a picture',
  'has reasoning': 'it has reasoning',
  'has calls': 'it calls tools',
  'has result': 'it is answered, or an answer',
  'has note': 'it has a note or a bookmark',
};

function valueWords(value: Value, type: string, name: string, term: Term): string {
  const verb = term.field.startsWith('tokens') ? 'are' : 'is';
  const amount = (text: string) => (type === 'money' && !text.startsWith('$') ? `$${text}` : text);
  switch (value.kind) {
    case 'compare':
      return `${name} ${verb}${COMPARED[value.operator]} ${amount(value.text)}`;
    case 'range':
      return `${name} ${verb} from ${amount(value.from)} to ${amount(value.to)}`;
    case 'pattern':
      return `${name} matches /${value.source}/${value.flags}`;
    case 'text':
  }
  const { text, exact } = value;
  const shown = `“${text}”`;
  switch (type) {
    case 'choice':
      if (term.field !== 'approval') return CHOICES[`${term.field} ${text}`] ?? `it ${term.field} ${text}`;
      return text === 'approved' || text === 'denied' ? `it was ${text}` : decidedWords(text);
    case 'date':
      return dateWords(term.field, text);
    case 'path':
      return `it names the file ${shown}`;
    case 'program':
      return `it runs the program ${shown}`;
    case 'name':
      return exact
        ? `${name} is exactly ${shown}`
        : `${name} ${text.includes('*') ? 'is like' : 'is'} ${shown}`;
    case 'argument':
      return exact ? `${name} is exactly ${shown}` : `${name} contains ${shown}`;
    default:
      return `${name} contains ${shown}${exact ? ', in this letter case' : ''}`;
  }
}

function dateWords(field: string, text: string): string {
  const isAgo = /^[\d.]+[a-z]/i.test(text) && !text.includes('-');
  if (field === 'since')
    return isAgo ? `it happened within the last ${text}` : `it happened on ${text} or later`;
  return isAgo ? `it happened more than ${text} ago` : `it happened before ${text}`;
}

/** Who or what decided on a call, after `it was decided`. */
const DECIDED: ReadonlyMap<string, string> = new Map([
  ['person', 'by a person'],
  ['policy', 'by the settings'],
  ['remembered', 'as before'],
  ['rule', 'by an allow rule'],
  ['hook', 'by a hook'],
  ['stopped', 'because the run was stopped'],
]);

function decidedWords(value: string): string {
  return `it was decided ${DECIDED.get(value) ?? value}`;
}
