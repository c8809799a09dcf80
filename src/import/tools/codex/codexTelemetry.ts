import { appendAll } from '../../../core/lists.js';
import { asText, text, type Fields } from '../../reading/fields.js';
import { usageOf } from '../../messages/usage.js';
import { saidIn } from '../../trace/spanMessages.js';
import {
  isFailure,
  numberIn,
  spanOfEvent,
  telemetryFormat,
  type TelemetryEvent,
} from '../../trace/telemetryEvents.js';
import type { TraceSpan } from '../../trace/traceSpan.js';

/**
 * Telemetry logs of Codex (`[otel]` in its configuration): `codex.user_prompt`, `codex.tool_result` and others. They tell
 * what the person said, the tools with their results, and the tokens; what the model said only in newer versions, and only its
 * last words of each turn (`codex.agent_response`).
 */
export const codexTelemetry = telemetryFormat({
  name: 'codex-telemetry',
  of: 'Codex',
  files: 'telemetry logs, which hold no answers of the model, or only the last of each turn',
  carries: ['messages', 'calls', 'times', 'models', 'usage'],
  agent: 'Codex',
  events: /^codex\.(\w+)$/,
  session: 'conversation.id',
  spansOf,
});

function spansOf(events: readonly TelemetryEvent[]): readonly TraceSpan[] {
  const spans: TraceSpan[] = [];
  const decisions = decisionsIn(events);
  let request: Request | undefined;
  events.forEach((event, index) => {
    const { name, about, start, time: end } = event;
    const span = spanOfEvent(event, index);
    if (name === 'user_prompt') spans.push({ ...span, input: saidIn(about.prompt, 'user') });
    else if (name === 'agent_response') {
      const output = saidIn(about.response, 'assistant');
      // It is told before the request that gave it has ended.
      if (request) {
        appendAll(request.output, output);
        request.records.push(event.record);
        request.end = end;
      } else spans.push({ ...span, output });
    } else if (name === 'tool_result')
      spans.push({ ...span, start, end, ...toolOf(about, decisions.get(asText(about.call_id))) });
    else if (/^(?:api|websocket)_request$/.test(name)) {
      appendAll(spans, answerIn(request, index));
      request = { start, records: [event.record], output: [] };
      const error = failureOf(about);
      if (error) spans.push({ ...span, start, end, kind: 'request', model: text(about.model), error });
    } else if (/^(?:sse|websocket)_event$/.test(name)) {
      request ??= { start, records: [], output: [] };
      request.records.push(event.record);
      if (about.input_token_count === undefined) return;
      spans.push({ ...span, start: request.start, end, ...requestOf(about, request) });
      request = undefined;
    } else spans.push(span);
  });
  const answer = answerIn(request, events.length);
  if (answer.length > 0) return [...spans, ...answer];
  for (const record of request?.records ?? [])
    spans.push(spanOfEvent({ ...NO_EVENT, record }, events.length));
  return spans;
}

const NO_EVENT = { name: 'sse_event', about: {}, time: undefined, start: undefined } as const;

/** A request that is under way. */
interface Request {
  readonly start: number | undefined;
  /** What was logged of it so far. */
  readonly records: Fields[];
  /** What it was answered, as far as that is told, and when. */
  readonly output: Fields[];
  end?: number | undefined;
}

/** What was answered in a request of which nobody tells that it has ended; none where nothing was. */
function answerIn(request: Request | undefined, index: number): readonly TraceSpan[] {
  if (!request || request.output.length === 0) return [];
  const { start, end, output, records } = request;
  const span = spanOfEvent({ ...NO_EVENT, record: { events: records } }, index);
  return [{ ...span, id: `answer before ${index}`, name: 'agent_response', start, end, output }];
}

function requestOf(about: Fields, { records, output }: Request): Partial<TraceSpan> {
  return {
    kind: 'request',
    output,
    model: text(about.model),
    endpoint: 'OpenAI',
    usage: usageOf({
      input: numberIn(about.input_token_count),
      output: numberIn(about.output_token_count),
      cached: numberIn(about.cached_token_count),
      written: numberIn(about.cache_write_token_count),
      reasoning: numberIn(about.reasoning_token_count),
    }),
    firstTokenMs: numberIn(about.ttft_ms),
    source: { events: records },
  };
}

function failureOf(about: Fields): TraceSpan['error'] {
  const message = text(about['error.message']);
  const status = numberIn(about['http.response.status_code']);
  if (message === undefined && (status === undefined || status < 400)) return undefined;
  return {
    code: 'error',
    message: message ?? `The answer was ${status ?? 'none'}.`,
    ...(status !== undefined && { status }),
  };
}

function toolOf(about: Fields, decision: Fields | undefined): Partial<TraceSpan> {
  const output = text(about.output);
  const source = text(decision?.source) ?? '';
  const isKnown = decision !== undefined && /^(?:approved|denied|abort)/.test(asText(decision.decision));
  return {
    kind: 'tool',
    tool: {
      name: asText(about.tool_name),
      id: text(about.call_id),
      input: about.arguments,
      output,
      ...(isKnown && {
        decision: {
          isApproved: asText(decision.decision).startsWith('approved'),
          decidedBy: source.toLowerCase() === 'user' ? ('user' as const) : ('policy' as const),
        },
      }),
    },
    error: isFailure(about) ? { code: 'error', message: output ?? 'It failed.' } : undefined,
  };
}

function decisionsIn(events: readonly TelemetryEvent[]): ReadonlyMap<string, Fields> {
  return new Map(
    events.flatMap(({ name, about }) => (name === 'tool_decision' ? [[asText(about.call_id), about]] : [])),
  );
}
