import { asText, fields, number, text, withoutKeys, type Fields } from '../../reading/fields.js';
import type { RawSpan } from '../../trace/rawSpans.js';

/**
 * The spans of Claude Code (`claude_code.interaction`, `.llm_request`, `.tool` and what lies in these) under the names of the
 * conventions: a prompt with its requests and calls, and the subagents that a call started. Other spans are as they were.
 */
export function withClaudeNames(spans: readonly RawSpan[]): readonly RawSpan[] {
  if (!spans.some((span) => kindOf(span) !== '')) return spans;
  const within = new Map<string, RawSpan[]>();
  for (const span of spans) {
    const beside = within.get(span.parent);
    if (beside) beside.push(span);
    else within.set(span.parent, [span]);
  }
  const agents = new Map<string, RawSpan>();
  const renamed = spans.map((span) => {
    const below = within.get(span.id) ?? [];
    const named = renamedSpan(span, below);
    const agent = text(span.attributes.agent_id);
    const isAgents = agent !== undefined && /^(?:llm_request|tool)$/.test(kindOf(span));
    if (!isAgents) return named;
    // What a subagent did lies within the call that started it; nothing else stands for the agent.
    const id = `${span.parent}/${agent}`;
    if (!agents.has(id)) agents.set(id, agentSpan(id, agent, span, spans));
    return { ...named, parent: id };
  });
  return [...renamed, ...agents.values()];
}

/** The attribute in which a call has what was decided about it, as its own span tells. */
export const DECIDED = 'claude_code.tool.decided';

/** What a span of Claude Code is, by the end of its name; '' for any other. */
function kindOf({ name }: RawSpan): string {
  return /^claude_code\.(.+)$/.exec(name)?.[1] ?? '';
}

function renamedSpan(span: RawSpan, below: readonly RawSpan[]): RawSpan {
  const kind = kindOf(span);
  if (kind === 'interaction')
    return { ...span, attributes: { ...span.attributes, ...interactionOf(span.attributes) } };
  if (kind === 'llm_request') return withFailure({ ...span, attributes: requestOf(span.attributes) }, span);
  if (kind !== 'tool') return span;
  const run = below.find((each) => kindOf(each) === 'tool.execution');
  const asked = below.find((each) => kindOf(each) === 'tool.blocked_on_user')?.attributes;
  const decided =
    asked?.decision === undefined ? {} : { [DECIDED]: { decision: asked.decision, source: asked.source } };
  return withFailure(
    { ...span, attributes: { ...span.attributes, ...toolOf(span), ...decided } },
    run ?? span,
  );
}

/** What stands for words that Claude Code is not set to record. */
const HIDDEN = '<REDACTED>';

function interactionOf({ user_prompt }: Fields): Fields {
  const prompt = text(user_prompt);
  const isSaid = prompt !== undefined && prompt !== HIDDEN;
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'Claude',
    ...(isSaid && { 'gen_ai.input.messages': JSON.stringify([{ role: 'user', content: prompt }]) }),
  };
}

/** A request; its input is counted without the cache, as Anthropic's API does. */
function requestOf(attributes: Fields): Fields {
  const counted = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_creation_tokens'];
  const [input, output, read, written] = counted.map((key) => numberIn(attributes[key]));
  const isCounted = input !== undefined || output !== undefined;
  return {
    'gen_ai.provider.name': 'anthropic',
    ...attributes,
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': attributes['gen_ai.request.model'] ?? attributes.model,
    ...(isCounted && {
      'gen_ai.usage.input_tokens': (input ?? 0) + (read ?? 0) + (written ?? 0),
      'gen_ai.usage.output_tokens': output ?? 0,
      'gen_ai.usage.cache_read.input_tokens': read ?? 0,
      'gen_ai.usage.cache_write.input_tokens': written ?? 0,
    }),
    ...(attributes.ttft_ms !== undefined && {
      'gen_ai.response.msToFirstChunk': numberIn(attributes.ttft_ms),
    }),
    ...(attributes.stop_reason !== undefined && {
      'gen_ai.response.finish_reasons': [attributes.stop_reason],
    }),
  };
}

/** What a call was given, by the attributes that Claude Code has for it. */
const GIVEN = ['full_command', 'file_path', 'skill_name', 'subagent_type', 'tool_input', 'tool_parameters'];

function toolOf({ attributes, events }: RawSpan): Fields {
  const given = Object.fromEntries(
    GIVEN.flatMap((key) => (key in attributes ? [[key, attributes[key]]] : [])),
  );
  const told = fields(events.find(({ name }) => name === 'tool.output')?.attributes);
  const output = told.output ?? told.content;
  const command = given.full_command ?? told.bash_command;
  const input = { ...withoutKeys(given, ['full_command']), ...(command !== undefined && { command }) };
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': attributes.tool_name,
    ...(attributes.tool_use_id !== undefined && { 'gen_ai.tool.call.id': attributes.tool_use_id }),
    ...(Object.keys(input).length > 0 && { 'gen_ai.tool.call.arguments': JSON.stringify(input) }),
    ...(output !== undefined && { 'gen_ai.tool.call.result': output }),
  };
}

/** A span that failed where the attributes of one say so, in its words. */
function withFailure(span: RawSpan, { attributes }: RawSpan): RawSpan {
  const isFailed = attributes.success === false || attributes.success === 'false';
  if (!isFailed || span.error !== undefined) return span;
  return { ...span, error: text(attributes.error) ?? 'It failed.' };
}

/** The work of a subagent, around the first of its spans; it is called as the call says which started it. */
function agentSpan(id: string, agent: string, first: RawSpan, spans: readonly RawSpan[]): RawSpan {
  const caller = spans.find((each) => each.id === first.parent);
  const name = text(caller?.attributes.subagent_type) ?? agent;
  const { start, end } = caller ?? first;
  const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name };
  return {
    ...first,
    id,
    name: `invoke_agent ${name}`,
    start,
    end,
    attributes,
    events: [],
    error: undefined,
    rest: {},
  };
}

function numberIn(value: unknown): number | undefined {
  return number(typeof value === 'string' && value !== '' ? Number(asText(value)) : value);
}
