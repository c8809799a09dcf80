import type { BodyBudget } from '../servers/requestBody.js';
import type { SentBody } from './exchanges.js';

/** Collects a copy of a body that goes past, up to a number of bytes and within what all copies may hold together. */
export class BodyCopy {
  readonly #max: number;
  readonly #budget: BodyBudget;
  #chunks: Buffer[] = [];
  #held = 0;
  #length = 0;
  #isLeftOut = false;

  constructor(max: number, budget: BodyBudget) {
    this.#max = max;
    this.#budget = budget;
  }

  add(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#isLeftOut) return;
    if (this.#length > this.#max || !this.#budget.tryTake(chunk.length)) {
      this.#isLeftOut = true;
      this.free();
      return;
    }
    this.#held += chunk.length;
    this.#chunks.push(chunk);
  }

  /** What went past, packed as `encoding` says. What is held stays so until it is freed. */
  sent(encoding: string | undefined): SentBody {
    const bytes = this.#isLeftOut ? undefined : Buffer.concat(this.#chunks);
    this.#chunks = [];
    return { bytes, length: this.#length, encoding };
  }

  /** Gives up what is held. */
  free(): void {
    this.#budget.free(this.#held);
    this.#held = 0;
    this.#chunks = [];
  }
}
