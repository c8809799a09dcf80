import type { CostProvenance } from '../../core/cost.js';
import { inDollars, type NanoDollars } from '../../core/money.js';
import { chatMessageOf, type GenAiMessage } from '../../core/genAiMessage.js';
import { isObject, textOf } from '../../core/message.js';
import { type Attributes, numberIn } from './otlpSpan.js';

/** Which version of OpenTelemetry's conventions for generative AI is written: the last one that was released, or the newest draft. */
export const DIALECTS = ['1.41', 'latest'] as const;
/** See `DIALECTS`. */
export type Dialect = (typeof DIALECTS)[number];

/** For which backends attributes of their own are added. */
export const ADDITIONS = ['langfuse', 'phoenix'] as const;
/** See `ADDITIONS`. */
export type Addition = (typeof ADDITIONS)[number];

/** What a request to a model is known to have cost. */
export interface SpanCost {
  readonly amount: NanoDollars;
  readonly provenance: CostProvenance;
}

/** What a span is, in the words of OpenTelemetry. */
export type Operation = 'invoke_agent' | 'chat' | 'execute_tool';

const KINDS: Readonly<Record<Operation, string>> = {
  invoke_agent: 'AGENT',
  chat: 'LLM',
  execute_tool: 'TOOL',
};

/** What every span of a kind has; Phoenix takes its own word for the kind before all others. */
export function operationAttributes(operation: Operation, additions: ReadonlySet<Addition>): Attributes {
  return {
    'gen_ai.operation.name': operation,
    ...(additions.has('phoenix') && { 'openinference.span.kind': KINDS[operation] }),
  };
}

/**
 * What a span was given and what came of it, and whose it is, in the words that a backend reads: Phoenix shows `input.value` and
 * `output.value` of a span and its `agent.name`; Langfuse finds tool calls in messages as OpenAI writes them alone.
 */
export function saidAttributes(
  operation: Operation,
  attributes: Attributes,
  additions: ReadonlySet<Addition>,
): Attributes {
  const texts = (key: string) => {
    const value = attributes[`gen_ai.${key}`];
    return typeof value === 'string' ? value : undefined;
  };
  const isTool = operation === 'execute_tool';
  const given = texts(isTool ? 'tool.call.arguments' : 'input.messages');
  const came = texts(isTool ? 'tool.call.result' : 'output.messages');
  const isChat = operation === 'chat';
  const shown = operation === 'invoke_agent' ? wordsOf : (said: string) => said;
  return {
    ...(additions.has('phoenix') && {
      'agent.name': texts('agent.name'),
      ...(given !== undefined && valueAttributes('input', shown(given))),
      ...(came !== undefined && valueAttributes('output', shown(came))),
    }),
    // Of both or of none: where one is there, Langfuse looks for the other nowhere else.
    ...(additions.has('langfuse') &&
      isChat && {
        'langfuse.observation.input': given === undefined ? undefined : chatMessages(given),
        'langfuse.observation.output': came === undefined ? undefined : chatMessages(came),
      }),
  };
}

function valueAttributes(what: 'input' | 'output', value: string): Attributes {
  return {
    [`${what}.value`]: value,
    [`${what}.mime_type`]: isJson(value) ? 'application/json' : 'text/plain',
  };
}

function isJson(value: string): boolean {
  try {
    return typeof JSON.parse(value) === 'object';
  } catch {
    // What a tool gave is most often no JSON.
    return false;
  }
}

/** The words of a list of messages in the form of the conventions. */
function wordsOf(messages: string): string {
  return genAiMessages(messages)
    .map((message) => textOf(chatMessageOf(message).content))
    .join('\n\n');
}

/** A list of messages in the form of the conventions as one of chat messages. */
function chatMessages(messages: string): string {
  return JSON.stringify(genAiMessages(messages).map((message) => chatMessageOf(message)));
}

function genAiMessages(messages: string): readonly GenAiMessage[] {
  return JSON.parse(messages) as readonly GenAiMessage[];
}

/** What a request used, to be written on its span only, because backends add up what stands on any. */
export function usageAttributes(
  usage: unknown,
  dialect: Dialect,
  additions: ReadonlySet<Addition>,
): Attributes {
  if (!isObject(usage)) return {};
  const count = (key: string) => {
    const value = usage[key];
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  const [input, output] = [count('inputTokens'), count('outputTokens')];
  const [read, written] = [count('cachedInputTokens'), count('cacheWriteTokens')];
  const reasoning = count('reasoningTokens');
  const writes = dialect === '1.41' ? 'cache_creation' : 'cache_write';
  return {
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_read.input_tokens': read,
    [`gen_ai.usage.${writes}.input_tokens`]: written,
    'gen_ai.usage.reasoning.output_tokens': reasoning,
    ...(additions.has('langfuse') && {
      // Langfuse adds these up, so that none may contain another.
      'langfuse.observation.usage_details': JSON.stringify({
        input: Math.max(0, (input ?? 0) - (read ?? 0) - (written ?? 0)),
        output: Math.max(0, (output ?? 0) - (reasoning ?? 0)),
        input_cached_tokens: read,
        input_cache_creation: written,
        output_reasoning_tokens: reasoning,
      }),
    }),
  };
}

/** What the end of a call alone tells of its requests: the conventions have no usage at the span of an agent. */
export function endUsageAttributes(usage: unknown): Attributes {
  const told = isObject(usage) ? usage : {};
  return {
    'agent_logbook.usage.input_tokens': numberIn(told.inputTokens),
    'agent_logbook.usage.output_tokens': numberIn(told.outputTokens),
  };
}

/** What a request cost, with how that is known; the conventions have no word for money. */
export function costAttributes(cost: SpanCost | undefined, additions: ReadonlySet<Addition>): Attributes {
  if (!cost) return {};
  const dollars = inDollars(cost.amount);
  return {
    'agent_logbook.cost.usd': dollars,
    'agent_logbook.cost.provenance': cost.provenance,
    ...(additions.has('langfuse') && {
      'langfuse.observation.cost_details': JSON.stringify({ total: dollars }),
      'langfuse.observation.metadata.cost_provenance': cost.provenance,
    }),
    ...(additions.has('phoenix') && { 'llm.cost.total': dollars }),
  };
}

/** The attributes of what an answer ended with. */
export function finishAttributes(reason: unknown): Attributes {
  return typeof reason === 'string' && reason !== '' ? { 'gen_ai.response.finish_reasons': [reason] } : {};
}

/** How a tool call hands over to another agent, which comes back with an answer. */
export function transferAttributes(target: string, dialect: Dialect): Attributes {
  return {
    'gen_ai.transfer.mode': 'return_to_caller',
    ...(dialect === '1.41' && { 'gen_ai.transfer.target.type': 'agent' }),
    'gen_ai.transfer.target.name': target,
  };
}

/** Providers as the conventions name them, by the beginnings of the names of their models. */
const PROVIDERS: readonly (readonly [models: RegExp, provider: string])[] = [
  [/(?:^|\/)(?:claude|anthropic)/i, 'anthropic'],
  [/(?:^|\/)(?:gpt|o\d|codex|chatgpt|openai)/i, 'openai'],
  [/(?:^|\/)(?:gemini|google)/i, 'gcp.gemini'],
  [/(?:^|\/)(?:mistral|codestral|devstral|magistral|pixtral)/i, 'mistral_ai'],
  [/(?:^|\/)deepseek/i, 'deepseek'],
  [/(?:^|\/)grok/i, 'x_ai'],
  [/(?:^|\/)command/i, 'cohere'],
];

/** Who answers a request, which every request's span has to say: by the model, else the endpoint as it is called here. */
export function providerOf(model: string, endpoint: unknown): string {
  const known = PROVIDERS.find(([models]) => models.test(model));
  return known?.[1] ?? (typeof endpoint === 'string' && endpoint !== '' ? endpoint : 'unknown');
}
