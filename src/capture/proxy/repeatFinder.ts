import { createHash } from 'node:crypto';
import { BoundedMap } from '../../core/boundedMap.js';
import { isObject } from '../../core/message.js';
import type { RepeatedParts } from '../../core/repeatedParts.js';

/** Of how many conversations it is remembered what their last request sent. */
const MAX_REMEMBERED = 500;
/** What is shorter, in characters of JSON, is written again: a mark would take as much. */
const MIN_REPEATED = 64;

/** A request as it is written. */
export interface WrittenRequest {
  /** The body without what it repeats. */
  readonly request: unknown;
  /** What it repeats; undefined for nothing. */
  readonly repeats: RepeatedParts | undefined;
}

/** What a request sent, by fingerprints. */
interface Sent {
  readonly exchange: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly entries: ReadonlyMap<string, readonly string[]>;
}

/**
 * Finds what a request repeats of the one before it in its conversation: clients send the instructions, the tools and
 * everything that was said with each request. So a recording grows by what is new.
 */
export class RepeatFinder {
  readonly #last = new BoundedMap<number, Sent>(MAX_REMEMBERED);

  /** Takes a request of a conversation that is written now under the name `exchange`. */
  take(conversation: number, exchange: string, body: unknown): WrittenRequest {
    const before = this.#last.get(conversation);
    const sent = sentBy(exchange, body);
    if (!sent || !isObject(body)) return { request: body, repeats: undefined };
    this.#last.set(conversation, sent);
    const repeats = before && repeatedOf(sent, before);
    if (!repeats) return { request: body, repeats };
    const written = Object.entries(body).flatMap(([name, value]) => {
      if (repeats.fields.includes(name)) return [];
      const count = Object.hasOwn(repeats.entries, name) ? repeats.entries[name] : undefined;
      return [[name, count === undefined ? value : (value as unknown[]).slice(count)]];
    });
    return { request: Object.fromEntries(written) as unknown, repeats };
  }

  /** Takes back what was taken of a conversation, because it could not be written. */
  forget(conversation: number): void {
    this.#last.delete(conversation);
  }
}

/** Fingerprints of a body's fields; undefined where it is no object, or lies too deep to be written. */
function sentBy(exchange: string, body: unknown): Sent | undefined {
  if (!isObject(body)) return undefined;
  const fields = new Map<string, string>();
  const entries = new Map<string, readonly string[]>();
  try {
    for (const [name, value] of Object.entries(body)) {
      if (name === '__proto__') continue;
      if (Array.isArray(value)) {
        const texts = value.map((each) => fingerprint(JSON.stringify(each)));
        entries.set(name, texts);
        continue;
      }
      const text = JSON.stringify(value);
      if (text.length >= MIN_REPEATED) fields.set(name, fingerprint(text));
    }
  } catch {
    return undefined;
  }
  return { exchange, fields, entries };
}

function repeatedOf(sent: Sent, before: Sent): RepeatedParts | undefined {
  const fields = [...sent.fields].flatMap(([name, text]) => (before.fields.get(name) === text ? [name] : []));
  const entries = [...sent.entries].flatMap(([name, texts]) => {
    const count = sameAtStart(texts, before.entries.get(name) ?? []);
    return count > 0 ? [[name, count] as const] : [];
  });
  if (fields.length === 0 && entries.length === 0) return undefined;
  return { exchange: before.exchange, fields, entries: Object.fromEntries(entries) };
}

function sameAtStart(texts: readonly string[], before: readonly string[]): number {
  const end = texts.findIndex((text, at) => text !== before[at]);
  return end < 0 ? texts.length : end;
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
