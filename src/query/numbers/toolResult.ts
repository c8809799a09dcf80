import { isObject, textOf } from '../../core/message.js';
import { isFailed } from './failures.js';
import { compactJson } from './jsonText.js';
import { originOf, type UntypedMessage } from './transcriptItem.js';

/** A tool's answer, as far as its message and record tell. */
export interface ToolResult {
  /** The text of the result. */
  readonly text: string;
  /** Whether the tool has failed, see `isFailedRecord`. */
  readonly isError: boolean;
  /** How long the tool took; null where it is unknown. */
  readonly durationMs: number | null;
  readonly agent: string | null;
}

/** Reads the result from a tool message and the record around it. */
export function toolResultOf(item: unknown, message: UntypedMessage): ToolResult {
  const envelope = item !== message && isObject(item) ? item : undefined;
  return {
    text: isObject(message.content) ? compactJson(message.content) : textOf(message.content),
    isError: isFailed(item),
    durationMs: typeof envelope?.durationMs === 'number' ? envelope.durationMs : null,
    agent: originOf(item).agent ?? null,
  };
}
