import { isObject } from '../../core/message.js';
import type { LogRecord } from '../../core/record.js';

/** What a record without any text is taken to weigh. */
const BASE = 300;

/** About how many bytes a record holds in memory: two for each character of its long texts, plus a constant. */
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

/** The characters of a content, the pictures in its parts included. */
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
