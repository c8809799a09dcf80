import { isObject, type ChatMessage, type ToolCall } from '../core/message.js';

/** What stands in for an answer that has neither text nor tool calls: most providers refuse an empty one. */
export const NO_ANSWER = '(no answer)';

/**
 * A message as every provider takes it: arguments are the JSON text of an object, nothing is null that need not be.
 * What was recorded is not changed; the message itself is returned where it is fine.
 */
export function sendable(message: ChatMessage): ChatMessage {
  switch (message.role) {
    case 'assistant':
      return sendableAnswer(message);
    case 'tool':
    case 'user':
    case 'system':
    case 'developer':
      return message.content === null || message.content === undefined
        ? { ...message, content: '' }
        : message;
  }
}

function sendableAnswer(message: ChatMessage): ChatMessage {
  const { tool_calls: calls, ...rest } = message;
  if (!calls || calls.length === 0) {
    if (message.content && calls === undefined) return message;
    const empty = message.content === '' || message.content === undefined || message.content === null;
    return { ...rest, content: empty ? NO_ANSWER : message.content };
  }
  const good = calls.map(sendableCall);
  return good.every((call, index) => call === calls[index]) ? message : { ...message, tool_calls: good };
}

function sendableCall(call: ToolCall): ToolCall {
  const text = call.function.arguments;
  if (isObjectText(text)) return call;
  const wrapped = text.trim() === '' ? '{}' : JSON.stringify({ unreadable: text });
  return { ...call, function: { ...call.function, arguments: wrapped } };
}

function isObjectText(text: string): boolean {
  if (!text.startsWith('{')) return false;
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
