import type { ToolResult } from '../../core/ports/tool.js';

/** A tool's error result, with a message for the model. */
export function failure(message: string): ToolResult {
  return { content: message, isError: true };
}

/** A tool's answer. */
export function answer(content: string): ToolResult {
  return { content };
}
