import { asText, fields, text, type Fields } from '../../reading/fields.js';
import type { RawSpan, SpanEvent } from '../../trace/rawSpans.js';
import { isFailure, numberIn } from '../../trace/telemetryEvents.js';

/**
 * Spans of Codex (`otel.trace_exporter` in its configuration) tell of a session from within. Nothing that was said stands in them:
 * what happened are events of whatever span was open, named by `event.name` as its logs name them, with lengths in place of
 * texts, and a turn is a span with the tokens that it took.
 */

/** The name of a span around a turn. */
const TURN = 'session_task.turn';

/** Under which names a turn has its tokens, and under which the conventions do. */
const TOKENS = [
  ['input_tokens', 'gen_ai.usage.input_tokens'],
  ['output_tokens', 'gen_ai.usage.output_tokens'],
  ['cached_input_tokens', 'gen_ai.usage.cache_read.input_tokens'],
  ['reasoning_output_tokens', 'gen_ai.usage.reasoning.output_tokens'],
] as const;

/** Whether a span is around a turn of Codex: other programs may call a span like it. */
export function isCodexTurn({ name, attributes }: RawSpan): boolean {
  return name === TURN && 'thread.id' in attributes && 'turn.id' in attributes;
}

/** Whether a span is one of Codex's. */
export function isOfCodex(span: RawSpan): boolean {
  const service = text(fields(span.origin.resource)['service.name']) ?? '';
  return (
    /^codex(?:[_-]|$)/.test(service) || isCodexTurn(span) || span.events.some((event) => nameOf(event) !== '')
  );
}

/** Spans of a trace; of Codex's, turns are agents, and what happened in them is a tool's call or a request below its span. */
export function withCodexEvents(spans: readonly RawSpan[]): readonly RawSpan[] {
  if (!spans.some(isOfCodex)) return spans;
  return spans.flatMap((span) => [isCodexTurn(span) ? turnOf(span) : span, ...happenedIn(span)]);
}

function turnOf(span: RawSpan): RawSpan {
  const { attributes } = span;
  const tokens = TOKENS.flatMap(([name, known]) => {
    const count = attributes[`codex.turn.token_usage.${name}`];
    return count === undefined ? [] : [[known, count] as const];
  });
  const about = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'Codex',
    'gen_ai.request.model': attributes.model,
    'gen_ai.provider.name': 'openai',
  };
  return { ...span, attributes: { ...attributes, ...about, ...Object.fromEntries(tokens) } };
}

function happenedIn(span: RawSpan): readonly RawSpan[] {
  const found: RawSpan[] = [];
  let asked: SpanEvent | undefined;
  for (const [at, event] of span.events.entries()) {
    const name = nameOf(event);
    const below = (from: number | undefined, what: string, attributes: Fields, error?: string): RawSpan => ({
      trace: span.trace,
      id: `${span.id}/${at}`,
      parent: span.id,
      name: what,
      start: from,
      end: event.time,
      attributes: { ...event.attributes, ...attributes },
      events: [],
      error,
      origin: span.origin,
      rest: {},
    });
    const { attributes: about, time } = event;
    if (name === 'tool_result')
      found.push(
        below(begunOf(event), `execute_tool ${asText(about.tool_name)}`, toolOf(about), failureOf(about)),
      );
    else if (/^(?:api|websocket)_request$/.test(name)) {
      asked = event;
      const failed = requestFailure(about);
      if (failed !== undefined) found.push(below(begunOf(event), 'chat', requestOf(about), failed));
    } else if (name === 'sse_event' && about.input_token_count !== undefined) {
      found.push(below(asked ? begunOf(asked) : time, 'chat', requestOf(about)));
      asked = undefined;
    }
  }
  return found;
}

/** The name of one of Codex's events, without the word in front; '' for any other. */
function nameOf({ name, attributes }: SpanEvent): string {
  const told = text(attributes['event.name']) ?? name;
  return /^codex\.(\w+)$/.exec(told)?.[1] ?? '';
}

/** What takes time is told when it is over. */
function begunOf({ time, attributes }: SpanEvent): number | undefined {
  const took = numberIn(attributes.duration_ms);
  return time !== undefined && took !== undefined ? time - took : time;
}

function toolOf(about: Fields): Fields {
  const id = text(about.call_id);
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': about.tool_name,
    ...(id !== undefined && { 'gen_ai.tool.call.id': id }),
  };
}

function requestOf(about: Fields): Fields {
  const counts = {
    'gen_ai.usage.input_tokens': numberIn(about.input_token_count),
    'gen_ai.usage.output_tokens': numberIn(about.output_token_count),
    'gen_ai.usage.cache_read.input_tokens': numberIn(about.cached_token_count),
    'gen_ai.usage.reasoning.output_tokens': numberIn(about.reasoning_token_count),
  };
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': about.model,
    'gen_ai.provider.name': 'openai',
    ...Object.fromEntries(known),
  };
}

function failureOf(about: Fields): string | undefined {
  return isFailure(about) ? (text(about['error.message']) ?? 'It failed.') : undefined;
}

function requestFailure(about: Fields): string | undefined {
  const status = numberIn(about['http.response.status_code']);
  const message = text(about['error.message']);
  if (message === undefined && (status === undefined || status < 400)) return undefined;
  return message ?? `The answer was ${status ?? 'none'}.`;
}
