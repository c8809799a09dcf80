import { isObject, textOf } from '../core/message.js';
import { compactJson } from './jsonText.js';
import { placeOf, type LooseMessage } from './queryItem.js';

/** What a tool answered, as far as its message and record tell. */
export interface ToolResult {
  /** The text of the result. */
  readonly text: string;
  readonly isError: boolean;
  /** How long the tool took; null where nobody told. */
  readonly durationMs: number | null;
  readonly agent: string | null;
}

/** Reads the result that a tool message carries. */
export function toolResultOf(item: unknown, message: LooseMessage): ToolResult {
  const envelope = item !== message && isObject(item) ? item : undefined;
  return {
    text: isObject(message.content) ? compactJson(message.content) : textOf(message.content),
    isError: envelope?.isError === true,
    durationMs: typeof envelope?.durationMs === 'number' ? envelope.durationMs : null,
    agent: placeOf(item).agent ?? null,
  };
}
