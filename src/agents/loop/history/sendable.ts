import {
  isObject,
  textOf,
  type ChatMessage,
  type ContentPart,
  type ToolCall,
} from '../../../core/message.js';
import { picturesOf } from '../../../core/picture.js';

/** What stands in for an answer that has neither text nor tool calls: most providers refuse an empty one. */
const NO_ANSWER = '(no answer)';

/** The same for a prompt or instructions without a word. */
const NOTHING_SAID = '(empty)';

/** What providers take as the name of a function; a model may still say another one. */
const NAME_LENGTH = 64;
const NAME = new RegExp(`^[\\w-]{1,${NAME_LENGTH}}$`);

/** The name with which a call that names no tool is sent back, because no provider takes an empty one. */
const NO_NAME = 'unnamed';

/** The longest id of a tool call that all providers take; a conversation may move from one to another. */
const ID_LENGTH = 40;

/** Whether an id of a tool call can be sent. */
export function isSendableId(id: string): boolean {
  return id !== '' && id.length <= ID_LENGTH;
}

/**
 * A message as every provider takes it: arguments are the JSON text of an object, nothing is null that need not be.
 * What was recorded is not changed; the message itself is returned where it is fine.
 */
export function sendable(message: ChatMessage): ChatMessage {
  switch (message.role) {
    case 'assistant':
      return sendableAnswer(message);
    case 'tool':
      return typeof message.content === 'string' ? message : sendableResult(message);
    case 'user':
    case 'system':
    case 'developer':
      return sendableSaying(message);
  }
}

/** A prompt or instructions: never empty, and of parts that are some. */
function sendableSaying(message: ChatMessage): ChatMessage {
  const { content } = message;
  if (typeof content === 'string' && content !== '') return message;
  const given: readonly unknown[] = Array.isArray(content) ? content : [];
  const parts = given.filter(isPart);
  if (parts.length === 0) return { ...message, content: NOTHING_SAID };
  return parts.length === given.length ? message : { ...message, content: parts };
}

function isPart(value: unknown): value is ContentPart {
  if (!isObject(value) || typeof value.type !== 'string') return false;
  return value.type !== 'text' || typeof value.text === 'string';
}

/** A tool's answer of parts: one text, and the pictures that can be sent. */
function sendableResult(message: ChatMessage): ChatMessage {
  const { content } = message;
  const text = textOf(content);
  const pictures = picturesOf(content);
  if (pictures.length === 0) return { ...message, content: text };
  const parts = typeof content === 'object' ? content : null;
  if (parts?.length === pictures.length + 1 && parts[0]?.type === 'text') return message;
  return { ...message, content: [{ type: 'text', text }, ...pictures] };
}

function sendableAnswer(message: ChatMessage): ChatMessage {
  const { tool_calls: calls, content, ...rest } = message;
  const text = typeof content === 'string' ? content : textOf(content);
  if (!Array.isArray(calls) || calls.length === 0) {
    if (calls === undefined && content === text && text !== '') return message;
    return { ...rest, content: text === '' ? NO_ANSWER : text };
  }
  const good = calls.map(sendableCall);
  const isGood = good.every((call, index) => call === calls[index]);
  if (isGood && (content === null || content === text)) return message;
  return { ...rest, content: text === '' ? null : text, tool_calls: good };
}

function sendableCall(call: ToolCall): ToolCall {
  const { name, arguments: text } = call.function;
  const goodName = NAME.test(name);
  if (goodName && isObjectText(text)) return call;
  return {
    ...call,
    function: {
      name: goodName ? name : name.slice(0, NAME_LENGTH).replace(/[^\w-]/g, '_') || NO_NAME,
      arguments: isObjectText(text) ? text : wrapped(text),
    },
  };
}

/** Unreadable arguments in a form that is taken, and in which the model still sees what it wrote. */
function wrapped(text: string): string {
  return text.trim() === '' ? '{}' : JSON.stringify({ unreadable: text });
}

function isObjectText(text: string): boolean {
  if (!text.startsWith('{')) return false;
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
