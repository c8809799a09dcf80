import type { ChatMessage } from '../core/message.js';

/** What a message without any text is taken to weigh, in bytes. */
const BASE = 200;

/** About how many bytes a message holds in memory: two for each character of its texts, plus a constant. */
export function sizeOf(message: ChatMessage): number {
  let characters = message.reasoning_content?.length ?? 0;
  if (typeof message.content === 'string') characters += message.content.length;
  else if (message.content) characters += JSON.stringify(message.content).length;
  for (const call of message.tool_calls ?? []) characters += call.function.arguments.length;
  return BASE + 2 * characters;
}
