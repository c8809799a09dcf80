import type { Decider } from '../../../core/record.js';
import { asText, fields, parsed, text, type Fields } from '../../reading/fields.js';
import { chatMessages } from '../../messages/anyMessage.js';
import { usageOf } from '../../messages/usage.js';
import { saidIn } from '../../trace/spanMessages.js';
import {
  isFailure,
  numberIn,
  spanOfEvent,
  telemetryFormat,
  type TelemetryEvent,
} from '../../trace/telemetryEvents.js';
import type { SpanDecision, TraceSpan } from '../../trace/traceSpan.js';

/**
 * Telemetry logs of Claude Code: `claude_code.user_prompt`, `claude_code.api_request` and others. What was said is in them
 * as far as its settings have it logged (`OTEL_LOG_USER_PROMPTS` and others).
 */
export const claudeTelemetry = telemetryFormat({
  name: 'claude-code-telemetry',
  of: 'Claude Code',
  files: 'telemetry logs',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'cost', 'thinking'],
  agent: 'Claude',
  events: /^claude_code\.(\w+)$/,
  session: 'session.id',
  spansOf,
});

function spansOf(events: readonly TelemetryEvent[]): readonly TraceSpan[] {
  const answers = new Map<string, Answer>();
  const decisions = new Map<string, SpanDecision>();
  for (const { name, about } of events) {
    if (name === 'tool_decision') decisions.set(asText(about.tool_use_id), decisionOf(about));
    const answer = answerOf(name, about);
    if (answer)
      answers.set(asText(about.request_id), { ...answers.get(asText(about.request_id)), ...answer });
  }
  return events.map((event, index) => {
    const { name, about, start, time: end } = event;
    const span = spanOfEvent(event, index);
    if (name === 'user_prompt') return { ...span, input: saidIn(about.prompt, 'user') };
    if (name === 'tool_result') {
      const decision = decisions.get(asText(about.tool_use_id));
      return { ...span, start, end, ...toolOf(about, decision) };
    }
    if (name === 'api_request' || name === 'api_error')
      return { ...span, start, end, ...requestOf(about, answers.get(asText(about.request_id))) };
    return span;
  });
}

/** What a request was answered: the text alone, or all of it. */
interface Answer {
  readonly said?: string;
  readonly whole?: Fields;
}

function answerOf(name: string, { response, body }: Fields): Answer | undefined {
  if (name === 'assistant_response' && typeof response === 'string') return { said: response };
  if (name !== 'api_response_body') return undefined;
  const whole = fields(parsed(body));
  return Array.isArray(whole.content) ? { whole } : undefined;
}

function requestOf(about: Fields, { said = '', whole }: Answer = {}): Partial<TraceSpan> {
  const source = text(about.query_source) ?? '';
  const content = whole?.content ?? said;
  // Titles and the like are asked for beside the conversation.
  const isBeside = source.startsWith('generate_') || source.endsWith('_title') || content === '';
  const [, agent] = /^agent:(?:\w+:)?(.+)$/.exec(source) ?? [];
  const read = numberIn(about.cache_read_tokens) ?? 0;
  const written = numberIn(about.cache_creation_tokens) ?? 0;
  const input = numberIn(about.input_tokens);
  return {
    kind: 'request',
    agent,
    output: isBeside ? [] : chatMessages({ role: 'assistant', content }),
    model: text(about.model),
    endpoint: 'Anthropic',
    usage:
      input === undefined
        ? undefined
        : usageOf({
            input: input + read + written,
            output: numberIn(about.output_tokens),
            cached: read,
            written,
            cost: about.cost_usd,
          }),
    finishReason: text(whole?.stop_reason),
    firstTokenMs: numberIn(about.ttft_ms),
    error: failureOf(about),
  };
}

function failureOf(about: Fields): TraceSpan['error'] {
  const message = text(about.error);
  if (message === undefined) return undefined;
  const status = numberIn(about.status_code);
  return { code: 'error', message, ...(status !== undefined && { status }) };
}

function toolOf(about: Fields, decision: SpanDecision | undefined): Partial<TraceSpan> {
  const message = text(about.error) ?? 'It failed.';
  return {
    kind: 'tool',
    tool: {
      name: asText(about.tool_name),
      id: text(about.tool_use_id),
      input: about.tool_input ?? about.tool_parameters,
      ...(decision && { decision }),
    },
    error: isFailure(about) ? { code: text(about.error_type) ?? 'error', message } : undefined,
  };
}

/** Who decides, by the word of the log. */
const DECIDERS: Readonly<Record<string, Decider>> = {
  config: 'rule',
  hook: 'hook',
  user_permanent: 'user',
  user_temporary: 'user',
  user_abort: 'user',
  user_reject: 'user',
};

/** Whether a call was allowed, and by whom, by the words that Claude Code has for that. */
export function decisionOf({ decision, source }: Fields): SpanDecision {
  return { isApproved: decision === 'accept', decidedBy: DECIDERS[asText(source)] ?? 'policy' };
}
