import type { ChatMessage } from '../../core/message.js';
import type { Encoding } from './encodingForModel.js';

/** Something whose tokens can be counted: a text, or a whole message (see `countMessageTokens`). */
export type Countable = string | ChatMessage;

/** What the thread that counts answers. */
export interface TokenCalls {
  /** The tokens of each item, in their order. */
  count(encoding: Encoding, items: readonly Countable[]): Promise<readonly number[]>;
}
