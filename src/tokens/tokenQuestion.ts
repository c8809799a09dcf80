import type { ChatMessage } from '../core/message.js';
import type { Encoding } from './encodingForModel.js';

/** What has tokens: a text, or a whole message by the rule of `query/messageTokens`. */
export type Countable = string | ChatMessage;

/** Asks the worker for the tokens of each item. */
export interface TokenQuestion {
  readonly id: number;
  readonly encoding: Encoding;
  readonly items: readonly Countable[];
}

/** The worker's answer: the counts in the order of the items, or in words why there are none. */
export type TokenAnswer =
  | { readonly id: number; readonly counts: readonly number[] }
  | { readonly id: number; readonly problem: string };
