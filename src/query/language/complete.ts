import { inLanguage, t } from '../../core/l10n.js';
import { isMetBy } from './checkRows.js';
import { dateWords } from './termWords.js';
import { fieldNamed, FIELDS, KEYWORDS, ORDER_WORDS, type Field } from './fields.js';
import type { Question } from './question.js';
import { quoted } from './values.js';
import { SHARED, type Range } from './syntax.js';

/** Something that may stand at a place of a question. */
export interface Completion {
  /** What is written; a field with its colon. */
  readonly text: string;
  /** What it asks for; '' for most values. */
  readonly meaning: string;
}

/** What may stand at a place, and what of the text it takes the place of. */
export interface Completions extends Range {
  readonly items: readonly Completion[];
}

/** So many are offered at most. */
const MAX_ITEMS = 50;

/** Dates of which one is what a person mostly means. */
const DATES = ['today', 'yesterday', '1h', '24h', '7d', '30d'];

/**
 * What may be written at an offset of a question. `occurring` gives the values that occur in the transcripts at hand, the
 * most frequent first: of a field by its name, of an argument by `args.` and its name, and of `args` the names of arguments.
 */
export function completeAt(
  { text, rows }: Question,
  offset: number,
  occurring: (name: string) => readonly string[],
): Completions {
  const before = text.slice(0, offset);
  const behind = text.slice(offset);
  const [token = ''] = /(?:[^\s()"]|"(?:[^"\\]|\\.)*"?)*$/.exec(before) ?? [];
  const [rest = ''] = /^[^\s()"]*"?/.exec(behind) ?? [];
  const isInQuotes = (token.match(/"/g) ?? []).length % 2 === 1;
  const end = offset + (isInQuotes || !rest.endsWith('"') ? rest.length : rest.length - 1);
  const place = placeAfter(before.slice(0, before.length - token.length));
  const offered = (field: Field, value?: string) => place.isFree || isMetBy(field, rows, value);
  const values = (name: string, typed: string) => valuesFor(name, typed, occurring, offered);
  const keyed = /^(-?)([\p{L}][\p{L}\p{N}_.-]*):(=?)("?)(.*)$/su.exec(token);
  if (keyed) {
    const [, , name = '', , quote = '', typed = ''] = keyed;
    return { start: offset - typed.length - quote.length, end, items: values(name, typed) };
  }
  const typed = token.replace(/^-/, '');
  if (place.key !== undefined) {
    const value = typed.replace(/^=?"?/, '');
    const start = offset - value.length - (typed.includes('"') ? 1 : 0);
    return {
      start,
      end,
      items: place.mayBeOr ? orFor(typed) : place.key === 'same' ? [] : values(place.key, value),
    };
  }
  const start = offset - typed.length;
  if (typed.startsWith('"')) return { start, end, items: [] };
  const wanted = typed.toLowerCase();
  // An alias is offered to those who begin to write it.
  const names = FIELDS.filter((field) => offered(field)).flatMap(({ name, aliases, meaning }) =>
    [name, ...(typed === '' ? [] : aliases)].map((each) => ({ name: each, meaning })),
  );
  const fields = [...names, ...KEYWORDS.filter(({ name }) => !fieldNamed(name))].map((each) => ({
    text: `${each.name}:`,
    meaning: inLanguage(each.meaning),
  }));
  const words = place.isBehind
    ? ORDER_WORDS.map(({ name, meaning }) => ({ text: name, meaning: inLanguage(meaning) }))
    : [];
  const items = [...fields, ...argumentsFor(typed, occurring), ...words].filter((item) =>
    item.text.toLowerCase().startsWith(wanted),
  );
  // Of a field that stands there already the name is written anew, and its value stays.
  const named = /^[\p{L}\p{N}_.-]*:/u.exec(behind)?.[0].length;
  return {
    start,
    end: named === undefined ? end : offset + named,
    items: [...(place.mayBeOr && place.isBehind ? orFor(typed) : []), ...items],
  };
}

/** The arguments that occur, for whoever has begun to name one. */
function argumentsFor(typed: string, occurring: (name: string) => readonly string[]): readonly Completion[] {
  if (!/^args\./i.test(typed)) return [];
  return occurring('args')
    .slice(0, MAX_ITEMS)
    .map((name) => ({ text: `args.${name}:`, meaning: t`the argument ${name}` }));
}

function orFor(typed: string): readonly Completion[] {
  if (!'or'.startsWith(typed.toLowerCase())) return [];
  return [{ text: 'OR', meaning: t`that what stands before it holds, or what stands behind it` }];
}

/** What stands around a place. */
interface CursorContext {
  /** The key whose brackets are open; undefined where terms may stand. */
  readonly key: string | undefined;
  /** Whether other things than the row may be asked for: in `in:`, `under:` and `with:`, and behind an order. */
  readonly isFree: boolean;
  /** Whether something stands before it, between the same brackets and behind the last `OR`. */
  readonly isBehind: boolean;
  /** Whether `OR` may stand here: of values, where one stands before it. */
  readonly mayBeOr: boolean;
}

const PIECE =
  /"(?:[^"\\]|\\.)*"?|(?:([\p{L}][\p{L}\p{N}_.-]*):|(:))?\(|\)|(?<![^\s()])(?:OR|after|before)(?![^\s()])|[^\s()":]+:?|:/gsu;

/** What is known of the brackets that are open. */
interface Level {
  readonly key: string | undefined;
  readonly isFreeAtStart: boolean;
  isFree: boolean;
  isBehind: boolean;
}

/** What stands around the end of a text. */
function placeAfter(text: string): CursorContext {
  const open: Level[] = [{ key: undefined, isFreeAtStart: false, isFree: false, isBehind: false }];
  for (const [found, key, colon] of text.matchAll(PIECE)) {
    const level = open.at(-1);
    if (!level) break;
    if (found.endsWith('(') && !found.startsWith('"')) {
      const isInside = key !== undefined && /^(?:in|under|with)$/i.test(key);
      const isFree = level.isFree || isInside;
      const of = isInside ? undefined : (key ?? (colon === ':' ? '' : undefined));
      open.push({ key: of, isFreeAtStart: isFree, isFree, isBehind: false });
    } else if (found === ')') {
      if (open.length > 1) open.pop();
      const outer = open.at(-1);
      if (outer) outer.isBehind = true;
    } else if (found === 'OR') {
      level.isBehind = false;
      level.isFree = level.isFreeAtStart;
    } else {
      if (found === 'after' || found === 'before') level.isFree = true;
      level.isBehind = true;
    }
  }
  const { key, isFree, isBehind } = open.at(-1) ?? { key: undefined, isFree: false, isBehind: false };
  return { key, isFree, isBehind, mayBeOr: open.length > 1 && isBehind };
}

function writtenValues(field: Field, occurring: (name: string) => readonly string[]): readonly string[] {
  if (field.type === 'date') return DATES;
  return field.values === 'occurring' ? occurring(field.name) : (field.values ?? []);
}

function valuesFor(
  name: string,
  typed: string,
  occurring: (name: string) => readonly string[],
  offered: (field: Field, value: string) => boolean,
): readonly Completion[] {
  const argument = /^args(\..+)$/i.exec(name)?.[1];
  const field = fieldNamed(argument === undefined ? name : 'args');
  const values =
    argument !== undefined
      ? occurring(`args${argument}`)
      : name === 'same'
        ? SHARED
        : field
          ? writtenValues(field, occurring)
          : [];
  const wanted = typed.toLowerCase();
  const fitting = values.filter((value) => !field || offered(field, value));
  const begun = fitting.filter((value) => value.toLowerCase().startsWith(wanted));
  // Nobody remembers how the path of a file begins.
  const others = fitting.filter((value) => value.toLowerCase().indexOf(wanted) > 0);
  return [...begun, ...others].slice(0, MAX_ITEMS).map((value) => ({
    text: writtenValue(value, field),
    meaning: field?.type === 'date' ? dateWords(field.name, value) : '',
  }));
}

function writtenValue(value: string, field: Field | undefined): string {
  if (/^[\p{L}\p{N}_.-]+$/u.test(value) && value !== 'OR') return value;
  // Without the sign it would be a command line, which is refused.
  return `${field?.type === 'program' && /\s/.test(value) ? '=' : ''}${quoted(value)}`;
}
