import { inLanguage, message, t, type Message } from '../../core/l10n.js';
import { messageOf } from '../../core/text.js';
import { readCount, readDate, readDuration, readMoney, readNumber } from './amounts.js';
import { ROLES, type Field, type ValueType } from './fields.js';
import type { Comparison, Range, Value } from './syntax.js';

/** A value as it stands in the text, not yet understood. */
export type RawValue = Range & {
  readonly operator: Comparison | '';
} & (
    | { readonly form: 'word' | 'quoted'; readonly text: string }
    | { readonly form: 'pattern'; readonly text: string; readonly flags: string }
  );

/** What a value of each type looks like, for a person. */
const WANTED: Readonly<Record<ValueType, Message>> = {
  text: message`a text`,
  name: message`a name`,
  choice: message`one of its words`,
  count: message`a number, such as >1000, <=10k or 10..20`,
  money: message`an amount of US dollars, such as >0.10, <=$2 or 1..5`,
  duration: message`a duration with its unit, such as >30s, <500ms, >=1h30m or 1m..5m`,
  date: message`a date, such as 2026-11-01, today, or 7d for the last seven days`,
  path: message`a path, such as src/**/*.ts`,
  program: message`the name of a program, such as rm`,
  argument: message`a text or a number, such as scale or >5`,
};

/** Whether values of a type may be patterns between two `/`. A path may begin with one, so it may not. */
export function mayBePattern(type: ValueType): boolean {
  return type === 'text' || type === 'name' || type === 'argument';
}

/** Understands a value of a field; a text says why it cannot be one. */
export function readValue({ name, type, values }: Field, raw: RawValue): Value | string {
  const { operator, start, end } = raw;
  const range = { start, end };
  if (raw.form === 'pattern') {
    if (operator !== '') return t`A pattern is not compared: leave out what stands before it.`;
    return readPattern(raw.text, raw.flags, range);
  }
  const { text } = raw;
  if (type === 'count' || type === 'money' || type === 'duration') return readAmount(type, raw, range);
  if (type === 'argument' && operator !== '' && operator !== '=') {
    if (readNumber(text) === undefined)
      return t`'${operator}' compares numbers, and '${shown(text)}' is none.`;
    return { kind: 'compare', operator, text, range };
  }
  if (type === 'argument' && operator === '' && raw.form === 'word') {
    const [from = '', to = '', ...more] = text.split('..');
    const [low, high] = [readNumber(from), readNumber(to)];
    if (low !== undefined && high !== undefined && more.length === 0) {
      if (low > high) return t`The range '${shown(text)}' is empty: write the smaller one first.`;
      return { kind: 'range', from, to, range };
    }
    if (
      text.includes('..') &&
      text.split('..').every((each) => each === '' || readNumber(each) !== undefined)
    )
      return t`For one end alone, write >=10 or <=20; a text stands in quotes.`;
  }
  const isExact = operator === '=';
  const isMeant = isExact || raw.form === 'quoted' || text.includes('*');
  if (name === 'role' && !isMeant && text !== '' && !ROLES.includes(text.toLowerCase()))
    return t`role: takes ${orWords([...ROLES])}; not '${shown(text)}'. For a role that another tool made up, write role:=${shown(text)}.`;
  const isWord = raw.form === 'word' && !isExact;
  if (isWord && (type === 'name' || type === 'path') && text.startsWith('!'))
    return notHere(`${name}:${text.slice(1)}`);
  if (isWord && type === 'name' && /[,|]/.test(text))
    return t`One of several is ${name}:(a OR b); this very name stands in quotes.`;
  if (operator !== '' && !isExact)
    return t`${name}: cannot be compared with '${operator}'; it takes ${inLanguage(WANTED[type])}.`;
  if (text === '' && (type !== 'name' || raw.form === 'word'))
    return t`${name}: takes ${inLanguage(WANTED[type])}; an empty one finds nothing.`;
  if (type === 'date') {
    if (isExact) return t`${name}: takes a date without '='.`;
    if (readDate(text) === undefined)
      return t`'${shown(text)}' is no date. ${name}: takes ${inLanguage(WANTED.date)}.`;
  }
  if (type === 'choice') {
    const choice = (values as readonly string[]).find((each) => each === text.toLowerCase());
    if (isExact || choice === undefined) {
      return t`${name}: takes ${(values as readonly string[]).join(', ')}; not '${shown(text)}'.`;
    }
    return { kind: 'text', text: choice, exact: false, range };
  }
  return { kind: 'text', text, exact: isExact, range };
}

/** How amounts of each type are read. */
const AMOUNTS = { count: readCount, money: readMoney, duration: readDuration };

function readAmount(type: keyof typeof AMOUNTS, raw: RawValue, range: Range): Value | string {
  const read = AMOUNTS[type];
  const { operator, text } = raw;
  const [from, to, more] = text.split('..');
  if (operator === '' && from !== undefined && to !== undefined && more === undefined) {
    const [low, high] = [read(from), read(to)];
    if (low !== undefined && high !== undefined) {
      if (low > high) return t`The range '${shown(text)}' is empty: write the smaller one first.`;
      return { kind: 'range', from, to, range };
    }
  }
  if (read(text) === undefined) {
    const unit =
      type === 'duration' && readCount(text) !== undefined ? t` Which unit: ${text}s, ${text}ms?` : '';
    return t`'${shown(text)}' is not ${inLanguage(WANTED[type])}.${unit}`;
  }
  return { kind: 'compare', operator: operator === '' ? '=' : operator, text, range };
}

/** What to do with a sign that other languages deny with. */
export function notHere(meant: string): string {
  return t`Write \`-\` before what must not hold: -${shown(meant)}. A text stands in quotes.`;
}

/** What to do with what begins as a pattern does and is none. */
export function beginsWithSlash(): string {
  return t`This begins with a slash: put it into quotes to look for it as it is.`;
}

/** Flags that a pattern may have; `u` is on anyway, `g` and `d` change nothing about whether it matches. */
const FLAGS = 'imsvy';

function readPattern(source: string, given: string, range: Range): Value | string {
  if (source === '') return t`The pattern is empty. To look for the characters //, put them into quotes.`;
  const flags = [...new Set(given)].filter((flag) => flag !== 'u').sort();
  const unknown = flags.find((flag) => !FLAGS.includes(flag));
  if (unknown !== undefined) {
    return t`${beginsWithSlash()} '${shown(given)}' are no flags of a pattern (i, m, s, u, v and y are).`;
  }
  try {
    compilePattern(source, flags.join('')).test('');
  } catch (error) {
    return t`The pattern cannot be read: ${shown(messageOf(error))}`;
  }
  return { kind: 'pattern', source, flags: flags.join(''), range };
}

/** The pattern of a value. Throws where `readValue` refused it. */
export function compilePattern(source: string, flags: string): RegExp {
  return new RegExp(source, flags.includes('v') ? flags : `${flags}u`);
}

/** So much of a person's text is repeated in a problem, in UTF-16 code units. */
const MAX_SHOWN = 60;

/** A text as a problem repeats it: not all of a long one. */
export function shown(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** A text in quotes, as the language reads it. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * The keys in a path as it stands behind `args`, such as `.edits.0."old text"`. A text says why it is no path.
 */
export function readArgumentPath(written: string): readonly string[] | string {
  const keys: string[] = [];
  for (const [, inQuotes, bare = ''] of written.matchAll(/\.(?:"((?:[^"\\]|\\.)*)"|([^."]+))/gs)) {
    if (inQuotes !== undefined) keys.push(inQuotes.replace(/\\(["\\])/g, '$1'));
    else if (!/[[\]]/.test(bare)) keys.push(bare);
    else
      return t`'${shown(bare)}' is no key: write edits.0 for the first of a list, edits alone for any of it, or the key as it is in quotes, ${shown(quoted(bare))}.`;
  }
  return keys;
}

/** Words of which all hold: `a and b`. */
export function andWords(words: readonly string[]): string {
  return words.join(t` and `);
}

/** Words of which any will do: `a or b`. */
export function orWords(words: readonly string[]): string {
  return words.join(t` or `);
}
