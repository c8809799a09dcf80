import { namedPaths } from '../numbers/namedPaths.js';
import { argumentsOf } from '../numbers/toolCalls.js';
import { programsOf } from './programs.js';

/** Longer values are of no use in a list, in UTF-16 code units. */
const MAX_LENGTH = 120;
/** So many different values of each kind are counted; what comes after them is counted only where it is one of these. */
const MAX_COUNTED = 2_000;
/** Names of arguments that can be written without quotes. */
const PLAIN_NAME = /^[\p{L}][\p{L}\p{N}_-]{0,59}$/u;

/** Values, and how often each was seen. */
class Seen {
  readonly #counts = new Map<string, number>();

  add(value: string): void {
    const count = this.#counts.get(value);
    if (count === undefined && this.#counts.size >= MAX_COUNTED) return;
    this.#counts.set(value, (count ?? 0) + 1);
  }

  /** The most frequent first. */
  get values(): string[] {
    return [...this.#counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
  }
}

/**
 * What the arguments of some tool calls are: the values that completion offers for `file:`, `command:` and `args.…:`, and the
 * names of arguments behind `args.`. Bounded, whatever stands in them.
 */
export class SeenArguments {
  readonly #files = new Seen();
  readonly #programs = new Seen();
  readonly #names = new Seen();
  readonly #values = new Map<string, Seen>();

  /** Counts the arguments of a tool call. */
  add(input: unknown): void {
    for (const path of namedPaths(input)) addTo(this.#files, path);
    for (const program of programsOf(input)) addTo(this.#programs, program);
    for (const [name, value] of Object.entries(argumentsOf(input))) {
      if (!PLAIN_NAME.test(name)) continue;
      this.#names.add(name);
      const seen = this.#values.get(name) ?? new Seen();
      if (this.#values.size < MAX_COUNTED) this.#values.set(name, seen);
      for (const each of Array.isArray(value) ? (value as unknown[]).slice(0, MAX_COUNTED) : [value])
        if (typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean')
          addTo(seen, String(each));
    }
  }

  /** The values of a field that asks for arguments, the most frequent first; none of any other. */
  of(name: string): readonly string[] {
    if (name === 'file') return this.#files.values;
    if (name === 'command') return this.#programs.values;
    if (name === 'args') return this.#names.values;
    return name.startsWith('args.') ? (this.#values.get(name.slice('args.'.length))?.values ?? []) : [];
  }
}

/** Whether the arguments of tool calls have to be looked at for the values of a field. */
export function isOfArguments(name: string): boolean {
  return name === 'file' || name === 'command' || name === 'args' || name.startsWith('args.');
}

function addTo(seen: Seen, value: string): void {
  if (value !== '' && value.length <= MAX_LENGTH && !/[\r\n]/.test(value)) seen.add(value);
}
