import { isObject } from '../../core/message.js';
import { repeatedPartsOf, withRepeatedParts } from '../../core/repeatedParts.js';
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
import { everyValue, type Entries } from '../entries.js';
import type { ImportSink } from '../importSink.js';
import { Groups } from '../spool/groups.js';
import { EarlierRequests } from '../shapes/earlierRequests.js';
import { ExchangeTalks } from '../shapes/exchangeTalks.js';
import {
  exchangeSpan,
  isAnswerBody,
  isRequestBody,
  namesOf,
  namingIn,
  type Exchange,
} from '../shapes/exchange.js';
import { isMessage, messagesIn } from '../shapes/anyMessage.js';
import { isStreamEvent } from '../shapes/streamedAnswer.js';
import { TraceReader } from '../trace/traceReader.js';
import type { TraceSpan } from '../trace/traceSpan.js';
import { most, type TranscriptFormat } from '../transcriptFormat.js';

/**
 * Recorded traffic of model APIs (OpenAI's two, Anthropic's, Gemini's): HAR files, VCR cassettes, streams of server-sent
 * events, dumps of requests and answers; which requests are one conversation: see `ExchangeTalks`.
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
      : most(head, (value) => partOf(value) !== undefined || exchangesIn(value).length > 0)),
  readLines(lines, sink) {
    if (everyValue(lines, (value) => !isStreamEvent(value))) readExchanges(lines, sink);
    else readStreams(lines, sink);
  },
};

const EMPTY: Exchange = {
  request: undefined,
  response: undefined,
  start: undefined,
  end: undefined,
  rest: {},
};

/** An exchange of a recording, with its name there. */
interface Named {
  readonly exchange: Exchange;
  readonly name: string;
  /** What its parts have in common, where it is written in parts. */
  readonly part?: string | undefined;
}

/** Reads exchanges by how their messages begin, each conversation in the order in which they were recorded. */
function readExchanges(lines: Entries, sink: ImportSink): void {
  const recorded = new Groups<unknown>(lines, sink);
  const talks = new ExchangeTalks();
  /** By what its parts have in common, an exchange whose answer is written later, and what tells the names of that. */
  const begun = new Map<string, { readonly talk: string; readonly naming: Fields | undefined }>();
  const earlier = new EarlierRequests();
  let count = 0;
  let incomplete = 0;
  for (const value of recorded.values(lines)) {
    const part = partOf(value);
    const leftOut = part === undefined ? undefined : text(fields(value).leftOut);
    if (part !== undefined && leftOut !== undefined)
      sink.problem('warning', `Exchange ${part} was not recorded whole. ${leftOut}`);
    const asked = part === undefined ? undefined : begun.get(part);
    if (part !== undefined && asked) {
      begun.delete(part);
      const exchange = answerIn(fields(value));
      if (asked.naming) talks.name(asked.talk, namesOf({ ...exchange, request: asked.naming }));
      recorded.add(asked.talk, { exchange, name: '', part });
      continue;
    }
    const { repeats, before, whole } = earlier.wholeOf(value);
    if (repeats && !whole) incomplete++;
    const exchanges = exchangesIn(whole ?? value);
    count += exchanges.length === 0 ? 1 : 0;
    if (exchanges.length === 0) recorded.addSingle(value);
    for (const exchange of exchanges) {
      const named: Named = { exchange, name: `exchange ${++count}`, part };
      const span = exchangeSpan(exchange, named.name);
      if (span) {
        const key = talks.keyOf(span);
        if (part !== undefined) {
          begun.set(part, { talk: key, naming: namingIn(exchange.request) });
          earlier.add(part, { request: fields(exchange.request), talk: key });
        }
        // What is repeated waits once for all who repeat it.
        recorded.add(key, whole && before?.talk === key ? shortened(named, fields(value)) : named);
      } else recorded.addSingle(wholeOf(exchange));
    }
  }
  if (incomplete > 0)
    sink.problem(
      'warning',
      `Requests repeat what others before them sent, which is not in the file: of ${incomplete} only what is new in them is shown.`,
    );
  let isFirst = true;
  for (const group of recorded.all()) {
    const spans: TraceSpan[] = [];
    const others: Fields[] = [];
    for (const { exchange, name } of withRepeated(wholeExchanges(group as readonly Named[]))) {
      const span = exchangeSpan(exchange, name);
      if (span) spans.push(span);
      else others.push(wholeOf(exchange));
    }
    readConversation(spans, isFirst ? chained(recorded.singles(), others) : others, sink);
    isFirst = false;
  }
  if (isFirst && recorded.singleCount > 0) readConversation([], recorded.singles(), sink);
}

/** What the two lines of an exchange have in common that is written in parts: its request at once, its answer at its end. */
function partOf(value: unknown): string | undefined {
  if (!isObject(value) || !('response' in value)) return undefined;
  const { exchange, startTime, endTime } = value;
  return typeof exchange === 'string' && (startTime !== undefined || endTime !== undefined)
    ? exchange
    : undefined;
}

/** The second part of an exchange. */
function answerIn(value: Fields): Exchange {
  const { response, status, endTime } = value;
  const rest = without(value, 'response', 'exchange');
  return { ...EMPTY, response, end: time(endTime), status: number(status), rest };
}

/** Exchanges with their parts put together, in the order in which they began. */
function wholeExchanges(recorded: readonly Named[]): readonly Named[] {
  const whole: Named[] = [];
  const begun = new Map<string, number>();
  for (const named of recorded) {
    const at = named.part === undefined ? undefined : begun.get(named.part);
    const first = at === undefined ? undefined : whole[at];
    if (at === undefined || !first) {
      if (named.part !== undefined) begun.set(named.part, whole.length);
      whole.push(named);
      continue;
    }
    const { response, end, status, rest } = named.exchange;
    const both = { ...first.exchange, response, end, status, rest: { ...first.exchange.rest, ...rest } };
    whole[at] = { ...first, exchange: both };
  }
  return whole;
}

/** Exchanges with what their requests repeat of others before them, which a recording writes once. */
function withRepeated(exchanges: readonly Named[]): readonly Named[] {
  const requests = new Map<string, Fields>();
  return exchanges.map((named) => {
    const { exchange, part } = named;
    const repeats = repeatedPartsOf(exchange.rest.repeats);
    const asked = fields(exchange.request);
    const before = repeats && requests.get(repeats.exchange);
    const request = before && withRepeatedParts(asked, repeats, before);
    if (part !== undefined) requests.set(part, request ?? asked);
    return request
      ? { ...named, exchange: { ...exchange, request, rest: without(exchange.rest, 'repeats') } }
      : named;
  });
}

/** An exchange whose request is as short as the recording writes it. */
function shortened({ exchange, ...named }: Named, { request, repeats }: Fields): Named {
  return { ...named, exchange: { ...exchange, request, rest: { ...exchange.rest, repeats } } };
}

function* chained(first: Iterable<unknown>, second: Iterable<unknown>): Generator {
  yield* first;
  yield* second;
}

/** Reads streamed answers, of which the requests were not recorded: they are one conversation. */
function readStreams(lines: Entries, sink: ImportSink): void {
  const events = new Groups<Fields>(lines, sink);
  const streams = new Streams();
  for (const value of events.values(lines))
    for (const event of objects([value].flat())) events.add(String(streams.numberOf(event)), event);
  for (const recorded of events.all().joined(() => '')) {
    const spans: TraceSpan[] = [];
    const others: unknown[] = [];
    for (const [index, response] of recorded.entries()) {
      const exchange = { ...EMPTY, response };
      const span = exchangeSpan(exchange, `exchange ${index + 1}`);
      if (span) spans.push(span);
      else others.push(wholeOf(exchange));
    }
    readConversation(spans, others, sink);
  }
}

/** Reads the spans of a conversation, after what else stands in the recording. */
function readConversation(spans: readonly TraceSpan[], others: Iterable<unknown>, sink: ImportSink): void {
  const builder = sink.conversation(undefined, spans.length > 0 ? 'assistant' : 'unknown');
  for (const other of others) builder.keep(builder.entry, 'other traffic', other);
  if (spans.length > 0) new TraceReader(builder).read(spans);
}

function wholeOf({ rest, request, response, url, status }: Exchange): Fields {
  return { ...rest, url, status, request, response };
}

/** Numbers the streams that events belong to: each begins with an event that begins an answer. */
class Streams {
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
