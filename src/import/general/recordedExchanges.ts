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
import { most } from '../building/transcriptFormat.js';
import { isMessage, messagesIn } from '../messages/anyMessage.js';
import { exchangeSpan, isAnswerBody, isRequestBody, type Exchange } from './exchange.js';
import { isStreamEvent } from './streamedAnswer.js';

/** An exchange of which nothing was recorded. */
export const NO_EXCHANGE: Exchange = {
  request: undefined,
  response: undefined,
  start: undefined,
  end: undefined,
  rest: {},
};

/** Numbers the streams that events belong to: each begins with an event that begins an answer. */
export class Streams {
  #count = 0;
  #id: unknown;

  /** The number of the stream of the next event, from 1. */
  numberOf(event: Fields): number {
    const isFirst = event.type === 'message_start' || event.type === 'response.created';
    const isChunk = event.object === 'chat.completion.chunk' && event.id !== '';
    const isNext = isChunk && event.id !== this.#id && event.id !== undefined;
    if (isFirst || isNext || this.#count === 0) this.#count++;
    if (isChunk) this.#id = event.id ?? this.#id;
    return this.#count;
  }
}

/** The streams in a list of events. */
function streamsIn(values: readonly unknown[]): Fields[][] {
  const numbers = new Streams();
  const streams: Fields[][] = [];
  for (const event of objects(values.flat())) (streams[numbers.numberOf(event) - 1] ??= []).push(event);
  return streams;
}

/** The exchanges in a value of any known shape; none where it holds no traffic of a model. */
export function exchangesIn(value: unknown): Exchange[] {
  if (Array.isArray(value)) {
    if (objects(value).some(isStreamEvent))
      return streamsIn(value).map((events) => ({ ...NO_EXCHANGE, response: events }));
    if (objects(value).some(({ candidates }) => Array.isArray(candidates)))
      return [{ ...NO_EXCHANGE, response: value }];
    if (value.length > 0 && value.every((each) => isContent(each))) {
      return [{ ...NO_EXCHANGE, request: { contents: value } }];
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
  const [key, exchanges] = listIn(value) ?? [];
  if (key !== undefined && exchanges) return withRecording(without(value, key), ofModels(exchanges));
  if (
    Array.isArray(value.contents) ||
    (Array.isArray(value.history) &&
      objects(value.history).every(({ parts }) => Array.isArray(parts)) &&
      messagesIn(value.history).length > 0)
  ) {
    const request = Array.isArray(value.contents) ? value : { ...value, contents: value.history };
    return isRequestBody(request) ? [{ ...NO_EXCHANGE, request }] : [];
  }
  const isAnswer =
    value.object === 'chat.completion' ||
    value.object === 'text_completion' ||
    isObject(fields(value.output).message) ||
    Array.isArray(value.candidates);
  return isAnswer && isAnswerBody(value) ? [{ ...NO_EXCHANGE, response: value }] : [];
}

/** The list of exchanges by HTTP that an object has under any key; undefined where it has none. */
function listIn(value: Fields): readonly [string, Exchange[]] | undefined {
  for (const [key, each] of Object.entries(value)) {
    const items = objects(each);
    if (items.length === 0 || !items.some(isHttpExchange)) continue;
    const found = items.map((item) => pairIn(item) ?? { ...NO_EXCHANGE, rest: item });
    if (ofModels(found).length > 0) return [key, found];
  }
  return undefined;
}

/** Whether an object has a request by HTTP, whatever was asked: it names its method or address, or has a body. */
function isHttpExchange(value: Fields): boolean {
  const request = fields(value.request ?? value.req);
  return ['method', 'url', 'uri', 'headers', 'body'].some((key) => key in request);
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
  const requestKey = REQUESTS.find((key) => isRequestBody(bodyIn(value[key])));
  const responseKey = RESPONSES.find((key) => isAnswerBody(bodyIn(value[key])));
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
  return isFlat
    ? {
        ...pairAt(value, '', answered),
        request: without(value, answered),
        rest: beside('responseAbout', value[answered]),
      }
    : pairAt(value, requestKey ?? '', answered);
}

/** The body in a field for a request or an answer. */
function bodyIn(field: unknown): unknown {
  const inner = parsed(field);
  if (!isObject(inner)) return inner;
  // Bedrock's logs of invocations have bodies beside their types, batches have the answer beside how it ended.
  return (
    plainBody(inner.body) ??
    inner.inputBodyJson ??
    inner.outputBodyJson ??
    // Proxies have the body as the content of a message with headers.
    (isHttp(inner) ? inner.content : undefined) ??
    (inner.type === 'succeeded' ? inner.message : inner)
  );
}

/** A request and its answer under two keys of an object, with what stands beside them. */
export function pairAt(value: Fields, requestKey: string, responseKey: string): Exchange {
  const start = time(
    value.startTime ?? value.start_time ?? value.timestamp ?? value.created_at ?? value.time ?? value.ts,
  );
  const took = number(value.duration_ms ?? value.durationMs ?? value.latency_ms ?? value.latencyMs);
  const end = time(value.endTime ?? value.end_time);
  return {
    request: bodyIn(value[requestKey]),
    response: bodyIn(value[responseKey]),
    start,
    end: end ?? (start === undefined || took === undefined ? undefined : start + Math.round(took)),
    url: text(value.url) ?? urlOf(fields(value.request)),
    model: text(value.modelId),
    status: number(value.status) ?? number(value.status_code) ?? statusOf(fields(value.response)),
    rest: {
      ...without(value, requestKey, responseKey),
      ...beside('requestAbout', value[requestKey]),
      ...beside('responseAbout', value[responseKey]),
    },
  };
}

/** The keys under which recordings have a body beside what kind of body it is. */
const BODIES = ['value', 'json', 'text', 'string', 'data', 'content', 'raw', 'base64'] as const;

/** A body without what says of what kind it is: by the key, by a type, or by how it is encoded. */
function plainBody(body: unknown): unknown {
  const about = fields(body);
  const key = BODIES.find((each) => about[each] !== undefined && about[each] !== null);
  const isBody = key === undefined || isSent(about) || Array.isArray(about.content);
  if (isBody) return body;
  const inner = about[key];
  const isEncoded =
    key === 'base64' ||
    about.encoding === 'base64' ||
    about.type === 'base64' ||
    about.base64Encoded === true;
  return isEncoded && typeof inner === 'string' ? Buffer.from(inner, 'base64').toString('utf8') : inner;
}

/** Whether a body is that of a request or an answer itself. */
function isSent(body: Fields): boolean {
  return isRequestBody(body) || isAnswerBody(body);
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
  const named = wrapped(about.body);
  const whole = named === undefined ? rest : { ...rest, body: named };
  return Object.keys(rest).length < Object.keys(about).length ? { [key]: whole } : {};
}

/** What a body says of itself beside its value; undefined where it says nothing. */
function wrapped(body: unknown): Fields | undefined {
  const plain = plainBody(body);
  const about = plain === body ? {} : without(fields(body), ...BODIES);
  return Object.keys(about).length > 0 ? about : undefined;
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
