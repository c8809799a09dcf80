import { asText, fields, list, number, objects, parsed, text, type Fields } from '../reading/fields.js';
import type { Usage } from '../../core/usage.js';
import { spokenMessage, toolCall, toolMessage } from './chatMessage.js';
import { usageOf } from './usage.js';

/** The messages that a span sent to and received from a model, in any of the known conventions. */
export function messagesOfSpan(attributes: Fields): { input: Fields[]; output: Fields[] } {
  const system = parsed(attributes['gen_ai.system_instructions']);
  const told = {
    input: [
      ...(system === undefined ? [] : [{ role: 'system', content: partsText(system) }]),
      ...genAiMessages(attributes['gen_ai.input.messages']),
    ],
    output: genAiMessages(attributes['gen_ai.output.messages']),
  };
  if (told.input.length + told.output.length > 0) return told;
  const openInference = {
    input: indexed(attributes, 'llm.input_messages.', '.message.').map(fromOpenInference),
    output: indexed(attributes, 'llm.output_messages.', '.message.').map(fromOpenInference),
  };
  if (openInference.input.length + openInference.output.length > 0) return openInference;
  return {
    input: indexed(attributes, 'gen_ai.prompt.', '.').map(fromTraceloop),
    output: indexed(attributes, 'gen_ai.completion.', '.').map(fromTraceloop),
  };
}

/** The usage of a span's request, in any of the known conventions. */
export function usageOfSpan(attributes: Fields): Usage | undefined {
  const of = (...keys: string[]) =>
    keys.map((key) => number(attributes[key])).find((found) => found !== undefined);
  const input = of('gen_ai.usage.input_tokens', 'llm.token_count.prompt', 'gen_ai.usage.prompt_tokens');
  const output = of(
    'gen_ai.usage.output_tokens',
    'llm.token_count.completion',
    'gen_ai.usage.completion_tokens',
  );
  if (input === undefined && output === undefined) return undefined;
  return usageOf({
    input,
    output,
    cached: of('gen_ai.usage.cache_read.input_tokens', 'llm.token_count.prompt_details.cache_read'),
    reasoning: of('gen_ai.usage.reasoning.output_tokens', 'llm.token_count.completion_details.reasoning'),
  });
}

/** Messages in OpenTelemetry's semantic conventions for generative AI: a role and typed parts. */
function genAiMessages(value: unknown): Fields[] {
  return objects(parsed(value)).flatMap((message) => {
    const parts = objects(message.parts);
    if (message.parts === undefined) return [message];
    const results = parts.filter(({ type }) => type === 'tool_call_response');
    const said = parts.filter(({ type }) => type !== 'tool_call_response');
    const tools = results.map(({ id, response, result, content }) =>
      toolMessage(id, asText(response ?? result ?? content)),
    );
    return said.length === 0 ? tools : [...tools, spoken(message.role, said)];
  });
}

function spoken(role: unknown, parts: readonly Fields[]): Fields {
  const calls = parts.filter(({ type }) => type === 'tool_call');
  const reasoning = parts.filter(({ type }) => type === 'reasoning').map(({ content }) => asText(content));
  const rest = parts.filter(({ type }) => type !== 'tool_call' && type !== 'reasoning');
  const [only] = rest;
  const content = rest.map((part) =>
    part.type === 'text' ? { type: 'text', text: asText(part.content) } : part,
  );
  const isPlain = rest.length === 1 && only?.type === 'text';
  return spokenMessage(role, rest.length === 0 ? null : isPlain ? asText(only.content) : content, {
    reasoning: reasoning.join('\n'),
    calls: calls.map(({ id, name, arguments: input }) => toolCall(id, name, input)),
  });
}

function partsText(value: unknown): string {
  return typeof value === 'string'
    ? value
    : objects(value)
        .map(({ content }) => asText(content))
        .join('\n');
}

/** Rebuilds a list from flattened keys: `prefix` + index + `middle` + field. */
function indexed(attributes: Fields, prefix: string, middle: string): Fields[] {
  const found = new Map<number, Record<string, unknown>>();
  for (const [key, value] of Object.entries(attributes)) {
    const match = key.startsWith(prefix) ? /^(\d{1,6})(\..*)$/.exec(key.slice(prefix.length)) : null;
    if (!match?.[2]?.startsWith(middle)) continue;
    const index = Number(match[1]);
    const entry = found.get(index) ?? {};
    found.set(index, entry);
    entry[match[2].slice(middle.length)] = value;
  }
  return [...found].sort(([a], [b]) => a - b).map(([, entry]) => entry);
}

function fromOpenInference(flat: Fields): Fields {
  const calls = indexed(flat, 'tool_calls.', '.tool_call.').map((call) =>
    toolCall(call.id, call['function.name'], call['function.arguments']),
  );
  const parts = indexed(flat, 'contents.', '.message_content.').map((part) => asText(part.text));
  return {
    role: flat.role,
    content: text(flat.content) ?? (parts.length > 0 ? parts.join('') : null),
    ...(flat.tool_call_id !== undefined && { tool_call_id: flat.tool_call_id }),
    ...(flat.name !== undefined && { name: flat.name }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function fromTraceloop(flat: Fields): Fields {
  const calls = indexed(flat, 'tool_calls.', '.').map(({ id, name, arguments: input }) =>
    toolCall(id, name, input),
  );
  return {
    role: flat.role,
    content: asText(list(flat.content).length > 0 ? fields(flat.content) : flat.content),
    ...(flat.tool_call_id !== undefined && { tool_call_id: flat.tool_call_id }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}
