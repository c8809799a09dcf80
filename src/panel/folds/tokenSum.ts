import type { TokenCount } from '../../protocol/row.js';
import { tokensOf } from '../rows/rowPlace.js';

/** A sum of tokens, and the number of usages in it. */
export class TokenSum {
  #input = 0;
  #output = 0;
  #estimated = false;
  #count = 0;

  /** Adds a usage from a record; anything else is ignored. */
  add(usage: unknown): void {
    const told = tokensOf(usage);
    if (told) this.addTokens(told);
  }

  addTokens({ input, output, estimated }: TokenCount): void {
    this.#input += input;
    this.#output += output;
    this.#estimated ||= estimated;
    this.#count++;
  }

  /** The sum; undefined before the first usage. */
  get tokens(): TokenCount | undefined {
    if (this.#count === 0) return undefined;
    return { input: this.#input, output: this.#output, estimated: this.#estimated };
  }
}

/** Zero tokens: where a sum starts. */
export const NO_TOKENS: TokenCount = { input: 0, output: 0, estimated: false };
