import { isObject } from '../../core/message.js';

/**
 * The conversation that a restored panel showed, as its page kept it; undefined where it kept none. Any name may be the
 * id of a conversation: whether there is one is for the stores to say. What it showed of an archive has another id each time.
 */
export function restoredConversation(state: unknown): string | undefined {
  if (!isObject(state)) return undefined;
  const { conversation, archived } = state;
  if (archived !== undefined) return undefined;
  return typeof conversation === 'string' && conversation !== '' ? conversation : undefined;
}
