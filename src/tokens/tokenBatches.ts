import { textOf } from '../core/message.js';
import { textParts } from './textParts.js';
import type { Countable } from './tokenQuestion.js';

/** How many UTF-16 code units go to the thread at once: about 5 ms of work. */
const BATCH = 256 * 1024;

/** The weight of a message in a batch besides its text, in the same unit. */
const MESSAGE = 256;

/** Items that go to the thread together, with the index of the original item of each. */
export interface Batch {
  readonly items: Countable[];
  readonly indices: number[];
}

/**
 * Items in order, in batches between which a question can be cancelled and others get their turn. A long text is split
 * into parts whose counts are to be added up.
 */
export function* batchesOf(items: readonly Countable[]): Generator<Batch> {
  let batch: Batch = { items: [], indices: [] };
  let weight = 0;
  for (const [index, item] of items.entries()) {
    for (const part of typeof item === 'string' ? textParts(item, BATCH) : [item]) {
      const added = typeof part === 'string' ? part.length : MESSAGE + textOf(part.content).length;
      if (weight > 0 && weight + added > BATCH) {
        yield batch;
        batch = { items: [], indices: [] };
        weight = 0;
      }
      batch.items.push(part);
      batch.indices.push(index);
      weight += added;
    }
  }
  if (weight > 0) yield batch;
}
