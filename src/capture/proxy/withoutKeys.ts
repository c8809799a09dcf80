import { isObject } from '../../core/message.js';

/** What stands in a recording where a key stood. */
export const LEFT_OUT_KEY = '[key left out]';

/** A body that may be recorded. */
export interface RecordableBody {
  readonly value: unknown;
  /** How many keys were left out of it. */
  readonly count: number;
}

/** The fields that hold what is said, which is recorded as it is, and those in which a tool names its own fields. */
const UNTOUCHED = new Set([
  'messages',
  'input',
  'contents',
  'system',
  'instructions',
  'prompt',
  'choices',
  'output',
  'content',
  'candidates',
  'data',
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
]);
/** Fields whose every text is taken for a key. */
const HOLDERS = new Set(['headers', 'extra_headers', 'http_headers', 'authentication', 'domain_secrets']);
/** Of those, what only says which kind, place or name it is. */
const HARMLESS = new Set(['type', 'domain', 'name']);
const NAMES =
  'authorization(?:_token)?|x-api-key|api[-_]?key|access[-_]?token|auth[-_]?token|bearer[-_]?token|client[-_]?secret|password';
const NAME = new RegExp(`^(?:${NAMES})$`, 'i');
/** Addresses of servers that a model is to ask. */
const ADDRESSES = new Set(['url', 'server_url', 'connector_url']);
/** What lies deeper is no field of an API. */
const MAX_DEPTH = 64;

/** Where a key begins, and headers, in JSON that is not whole or stands in a stream. */
const KEY = new RegExp(`(?<!\\\\)"(?:${NAMES})"\\s*:\\s*"`, 'gi');
const HEADERS = /((?<!\\)"(?:extra_|http_)?headers"\s*:\s*)\{[^{}]*(?:\}|$)/gi;

/**
 * A body without the keys that requests carry for other servers: those of MCP servers and of stores that a model is to
 * use. Everything else stays, and so does a body without any, which is returned itself.
 */
export function withoutKeys(body: unknown): RecordableBody {
  const blanking = new Blanking();
  if (typeof body === 'string') return { value: blanking.text(body), count: blanking.count };
  return { value: blanking.body(body), count: blanking.count };
}

class Blanking {
  count = 0;

  body(body: unknown): unknown {
    return this.#value(body, 0);
  }

  text(text: string): string {
    let [clean, end] = ['', 0];
    for (const { 0: before, index } of text.matchAll(KEY)) {
      // A name within a key.
      if (index < end) continue;
      const start = index + before.length;
      clean += text.slice(end, start) + this.#blank();
      end = endOfString(text, start);
    }
    return (clean + text.slice(end)).replace(
      HEADERS,
      (_, before: string) => `${before}${JSON.stringify({ headers: this.#blank() })}`,
    );
  }

  #blank(): string {
    this.count += 1;
    return LEFT_OUT_KEY;
  }

  #value(value: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH) return value;
    if (!Array.isArray(value)) return this.#fields(value, depth);
    const entries = value as unknown[];
    const clean = entries.map((each) => this.#value(each, depth + 1));
    return clean.some((each, at) => each !== entries[at]) ? clean : value;
  }

  #fields(value: unknown, depth: number): unknown {
    if (!isObject(value)) return value;
    const entries = Object.entries(value);
    const clean = entries.map(
      ([name, each]) => [name, UNTOUCHED.has(name) ? each : this.#field(name, each, depth)] as const,
    );
    return clean.some(([, each], at) => each !== entries[at]?.[1]) ? Object.fromEntries(clean) : value;
  }

  #field(name: string, value: unknown, depth: number): unknown {
    if (HOLDERS.has(name)) return this.#held(value, depth);
    if (typeof value !== 'string') return this.#value(value, depth + 1);
    if (value === '') return value;
    if (NAME.test(name)) return this.#blank();
    return ADDRESSES.has(name) ? this.#address(value) : value;
  }

  /** What a field of keys holds: each text is one. */
  #held(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return value === '' ? value : this.#blank();
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((each) => this.#held(each, depth + 1));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        HARMLESS.has(name) ? each : this.#held(each, depth + 1),
      ]),
    );
  }

  /** An address without what it has before its host and behind its path, which is where keys are put. */
  #address(text: string): string {
    const address = URL.canParse(text) ? new URL(text) : undefined;
    if (!address || !/^https?:$/.test(address.protocol)) return text;
    if (address.username === '' && address.password === '' && address.search === '') return text;
    const query = address.search === '' ? '' : `?${this.#blank()}`;
    const user = address.username === '' && address.password === '' ? '' : `${this.#blank()}@`;
    return `${address.protocol}//${user}${address.host}${address.pathname}${query}`;
  }
}

/** Where the text ends that begins here in JSON: at its closing quote, or with everything. */
function endOfString(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at += 1;
  }
  return text.length;
}
