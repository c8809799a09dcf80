import { asText, list, objects, parsed, text, type Fields } from '../../reading/fields.js';
import { messagesIn } from '../../messages/anyMessage.js';
import { usageOf } from '../../messages/usage.js';
import { answersIn, saidIn } from '../../trace/spanMessages.js';
import {
  isFailure,
  numberIn,
  spanOfEvent,
  telemetryFormat,
  type TelemetryEvent,
} from '../../trace/telemetryEvents.js';
import type { TraceSpan } from '../../trace/traceSpan.js';

/** Telemetry logs of Gemini CLI and of tools made from it: `gemini_cli.api_response` and others. */
export const geminiTelemetry = telemetryFormat({
  name: 'gemini-telemetry',
  of: 'Gemini CLI',
  files: 'telemetry logs',
  carries: ['messages', 'calls', 'times', 'models', 'usage'],
  agent: 'Gemini',
  events: /^(?:gemini_cli|qwen-code|qwen_code|iflow_cli)\.(\w+)$/,
  session: 'session.id',
  spansOf: (events) => events.map(spanOf),
});

function spanOf(event: TelemetryEvent, index: number): TraceSpan {
  const { name, about, start, time: end } = event;
  const span = spanOfEvent(event, index);
  if (name === 'user_prompt') return { ...span, input: saidIn(about.prompt, 'user') };
  if (name === 'tool_call') return { ...span, start, end, ...toolOf(about) };
  if (name === 'api_response' || name === 'api_error')
    return { ...span, start, end, ...requestOf(about, name === 'api_error') };
  return span;
}

function requestOf(about: Fields, isError: boolean): Partial<TraceSpan> {
  const thoughts = numberIn(about.thoughts_token_count) ?? 0;
  const input = numberIn(about.input_token_count);
  const answer = parsed(about.response_text);
  const chunks = Array.isArray(answer) ? objects(answer) : [];
  const output =
    chunks.length > 0 ? chunks.flatMap((chunk) => answersIn(chunk)) : answersIn(about.response_text);
  // What chooses the model, or looks whose turn it is, is asked beside the conversation.
  const isBeside = asText(about.role).startsWith('utility_');
  return {
    kind: 'request',
    input: messagesIn(about.request_text),
    output: isBeside ? [] : output,
    model: text(about.model),
    endpoint: 'Gemini',
    usage:
      input === undefined
        ? undefined
        : usageOf({
            input: input + (numberIn(about.tool_token_count) ?? 0),
            output: (numberIn(about.output_token_count) ?? 0) + thoughts,
            cached: numberIn(about.cached_content_token_count),
            reasoning: thoughts,
          }),
    finishReason: text(list(parsed(about.finish_reasons))[0]),
    error: isError
      ? {
          code: text(about.error_type) ?? 'error',
          message: text(about.error ?? about['error.message']) ?? 'It failed.',
        }
      : undefined,
  };
}

function toolOf(about: Fields): Partial<TraceSpan> {
  const message = text(about.error) ?? text(about['error.message']) ?? 'It failed.';
  return {
    kind: 'tool',
    tool: { name: asText(about.function_name), input: asText(about.function_args ?? {}) },
    error: isFailure(about) ? { code: text(about.error_type) ?? 'error', message } : undefined,
  };
}
