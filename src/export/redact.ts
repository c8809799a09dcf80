import { isObject } from '../core/message.js';
import { compactJson, MAX_JSON_DEPTH } from '../query/jsonText.js';
import type { LooseMessage } from '../query/queryItem.js';
import { quotedValues, type Span } from './quotedValues.js';
import { isSecretName, NAMED_SECRETS, SECRET_PATTERNS, SECRET_SIGN, SECRET_WORD } from './secretPatterns.js';

/** What stands where a secret was. */
export const REDACTED = '[redacted]';

/** Takes secrets out of texts and messages, and counts them. What has none is given back as it is. */
export class Redactor {
  /** How many secrets were taken out. */
  count = 0;

  /** A message without its secrets: a copy, unless it has none. */
  message(message: LooseMessage): LooseMessage {
    const redacted = this.value(message);
    return isObject(redacted) ? redacted : message;
  }

  /** Any JSON value without its secrets: a copy, unless it has none. */
  value(value: unknown): unknown {
    return this.#value(value, 0);
  }

  /** A text without its secrets. */
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

  /** By hand, because a lazy pattern looks through the whole rest for an end that may be missing, again and again. */
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

  /** Arguments are looked at as they are written and as they are meant: escapes hide names and beginnings of keys. */
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

/** Numbers each wanted name that is taken, so that two keys that held secrets do not become one. */
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
    // Models do write arguments that are no JSON; then they are a text and nothing else.
    return undefined;
  }
}

/** A password in the shortest of URLs. */
const SHORTEST_SECRET = 7;

/** The longer keys of nearly every message. */
const CLEAN_KEYS: ReadonlySet<string> = new Set([
  'content',
  'tool_calls',
  'tool_call_id',
  'function',
  'arguments',
]);

/** More than the longest private key takes, an RSA key of 16,384 bits with its headers. */
const MAX_KEY_CHARACTERS = 20_000;

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** What is taken for the body of a key whose end is missing. */
const KEY_BODY = /(?:[A-Za-z0-9+/=]{16,}|\s|\\[rn])*/y;

/** Where a pattern, global or sticky, next matches. */
function find(pattern: RegExp, text: string, from: number): Span | undefined {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match ? { start: match.index, end: pattern.lastIndex } : undefined;
}
