import type { ChatMessage } from '../core/message.js';

/** The assumed size of a message without any text, in bytes. */
const BASE = 200;

/** Roughly how many bytes a message takes in memory: two per UTF-16 code unit of its texts, plus a constant. */
export function sizeOf(message: ChatMessage): number {
  let characters = message.reasoning_content?.length ?? 0;
  if (typeof message.content === 'string') characters += message.content.length;
  else if (message.content) characters += JSON.stringify(message.content).length;
  for (const call of message.tool_calls ?? []) characters += call.function.arguments.length;
  return BASE + 2 * characters;
}
