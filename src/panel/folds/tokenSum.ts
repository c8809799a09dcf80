import type { TokenCount } from '../../protocol/row.js';
import { tokensOf } from '../rows/rowPlace.js';

/** Tokens added up, and of how many usages. */
export class TokenSum {
  #input = 0;
  #output = 0;
  #estimated = false;
  #count = 0;

  /** Adds a usage as a record may hold it; one that says nothing changes nothing. */
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

  /** Undefined as long as nothing was told. */
  get tokens(): TokenCount | undefined {
    if (this.#count === 0) return undefined;
    return { input: this.#input, output: this.#output, estimated: this.#estimated };
  }
}

/** Zero tokens: where a sum starts. */
export const NO_TOKENS: TokenCount = { input: 0, output: 0, estimated: false };
