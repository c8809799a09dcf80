import type { ToolResult } from '../ports/tool.js';

/** A tool's answer that it could not do what was asked, in words for the model. */
export function failure(message: string): ToolResult {
  return { content: message, isError: true };
}

/** A tool's answer. */
export function answer(content: string): ToolResult {
  return { content };
}
