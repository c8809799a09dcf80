import { isObject } from '../../core/message.js';

/** Above this number a record is not remembered, only looked through again. */
const MAX_SEQ = 1 << 25;
/** What a record is marked with in which something was found, or which another one has the number of. */
const DIRTY = 1;

/**
 * Which records were looked through and hold nothing: these need no second search. A record counts as the same by its number
 * and a hash of its id; four bytes each.
 */
export class CleanRecords {
  /** By number: 0 for not seen, DIRTY, or the hash of the id of a clean one. */
  #marks = new Uint32Array(1_024);

  /** Notes whether a record that was looked through holds something. */
  mark(item: unknown, isClean: boolean): void {
    const at = seqOf(item);
    if (at === undefined) return;
    if (at >= this.#marks.length) {
      const grown = new Uint32Array(Math.max(at + 1, 2 * this.#marks.length));
      grown.set(this.#marks);
      this.#marks = grown;
    }
    const own = isClean ? hashOf(item) : DIRTY;
    this.#marks[at] = this.#marks[at] === 0 || this.#marks[at] === own ? own : DIRTY;
  }

  /** Whether this record was looked through and holds nothing. */
  has(item: unknown): boolean {
    const at = seqOf(item);
    const mark = at === undefined ? 0 : (this.#marks[at] ?? 0);
    return mark > DIRTY && mark === hashOf(item);
  }
}

function seqOf(item: unknown): number | undefined {
  if (!isObject(item) || typeof item.id !== 'string' || item.id === '') return undefined;
  const { seq } = item;
  return typeof seq === 'number' && Number.isInteger(seq) && seq >= 0 && seq < MAX_SEQ ? seq : undefined;
}

/** A hash that is neither 0 nor DIRTY. */
function hashOf(item: unknown): number {
  const { id, time } = item as { readonly id: string; readonly time?: unknown };
  let hash = 0x811c9dc5 ^ (typeof time === 'number' ? time : 0);
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return (hash | 2) >>> 0;
}
