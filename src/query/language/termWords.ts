import { dateWords } from './dateWords.js';
import { fieldOf } from './fields.js';
import type { Term, Value } from './syntax.js';

const COMPARED = { '=': '', '>': ' more than', '>=': ' at least', '<': ' less than', '<=': ' at most' };

/** What numbers are called, with their verb, where the name of the field alone would not do. */
const AMOUNTS: Readonly<Record<string, string>> = {
  tokens: 'tokens are',
  'tokens.in': 'the tokens that went in are',
  'tokens.out': 'the tokens that were written are',
  context: 'the tokens that were sent are',
  'cost.total': 'the cost with all subagents is',
};

/** What the values of a term ask for, one by one. */
export function termWords(term: Term): readonly string[] {
  const { type } = fieldOf(term);
  const name = term.path.length > 0 ? `the argument ${term.path.join('.')}` : term.field;
  return term.values.map((value) => valueWords(value, type, name, term));
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
  const verb = AMOUNTS[term.field] ?? `${name} is`;
  const amount = (text: string) => (type === 'money' && !text.startsWith('$') ? `$${text}` : text);
  const isWord = term.field === 'word' || term.field === 'content.word';
  const holder = term.field === 'word' ? 'the text' : 'the content';
  switch (value.kind) {
    case 'compare':
      return `${verb}${COMPARED[value.operator]} ${amount(value.text)}`;
    case 'range':
      return `${verb} from ${amount(value.from)} to ${amount(value.to)}`;
    case 'pattern':
      return `${isWord ? holder : name} matches /${value.source}/${value.flags}`;
    case 'text':
  }
  const { text, exact } = value;
  const shown = `“${text}”`;
  const inCase = exact ? ', in this letter case' : '';
  switch (type) {
    case 'choice':
      if (term.field !== 'approval') return CHOICES[`${term.field} ${text}`] ?? `it ${term.field} ${text}`;
      return text === 'approved' || text === 'denied' ? `it was ${text}` : decidedWords(text);
    case 'date':
      return dateWords(term.field, text);
    case 'path':
      if (exact) return `it names exactly the file ${shown}`;
      return /[*?]/.test(text) ? `it names a file like ${shown}` : `it names the file ${shown}`;
    case 'program':
      return text.includes('*') ? `it runs a program like ${shown}` : `it runs the program ${shown}`;
    case 'name':
      return exact
        ? `${name} is exactly ${shown}`
        : `${name} ${text.includes('*') ? 'is like' : 'is'} ${shown}`;
    case 'argument':
      return exact ? `${name} is exactly ${shown}` : `${name} contains ${shown}`;
    default:
      return isWord ? `${holder} has the word ${shown}${inCase}` : `${name} contains ${shown}${inCase}`;
  }
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
