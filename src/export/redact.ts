import { isObject } from '../core/message.js';
import { compactJson, MAX_JSON_DEPTH } from '../analysis/jsonText.js';
import type { UntypedMessage } from '../analysis/transcriptItem.js';
import { isExampleKey, isPlaceholder } from './secrets/placeholders.js';
import type { Span } from './secrets/quotedValues.js';
import { isSecretName, SECRET_WORD } from './secrets/secretNames.js';
import type { SecretRow } from './secrets/secretRow.js';
import { rowsFor } from './secrets/secretTable.js';

/** Replaces a secret. */
export const REDACTED = '[redacted]';

/** Replaces secrets in texts and messages and counts them. A value without secrets is returned unchanged. */
export class Redactor {
  /** The number of secrets replaced so far. */
  count = 0;

  /** The message, or a copy without its secrets. */
  message(message: UntypedMessage): UntypedMessage {
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
    let clean = text;
    for (const row of rowsFor(text)) {
      clean =
        row.find instanceof RegExp
          ? this.#replace(clean, row, row.find)
          : this.#without(clean, row.find(clean));
    }
    return clean;
  }

  #replace(text: string, { accepts }: SecretRow, find: RegExp): string {
    return text.replace(find, (match: string, ...groups: unknown[]) => {
      const kept = typeof groups[0] === 'string' ? groups[0] : '';
      const at = groups[kept === '' && groups[0] !== '' ? 0 : 1];
      const value = match.slice(kept.length);
      const isCall = kept !== '' && /[([]/.test(text.charAt(Number(at) + match.length));
      if (isCall || (kept === '' ? isExampleKey(value) : isPlaceholder(value)) || accepts?.(value) === false)
        return match;
      this.count++;
      return kept + REDACTED;
    });
  }

  #without(text: string, spans: readonly Span[]): string {
    let clean = '';
    let from = 0;
    for (const { start, end } of spans) {
      if (isPlaceholder(text.slice(start, end))) continue;
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
    return Array.isArray(value) ? this.#list(value, depth) : this.#object(value as UntypedMessage, depth);
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

  #object(object: UntypedMessage, depth: number): UntypedMessage {
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
    if (
      typeof entry !== 'string' ||
      entry === '' ||
      entry === REDACTED ||
      !isSecretName(key) ||
      isReference(entry)
    ) {
      return this.#value(entry, depth + 1);
    }
    this.count++;
    return REDACTED;
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

/** The longer keys of nearly every message, known to contain no secret. */
const CLEAN_KEYS: ReadonlySet<string> = new Set([
  'content',
  'tool_calls',
  'tool_call_id',
  'function',
  'arguments',
]);
