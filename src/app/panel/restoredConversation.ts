import { isObject } from '../../core/message.js';

/**
 * The conversation that a restored panel showed, as its page kept it; undefined where it kept none. Any name may be the
 * id of a conversation: whether there is one is for the stores to say.
 */
export function restoredConversation(state: unknown): string | undefined {
  if (!isObject(state)) return undefined;
  const { conversation } = state;
  return typeof conversation === 'string' && conversation !== '' ? conversation : undefined;
}
