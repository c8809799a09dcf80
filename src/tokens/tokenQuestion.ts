import type { Encoding } from './encodingForModel.js';

/** Asks the worker for the tokens of each text. */
export interface TokenQuestion {
  readonly id: number;
  readonly encoding: Encoding;
  readonly texts: readonly string[];
}

/** The worker's answer: the counts in the order of the texts, or in words why there are none. */
export type TokenAnswer =
  | { readonly id: number; readonly counts: readonly number[] }
  | { readonly id: number; readonly problem: string };
