import type { Problem } from '../../core/agent.js';
import { atOnce, type Steps } from './steps.js';

/** A value in a file: a line of JSONL, or a whole JSON file. */
export interface Entry {
  /** Undefined where the line could not be parsed, see `raw`. */
  readonly value: unknown;
  /** The line number, from 1; undefined for a whole file. */
  readonly line?: number;
  /** The text that could not be parsed. */
  readonly raw?: string;
  /** Where the value stands in a file of lines, in bytes; see `valueIn`. */
  readonly offset?: number;
  readonly length?: number;
}

/** A file of lines of which any value can be read again. */
export interface SourceOfEntries {
  /** Reads the value again that stands there, in bytes. Throws where the file has changed. */
  valueAt(offset: number, length: number): unknown;
}

/** The values of a file of lines that are read from the disk each time that they are gone through. */
export interface EntriesOnDisk extends Iterable<Entry>, SourceOfEntries {
  /** Why they could not be gone through to their end; undefined while they could. */
  readonly failure: Error | undefined;
}

/** The values of a file, in order, as often as they are asked for. */
export type Entries = readonly Entry[] | EntriesOnDisk;

/** Hears of what cannot be read; see `ImportSink`. */
export interface ProblemSink {
  problem(severity: Problem['severity'], what: string, line?: number): void;
}

/** The first value of a file; undefined where it has none. */
export function firstValue(entries: Entries): unknown {
  for (const { value } of entries) return value;
  return undefined;
}

/** The parsed values of a file, as often as they are asked for, to look at before they are read. */
export function parsedValues(entries: Entries): Iterable<unknown> {
  return {
    *[Symbol.iterator]() {
      for (const { value, raw } of entries) if (raw === undefined) yield value;
    },
  };
}

/** What a test finds in the first value in which it finds anything; undefined where it finds nothing. */
export function foundIn<Found>(
  entries: Entries,
  find: (value: unknown) => Found | undefined,
): Found | undefined {
  return atOnce(foundStepwise(entries, find));
}

/** The same in steps, where it is looked for in all of a file that may be long. */
export function* foundStepwise<Found>(
  entries: Entries,
  find: (value: unknown) => Found | undefined,
): Steps<Found | undefined> {
  for (const value of parsedValues(entries)) {
    const found = find(value);
    if (found !== undefined) return found;
    yield;
  }
  return undefined;
}

/** Whether a test holds for every value of a file. */
export function everyValue(entries: Entries, test: (value: unknown) => boolean): boolean {
  return foundIn(entries, (value) => (test(value) ? undefined : true)) === undefined;
}

/** Whether a file has no values. */
export function isEmpty(entries: Entries): boolean {
  return 'length' in entries && entries.length === 0;
}
