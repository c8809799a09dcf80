import { isObject } from './message.js';

/** The roles that the message of a record may have. */
export const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/** Why a value is no chat-completions message that can be read back; undefined where it is one. */
export function messageProblem(message: unknown): string | undefined {
  if (!isObject(message)) return 'a message that is no object';
  if (!ROLES.has(message.role)) return 'a message of an unknown role';
  const { content, tool_calls: calls } = message;
  if (content !== undefined && content !== null && typeof content !== 'string') {
    if (!Array.isArray(content) || !content.every(isPart))
      return 'a message whose content is neither text nor parts';
  }
  if (calls !== undefined && calls !== null) {
    if (!Array.isArray(calls) || !calls.every(isToolCall)) return 'a message with a malformed tool call';
  }
  return undefined;
}

/** Whether a value is a part of a content list. */
export function isPart(part: unknown): part is Readonly<Record<string, unknown>> {
  return (
    isObject(part) && typeof part.type === 'string' && (part.type !== 'text' || typeof part.text === 'string')
  );
}

/** Whether a value is a tool call with everything that reading one needs. */
export function isToolCall(call: unknown): boolean {
  return (
    isObject(call) &&
    typeof call.id === 'string' &&
    isObject(call.function) &&
    typeof call.function.name === 'string' &&
    typeof call.function.arguments === 'string'
  );
}
