import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { isObject } from '../../core/message.js';
import { compactJson, MAX_JSON_DEPTH } from '../../query/numbers/jsonText.js';
import type { UntypedMessage } from '../../query/numbers/transcriptItem.js';
import { ColouredText, hasSequences } from './colouredText.js';
import { secretWords } from './commandWords.js';
import { isExampleKey, isPlaceholder } from './placeholders.js';
import { type WrittenValue, isLikely } from './notations.js';
import { isRedacted, isWithinRedacted, redacted, isSecretName, SECRET_WORD } from './redacted.js';
import { kindOf } from './secretKind.js';
import { isOurField, isOurWord } from './ourWords.js';
import type { SecretRow } from './secretRow.js';
import { mayBeWrapped, mayBeWritten, PlainText } from './plainText.js';
import { ALL_KINDS, SHAPED_KINDS, type SecretKinds } from './secretTable.js';
import type { KnownValues } from './knownValues.js';

/** Names of what is counted or read word by word as often as it is secret. */
const COUNTED = /(?:token|credential)s?$/i;

/** Fewer digits are a flag or a count. */
const MIN_DIGITS = 6;

/** A name as environments have them. */
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;

/** A secret that was found, and where. */
export interface SecretMatch {
  /** What placeholders call it. */
  readonly kind: string;
  /** What a person calls it. */
  readonly name: string;
  readonly value: string;
  /** The text around it, and where in that it begins. */
  readonly text: string;
  readonly start: number;
  /** The fields that lead to that text. */
  readonly path: readonly (string | number)[];
  /** Whether it is no secret, but what one of the further rows finds. */
  readonly isOwn: boolean;
}

/** What becomes of secrets, where not every one is replaced by its kind. */
export interface RedactionRules {
  /** Which of the table are looked for; absent: all. */
  readonly kinds?: SecretKinds;
  /** Further rows, which are tried on every text after those of the table. */
  readonly rows?: readonly SecretRow[];
  /** What is written in the place of a secret; undefined: it stays. */
  readonly judge?: (found: SecretMatch) => string | undefined;
  /** Values that are secrets wherever they stand. */
  readonly known?: KnownValues;
  /** Whether a record was looked through before and holds nothing else than known values, if anything. */
  readonly wasClean?: (record: unknown) => boolean;
}

const ruleKinds: KnownOptions<RedactionRules> = {
  kinds: 'any',
  rows: 'list',
  judge: 'function',
  known: 'object',
  wasClean: 'function',
};

const judgeByKind = ({ kind }: SecretMatch): string => redacted(kind);

/** The kind of a value that only its key gives away. */
const FIELD = { kind: 'named-value', name: 'value of a field', isOwn: false };
/** What is known by its value is named by whoever knows it. */
const KNOWN = { kind: 'known', name: 'known value', isOwn: false };

/** What is told of the row by which something was found. */
type About = Pick<SecretMatch, 'kind' | 'name' | 'isOwn'>;

/** Replaces secrets in texts and messages and counts them. A value without secrets is returned unchanged. */
export class Redactor {
  /** The number of secrets replaced so far. */
  count = 0;
  /** The number of secrets found so far that stay, because that was decided. */
  kept = 0;
  readonly #kinds: SecretKinds;
  /** Those of them that their shape alone gives away. */
  readonly #shaped: SecretKinds;
  readonly #rows: ReadonlySet<SecretRow>;
  readonly #judge: (found: SecretMatch) => string | undefined;
  readonly #known: KnownValues | undefined;
  readonly #wasClean: (record: unknown) => boolean;
  /** Whether only known values are looked for at the moment. */
  #isClean = false;
  readonly #path: (string | number)[] = [];
  /** The text with its lines joined that is searched at the moment. */
  #wrapped: PlainText | undefined;
  /** The text with colours whose plain text is searched at the moment. */
  #coloured: Pick<ColouredText, 'note' | 'settle'> | undefined;

  constructor(rules: RedactionRules = {}) {
    checkOptions(rules, ruleKinds, 'Redactor');
    const { kinds = ALL_KINDS, rows = [], judge = judgeByKind, known, wasClean = () => false } = rules;
    this.#wasClean = wasClean;
    this.#kinds = kinds;
    this.#shaped = kinds.only(SHAPED_KINDS);
    this.#rows = new Set(rows);
    this.#judge = judge;
    this.#known = known;
  }

  /** The message, or a copy without its secrets. */
  message(message: UntypedMessage): UntypedMessage {
    const clean = this.value(message);
    return isObject(clean) ? clean : message;
  }

  /** Any JSON value, or a copy without its secrets. */
  value(value: unknown): unknown {
    return this.#value(value, 0);
  }

  /** A part of a record, or a copy without its secrets. */
  partOf(record: unknown, part: unknown): unknown {
    this.#isClean = this.#wasClean(record);
    try {
      return this.value(part);
    } finally {
      this.#isClean = false;
    }
  }

  /** The text without its secrets. */
  text(text: string): string {
    const joined = !this.#isClean && mayBeWrapped(text) ? this.#withWraps(text) : text;
    const shown = hasSequences(joined) ? this.#withColours(joined) : this.#plain(joined);
    return mayBeWritten(shown) ? this.#withView(new PlainText(shown), this.#kinds) : shown;
  }

  /** What goes on in the next line, as far as its shape alone gives it away: a password may end with its own line. */
  #withWraps(text: string): string {
    const view = new PlainText(text, true);
    this.#wrapped = view;
    try {
      return this.#withView(view, this.#shaped);
    } finally {
      this.#wrapped = undefined;
    }
  }

  /** Searches what a text means, and replaces what is found in the text as it is written. */
  #withView(view: PlainText, kinds: SecretKinds): string {
    if (view.text === view.source) return view.source;
    this.#coloured = view;
    this.#plain(view.text, kinds);
    this.#coloured = undefined;
    return view.source;
  }

  /** Whether a match is one that is looked for at the moment: of joined lines only what stands on several. */
  #isMeant(start: number, end: number): boolean {
    return this.#wrapped?.isTouched(start, end) ?? true;
  }

  /** Colours stand between a name and its value, and within keys: what is searched is what a terminal shows. */
  #withColours(text: string): string {
    const coloured = new ColouredText(text);
    this.#coloured = coloured;
    const plain = this.#plain(coloured.plain);
    this.#coloured = undefined;
    return coloured.withSequences(plain, (carried) => this.#plain(carried));
  }

  #plain(text: string, kinds = this.#kinds): string {
    let clean = text;
    if (!this.#isClean) {
      const rows = text.length >= SHORTEST_SECRET ? kinds.rowsFor(text) : [];
      for (const row of rows) clean = this.#withoutRow(clean, row);
      for (const row of this.#rows) clean = this.#withoutRow(clean, row);
    }
    const known = this.#known?.spansIn(clean) ?? [];
    return known.length > 0 ? this.#settled(this.#withoutKnown(clean, known)) : clean;
  }

  #withoutRow(text: string, row: SecretRow): string {
    return this.#settled(
      row.find instanceof RegExp
        ? this.#replace(text, row, row.find)
        : this.#without(text, row, row.find(text)),
    );
  }

  #settled(text: string): string {
    this.#coloured?.settle();
    return text;
  }

  #about(row: SecretRow): About {
    return { kind: kindOf(row), name: row.name, isOwn: this.#rows.has(row) };
  }

  /** What is written in the place of a secret; undefined: it stays. */
  #verdict(about: About, value: string, text: string, start: number) {
    const verdict = this.#judge({ ...about, value, text, start, path: this.#path });
    if (verdict === undefined) this.kept++;
    else this.count++;
    return verdict;
  }

  #replace(text: string, row: SecretRow, find: RegExp): string {
    return text.replace(find, (match: string, ...groups: unknown[]) => {
      const kept = typeof groups[0] === 'string' ? groups[0] : '';
      const at = Number(groups[kept === '' && groups[0] !== '' ? 0 : 1]);
      const value = match.slice(kept.length);
      const isCall = kept !== '' && /[([]/.test(text.charAt(at + match.length));
      const isNone = isCall || (kept === '' ? isExampleKey(value) : isPlaceholder(value));
      if (isNone || row.accepts?.(value) === false) return match;
      if (!this.#isMeant(at + kept.length, at + match.length)) return match;
      const verdict = this.#verdict(this.#about(row), value, text, at + kept.length);
      if (verdict === undefined) return match;
      this.#coloured?.note({ start: at + kept.length, end: at + match.length, by: verdict });
      return kept + verdict;
    });
  }

  #without(text: string, row: SecretRow, spans: readonly WrittenValue[]): string {
    let clean = '';
    let from = 0;
    const about = this.#about(row);
    for (const { start, end, quote = '' } of spans) {
      const value = text.slice(start, end);
      // A person may be called like what stands for a secret elsewhere, or like a kind of these.
      if (about.isOwn ? isWithinRedacted(text, start, end) : isPlaceholder(value)) continue;
      if (!this.#isMeant(start, end)) continue;
      const told = this.#verdict(about, value, text, start);
      if (told === undefined) continue;
      const verdict = `${quote}${told}${quote}`;
      this.#coloured?.note({ start, end, by: verdict });
      clean += text.slice(from, start) + verdict;
      from = end;
    }
    return from === 0 ? text : clean + text.slice(from);
  }

  #withoutKnown(text: string, spans: readonly { start: number; end: number; value: string }[]): string {
    let clean = '';
    let from = 0;
    for (const { start, end, value } of spans) {
      if (!this.#isMeant(start, end)) continue;
      const verdict = this.#verdict(KNOWN, value, text, start);
      if (verdict === undefined) continue;
      this.#coloured?.note({ start, end, by: verdict });
      clean += text.slice(from, start) + verdict;
      from = end;
    }
    return from === 0 ? text : clean + text.slice(from);
  }

  /** Arguments are searched both as written and as parsed, because escapes can hide names and the starts of keys. */
  #arguments(text: string): string {
    const clean = this.text(text);
    if (this.#isClean && this.#known?.size === 0) return clean;
    if (!clean.includes('\\') && !SECRET_WORD.test(clean)) return clean;
    const before = this.count;
    const meant = this.#value(parsed(clean), 1);
    return this.count > before ? compactJson(meant) : clean;
  }

  #value(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= MAX_JSON_DEPTH) return '[nested too deep]';
    return Array.isArray(value) ? this.#list(value, depth) : this.#object(value as UntypedMessage, depth);
  }

  #list(given: readonly unknown[], depth: number): readonly unknown[] {
    const list = this.#isClean ? given : this.#withoutSecretWords(given);
    let copy: unknown[] | undefined = list === given ? undefined : [...list];
    for (let i = 0; i < list.length; i++) {
      this.#path.push(i);
      const clean = this.#value(list[i], depth + 1);
      this.#path.pop();
      if (clean === list[i]) continue;
      copy ??= [...list];
      copy[i] = clean;
    }
    return copy ?? list;
  }

  #withoutSecretWords(list: readonly unknown[]): readonly unknown[] {
    let clean: unknown[] | undefined;
    for (const { row, word, start } of secretWords(list)) {
      if (!this.#kinds.has(row)) continue;
      const text = String(list[word]);
      this.#path.push(word);
      const verdict = this.#verdict(this.#about(row), text.slice(start), text, start);
      this.#path.pop();
      if (verdict !== undefined) (clean ??= [...list])[word] = text.slice(0, start) + verdict;
    }
    return clean ?? list;
  }

  #object(object: UntypedMessage, depth: number): UntypedMessage {
    const named = isNamedEntry(object);
    let changes: Map<string, readonly [string, unknown]> | undefined;
    for (const key of Object.keys(object)) {
      const entry = object[key];
      this.#path.push(key);
      const name = isOurField(key) ? key : this.text(key);
      const isNamed = named && (key === 'value' || key === 'Value');
      const clean = isNamed ? this.#field(entry, depth) : this.#entry(key, entry, depth);
      this.#path.pop();
      if (clean !== entry || name !== key) (changes ??= new Map()).set(key, [name, clean]);
    }
    if (!changes) return object;
    const free = freeNames(Object.keys(object));
    return Object.fromEntries(
      Object.entries(object).map(([key, entry]) => {
        const [name, clean] = changes.get(key) ?? [key, entry];
        return [name === key ? key : free(name), clean];
      }),
    );
  }

  #entry(key: string, entry: unknown, depth: number): unknown {
    if (isOurWord(key, entry)) return entry;
    if (key === 'arguments' && typeof entry === 'string') return this.#arguments(entry);
    if (isSecretNumber(key, entry)) return this.#field(`${entry}`, depth, entry);
    if (typeof entry === 'object' && entry !== null) return this.#value(this.#within(key, entry), depth + 1);
    const isSecret =
      typeof entry === 'string' &&
      entry !== '' &&
      !isRedacted(entry) &&
      isSecretName(key) &&
      !isReference(entry);
    return isSecret ? this.#field(entry, depth) : this.#value(entry, depth + 1);
  }

  /** Where it stays, something else in it may still be found. */
  #field(value: unknown, depth: number, whole = value): unknown {
    const text = String(value);
    return this.#verdict(FIELD, text, text, 0) ?? this.#value(whole, depth + 1);
  }

  /** A list of passwords, or an object with the value of one. */
  #within(key: string, entry: object): object {
    if (Array.isArray(entry)) {
      const list: readonly unknown[] = entry;
      if (!list.some((one) => isSecretWithin(key, one))) return list;
      return list.map((one) => (isSecretWithin(key, one) ? (this.#verdict(FIELD, one, one, 0) ?? one) : one));
    }
    const { value } = entry as { readonly value?: unknown };
    if (!isSecretWithin(key, value)) return entry;
    return { ...entry, value: this.#verdict(FIELD, value, value, 0) ?? value };
  }
}

/** In data a word like `password` may be one; what cannot be one is a placeholder that says what belongs here. */
function isReference(value: string): boolean {
  return /^[$<{%[]/.test(value) && isPlaceholder(value);
}

/** Appends a number to a name that is taken, so that two keys that contained secrets do not become one. */
function freeNames(names: readonly string[]): (wanted: string) => string {
  const taken = new Set(names);
  const counts = new Map<string, number>();
  return (wanted) => {
    let count = counts.get(wanted) ?? 1;
    let name = wanted;
    while (taken.has(name)) name = `${wanted} ${++count}`;
    counts.set(wanted, count);
    taken.add(name);
    return name;
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Models do write arguments that are not JSON; they were searched as text.
    return undefined;
  }
}

/** The length of the shortest URL with a password. */
const SHORTEST_SECRET = 7;

/** Whether a number is a secret, because of what its field is called. */
function isSecretNumber(name: string, value: unknown): value is number {
  return (
    typeof value === 'number' && `${value}`.length >= MIN_DIGITS && !COUNTED.test(name) && isSecretName(name)
  );
}

/** Whether a text is a secret that stands in a list, or as `value` in an object, of a field of this name. */
function isSecretWithin(name: string, value: unknown): value is string {
  if (typeof value !== 'string' || !isLikely(value, 6) || isRedacted(value) || isPlaceholder(value))
    return false;
  return !COUNTED.test(name) && isSecretName(name.replace(/s$/i, ''));
}

/** Whether the `value` of an object is a secret, because of its `name`, as in lists of an environment. */
function isNamedEntry({ name, key, Name, value, Value }: Readonly<Record<string, unknown>>): boolean {
  const own = value ?? Value;
  const called = name ?? key ?? Name;
  if (typeof own !== 'string' || typeof called !== 'string' || !isSecretName(called)) return false;
  if (isRedacted(own) || isPlaceholder(own) || own.length < MIN_DIGITS) return false;
  return isLikely(own, 6) || (VARIABLE.test(called) && !/\s/.test(own));
}
