import { GenerationMap } from '../../../core/generationMap.js';
import { textHash } from '../argumentHash.js';
import type { Named } from './contextKinds.js';
import { SourceIds } from './sourceIds.js';

/** So many calls of a window, and at most twice as many, are known when their results come: these follow soon. */
const REMEMBERED = 10_000;

/** The tools that are called in a window, by the ids of their calls; of those long ago only where their results stand. */
export class CalledTools {
  readonly #called = new GenerationMap<string, Named>(REMEMBERED);
  readonly #results = new SourceIds();

  /** Adds a call of a tool. */
  add(id: string, of: Named): void {
    this.#called.set(id, of);
  }

  /** What the result at a position answers; undefined where no call has the id. */
  answer(id: string, position: number): Named | undefined {
    const of = this.#called.get(id);
    if (of) this.#results.add(textHash(id), position);
    return of;
  }

  /** Where the result of a call stands; undefined where there is none. */
  resultAt(id: string): number | undefined {
    return this.#results.positionOf(textHash(id));
  }
}
