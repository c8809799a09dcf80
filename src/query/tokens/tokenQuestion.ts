import type { ChatMessage } from '../../core/message.js';
import type { Encoding } from './encodingForModel.js';

/** Something whose tokens can be counted: a text, or a whole message (see `countMessageTokens`). */
export type Countable = string | ChatMessage;

/** A question to the worker: the tokens of each item. */
export interface TokenQuestion {
  readonly id: number;
  readonly encoding: Encoding;
  readonly items: readonly Countable[];
}

/** The worker's answer: the counts in the order of the items, or why there are none. */
export type TokenAnswer =
  | { readonly id: number; readonly counts: readonly number[] }
  | { readonly id: number; readonly problem: string };
