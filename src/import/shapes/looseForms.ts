import { isObject } from '../../core/message.js';
import { asText, fields, list, objects, parsed, text, type Fields } from '../reading/fields.js';

/**
 * Messages whose fields mean something else than their names say, rewritten with the names that others use: pieces of
 * Ollama's `generate`, steps of runs of OpenAI's assistants, Cursor's bubbles, code that Open Interpreter ran, chunks of
 * Google's AI Studio. Any other object is given back as it is.
 */
export function usualForm(value: Fields): Fields {
  if (
    typeof value.response === 'string' &&
    typeof value.done === 'boolean' &&
    typeof value.model === 'string'
  )
    return { ...value, role: 'assistant', content: value.response };
  if (value.object === 'thread.run.step') return runStep(value);
  if (typeof value.bubbleId === 'string' && (value.type === 1 || value.type === 2)) return bubble(value);
  if (value.role === 'assistant' && value.type === 'code' && typeof value.format === 'string')
    return code(value);
  if (value.isThought === true && typeof value.text === 'string')
    return { ...value, text: undefined, content: [{ type: 'thinking', text: value.text }] };
  if (typeof value.parts === 'string' && isBlocks(parsed(value.parts)))
    return { ...value, parts: parsed(value.parts) };
  return value;
}

function isBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => isObject(each) && typeof each.type === 'string');
}

/** A step of a run: the calls of tools with what they gave. */
function runStep(value: Fields): Fields {
  const calls = objects(fields(value.step_details).tool_calls).map((call): Fields => {
    const { type, id } = call;
    const own = fields(call[asText(type)]);
    const { name = type, arguments: given = own.input, output = own.outputs ?? own.results } = own;
    return { type: 'tool_call', id, name, arguments: given ?? {}, output };
  });
  return { ...value, type: undefined, role: 'assistant', content: null, tool_calls: calls };
}

function bubble(value: Fields): Fields {
  const { toolCallId, name, rawArgs, params, result, error } = fields(value.toolFormerData);
  const call = {
    type: 'tool_call',
    id: toolCallId,
    name,
    arguments: rawArgs ?? params,
    output: result,
    error,
  };
  const { clientStartTime } = fields(value.timingInfo);
  return {
    ...value,
    type: undefined,
    role: value.type === 1 ? 'user' : 'assistant',
    ...(value.createdAt === undefined && clientStartTime !== undefined && { createdAt: clientStartTime }),
    ...(text(name) !== undefined && { tool_calls: [call] }),
  };
}

function code(value: Fields): Fields {
  const call = { type: 'tool_call', name: value.format, arguments: { code: value.content } };
  return { ...value, type: undefined, content: null, tool_calls: [...list(value.tool_calls), call] };
}
