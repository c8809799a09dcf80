import type { OpenAI } from 'openai';
import { systemClock, type Clock } from '../core/clock.js';
import type { Disposable } from '../core/event.js';
import type { ChatMessage } from '../core/message.js';
import { messageOf, preview } from '../core/text.js';
import { systemTimers, type Timers } from '../core/timers.js';
import type { Log } from '../ports/log.js';
import type { Model, ModelEvent, ModelFailure, ModelRequest } from '../ports/model.js';
import { Dialect } from './dialect.js';
import type { Endpoint } from './endpoint.js';
import { headersFor } from './endpointHeaders.js';
import { DEFAULT_HTTP_LIMITS, HttpExchange } from './httpExchange.js';
import { embeddedFailure, statusFailure } from './modelFailure.js';
import { isWebPage, parsedBody, wordsOfPage } from './providerError.js';
import { bodyOf } from './wireRequest.js';
import { refusesPictures } from './wirePictures.js';
import { WireReader } from './wireReader.js';

/** What a model at an OpenAI-compatible endpoint needs. */
export interface OpenAiModelOptions {
  readonly endpoint: Endpoint;
  /** The model's name at the endpoint. */
  readonly model: string;
  /** Gives the endpoint's key, for each request; undefined where it needs none. */
  readonly apiKey?: () => Promise<string | undefined>;
  readonly timers?: Timers;
  readonly clock?: Clock;
  /** Receives notes on what is left out of requests because the endpoint refused it. */
  readonly log?: Log;
}

/** An exchange that failed. */
interface Refused {
  readonly failure: ModelFailure;
  /** Whether some of an answer came before. */
  readonly hasSaid: boolean;
}

/** A model behind an endpoint that speaks OpenAI's chat completions. The client is loaded with the first request. */
export class OpenAiModel implements Model {
  readonly kind = 'http';
  readonly id: string;
  readonly label: string;
  readonly endpoint: string;
  readonly #options: OpenAiModelOptions;
  readonly #dialect: Dialect;
  /** Whether pictures are sent: until the model refuses one. */
  #withPictures = true;

  constructor(options: OpenAiModelOptions) {
    this.#options = options;
    this.endpoint = options.endpoint.name;
    this.#dialect = new Dialect(new URL(options.endpoint.url.base).hostname);
    this.id = `${options.endpoint.name}/${options.model}`;
    this.label = `${options.model} (${options.endpoint.name})`;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    let key: string | undefined;
    try {
      key = await this.#options.apiKey?.();
      let withPictures = this.#withPictures;
      for (;;) {
        const { age } = this.#dialect;
        const refused = yield* this.#ask(request, key, withPictures);
        if (!refused) return;
        const { failure, hasSaid } = refused;
        // What has been said cannot be taken back: another try would say it twice.
        const mayRepeat = !hasSaid;
        if (mayRepeat && withPictures && refusesPictures(failure) && request.messages.some(hasParts)) {
          withPictures = false;
          this.#leaveOutPictures(without(failure, key));
        } else if (!mayRepeat || !this.#dialect.learn(failure, age)) {
          yield { type: 'error', error: without(failure, key) };
          return;
        }
      }
    } catch (error) {
      const message = `The request could not be made: ${messageOf(error)}`;
      yield { type: 'error', error: without({ code: 'adapter', message, retryable: false }, key) };
    }
  }

  /** One exchange. Ends with an `end` event and returns undefined, or returns why it failed. */
  async *#ask(
    request: ModelRequest,
    key: string | undefined,
    withPictures: boolean,
  ): AsyncGenerator<ModelEvent, Refused | undefined> {
    let hasSaid = false;
    const { endpoint, model, timers = systemTimers } = this.#options;
    const exchange = new HttpExchange({ ...DEFAULT_HTTP_LIMITS, ...endpoint.limits }, timers);
    const reader = new WireReader();
    const { extraBody } = endpoint;
    // The client never removes its listener from the signal, and a call sends many requests.
    const link = linkedTo(request.signal);
    try {
      const client = await clientFor(endpoint, key, exchange);
      const body = bodyOf(request, {
        model,
        extraBody,
        without: this.#dialect.without,
        history: { ...this.#dialect.history, withPictures },
      });
      const chunks = await client.post<AsyncIterable<unknown>>('/chat/completions', {
        body,
        headers: { 'content-type': 'application/json' },
        stream: true,
        signal: link.signal,
      });
      for await (const chunk of chunks) {
        for (const event of reader.read(chunk)) {
          hasSaid ||= event.type !== 'usage';
          yield event;
        }
        if (reader.hasExtra) this.#dialect.noticeExtra();
        if (reader.failure) return { failure: reader.failure, hasSaid };
      }
    } catch (error) {
      // A failure after the model has finished does not change its answer.
      if (!reader.finish || request.signal.aborted) {
        return { failure: this.#failureOf(error, exchange, request.signal), hasSaid };
      }
    } finally {
      link.dispose();
    }
    if (request.signal.aborted) return { failure: cancelled, hasSaid };
    const finish = reader.finish ?? (exchange.tail.includes('[DONE]') ? 'unknown' : undefined);
    if (!finish) return { failure: exchange.failure ?? cutStream, hasSaid };
    yield* reader.end();
    yield { type: 'end', finishReason: finish };
    return undefined;
  }

  #failureOf(error: unknown, exchange: HttpExchange, signal: AbortSignal): ModelFailure {
    if (signal.aborted) return cancelled;
    if (exchange.failure) return exchange.failure;
    const { status, headers, error: body } = error as Partial<InstanceType<typeof OpenAI.APIError>>;
    const now = (this.#options.clock ?? systemClock).now();
    if (typeof status === 'number') return statusFailure(status, exchange.refusal, headers, now);
    if (body) return embeddedFailure(body);
    if (error instanceof SyntaxError) {
      return {
        code: 'badResponse',
        message: 'The endpoint sent something that is no JSON.',
        retryable: true,
      };
    }
    return { code: 'provider', message: preview(messageOf(error), 2_000), retryable: true };
  }

  /** Stops sending pictures; a refusal because of length says nothing about pictures in a shorter request. */
  #leaveOutPictures({ status, message }: ModelFailure): void {
    const isTooLong = status === 413;
    if (!isTooLong) this.#withPictures = false;
    const since = isTooLong ? 'this request' : 'this and all further requests';
    this.#options.log?.warn(`${this.label}: pictures are left out of ${since}: ${preview(message, 500)}`);
  }
}

const hasParts = ({ content }: ChatMessage) =>
  Array.isArray(content) && content.some(({ type }) => type === 'image_url');

/** A signal that is aborted with another one until it is disposed, which removes its listener from the other one. */
function linkedTo(outer: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (outer.aborted) abort();
  else outer.addEventListener('abort', abort, { once: true });
  return { signal: controller.signal, dispose: () => outer.removeEventListener('abort', abort) };
}

/**
 * The client for one exchange, without its own headers: they reveal facts about this machine, and some come from
 * environment variables that were never meant for this endpoint.
 */
async function clientFor(
  endpoint: Endpoint,
  key: string | undefined,
  exchange: HttpExchange,
): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  const headers = {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    'user-agent': 'agent-logbook',
    ...headersFor(endpoint, key),
  };
  return new OpenAI({
    apiKey: 'unused',
    baseURL: endpoint.url.base,
    defaultQuery: { ...endpoint.url.query },
    maxRetries: 0,
    // Our own limits are tighter and more specific; this one must only not come first.
    timeout: 2 ** 31 - 1,
    logLevel: 'off',
    fetch: async (url, init) => asStream(await exchange.fetch(url, { ...init, headers }), exchange),
  });
}

/**
 * Normalizes a response: one that is not streamed becomes a stream of one piece, a stream with a wrong content type is
 * corrected, a web page becomes a failure; any other is unchanged.
 */
async function asStream(response: Response, exchange: HttpExchange): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || !/application\/json|text\/html/.test(type)) return response;
  const text = await response.text();
  const { status, headers } = response;
  if (isWebPage(text)) {
    const message = `The endpoint answered with a web page ('${wordsOfPage(text)}'): is its address right?`;
    exchange.failure ??= { code: 'badResponse', message, retryable: false };
    throw new Error(message);
  }
  const isStream = /^\s*(?:data|event|id|retry)?:/.test(text);
  const events = isStream ? text : `data: ${JSON.stringify(parsedBody(text))}\n\n`;
  return new Response(events, { status, headers });
}

const cancelled: ModelFailure = {
  code: 'cancelled',
  message: 'The request was cancelled.',
  retryable: false,
};
const cutStream: ModelFailure = {
  code: 'cutStream',
  message: 'The answer broke off before its end.',
  retryable: true,
};

/** The failure without the key, which some endpoints repeat in their message. */
function without(failure: ModelFailure, key: string | undefined): ModelFailure {
  if (!key || !failure.message.includes(key)) return failure;
  return { ...failure, message: failure.message.replaceAll(key, '•••') };
}
