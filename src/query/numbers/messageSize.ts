import { isObject, textOf } from '../../core/message.js';
import { compactJson } from './jsonText.js';
import { INJECTED_ROLE, type UntypedMessage } from './transcriptItem.js';
import { callsOf, rawArgumentsOf } from './toolCalls.js';

/** Who writes what goes into a model; everybody else is an agent, whose messages come out of one. */
const INPUT_ROLES: ReadonlySet<string> = new Set([
  'system',
  'developer',
  'user',
  'human',
  'tool',
  'function',
  INJECTED_ROLE,
]);

/** Whether a message with this role came out of a model. */
export function isOutput(role: string): boolean {
  return !INPUT_ROLES.has(role);
}

/** How many characters a message has that a model reads or writes, without its reasoning; `calls`: those it makes. */
export function charactersOf(message: UntypedMessage, calls = callsOf(message)): number {
  const { content } = message;
  const text = isObject(content) ? compactJson(content) : textOf(content);
  return calls.reduce(
    (sum, { name, input }) => sum + name.length + rawArgumentsOf(input).length,
    text.length,
  );
}
