import { linkedController } from '../../core/abort.js';
import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { systemClock, type Clock } from '../../core/clock.js';
import type { ChatMessage } from '../../core/message.js';
import { messageOf, preview } from '../../core/text.js';
import { systemTimers, type Timers } from '../../core/timers.js';
import type { Log } from '../../core/ports/log.js';
import type { Model, ModelEvent, ModelFailure, ModelRequest } from '../../core/ports/model.js';
import { Dialect } from './dialect.js';
import { endpointKinds, type Endpoint, headersFor, addressOf } from './endpoint.js';
import { HttpExchange, refusalIn } from './httpExchange.js';
import { DEFAULT_HTTP_LIMITS, httpLimitKinds } from './httpLimits.js';
import { statusFailure } from './modelFailure.js';
import { readEvents } from './readEvents.js';
import { bodyOf } from './wireRequest.js';
import { refusesPictures } from './wireHistory.js';
import { WireReader } from './wireReader.js';

/** What a model at an OpenAI-compatible endpoint needs. */
export interface OpenAiModelOptions {
  readonly endpoint: Endpoint;
  /** The model's name at the endpoint. */
  readonly model: string;
  /** Gives the endpoint's key, for each request; undefined where it needs none. */
  readonly apiKey?: () => Promise<string | undefined>;
  /** How long the endpoint may be silent within an answer, in milliseconds, where its own limits do not say it. */
  readonly idleMs?: () => number;
  readonly timers?: Timers;
  readonly clock?: Clock;
  /** Receives notes on what is left out of requests because the endpoint refused it. */
  readonly log?: Log;
}

const modelOptionKinds: KnownOptions<OpenAiModelOptions> = {
  endpoint: 'object',
  model: 'text',
  apiKey: 'function',
  idleMs: 'function',
  timers: 'object',
  clock: 'object',
  log: 'object',
};

/** An exchange that failed. */
interface Refused {
  readonly failure: ModelFailure;
  /** Whether some of an answer came before. */
  readonly hasSaid: boolean;
}

/** A model behind an endpoint that speaks OpenAI's chat completions. */
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
    checkOptions(options, modelOptionKinds, 'OpenAiModel');
    checkOptions(options.endpoint, endpointKinds, 'endpoint');
    checkOptions(options.endpoint.limits ?? {}, httpLimitKinds, 'limits');
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
    const { endpoint, idleMs, timers = systemTimers } = this.#options;
    const limits = { ...DEFAULT_HTTP_LIMITS, ...(idleMs && { idleMs: idleMs() }), ...endpoint.limits };
    const exchange = new HttpExchange(limits, timers);
    const reader = new WireReader();
    // The connection outlives the request, and its listener would stay on the signal of a call that sends many.
    const { controller, unlink } = linkedController(request.signal);
    const { signal } = controller;
    try {
      const body = this.#bodyOf(request, withPictures);
      const headers = headersOf(endpoint, key);
      const address = addressOf(endpoint.url, '/chat/completions');
      const response = await exchange.fetch(address, { method: 'POST', body, headers, signal });
      if (!response.ok) return { failure: await this.#refusalOf(response), hasSaid };
      for await (const piece of readEvents(response.body ?? noBytes())) {
        for (const event of reader.read(piece)) {
          hasSaid ||= event.type !== 'usage';
          yield event;
        }
        if (reader.hasExtra) this.#dialect.noticeExtra();
        if (reader.failure) return { failure: reader.failure, hasSaid };
        if (reader.isDone) exchange.wrapUp();
      }
    } catch (error) {
      // A failure after the model has finished does not change its answer.
      if (!reader.finish || request.signal.aborted) {
        return { failure: failureOf(error, exchange, request.signal), hasSaid };
      }
    } finally {
      unlink();
    }
    if (request.signal.aborted) return { failure: cancelled, hasSaid };
    if (!reader.finish) return { failure: exchange.failure ?? cutStream, hasSaid };
    yield* reader.end();
    yield { type: 'end', finishReason: reader.finish };
    return undefined;
  }

  #bodyOf(request: ModelRequest, withPictures: boolean): Uint8Array<ArrayBuffer> {
    const { endpoint, model } = this.#options;
    const { without, history } = this.#dialect;
    return bodyOf(request, {
      model,
      extraBody: endpoint.extraBody,
      without,
      history: { ...history, withPictures },
    });
  }

  async #refusalOf(response: Response): Promise<ModelFailure> {
    const now = (this.#options.clock ?? systemClock).now();
    return statusFailure(response.status, await refusalIn(response), response.headers, now);
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

/** The headers of a request: nothing but what is needed, and no fact about this machine. */
function headersOf(endpoint: Endpoint, key: string | undefined): Record<string, string> {
  return {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    'user-agent': 'agent-logbook',
    ...headersFor(endpoint, key),
  };
}

async function* noBytes(): AsyncGenerator<Uint8Array> {
  // Some statuses come without a body.
}

function failureOf(error: unknown, exchange: HttpExchange, signal: AbortSignal): ModelFailure {
  if (signal.aborted) return cancelled;
  if (exchange.failure) return exchange.failure;
  return { code: 'provider', message: preview(messageOf(error), 2_000), retryable: true };
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
