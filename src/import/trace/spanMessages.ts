import { isObject } from '../../core/message.js';
import type { Usage } from '../../core/usage.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  parsed,
  text,
  unquoted,
  without,
  type Fields,
} from '../reading/fields.js';
import { messagesIn, roleOf, wordsOf } from '../messages/anyMessage.js';
import { linkedPicture, chatMessage, toolCall } from '../messages/chatMessage.js';
import { anyUsage } from '../messages/looseWords.js';
import { amountsOf, meaningOf, usageOf, usageWith, withCost } from '../messages/usage.js';
import type { RawSpan, SpanEvent } from './rawSpans.js';

/** What a span sent to and received from a model, and the attributes that are wholly told by it. */
export interface SpanMessages {
  readonly input: readonly Fields[];
  readonly output: readonly Fields[];
  /** Whether an attribute says nothing besides these messages. */
  readonly isTold: (attribute: string) => boolean;
}

/** Reads the messages of a span in one convention; gives none where the span does not follow it. */
type Convention = (span: RawSpan) => SpanMessages;

const NOTHING: SpanMessages = { input: [], output: [], isTold: () => false };

/** The messages of a span in the first of the known conventions that it follows. */
export function messagesOfSpan(span: RawSpan): SpanMessages {
  for (const convention of CONVENTIONS) {
    const told = convention(span);
    if (told.input.length + told.output.length > 0) return told;
  }
  return NOTHING;
}

/** OpenTelemetry's semantic conventions: messages as structured attributes or as JSON, on the span or an event of it. */
const genAi: Convention = ({ attributes: own, events }) => {
  const details = events.find(({ name }) => name === 'gen_ai.client.inference.operation.details');
  const attributes = { ...details?.attributes, ...own };
  const system = parsed(attributes['gen_ai.system_instructions']);
  const hasSystem = system !== undefined && system !== null && system !== '';
  const input = messagesIn(
    attributes['gen_ai.input.messages'] ??
      attributes['pydantic_ai.all_messages'] ??
      attributes.all_messages_events ??
      saidIn(attributes['gen_ai.prompt'], 'user'),
  );
  const before =
    hasSystem && !input.some(({ role }) => role === 'system')
      ? [{ role: 'system', content: wordsOf(system) }]
      : [];
  return {
    input: [...before, ...input],
    output: messagesIn(
      attributes['gen_ai.output.messages'] ?? saidIn(attributes['gen_ai.completion'], 'assistant'),
    ),
    isTold: (key) =>
      /^gen_ai\.(?:input\.messages|output\.messages|prompt|completion)$/.test(key) ||
      (key === 'gen_ai.system_instructions' && before.length > 0),
  };
};

/**
 * OpenInference: flattened keys like `llm.input_messages.0.message.content`. LangChain's instrumentation leaves the ids of
 * calls out of these; its messages as they were are values beside them.
 */
const openInference: Convention = ({ attributes }) => {
  const asked = list(fields(parsed(attributes['input.value'])).messages).flat();
  return {
    input: withIds(
      indexed(attributes, 'llm.input_messages.', '.message.').map(fromOpenInference),
      objects(asked).flatMap((message) => messagesIn(message)),
    ),
    output: withIds(
      indexed(attributes, 'llm.output_messages.', '.message.').map(fromOpenInference),
      answersIn(attributes['output.value']),
    ),
    isTold: (key) => /^llm\.(?:in|out)put_messages\.\d+\./.test(key),
  };
};

/** Messages, or the same as another attribute tells them, where these lack ids of calls. */
function withIds(messages: Fields[], others: Fields[]): Fields[] {
  const lacksId = ({ role, tool_call_id: id, tool_calls: calls }: Fields) =>
    (role === 'tool' && id === undefined) || objects(calls).some((call) => asText(call.id) === '');
  return messages.some(lacksId) && others.length === messages.length && !others.some(lacksId)
    ? others
    : messages;
}

/** Vercel's AI SDK: the prompt as JSON, the response in parts. */
const vercel: Convention = ({ attributes }) => {
  const said = text(
    attributes['ai.response.text'] ??
      attributes['ai.result.text'] ??
      attributes['ai.response.object'] ??
      attributes['ai.result.object'],
  );
  const calls = objects(parsed(attributes['ai.response.toolCalls'] ?? attributes['ai.result.toolCalls']));
  const reasoning = text(attributes['ai.response.reasoning']);
  const answer = chatMessage('assistant', said ?? null, {
    reasoning,
    calls: calls.map((call) => ({
      ...without(call, 'type', 'toolCallType', 'toolCallId', 'toolName', 'input', 'args'),
      ...toolCall(asText(call.toolCallId), asText(call.toolName), call.input ?? call.args),
    })),
  });
  const isAnswered = said !== undefined || calls.length > 0 || reasoning !== undefined;
  return {
    input: messagesIn(attributes['ai.prompt.messages'] ?? attributes['ai.prompt']),
    output: isAnswered ? [answer] : [],
    isTold: (key) =>
      /^ai\.(?:prompt\.messages|(?:response|result)\.(?:text|object|toolCalls|reasoning))$/.test(key),
  };
};

/** Traceloop: flattened keys like `gen_ai.prompt.0.content`; later also `llm.prompts.0.content`. */
const traceloop: Convention = ({ attributes }) => ({
  input: ['gen_ai.prompt.', 'llm.prompts.'].flatMap((prefix) =>
    indexed(attributes, prefix, '.').flatMap(fromTraceloop),
  ),
  output: ['gen_ai.completion.', 'llm.completions.'].flatMap((prefix) =>
    indexed(attributes, prefix, '.').flatMap((flat) => fromTraceloop({ role: 'assistant', ...flat })),
  ),
  isTold: (key) => /^(?:gen_ai\.(?:prompt|completion)|llm\.(?:prompts|completions))\.\d+\./.test(key),
});

/** The events of earlier conventions: one per message, or one for the prompt and one for the completion. */
const spanEvents: Convention = ({ events, attributes }) => {
  const listed = objects(parsed(attributes.events)).map((event): SpanEvent => ({
    name: asText(event['event.name']),
    time: undefined,
    attributes: event,
  }));
  const all = [...events, ...listed];
  const input = all.flatMap((event) => {
    const { name, attributes: told } = event;
    if (name === 'gen_ai.content.prompt') return messagesIn(told['gen_ai.prompt']);
    const role = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name)?.[1];
    return role === undefined ? [] : eventMessage(role, told);
  });
  const output = all.flatMap(({ name, attributes: told }) => {
    if (name === 'gen_ai.content.completion') return messagesIn(told['gen_ai.completion']);
    return name === 'gen_ai.choice' ? eventMessage('assistant', told) : [];
  });
  return { input, output, isTold: (key) => key === 'events' };
};

function eventMessage(role: string, told: Fields): Fields[] {
  const body = fields(parsed(told.body ?? told['gen_ai.event.content'] ?? told.content));
  const message = fields(parsed(told.message ?? body.message));
  const hidden = Object.keys(body).length > 0 ? { content: undefined } : {};
  const all: Fields = { ...told, ...hidden, ...body, ...message };
  const { content, tool_calls: calls, id, role: own } = all;
  const said =
    typeof content === 'string' || Array.isArray(content)
      ? content
      : content === undefined
        ? null
        : asText(content);
  const parts = messagesIn({
    role: own ?? role,
    content: said,
    ...(calls !== undefined && { tool_calls: parsed(calls) }),
  });
  return parts.map((part) => (role === 'tool' ? { ...part, tool_call_id: asText(id) } : part));
}

/** What was sent and received as JSON or text, where a span of a request tells no messages: MLflow, Langfuse, OpenInference. */
const plainValues: Convention = ({ attributes }) => ({ ...plainWords(attributes), isTold: () => false });

/** What a span was asked and answered, as far as its plain values are messages or texts. */
export function plainWords(attributes: Fields): Pick<SpanMessages, 'input' | 'output'> {
  const [sent, got] = VALUES.find((keys) => keys.some((key) => attributes[key] !== undefined)) ?? ['', ''];
  return { input: saidIn(attributes[sent], 'user'), output: answersIn(attributes[got]) };
}

/** The attributes for what was sent and received, by convention. */
const VALUES: readonly (readonly [sent: string, got: string])[] = [
  ['input.value', 'output.value'],
  ['mlflow.spanInputs', 'mlflow.spanOutputs'],
  ['langfuse.observation.input', 'langfuse.observation.output'],
  ['traceloop.entity.input', 'traceloop.entity.output'],
];

const CONVENTIONS: readonly Convention[] = [genAi, openInference, vercel, traceloop, spanEvents, plainValues];

/** Messages in a value, or the value as what somebody in this role said, if it is a text. */
export function saidIn(value: unknown, role: string): Fields[] {
  const found = messagesIn(value);
  if (found.length > 0) return found;
  const given = unquoted(value);
  // A number is what was said too, however short.
  const words = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given;
  return typeof words === 'string' && words !== '' ? [{ role, content: words }] : [];
}

/** The answer in a response of any known API, or in a text. */
export function answersIn(value: unknown): Fields[] {
  const given = fields(unquoted(value));
  const choices = objects(given.choices).flatMap((choice) => messagesIn(choice.message));
  if (choices.length > 0) return choices;
  const generations = objects([given.generations].flat(3)).flatMap(({ message, text: words }) =>
    message === undefined ? saidIn(words, 'assistant') : messagesIn(message),
  );
  if (generations.length > 0) return generations;
  const candidates = objects(given.candidates).flatMap((candidate) => messagesIn(candidate.content));
  if (candidates.length > 0) return candidates.map((message) => ({ ...message, role: roleOf(message.role) }));
  return saidIn(value, 'assistant');
}

/** The usage of a span's request, in any of the known conventions. */
export function usageOfSpan(attributes: Fields): Usage | undefined {
  const { total } = fields(parsed(attributes['langfuse.observation.cost_details']));
  return withCost(
    tokensOfSpan(attributes),
    total ?? COSTS.map((key) => attributes[key]).find((each) => each !== undefined),
  );
}

/** The attributes in which instrumentations say what a request cost, in dollars. */
const COSTS = [
  'gen_ai.usage.cost',
  'gen_ai.usage.cost_usd',
  'gen_ai.usage.total_cost',
  'gen_ai.cost.total_usd',
  'llm.cost.total',
  'llm.usage.cost',
  'operation.cost',
  'opencode.llm.cost.total',
  'cost_usd',
] as const;

/** The prefixes of attributes that count tokens. */
const COUNTS = [
  'gen_ai.usage.',
  'llm.usage.',
  'llm.token_count.',
  'ai.usage.',
  'codex.turn.token_usage.',
] as const;

function tokensOfSpan(attributes: Fields): Usage | undefined {
  return (
    usageWith(amountsOf(Object.fromEntries(countsIn(attributes).map(({ name, value }) => [name, value])))) ??
    langfuseUsage(attributes) ??
    anyUsage(parsed(attributes['mlflow.chat.tokenUsage']))
  );
}

/** The attributes of a span that count tokens by names that nobody knows. */
export function unknownCounts(attributes: Fields): readonly string[] {
  return countsIn(attributes).flatMap(({ key, name, value }) =>
    meaningOf(name) === undefined && typeof value === 'number' && value !== 0 ? [key] : [],
  );
}

function countsIn(attributes: Fields) {
  return Object.entries(attributes).flatMap(([key, value]) => {
    const prefix = COUNTS.find((each) => key.startsWith(each));
    return prefix === undefined ? [] : [{ key, name: key.slice(prefix.length), value }];
  });
}

function langfuseUsage(attributes: Fields): Usage | undefined {
  const { input, output, ...more } = fields(parsed(attributes['langfuse.observation.usage_details']));
  const usage = { input: number(input), output: number(output) };
  if (usage.input === undefined && usage.output === undefined) return undefined;
  return usageOf({
    ...usage,
    cached: number(more.input_cached_tokens ?? more.cache_read_input_tokens),
    written: number(more.input_cache_creation ?? more.cache_creation_input_tokens),
    told: { input, output, ...more },
  });
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

/** What of flattened fields no other part of a message tells. */
function restOf(flat: Fields, told: RegExp): Fields {
  return Object.fromEntries(Object.entries(flat).filter(([key]) => !told.test(key)));
}

function fromOpenInference(flat: Fields): Fields {
  const calls = indexed(flat, 'tool_calls.', '.tool_call.').map((call) => ({
    ...restOf(call, /^(?:id|function\.name|function\.arguments)$/),
    ...toolCall(asText(call.id), call['function.name'], call['function.arguments']),
  }));
  const thoughts: string[] = [];
  const parts = indexed(flat, 'contents.', '.message_content.').flatMap((part): Fields[] => {
    if (part.type === 'reasoning' || part.type === 'thinking') {
      thoughts.push(asText(part.text));
      return [];
    }
    return [openInferencePart(part)];
  });
  const isText = parts.every((part: Fields) => part.type === 'text');
  const joined = isText ? parts.map((part) => asText(part.text)).join('') : parts;
  const content =
    flat.content === '' || flat.content === undefined ? (parts.length > 0 ? joined : null) : flat.content;
  return {
    ...restOf(flat, /^(?:role|content|tool_call_id|name|contents\..*|tool_calls\..*)$/),
    ...chatMessage(
      roleOf(flat.role ?? 'user'),
      content === null || Array.isArray(content) ? content : asText(content),
      { reasoning: thoughts.join('\n'), calls },
    ),
    ...(flat.tool_call_id !== undefined && { tool_call_id: asText(flat.tool_call_id) }),
    ...(flat.name !== undefined && { name: flat.name }),
  };
}

function openInferencePart(part: Fields): Fields {
  const url = part['image.image.url'] ?? part['image.url'];
  if (url !== undefined) return linkedPicture(asText(url));
  if (part.text !== undefined) return { ...part, type: 'text', text: asText(part.text) };
  return { ...part, type: text(part.type) ?? 'part' };
}

function fromTraceloop(flat: Fields): Fields[] {
  const calls = indexed(flat, 'tool_calls.', '.').map((call) => ({
    ...restOf(call, /^(?:id|name|arguments)$/),
    ...toolCall(asText(call.id), call.name, call.arguments),
  }));
  const inside = parsed(flat.content);
  const isParts =
    Array.isArray(inside) &&
    inside.length > 0 &&
    inside.every((part) => isObject(part) && typeof part.type === 'string');
  const rest = restOf(flat, /^(?:role|content|tool_calls\..*)$/);
  const role = roleOf(flat.role ?? 'user');
  const content = isParts ? inside : flat.content === undefined ? null : asText(flat.content);
  return messagesIn([{ ...rest, role, content, ...(calls.length > 0 && { tool_calls: calls }) }]);
}
