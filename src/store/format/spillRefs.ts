import { isObject } from '../../core/message.js';
import type { SpillRef } from '../../core/record.js';
import type { ReadRecord } from '../../core/ports/transcript.js';

/** How many references are remembered; others are found through their record. */
const MAX_REMEMBERED = 10_000;

/** The references in a record from a file; malformed ones are left out. */
export function refsOf(record: ReadRecord): SpillRef[] {
  if (record.type !== 'message' || !Array.isArray(record.spill)) return [];
  return (record.spill as unknown[]).filter(isRef);
}

function isRef(value: unknown): value is SpillRef {
  return (
    isObject(value) &&
    (value.field === 'content' || value.field === 'arguments' || value.field === 'reasoning') &&
    (value.index === undefined || typeof value.index === 'number') &&
    typeof value.path === 'string' &&
    typeof value.bytes === 'number' &&
    typeof value.sha256 === 'string'
  );
}

/** The message id in the path of a spilled text, where the id is a valid file name. */
export function idInPath(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const id = /^(.+?)(?:\.(?:content|arguments|reasoning)(?:-\d+)?)?(?:\.escaped)?\.json$/.exec(name)?.[1];
  return id?.includes('~') ? undefined : id;
}

/** References by path, as far as their records have been read. */
export class SpillRefs {
  readonly #refs = new Map<string, SpillRef>();

  remember(records: Iterable<ReadRecord>): void {
    for (const record of records) {
      if (!('spill' in record)) continue;
      for (const ref of refsOf(record)) this.#refs.set(ref.path, ref);
    }
    for (const path of this.#refs.keys()) {
      if (this.#refs.size <= MAX_REMEMBERED) break;
      this.#refs.delete(path);
    }
  }

  get(path: string): SpillRef | undefined {
    return this.#refs.get(path);
  }
}
