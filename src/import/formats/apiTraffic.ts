import { isObject } from '../../core/message.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  parsed,
  text,
  time,
  without,
  type Fields,
} from '../reading/fields.js';
import type { ImportSink } from '../importSink.js';
import { exchangeSpan, isAnswerBody, isRequestBody, type Exchange } from '../shapes/exchange.js';
import { isMessage, messagesIn } from '../shapes/anyMessage.js';
import { isStreamEvent } from '../shapes/streamedAnswer.js';
import { TraceReader } from '../trace/traceReader.js';
import type { TraceSpan } from '../trace/traceSpan.js';
import { most, type TranscriptFormat } from '../transcriptFormat.js';

/**
 * Recorded traffic of model APIs (OpenAI's two, Anthropic's, Gemini's): HAR files, VCR cassettes, streams of server-sent
 * events, dumps of requests and answers. Requests with the same beginning are one conversation.
 */
export const apiTraffic: TranscriptFormat = {
  name: 'api-traffic',
  of: 'OpenAI, Anthropic, Gemini',
  files: "recorded requests and answers: HAR, VCR cassettes, server-sent events, dumps; Gemini's contents",
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) =>
    head.length > 0 &&
    (head.some(isStreamEvent)
      ? most(head, isStreamEvent)
      : most(head, (value) => exchangesIn(value).length > 0)),
  read(entries, sink) {
    const values = sink.values(entries);
    const isStream = values.some(isStreamEvent);
    const all = isStream
      ? streamsIn(values).map((events): Recorded => ({ ...EMPTY, response: events }))
      : values.flatMap((value): Recorded[] => {
          const found = exchangesIn(value);
          return found.length > 0 ? found : [{ ...EMPTY, other: value }];
        });
    new Conversations(sink).read(all);
  },
};

/** An exchange, or something else that stands in the recording. */
type Recorded = Exchange & { readonly other?: unknown };

const EMPTY: Exchange = {
  request: undefined,
  response: undefined,
  start: undefined,
  end: undefined,
  rest: {},
};

/** Exchanges by how their messages begin, each conversation in the order in which they were recorded. */
class Conversations {
  readonly #sink: ImportSink;
  readonly #spans = new Map<string, TraceSpan[]>();
  readonly #others: unknown[] = [];

  constructor(sink: ImportSink) {
    this.#sink = sink;
  }

  read(all: readonly Recorded[]): void {
    for (const [index, recorded] of all.entries()) {
      const span = recorded.other === undefined ? exchangeSpan(recorded, `exchange ${index + 1}`) : undefined;
      if (!span) this.#others.push(recorded.other ?? wholeOf(recorded));
      else {
        const key = JSON.stringify(beginningOf(span));
        const known = this.#spans.get(key);
        if (known) known.push(span);
        else this.#spans.set(key, [span]);
      }
    }
    for (const spans of this.#spans.values()) {
      const builder = this.#sink.conversation(undefined, 'assistant');
      for (const other of this.#others.splice(0)) builder.keep(builder.entry, 'other traffic', other);
      new TraceReader(builder).read(spans);
    }
    if (this.#others.length === 0) return;
    const builder = this.#sink.conversation(undefined, 'unknown');
    for (const other of this.#others) builder.keep(builder.entry, 'other traffic', other);
  }
}

function wholeOf({ rest, request, response, url, status }: Exchange): Fields {
  return { ...rest, url, status, request, response };
}

function beginningOf({ input }: TraceSpan): unknown {
  const first = input.findIndex(({ role }) => role === 'user');
  return input.slice(0, first + 1).map(({ role, content }) => [role, content]);
}

/** The streams in a list of events: each begins with an event that begins an answer. */
function streamsIn(values: readonly unknown[]): Fields[][] {
  const streams: Fields[][] = [];
  let id: unknown;
  for (const event of objects(values.flat())) {
    const isFirst = event.type === 'message_start' || event.type === 'response.created';
    const isNext =
      event.object === 'chat.completion.chunk' &&
      event.id !== id &&
      event.id !== undefined &&
      event.id !== '';
    if (isFirst || isNext || streams.length === 0) streams.push([]);
    if (event.object === 'chat.completion.chunk' && event.id !== '') id = event.id ?? id;
    streams.at(-1)?.push(event);
  }
  return streams;
}

/** The exchanges in a value of any known shape; none where it holds no traffic of a model. */
function exchangesIn(value: unknown): Exchange[] {
  if (Array.isArray(value)) {
    if (objects(value).some(isStreamEvent))
      return streamsIn(value).map((events) => ({ ...EMPTY, response: events }));
    if (objects(value).some(({ candidates }) => Array.isArray(candidates)))
      return [{ ...EMPTY, response: value }];
    if (value.length > 0 && value.every((each) => isContent(each))) {
      return [{ ...EMPTY, request: { contents: value } }];
    }
    const found = value.map((each) => exchangesIn(each));
    return most(found, (each) => list(each).length > 0) ? found.flat() : [];
  }
  if (!isObject(value)) return [];
  const { entries, ...log } = fields(value.log);
  if (Array.isArray(entries)) return withRecording(log, ofModels(objects(entries).map(harExchange)));
  const { interactions, http_interactions, ...recording } = value;
  const recorded = interactions ?? http_interactions;
  if (Array.isArray(recorded))
    return withRecording(recording, ofModels(objects(recorded).map(cassetteExchange)));
  const pair = pairIn(value);
  if (pair) return ofModels([pair]);
  if (
    Array.isArray(value.contents) ||
    (Array.isArray(value.history) &&
      objects(value.history).every(({ parts }) => Array.isArray(parts)) &&
      messagesIn(value.history).length > 0)
  ) {
    const request = Array.isArray(value.contents) ? value : { ...value, contents: value.history };
    return isRequestBody(request) ? [{ ...EMPTY, request }] : [];
  }
  const isAnswer =
    value.object === 'chat.completion' ||
    value.object === 'text_completion' ||
    isObject(fields(value.output).message) ||
    Array.isArray(value.candidates);
  return isAnswer && isAnswerBody(value) ? [{ ...EMPTY, response: value }] : [];
}

/** Exchanges of which the first says what stands beside all of them. */
function withRecording(recording: Fields, exchanges: Exchange[]): Exchange[] {
  return exchanges.map((each, at) => (at === 0 ? { ...each, rest: { ...each.rest, recording } } : each));
}

/** Whether a value is a content of Gemini's API, whose parts have no type. */
function isContent(value: unknown): boolean {
  const { parts } = fields(value);
  return (
    Array.isArray(parts) &&
    isMessage(value) &&
    objects(parts).every(({ type, part_kind }) => type === undefined && part_kind === undefined)
  );
}

/** All exchanges of a recording in which a model took part; a recording without one is none of ours. */
function ofModels(exchanges: Exchange[]): Exchange[] {
  return exchanges.some((each) => exchangeSpan(each, '') !== undefined) ? exchanges : [];
}

const REQUESTS = [
  'request',
  'request_body',
  'requestBody',
  'req',
  'kwargs',
  'input',
  'inputs',
  'params',
  'raw_request',
  'rawRequest',
  'body',
];
const RESPONSES = [
  'response',
  'response_body',
  'responseBody',
  'res',
  'output',
  'raw_response',
  'rawResponse',
  'result',
];

/** A request and its answer as two fields of an object; the answer may be missing where the request failed. */
function pairIn(value: Fields): Exchange | undefined {
  const bodyOf = (key: string) => {
    const inner = parsed(value[key]);
    if (!isObject(inner)) return inner;
    // Bedrock's logs of invocations have bodies beside their types, batches have the answer beside how it ended.
    return (
      inner.body ??
      inner.inputBodyJson ??
      inner.outputBodyJson ??
      // Proxies have the body as the content of a message with headers.
      (isHttp(inner) ? inner.content : undefined) ??
      (inner.type === 'succeeded' ? inner.message : inner)
    );
  };
  const requestKey = REQUESTS.find((key) => isRequestBody(bodyOf(key)));
  const responseKey = RESPONSES.find((key) => isAnswerBody(bodyOf(key)));
  // Requests that are logged with their answer in them, as gateways do.
  const isFlat = requestKey === undefined && responseKey !== undefined && isRequestBody(value);
  // Of a batch the answers are written apart from the requests.
  const isAnswered =
    requestKey === undefined && responseKey !== undefined && typeof value.custom_id === 'string';
  if (
    !isFlat &&
    !isAnswered &&
    (requestKey === undefined || (responseKey === undefined && !RESPONSES.some((key) => key in value)))
  )
    return undefined;
  const answered = responseKey ?? RESPONSES.find((key) => key in value) ?? '';
  const rest = isFlat ? {} : without(value, requestKey ?? '', answered);
  const start = time(
    value.startTime ?? value.start_time ?? value.timestamp ?? value.created_at ?? value.time ?? value.ts,
  );
  const took = number(value.duration_ms ?? value.durationMs ?? value.latency_ms ?? value.latencyMs);
  const end = time(value.endTime ?? value.end_time);
  return {
    request: isFlat ? without(value, answered) : bodyOf(requestKey ?? ''),
    response: bodyOf(answered),
    start,
    end: end ?? (start === undefined || took === undefined ? undefined : start + Math.round(took)),
    url: text(value.url) ?? urlOf(fields(value.request)),
    model: text(value.modelId),
    status: number(value.status) ?? number(value.status_code) ?? statusOf(fields(value.response)),
    rest: {
      ...rest,
      ...beside('requestAbout', value[requestKey ?? '']),
      ...beside('responseAbout', value[answered]),
    },
  };
}

/** Whether an object is a message of HTTP whose body is called its content, as mitmproxy writes them. */
function isHttp(about: Fields): boolean {
  return typeof about.content === 'string' && 'headers' in about;
}

function urlOf({ url, scheme, host, path }: Fields): string | undefined {
  const parts = [scheme, host, path].map((each) => text(each));
  const [protocol, server, rest] = parts;
  const isWhole = protocol !== undefined && server !== undefined;
  return text(url) ?? (isWhole ? `${protocol}://${server}${rest ?? ''}` : undefined);
}

function statusOf({ status, status_code }: Fields): number | undefined {
  return number(status) ?? number(status_code);
}

/** What stands beside the body of a request or an answer. */
function beside(key: string, value: unknown): Fields {
  const about = fields(parsed(value));
  const rest = without(
    about,
    'body',
    'inputBodyJson',
    'outputBodyJson',
    ...(isHttp(about) ? ['content'] : []),
    ...(about.type === 'succeeded' ? ['message'] : []),
  );
  return Object.keys(rest).length < Object.keys(about).length ? { [key]: rest } : {};
}

function harExchange(entry: Fields): Exchange {
  const request = fields(entry.request);
  const response = fields(entry.response);
  const content = fields(response.content);
  const isEncoded = content.encoding === 'base64';
  const body = isEncoded ? Buffer.from(asText(content.text), 'base64').toString('utf8') : content.text;
  const start = time(entry.startedDateTime);
  const took = number(entry.time);
  return {
    request: fields(request.postData).text,
    response: body,
    start,
    end: start === undefined || took === undefined ? undefined : start + Math.round(took),
    url: text(request.url),
    status: number(response.status),
    rest: {
      ...without(entry, 'request', 'response', 'startedDateTime', 'time'),
      requestAbout: {
        ...without(request, 'postData', 'url'),
        postData: without(fields(request.postData), 'text'),
      },
      responseAbout: {
        ...without(response, 'content', 'status'),
        content: isEncoded ? content : without(content, 'text'),
      },
    },
  };
}

function cassetteExchange(interaction: Fields): Exchange {
  const request = fields(interaction.request);
  const response = fields(interaction.response);
  const bodyOf = (about: Fields) => {
    const { body, parsed_body: inner, content } = about;
    const plain = inner ?? (isObject(body) ? (body.string ?? body.base64_string ?? body) : body) ?? content;
    return plain instanceof Uint8Array ? Buffer.from(plain).toString('utf8') : plain;
  };
  const status = fields(response.status).code ?? response.status ?? response.status_code;
  return {
    request: bodyOf(request),
    response: bodyOf(response),
    start: time(interaction.recorded_at),
    end: undefined,
    url: text(request.uri) ?? text(request.url),
    status: number(status),
    rest: {
      ...without(interaction, 'request', 'response'),
      requestAbout: { ...without(request, 'body', 'parsed_body', 'uri'), ...bodyAbout(request.body) },
      responseAbout: {
        ...without(response, 'body', 'parsed_body', 'content'),
        ...bodyAbout(response.body),
      },
    },
  };
}

/** What a cassette says of a body beside it, like its encoding. */
function bodyAbout(body: unknown): Fields {
  const about = without(fields(body), 'string', 'base64_string');
  const isBeside = 'string' in fields(body) || 'base64_string' in fields(body);
  return isBeside && Object.keys(about).length > 0 ? { body: about } : {};
}
