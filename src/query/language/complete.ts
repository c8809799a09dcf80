import { fieldNamed, FIELDS, KEYWORDS, type Field } from './fields.js';
import { quoted } from './scanner.js';
import { SHARED, type Range } from './syntax.js';

/** Something that may stand at a place of a question. */
export interface Completion {
  /** What is written; a field with its colon. */
  readonly text: string;
  /** What it asks for; '' for a value. */
  readonly meaning: string;
}

/** What may stand at a place, and what of the text it takes the place of. */
export interface Completions extends Range {
  readonly items: readonly Completion[];
}

/** So many are offered at most. */
const MAX_ITEMS = 50;

/**
 * What may be written at an offset. `occurring` gives the values of a field that occur in the transcripts at hand, the most
 * frequent first.
 */
export function completeAt(
  text: string,
  offset: number,
  occurring: (field: Field) => readonly string[],
): Completions {
  const before = text.slice(0, offset);
  const [token = ''] = /(?:[^\s()"]|"(?:[^"\\]|\\.)*"?)*$/.exec(before) ?? [];
  const [rest = ''] = /^[^\s()"]*"?/.exec(text.slice(offset)) ?? [];
  const isInQuotes = (token.match(/"/g) ?? []).length % 2 === 1;
  const end = offset + (isInQuotes || !rest.endsWith('"') ? rest.length : rest.length - 1);
  const keyed = /^(-?)([\p{L}][\p{L}\p{N}_.-]*):(=?)("?)(.*)$/su.exec(token);
  if (keyed) {
    const [, , name = '', , , typed = ''] = keyed;
    return {
      start: offset - typed.length - (keyed[4] ?? '').length,
      end,
      items: valuesFor(name, typed, occurring),
    };
  }
  const typed = token.replace(/^-/, '');
  const listed = listAround(before.slice(0, before.length - token.length));
  if (listed !== undefined && fieldNamed(listed)) {
    const value = typed.replace(/^=?"?/, '');
    return {
      start: offset - value.length - (typed.includes('"') ? 1 : 0),
      end,
      items: valuesFor(listed, value, occurring),
    };
  }
  const items = [...FIELDS, ...KEYWORDS.filter(({ name }) => !fieldNamed(name))]
    .filter(({ name }) => name.startsWith(typed.toLowerCase()))
    .map(({ name, meaning }) => ({ text: `${name}:`, meaning }));
  return { start: offset - typed.length, end, items: typed.startsWith('"') ? [] : items };
}

/** The key whose brackets are open at the end of a text; undefined where there is none. */
function listAround(text: string): string | undefined {
  const open: (string | undefined)[] = [];
  for (const [found, key] of text.matchAll(/"(?:[^"\\]|\\.)*"?|(?:([\p{L}][\p{L}\p{N}_.-]*):)?\(|\)/gsu)) {
    if (found.startsWith('"')) continue;
    if (found === ')') open.pop();
    else open.push(key);
  }
  return open.at(-1);
}

function valuesFor(
  name: string,
  typed: string,
  occurring: (field: Field) => readonly string[],
): readonly Completion[] {
  const field = fieldNamed(name);
  const written = field?.values;
  const values =
    name === 'same' ? SHARED : written === 'occurring' && field ? occurring(field) : (written ?? []);
  const wanted = typed.toLowerCase();
  return (values as readonly string[])
    .filter((value) => value.toLowerCase().startsWith(wanted))
    .slice(0, MAX_ITEMS)
    .map((value) => ({
      text: /^[\p{L}\p{N}_.-]+$/u.test(value) && value !== 'OR' ? value : quoted(value),
      meaning: '',
    }));
}
