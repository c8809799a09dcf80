import { textOf } from '../../../core/message.js';
import { endOfCalls, namesIn, fields, type Fields, type SessionHint } from '../hint.js';

/** What a line of a transcript tells of its session. */
export function cursorHint({ role, message }: Fields): SessionHint | undefined {
  const { content } = fields(message);
  if (role === 'user') return { prompt: textOf(content), messages: 1, end: 'prompt' };
  if (role !== 'assistant') return undefined;
  return { messages: 1, end: endOfCalls(namesIn(content, 'tool_use')) };
}
