import { mementoQuestions } from '../../src/app/panel/mementoQuestions.js';
import type { Memory } from '../../src/app/ports/settings.js';

/** Values that are kept in memory, each as it would be read from a file. */
export class MapMemory implements Memory {
  readonly #values = new Map<string, string>();

  get(key: string): unknown {
    const kept = this.#values.get(key);
    return kept === undefined ? undefined : JSON.parse(kept);
  }

  update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, JSON.stringify(value));
    return Promise.resolve();
  }
}

/** The questions of one person in one workspace, in memory. */
export function memoryQuestions() {
  return mementoQuestions(new MapMemory(), new MapMemory());
}
