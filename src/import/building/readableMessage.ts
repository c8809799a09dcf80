import { isObject, type ContentPart, type ToolCall } from '../../core/message.js';
import { isPart, isToolCall, messageProblem } from '../../core/messageProblem.js';
import type { Fields } from '../reading/fields.js';
import { wordForRole } from '../reading/roleWords.js';

/**
 * A message of another tool in a shape that is read back from the store; the same message where it has one. A role that
 * nobody knows is the name of a speaker, who speaks as an assistant does; what is no text becomes its JSON.
 * `newName` names a call that has no id.
 */
export function readableMessage(message: unknown, newName: () => string): unknown {
  if (!isObject(message)) return message;
  const { role, content, tool_calls: calls } = message;
  const isNamed = !Array.isArray(calls) || calls.every((call) => nameIn(call) !== '');
  if (isNamed && messageProblem(message) === undefined) return message;
  const known = knownRole(role);
  return {
    ...message,
    ...(known !== role && { role: known }),
    content: readableContent(content),
    ...(Array.isArray(calls)
      ? { tool_calls: calls.map((call: unknown) => readableCall(call, newName)) }
      : calls !== undefined && { tool_calls: null }),
  };
}

/** A role by any word and in any letter case; a word for none is a name, which an agent has. */
function knownRole(role: unknown): unknown {
  return messageProblem({ role }) === undefined ? role : (wordForRole(role) ?? 'assistant');
}

function readableContent(content: unknown): string | null | readonly ContentPart[] {
  if (content === undefined || content === null || typeof content === 'string') return content ?? null;
  if (!Array.isArray(content)) return asWords(content);
  return content.map((part: unknown) =>
    isPart(part) ? (part as ContentPart) : { type: 'text', text: asWords(part) },
  );
}

/** What a call is named of which nobody says the tool, so that it is a call in every view. */
const UNNAMED = 'unnamed';

/** The name that a call has; '' for none. */
function nameIn(call: unknown): string {
  const { name } = isObject(call) && isObject(call.function) ? call.function : {};
  return typeof name === 'string' ? name : '';
}

function readableCall(call: unknown, newName: () => string): ToolCall {
  if (isToolCall(call) && nameIn(call) !== '') return call as ToolCall;
  const given: Fields = isObject(call) ? call : {};
  const called: Fields = isObject(given.function) ? given.function : {};
  return {
    ...given,
    id: typeof given.id === 'string' ? given.id : newName(),
    type: 'function',
    function: {
      ...called,
      name: nameIn(call) || UNNAMED,
      arguments: asWords(called.arguments ?? {}),
    },
  };
}

function asWords(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
