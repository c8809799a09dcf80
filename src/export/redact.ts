import { isObject } from '../core/message.js';
import { compactJson, MAX_JSON_DEPTH } from '../query/jsonText.js';
import type { LooseMessage } from '../query/queryItem.js';
import { quotedValues, type Span } from './quotedValues.js';
import { isSecretName, NAMED_SECRETS, SECRET_PATTERNS, SECRET_SIGN, SECRET_WORD } from './secretPatterns.js';

/** Replaces a secret. */
export const REDACTED = '[redacted]';

/** Replaces secrets in texts and messages and counts them. A value without secrets is returned unchanged. */
export class Redactor {
  /** The number of secrets replaced so far. */
  count = 0;

  /** The message, or a copy without its secrets. */
  message(message: LooseMessage): LooseMessage {
    const redacted = this.value(message);
    return isObject(redacted) ? redacted : message;
  }

  /** Any JSON value, or a copy without its secrets. */
  value(value: unknown): unknown {
    return this.#value(value, 0);
  }

  /** The text without its secrets. */
  text(text: string): string {
    if (text.length < SHORTEST_SECRET) return text;
    let clean = text.includes('PRIVATE KEY') ? this.#privateKeys(text) : text;
    if (SECRET_WORD.test(clean)) {
      clean = this.#without(clean, quotedValues(clean));
      for (const pattern of NAMED_SECRETS) clean = clean.replace(pattern, this.#takeOut);
    }
    if (SECRET_SIGN.test(clean)) {
      for (const pattern of SECRET_PATTERNS) clean = clean.replace(pattern, this.#takeOut);
    }
    return clean;
  }

  readonly #takeOut = (_secret: string, kept: unknown): string => {
    this.count++;
    return typeof kept === 'string' ? kept + REDACTED : REDACTED;
  };

  /** Not one lazy pattern, because that would search the whole rest for a missing end again and again. */
  #privateKeys(text: string): string {
    let clean = '';
    let from = 0;
    let end = find(KEY_END, text, 0);
    for (let begin = find(KEY_BEGIN, text, 0); begin; begin = find(KEY_BEGIN, text, from)) {
      if (end && end.start < begin.end) end = find(KEY_END, text, begin.end);
      const isNear = end !== undefined && end.end - begin.start <= MAX_KEY_CHARACTERS;
      const last = isNear ? end : find(KEY_BODY, text, begin.end);
      clean += text.slice(from, begin.start) + REDACTED;
      this.count++;
      from = last?.end ?? begin.end;
    }
    return from === 0 ? text : clean + text.slice(from);
  }

  #without(text: string, spans: readonly Span[]): string {
    let clean = '';
    let from = 0;
    for (const { start, end } of spans) {
      if (text.startsWith(REDACTED, start)) continue;
      clean += text.slice(from, start) + REDACTED;
      this.count++;
      from = end;
    }
    return from === 0 ? text : clean + text.slice(from);
  }

  /** Arguments are searched both as written and as parsed, because escapes can hide names and the starts of keys. */
  #arguments(text: string): string {
    const clean = this.text(text);
    if (!clean.includes('\\') && !SECRET_WORD.test(clean)) return clean;
    const before = this.count;
    const meant = this.#value(parsed(clean), 1);
    return this.count > before ? compactJson(meant) : clean;
  }

  #value(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= MAX_JSON_DEPTH) return '[nested too deep]';
    return Array.isArray(value) ? this.#list(value, depth) : this.#object(value as LooseMessage, depth);
  }

  #list(list: readonly unknown[], depth: number): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const clean = this.#value(list[i], depth + 1);
      if (clean === list[i]) continue;
      copy ??= [...list];
      copy[i] = clean;
    }
    return copy ?? list;
  }

  #object(object: LooseMessage, depth: number): LooseMessage {
    let changes: Map<string, readonly [string, unknown]> | undefined;
    for (const key of Object.keys(object)) {
      const entry = object[key];
      const name = CLEAN_KEYS.has(key) ? key : this.text(key);
      const clean = this.#entry(key, entry, depth);
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
    if (key === 'arguments' && typeof entry === 'string') return this.#arguments(entry);
    if (typeof entry !== 'string' || entry === '' || entry === REDACTED || !isSecretName(key)) {
      return this.#value(entry, depth + 1);
    }
    this.count++;
    return REDACTED;
  }
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

/** The longer keys of nearly every message, known to contain no secret. */
const CLEAN_KEYS: ReadonlySet<string> = new Set([
  'content',
  'tool_calls',
  'tool_call_id',
  'function',
  'arguments',
]);

/** More than the longest private key has: an RSA key of 16,384 bits with its headers. */
const MAX_KEY_CHARACTERS = 20_000;

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** The body of a key whose end is missing. */
const KEY_BODY = /(?:[A-Za-z0-9+/=]{16,}|\s|\\[rn])*/y;

/** The next match of a global or sticky pattern. */
function find(pattern: RegExp, text: string, from: number): Span | undefined {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match ? { start: match.index, end: pattern.lastIndex } : undefined;
}
