import type { Problem } from '../../core/agent.js';
import { isObject } from '../../core/message.js';
import type { Header, HeaderEntry } from './readHeader.js';
import { splitNames } from './toolList.js';

/** Reads typed values from a header, collects problems with them, and keeps track of the keys that were read. */
export class HeaderReader {
  readonly problems: Problem[];
  readonly #entries: ReadonlyMap<string, HeaderEntry>;
  readonly #known = new Set<string>();

  constructor(header: Header) {
    this.#entries = header.entries;
    this.problems = [...header.problems];
  }

  /** The keys that were not read, in the order of the file. */
  get unknownKeys(): string[] {
    return [...this.#entries.keys()].filter((key) => !this.#known.has(key));
  }

  /** The line of each key, from 1. */
  get keyLines(): ReadonlyMap<string, number> {
    return new Map([...this.#entries].map(([key, { line }]) => [key, line]));
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Adds a warning at a key, or without a place where the header has no such key. */
  warn(key: string, message: string): void {
    this.#add('warning', key, message);
  }

  #add(severity: Problem['severity'], key: string, message: string): void {
    const entry = this.#entries.get(key);
    this.problems.push({
      severity,
      message,
      ...(entry && { line: entry.line, column: entry.column }),
    });
  }

  /** Adds an error at a key, or without a place where the header has no such key. */
  fail(key: string, message: string): void {
    this.#add('error', key, message);
  }

  /** The value of the first of `keys` that has a text. */
  text(...keys: string[]): string | undefined {
    return this.#first(keys, (value, key) => {
      if (typeof value === 'string') return value.trim();
      if (typeof value === 'number' || typeof value === 'boolean') return String(value);
      this.warn(key, `'${key}' must be a text.`);
      return undefined;
    });
  }

  /** The value of the first of `keys` that is true or false. */
  flag(...keys: string[]): boolean | undefined {
    return this.#first(keys, (value, key) => {
      if (typeof value === 'boolean') return value;
      if (value === 'true' || value === 'false') return value === 'true';
      this.warn(key, `'${key}' must be true or false.`);
      return undefined;
    });
  }

  /** The value of the first of `keys` that has a whole number of at least 1. */
  count(...keys: string[]): number | undefined {
    return this.#first(keys, (value, key) => {
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
      this.warn(key, `'${key}' must be a whole number of at least 1.`);
      return undefined;
    });
  }

  /** Names, given as a list, as a comma-separated text, or in the old form, a map of names to true or false. */
  names(...keys: string[]): string[] | undefined {
    return this.#first(keys, (value, key) => {
      if (typeof value === 'string') return splitNames(value);
      if (Array.isArray(value)) return this.#listedNames(value, key);
      if (isObject(value)) return Object.keys(value).filter((name) => value[name] === true);
      this.warn(key, `'${key}' must be a list of names.`);
      return [];
    });
  }

  #listedNames(list: readonly unknown[], key: string): string[] {
    return list.flatMap((name) => {
      if (typeof name === 'string' && name.trim() !== '') return [name.trim()];
      this.warn(key, `'${key}' holds an entry that is no name.`);
      return [];
    });
  }

  #first<T>(keys: readonly string[], read: (value: unknown, key: string) => T | undefined): T | undefined {
    let found: T | undefined;
    for (const key of keys) {
      this.#known.add(key);
      const entry = this.#entries.get(key);
      if (found !== undefined || entry === undefined) continue;
      if (entry.value === null) {
        this.warn(key, `'${key}' has no value and counts as missing.`);
        continue;
      }
      found = read(entry.value, key);
    }
    return found;
  }
}
