import { textOf } from '../../core/message.js';
import type { LogRecord } from '../../core/record.js';

/** What a record without any text is taken to weigh. */
const BASE = 300;

/** About how many bytes a record holds in memory: two for each character of its long texts, plus a constant. */
export function weightOf(record: LogRecord): number {
  let characters = 0;
  if (record.type === 'message') {
    const { content, tool_calls: calls, reasoning_content: reasoning } = record.message;
    characters = (typeof content === 'string' ? content : textOf(content)).length + (reasoning?.length ?? 0);
    for (const call of calls ?? []) characters += call.function.arguments.length;
  } else if (record.type === 'callStart' || record.type === 'dispatch') {
    characters = record.task.length;
  } else if (record.type === 'approval') {
    characters = record.subject.length;
  }
  return BASE + 2 * characters;
}
