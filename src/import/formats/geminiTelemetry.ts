import { isObject } from '../../core/message.js';
import { asText, fields, list, number, objects, parsed, text, time, type Fields } from '../reading/fields.js';
import { messagesIn } from '../shapes/anyMessage.js';
import { usageOf } from '../shapes/usage.js';
import { answersIn, saidIn } from '../trace/spanMessages.js';
import { TraceReader } from '../trace/traceReader.js';
import type { TraceSpan } from '../trace/traceSpan.js';
import type { TranscriptFormat } from '../transcriptFormat.js';

/** The events that the telemetry of Gemini CLI, and of tools made from it, logs: `gemini_cli.api_response` and others. */
const EVENT = /^(?:gemini_cli|qwen-code|qwen_code|iflow_cli)\.(\w+)$/;

/** Telemetry logs of Gemini CLI: one record of OpenTelemetry's logs after another, one conversation per session. */
export const geminiTelemetry: TranscriptFormat = {
  name: 'gemini-telemetry',
  of: 'Gemini CLI',
  files: 'telemetry logs',
  carries: ['messages', 'calls', 'times', 'models', 'usage'],
  detect: (head) => head.some((value) => recordsOf(value).some((record) => kindOf(record) !== undefined)),
  read(entries, sink) {
    const sessions = new Map<string, Fields[]>();
    for (const value of sink.values(entries)) {
      const records = recordsOf(value);
      for (const record of records.length > 0 ? records : [{ value }]) {
        const session = asText(attributesOf(record)['session.id']);
        const known = sessions.get(session);
        if (known) known.push(record);
        else sessions.set(session, [record]);
      }
    }
    for (const [session, records] of sessions) {
      const builder = sink.conversation(session, 'Gemini');
      new TraceReader(builder).read(records.map(spanOf));
    }
  },
};

/** The log records in a value: bare ones, or those in OTLP's `resourceLogs`. */
function recordsOf(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap((each) => recordsOf(each));
  const about = fields(value);
  const logs = objects(about.resourceLogs).flatMap(({ scopeLogs }) => objects(scopeLogs));
  if (logs.length > 0) return logs.flatMap(({ logRecords }) => objects(logRecords));
  return isObject(value) && ('attributes' in value || 'body' in value) ? [value] : [];
}

/** A record's attributes; in OTLP's JSON they are a list of pairs. */
function attributesOf(record: Fields): Fields {
  if (isObject(record.attributes)) return record.attributes;
  const pairs = objects(record.attributes).map(
    ({ key, value }) => [asText(key), Object.values(fields(value))[0]] as const,
  );
  return Object.fromEntries(pairs);
}

function kindOf(record: Fields): string | undefined {
  return EVENT.exec(asText(attributesOf(record)['event.name']))?.[1];
}

function spanOf(record: Fields, index: number): TraceSpan {
  const about = attributesOf(record);
  const kind = kindOf(record) ?? 'record';
  const [seconds] = list(record.hrTime ?? record._hrTime ?? record.timestamp);
  const told =
    time(about['event.timestamp']) ??
    time(record.timeUnixNano) ??
    (typeof seconds === 'number' ? time(seconds) : time(record.timestamp));
  const took = number(about.duration_ms);
  const isCall = kind === 'api_response' || kind === 'api_error' || kind === 'tool_call';
  const span: TraceSpan = {
    id: `record ${index}`,
    parent: '',
    name: kind,
    kind: 'other',
    // What takes time is logged when it is over.
    start: isCall && told !== undefined && took !== undefined ? told - took : told,
    end: isCall ? told : undefined,
    input: [],
    output: [],
    source: record,
  };
  if (kind === 'user_prompt') return { ...span, input: saidIn(about.prompt, 'user') };
  if (kind === 'tool_call') return { ...span, ...toolOf(about) };
  if (kind === 'api_response' || kind === 'api_error')
    return { ...span, ...requestOf(about, kind === 'api_error') };
  return span;
}

function requestOf(about: Fields, isError: boolean): Partial<TraceSpan> {
  const thoughts = number(about.thoughts_token_count) ?? 0;
  const input = number(about.input_token_count);
  const answer = parsed(about.response_text);
  const chunks = Array.isArray(answer) ? objects(answer) : [];
  return {
    kind: 'request',
    input: messagesIn(about.request_text),
    output: chunks.length > 0 ? chunks.flatMap((chunk) => answersIn(chunk)) : answersIn(about.response_text),
    model: text(about.model),
    endpoint: 'Gemini',
    usage:
      input === undefined
        ? undefined
        : usageOf({
            input: input + (number(about.tool_token_count) ?? 0),
            output: (number(about.output_token_count) ?? 0) + thoughts,
            cached: number(about.cached_content_token_count),
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
  const failed = about.success === false || about.success === 'false';
  const message = text(about.error) ?? text(about['error.message']) ?? 'It failed.';
  return {
    kind: 'tool',
    tool: { name: asText(about.function_name), input: asText(about.function_args ?? {}) },
    error: failed ? { code: text(about.error_type) ?? 'error', message } : undefined,
  };
}
