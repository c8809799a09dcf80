import type { ChatMessage } from '../core/message.js';

/** Counts tokens. A counter that throws never breaks a result: the count is then unknown. */
export interface TokenCounter {
  /** The number of tokens of a text; whole and not negative. */
  count(text: string): number;
  /** The number of tokens of a whole message; where absent, the rule of `query/messageTokens` over `count`. */
  countMessage?(message: ChatMessage): number;
}
