import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/canonicalJson.js';
import type { ChatMessage } from '../../core/message.js';
import type { ToolSpec } from '../../core/ports/model.js';

/**
 * The version of the rules by which requests are alike, which is part of every digest:
 *
 * 1. ids of tool calls count by the order in which they come, and so do our own ids in texts, as that of a call in the answer
 *    of an agent; the order of tools does not count; everything else counts as it is.
 */
export const REQUEST_RULES = 1;

/** What is asked besides messages. */
export interface RequestSettings {
  readonly model: string;
  readonly effort?: string | undefined;
  readonly tools: readonly ToolSpec[];
}

/**
 * The digests of the requests of one call: SHA-256 of the canonical JSON (RFC 8785) of what is asked, message by message, each with
 * the digest of all before it, so that a request costs what is new in it.
 */
export class RequestDigest {
  readonly #settings: string;
  readonly #ids = new Map<string, string>();
  #seen = 0;
  #chain: string;

  constructor({ model, effort = '', tools }: RequestSettings) {
    const specs = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
    specs.sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#settings = hashOf(canonicalJson({ rules: REQUEST_RULES, model, effort, tools: specs }));
    this.#chain = this.#settings;
  }

  /** The digest of a request with these messages, hexadecimal; those of the request before come first in it. */
  of(messages: readonly ChatMessage[]): string {
    for (; this.#seen < messages.length; this.#seen++) {
      const message = messages[this.#seen];
      if (message) this.#add(message);
    }
    return this.#chain;
  }

  /** Forgets what it knew, because messages of before are sent no more. */
  reset(): void {
    this.#seen = 0;
    this.#ids.clear();
    this.#chain = this.#settings;
  }

  #add(message: ChatMessage): void {
    const text = canonicalJson(message, (key, value) => this.#normal(key, value));
    this.#chain = hashOf(`${this.#chain}${text}`);
  }

  #normal(key: string, value: unknown): unknown {
    if (typeof value !== 'string') return value;
    if (key === 'id' || key === 'tool_call_id') return this.#mark(value);
    return key === 'content' || key === 'text' ? value.replace(OWN_ID, (id) => this.#mark(id)) : value;
  }

  #mark(id: string): string {
    const mark = this.#ids.get(id) ?? `#${this.#ids.size + 1}`;
    this.#ids.set(id, mark);
    return mark;
  }
}

/** See `newId`. */
const OWN_ID = /\b[crkmt]_[\da-f]{32}\b/g;

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A value with the ids in it replaced as they are for a digest, so that records of two runs can be held against each other. */
export function withoutIds(value: unknown): string {
  const ids = new Map<string, string>();
  return canonicalJson(value, (_key, each) => {
    if (typeof each !== 'string') return each;
    return each.replace(OWN_ID, (id) => {
      const mark = ids.get(id) ?? `#${ids.size + 1}`;
      ids.set(id, mark);
      return mark;
    });
  });
}
