import type { ChatMessage } from '../message.js';

/** Counts tokens. Where a counter throws, the count is unknown and nothing else fails. */
export interface TokenCounter {
  /** The number of tokens of a text: a whole number, not negative. */
  count(text: string): number;
  /** The number of tokens of a whole message; absent: `countMessageTokens` (analysis/messageTokens) over `count`. */
  countMessage?(message: ChatMessage): number;
}
