import { CHARACTERS_PER_TOKEN } from '../../core/usage.js';
import { isOutput } from './messageSize.js';
import type { TokenCount } from './tokens.js';

/** The lengths of texts whose tokens nobody reported, in UTF-16 code units; plain data, so that the catalog can cache it. */
export interface TextLengths {
  /** What went into models. */
  input: number;
  /** What came out of them, without reasoning. */
  output: number;
  /** Reasoning that came out of them. */
  reasoning: number;
}

/** No texts: where a sum starts. */
export const NO_TEXTS: TextLengths = { input: 0, output: 0, reasoning: 0 };

/** Adds a message with a role to the lengths. */
export function addLengths(
  lengths: TextLengths,
  role: string,
  { characters, reasoning }: { readonly characters: number; readonly reasoning: number },
): void {
  if (!isOutput(role)) {
    lengths.input += characters;
    return;
  }
  lengths.output += characters;
  lengths.reasoning += reasoning;
}

/**
 * The tokens of texts that nobody reported, each once, by their length. They stay estimated, because what a model read again
 * with each request is not among them.
 */
export function estimatedTokens({ input, output, reasoning }: TextLengths): TokenCount {
  return { input: byLength(input), output: byLength(output) + byLength(reasoning), estimated: true };
}

/** Estimates of parts that add up to that of the whole: each is what all so far come to, less what those before it did. */
export class EstimatedShares {
  readonly #soFar: TextLengths = { ...NO_TEXTS };

  next({ input, output, reasoning }: TextLengths): TokenCount {
    const before = estimatedTokens(this.#soFar);
    this.#soFar.input += input;
    this.#soFar.output += output;
    this.#soFar.reasoning += reasoning;
    const after = estimatedTokens(this.#soFar);
    return { input: after.input - before.input, output: after.output - before.output, estimated: true };
  }
}

/** So many tokens are guessed for a text of a length. */
export function byLength(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
