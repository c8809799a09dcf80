import { isObject } from '../../src/core/message.js';

const messageKeys: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'name', 'tool_calls'],
  tool: ['role', 'content', 'tool_call_id'],
};

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * What the strictest providers refuse about a request, in words; undefined where nothing. Stricter than most:
 * unknown keys, empty answers, unreadable arguments, unpaired calls and wrong order are all refused. `alsoTaken` are
 * keys of answers that one provider knows beyond the protocol.
 */
export function violationOf(body: unknown, alsoTaken: readonly string[] = []): string | undefined {
  if (!isObject(body)) return 'the body is not an object';
  if (typeof body.model !== 'string' || body.model === '') return 'model is missing';
  if (body.stream !== true) return 'stream is not true';
  return violationOfTools(body.tools) ?? violationOfHistory(body.messages, alsoTaken);
}

function violationOfTools(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.length === 0) return 'tools is not a list with something in it';
  const names = new Set<string>();
  for (const tool of tools as unknown[]) {
    if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function))
      return 'a tool is no function';
    const { name, parameters } = tool.function;
    if (typeof name !== 'string' || !NAME.test(name)) return `bad tool name ${String(name)}`;
    if (names.has(name)) return `two tools named ${name}`;
    names.add(name);
    if (!isObject(parameters)) return `the parameters of ${name} are not an object`;
  }
  return undefined;
}

/** Follows a history message by message, with the calls that wait for their answer. */
export function violationOfHistory(messages: unknown, alsoTaken: readonly string[] = []): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return 'messages is empty';
  const open = new Set<string>();
  for (const [index, message] of (messages as unknown[]).entries()) {
    const problem = violationOfMessage(message, open, alsoTaken);
    if (problem !== undefined) return `messages[${index}]: ${problem}`;
  }
  if (open.size > 0) return `calls without an answer at the end: ${[...open].join(', ')}`;
  const last: unknown = messages.at(-1);
  return isObject(last) && last.role === 'assistant' ? 'the last message is an answer' : undefined;
}

function violationOfMessage(
  message: unknown,
  open: Set<string>,
  alsoTaken: readonly string[],
): string | undefined {
  if (!isObject(message)) return 'not an object';
  const role = String(message.role);
  const allowed = messageKeys[role];
  if (!allowed) return `unknown role ${role}`;
  const extra = Object.keys(message).find(
    (key) => !allowed.includes(key) && !(role === 'assistant' && alsoTaken.includes(key)),
  );
  if (extra !== undefined) return `unknown key ${extra}`;
  if (role === 'tool') return violationOfAnswer(message, open);
  if (open.size > 0) return `${role} before the answers to ${[...open].join(', ')}`;
  if (role === 'assistant') return violationOfAssistant(message, open);
  return hasContent(message.content) ? undefined : `${role} without content`;
}

function violationOfAnswer(
  message: Readonly<Record<string, unknown>>,
  open: Set<string>,
): string | undefined {
  const id = message.tool_call_id;
  if (typeof id !== 'string' || !open.delete(id)) return `answer without a call: ${String(id)}`;
  return typeof message.content === 'string' ? undefined : 'tool content is not a text';
}

function violationOfAssistant(
  message: Readonly<Record<string, unknown>>,
  open: Set<string>,
): string | undefined {
  const calls = message.tool_calls;
  if (calls === undefined) return hasContent(message.content) ? undefined : 'assistant says nothing';
  if (!Array.isArray(calls) || calls.length === 0) return 'tool_calls is not a list with something in it';
  if (message.content !== null && typeof message.content !== 'string') return 'content beside calls is odd';
  for (const call of calls as unknown[]) {
    if (!isObject(call) || call.type !== 'function' || !isObject(call.function))
      return 'a call is no function';
    const { id } = call;
    const { name, arguments: text } = call.function;
    if (typeof id !== 'string' || id === '' || id.length > 40) return `bad call id ${String(id)}`;
    if (open.has(id)) return `call id twice: ${id}`;
    if (typeof name !== 'string' || !NAME.test(name)) return `bad name of a call: ${String(name)}`;
    if (typeof text !== 'string' || !isObjectText(text))
      return `arguments are not an object: ${String(text)}`;
    open.add(id);
  }
  return undefined;
}

function hasContent(content: unknown): boolean {
  return (typeof content === 'string' && content !== '') || (Array.isArray(content) && content.length > 0);
}

function isObjectText(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
