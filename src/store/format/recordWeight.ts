import { isObject } from '../../core/message.js';
import type { LogRecord } from '../../core/record.js';

/** The assumed size of a record without any text, in bytes. */
const BASE = 300;

/** Roughly how many bytes a record takes in memory: two per UTF-16 code unit of its long texts, plus a constant. */
export function weightOf(record: LogRecord): number {
  let characters = 0;
  if (record.type === 'message') {
    const { content, tool_calls: calls, reasoning_content: reasoning } = record.message;
    characters = lengthOf(content) + (reasoning?.length ?? 0);
    for (const call of calls ?? []) characters += call.function.arguments.length;
  } else if (record.type === 'callStart' || record.type === 'dispatch') {
    characters = record.task.length;
  } else if (record.type === 'approval') {
    characters = record.subject.length;
  }
  return BASE + 2 * characters;
}

/** The length of a message's content, including the pictures in its parts. */
function lengthOf(content: unknown): number {
  if (typeof content === 'string') return content.length;
  if (!Array.isArray(content)) return 0;
  return (content as unknown[]).reduce<number>((sum, part) => sum + partLength(part), 0);
}

function partLength(part: unknown): number {
  if (!isObject(part)) return 0;
  const { text, image_url: image } = part;
  if (typeof text === 'string') return text.length;
  return isObject(image) && typeof image.url === 'string' ? image.url.length : 0;
}
