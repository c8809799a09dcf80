import { inLanguage, message, t, type Message } from '../../core/l10n.js';
import { fieldOf } from './fields.js';
import type { Comparison, Term, Value } from './syntax.js';
import { readDate } from './amounts.js';

/** What numbers are called, with their verb, where the name of the field alone would not do. */
const AMOUNTS: Readonly<Record<string, Message>> = {
  tokens: message`tokens are`,
  'tokens.in': message`the tokens that went in are`,
  'tokens.out': message`the tokens that were written are`,
  context: message`the tokens that were sent are`,
  'cost.total': message`the cost with all subagents is`,
};

/** What the values of a term ask for, one by one. */
export function termWords(term: Term): readonly string[] {
  const { type } = fieldOf(term);
  const name = term.path.length > 0 ? t`the argument ${term.path.join('.')}` : term.field;
  return term.values.map((value) => valueWords(value, type, name, term));
}

/** What `is:`, `has:` and `approval:` ask for, as a person says it. */
const CHOICES: Readonly<Record<string, Message>> = {
  'is error': message`it is an error`,
  'is message': message`it is a message`,
  'is partial': message`it was cut off`,
  'is compaction': message`it tells of a compaction`,
  'is injected': message`a tool put it there`,
  'is subagent': message`it is the work of a subagent`,
  'is live': message`its session is live`,
  'has image': message`it has a picture`,
  'has reasoning': message`it has reasoning`,
  'has calls': message`it calls tools`,
  'has result': message`it is answered, or an answer`,
  'has note': message`it has a note or a bookmark`,
  'approval approved': message`it was approved`,
  'approval denied': message`it was denied`,
  'approval person': message`it was decided by a person`,
  'approval policy': message`it was decided by the settings`,
  'approval remembered': message`it was decided as before`,
  'approval rule': message`it was decided by an allow rule`,
  'approval hook': message`it was decided by a hook`,
  'approval stopped': message`it was decided because the run was stopped`,
};

function valueWords(value: Value, type: string, name: string, term: Term): string {
  const isWord = term.field === 'word' || term.field === 'content.word';
  const holder = term.field === 'word' ? t`the text` : t`the content`;
  switch (value.kind) {
    case 'compare':
      return comparedWords(value.operator, amountVerb(term, name), amountWords(value.text, type));
    case 'range':
      return t`${amountVerb(term, name)} from ${amountWords(value.from, type)} to ${amountWords(value.to, type)}`;
    case 'pattern':
      return t`${isWord ? holder : name} matches ${`/${value.source}/${value.flags}`}`;
    case 'text':
  }
  const { text, exact } = value;
  const shown = `“${text}”`;
  switch (type) {
    case 'choice': {
      const words = CHOICES[`${term.field} ${text}`];
      return words ? inLanguage(words) : `${term.field}:${text}`;
    }
    case 'date':
      return dateWords(term.field, text);
    case 'path':
      if (exact) return t`it names exactly the file ${shown}`;
      return /[*?]/.test(text) ? t`it names a file like ${shown}` : t`it names the file ${shown}`;
    case 'program':
      if (!text.includes('*')) return t`it runs the program ${shown}`;
      return exact
        ? t`it runs the program with exactly the name ${shown}`
        : t`it runs a program like ${shown}`;
    case 'name':
      if (exact) return t`${name} is exactly ${shown}`;
      return text.includes('*') ? t`${name} is like ${shown}` : t`${name} is ${shown}`;
    case 'argument':
      return exact ? t`${name} is exactly ${shown}` : t`${name} contains ${shown}`;
    default:
      return textWords(isWord ? holder : name, shown, { isWord, exact });
  }
}

function textWords(
  name: string,
  shown: string,
  { isWord, exact }: { readonly isWord: boolean; readonly exact: boolean },
): string {
  if (isWord)
    return exact ? t`${name} has the word ${shown}, in this letter case` : t`${name} has the word ${shown}`;
  return exact ? t`${name} contains ${shown}, in this letter case` : t`${name} contains ${shown}`;
}

/** The beginning of a comparison, `tokens are`. */
function amountVerb({ field }: Term, name: string): string {
  const words = AMOUNTS[field];
  return words ? inLanguage(words) : t`${name} is`;
}

function amountWords(text: string, type: string): string {
  return type === 'money' && !text.startsWith('$') ? `$${text}` : text;
}

function comparedWords(operator: Comparison, verb: string, amount: string): string {
  switch (operator) {
    case '=':
      return `${verb} ${amount}`;
    case '>':
      return t`${verb} more than ${amount}`;
    case '>=':
      return t`${verb} at least ${amount}`;
    case '<':
      return t`${verb} less than ${amount}`;
    case '<=':
      return t`${verb} at most ${amount}`;
  }
}

/** What a date asks for behind `since:` or `before:`, of what happened or of what `began`. */
export function dateWords(field: string, text: string): string {
  const date = readDate(text);
  const verb = field.startsWith('began') ? t`it began` : t`it happened`;
  const isSince = field.endsWith('since');
  if (date?.kind === 'ago')
    return isSince ? t`${verb} within the last ${text}` : t`${verb} more than ${text} ago`;
  if (!isSince) return t`${verb} before ${text}`;
  if (date?.kind !== 'moment') return t`${verb} ${text} or later`;
  if (text.includes('T')) return t`${verb} at ${text} or later`;
  return text.length > 'yyyy-mm'.length ? t`${verb} on ${text} or later` : t`${verb} in ${text} or later`;
}
