import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../../core/clock.js';
import { messageOf } from '../../core/text.js';
import { requireLoopback } from '../loopbackGuard.js';
import { LoopbackServer } from '../loopbackServer.js';
import { MAX_RECORDING, RecordingFiles, type Growth } from '../recordingFiles.js';
import { Refusal } from '../refusal.js';
import { BodyBudget } from '../requestBody.js';
import { BodyCopy, type CopiedBody } from './bodyCopy.js';
import { ConversationTracker, type Turn } from './conversationTracker.js';
import { passOn, refuseInJson, type Passed } from './passOn.js';
import { asksModel } from './modelPath.js';
import { RepeatFinder } from './repeatFinder.js';
import { routeOf, type Route, type Upstreams } from './upstreams.js';
import { withoutKeys } from './withoutKeys.js';

/** The most bytes of a request or an answer that are recorded; what is longer goes past whole and is told as left out. */
const MAX_COPY = 32 * 1024 * 1024;
/** The most bytes of all that goes past that are held at once. */
const MAX_HELD = 8 * MAX_COPY;
const MAX_CONNECTIONS = 512;
/** Of how many paths it is told that what is sent there is not recorded. */
const MAX_TOLD = 50;

/** The turn of a request that belongs to no conversation. */
const NO_TURN: Turn = { conversation: 0, end: () => undefined };

/** What a proxy is given. */
export interface RecordingProxyOptions {
  /** The port; 0 takes any that is free. */
  readonly port: number;
  /** The folder of the recordings. */
  readonly folder: string;
  readonly upstreams: Upstreams;
  /** Hears of every recording that grew. */
  readonly onGrown: (growth: Growth) => void;
  /** Hears of what went wrong, in words. */
  readonly onProblem: (words: string) => void;
  readonly clock?: Clock;
}

/**
 * Passes requests on to model APIs and records them with their answers, a file for each conversation. What goes past is
 * neither changed nor held up: an answer's bytes are sent on as they come, copies are read when it has ended. Of the
 * headers none are recorded, so no key and no cookie is; of bodies the keys for other servers are not.
 */
export class RecordingProxy {
  readonly #options: RecordingProxyOptions;
  #exchanges = 0;
  readonly #files: RecordingFiles;
  readonly #budget = new BodyBudget(MAX_HELD);
  readonly #tracker = new ConversationTracker();
  readonly #repeats = new RepeatFinder();
  readonly #clock: Clock;
  /** Conversations of two proxies are never one. */
  readonly #id = randomUUID();
  readonly #recording = new Set<Promise<void>>();
  #server: LoopbackServer | undefined;
  /** How many requests were passed on that ask no model, and the paths that were told of them. */
  #passed = 0;
  readonly #told = new Set<string>();

  private constructor(options: RecordingProxyOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#files = new RecordingFiles({
      folder: options.folder,
      extension: '.exchanges.jsonl',
      maxBytes: MAX_RECORDING,
      onGrown: options.onGrown,
    });
  }

  /** Starts to answer. Rejects with words for a person where the port cannot be had. */
  static async listen(options: RecordingProxyOptions): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(options);
    proxy.#server = await LoopbackServer.listen({
      port: options.port,
      maxConnections: MAX_CONNECTIONS,
      answer: (request, response) => proxy.#answer(request, response),
      onError: (error) => options.onProblem(messageOf(error)),
    });
    return proxy;
  }

  /** Where it answers, without a path. */
  get address(): string {
    return this.#server?.address ?? '';
  }

  /** Ends all connections; resolves when what went past is recorded. */
  async close(): Promise<void> {
    await this.#server?.close();
    while (this.#recording.size > 0) await Promise.all(this.#recording);
    await this.#files.settled();
    if (this.#passed > 0)
      this.#options.onProblem(`Requests that ask no model were passed on but not recorded: ${this.#passed}.`);
    this.#passed = 0;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      requireLoopback(request);
      const route = routeOf(request.url ?? '', this.#options.upstreams);
      const exchange = await this.#passOn(request, response, route);
      const recording = this.#record(exchange)
        .catch((error: unknown) => this.#options.onProblem(messageOf(error)))
        .finally(() => this.#recording.delete(recording));
      this.#recording.add(recording);
    } catch (error) {
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const refusal = error instanceof Refusal ? error : new Refusal(502, messageOf(error));
      this.#options.onProblem(`${request.method ?? ''} ${pathOf(request.url)}: ${refusal.message}`);
      refuseInJson(request, response, refusal);
    }
  }

  /** Sends a request on and its answer back. Resolves when either side has ended. */
  async #passOn(request: IncomingMessage, response: ServerResponse, route: Route): Promise<Exchange> {
    const start = this.#clock.now();
    const asked = new BodyCopy(MAX_COPY, this.#budget);
    const answered = new BodyCopy(MAX_COPY, this.#budget);
    const asking = deferred<Asking>();
    // A failure is told where it is waited for, which is after the answer.
    asking.promise.catch(() => undefined);
    const passed = await passOn({
      ...{ request, response, target: route.target },
      onAsked: (chunk) => asked.add(chunk),
      onAskedAll: () => asking.resolve(this.#begin(request, { asked, route, start })),
      onAnswered: (chunk) => answered.add(chunk),
    });
    if (passed.status === undefined) this.#options.onProblem(passed.failure);
    return { ...passed, answered, asking: asking.promise, end: this.#clock.now() };
  }

  /** Takes a request that has come whole, and records it at once: its answer may take minutes. */
  async #begin(
    { headers, method }: IncomingMessage,
    { asked, route, start }: { readonly asked: BodyCopy; readonly route: Route; readonly start: number },
  ): Promise<Asking> {
    if (method !== 'POST' || !asksModel(route.target.pathname)) {
      asked.free();
      if (method === 'POST') this.#passedBy(route.target.pathname);
      return { id: '', turn: NO_TURN, isAdded: Promise.resolve(false) };
    }
    const question = await asked.read(headers['content-encoding']);
    asked.free();
    const isRetry = Number(headers['x-stainless-retry-count'] ?? 0) > 0;
    const turn = this.#tracker.begin({ body: question.value, isRetry });
    const id = String(++this.#exchanges);
    const { value, count } = withoutKeys(question.value);
    const { request, repeats } = this.#repeats.take(turn.conversation, id, value);
    const isAdded = this.#add(turn, {
      exchange: id,
      url: `${route.target.origin}${route.target.pathname}`,
      startTime: new Date(start).toISOString(),
      ...leftOutIn('request', question, count),
      ...(repeats && { repeats }),
      request: request ?? null,
      response: null,
    }).then((isThere) => {
      if (!isThere) this.#repeats.forget(turn.conversation);
      return isThere;
    });
    return { id, turn, isAdded };
  }

  /** Counts what is no conversation with a model, and tells of each path once. */
  #passedBy(path: string): void {
    this.#passed += 1;
    if (this.#told.size >= MAX_TOLD || this.#told.has(path)) return;
    this.#told.add(path);
    this.#options.onProblem(
      `What is sent to ${path} is passed on but not recorded: no model is asked there.`,
    );
  }

  async #record(exchange: Exchange): Promise<void> {
    const { end, status, failure, answered } = exchange;
    const { id, turn, isAdded } = await exchange.asking;
    const answer = await answered.read(exchange.encoding);
    answered.free();
    turn.end({ isFailed: failure !== '' || (status ?? 500) >= 400, answer: answer.value });
    // Without its request an answer says nothing.
    if (!(await isAdded)) return;
    const { value, count } = withoutKeys(answer.value);
    await this.#add(turn, {
      exchange: id,
      status: status ?? 0,
      endTime: new Date(end).toISOString(),
      ...(failure !== '' && { failure }),
      ...leftOutIn('answer', answer, count),
      response: value === '' && failure !== '' ? { error: { message: failure } } : (value ?? null),
    });
  }

  /** Adds a line to the recording of a conversation; tells whether it is there. Never rejects. */
  async #add({ conversation }: Turn, line: Readonly<Record<string, unknown>>): Promise<boolean> {
    try {
      const isAdded = await this.#files.add(`${this.#id} ${conversation}`, [JSON.stringify(line)]);
      if (!isAdded)
        this.#options.onProblem('A recording is full; a request was passed on without being recorded.');
      return isAdded;
    } catch (error) {
      this.#options.onProblem(`A request was passed on but cannot be recorded: ${messageOf(error)}`);
      return false;
    }
  }
}

/** A request that went past, with its answer. */
interface Exchange extends Passed {
  readonly end: number;
  readonly answered: BodyCopy;
  readonly asking: Promise<Asking>;
}

/** What was asked, and the conversation that it was taken for. */
interface Asking {
  /** What the lines of the recording call the exchange. */
  readonly id: string;
  readonly turn: Turn;
  /** Whether the request stands in the recording. */
  readonly isAdded: Promise<boolean>;
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T | Promise<T>) => void } {
  let resolve: (value: T | Promise<T>) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

function pathOf(url: string | undefined): string {
  return (url ?? '').split('?')[0] ?? '';
}

/** What a line says of a body that is not there, or not whole. */
function leftOutIn(what: string, { problem }: CopiedBody, keys: number): { readonly leftOut?: string } {
  const told = keys === 0 ? '' : `${keys} ${keys === 1 ? 'key was' : 'keys were'} not kept.`;
  const words = [problem, told].filter((each) => each !== '').join(' ');
  return words === '' ? {} : { leftOut: `${what}: ${words}` };
}
