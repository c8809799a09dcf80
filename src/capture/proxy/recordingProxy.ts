import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock, type Clock } from '../../core/clock.js';
import { messageOf } from '../../core/text.js';
import { systemTimers, type Timers } from '../../core/timers.js';
import { requireLoopback } from '../servers/loopbackGuard.js';
import { LoopbackServer } from '../servers/loopbackServer.js';
import { Refusal } from '../servers/refusal.js';
import { BodyBudget } from '../servers/requestBody.js';
import { MAX_COPY, type ExchangeSink, type SentBody } from './exchanges.js';
import { keysOf } from './echoedKeys.js';
import { passOn, refuseInJson } from './passOn.js';
import { routeOf, type Route, type Upstreams } from './upstreams.js';
import type { Disposable } from '../../core/event.js';

/** Where an answer of a model is asked for, in the APIs whose recordings can be read. */
export const ASKED =
  /\/(?:chat\/completions|completions|responses|messages|[^/]+:(?:g|streamG)enerateContent|api\/(?:chat|generate))\/*$/;

/** The most bytes of all that goes past that are held at once. */
const MAX_HELD = 8 * MAX_COPY;
const MAX_CONNECTIONS = 512;
/** Of how many paths it is told that what is sent there is not recorded. */
const MAX_TOLD = 50;
/** Why an answer did not end that was on its way when nothing more was to be recorded. */
const STOPPED = 'The recording was stopped before the answer ended.';

/** What a proxy is given. */
export interface RecordingProxyOptions {
  /** The port; 0 takes any that is free. */
  readonly port: number;
  readonly upstreams: Upstreams;
  /** Records what is passed on. */
  readonly recorder: ExchangeSink;
  /** Hears of what went wrong, in words. */
  readonly onProblem: (words: string) => void;
  readonly clock?: Clock;
  readonly timers?: Timers;
}

/**
 * Passes requests on to model APIs and gives a recorder copies of them and of their answers. What goes past is neither
 * changed nor held up: an answer's bytes are sent on as they come, copies are read when it has ended. Of the headers none
 * are recorded, so no key and no cookie is.
 */
export class RecordingProxy {
  readonly #options: RecordingProxyOptions;
  #exchanges = 0;
  readonly #budget = new BodyBudget(MAX_HELD);
  readonly #clock: Clock;
  readonly #timers: Timers;
  /** What is on its way, or being recorded. */
  readonly #working = new Set<Promise<void>>();
  /** The answers that are on their way. */
  readonly #passing = new Set<PiecesOverTime>();
  #isClosing = false;
  #server: LoopbackServer | undefined;
  /** How many requests were passed on that ask no model, and the paths that were told of them. */
  #passed = 0;
  readonly #told = new Set<string>();

  private constructor(options: RecordingProxyOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#timers = options.timers ?? systemTimers;
  }

  /** Starts to answer. Rejects with words for a person where the port cannot be had. */
  static async listen(options: RecordingProxyOptions): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(options);
    proxy.#server = await LoopbackServer.listen({
      port: options.port,
      maxConnections: MAX_CONNECTIONS,
      answer: (request, response) => proxy.#work(proxy.#answer(request, response)),
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
    this.#isClosing = true;
    await this.#server?.close();
    // An answer that was on its way hears only now that nobody waits for it.
    while (this.#working.size > 0) await Promise.all(this.#working);
    if (this.#passed > 0)
      this.#options.onProblem(`Requests that ask no model were passed on but not recorded: ${this.#passed}.`);
    this.#passed = 0;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      requireLoopback(request);
      const route = routeOf(request.url ?? '', this.#options.upstreams);
      await this.#passOn(request, response, route);
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
  async #passOn(request: IncomingMessage, response: ServerResponse, route: Route): Promise<void> {
    const { recorder, onProblem } = this.#options;
    const id = String(++this.#exchanges);
    const start = this.#clock.now();
    const [asked, answered] = [new BodyCopy(MAX_COPY, this.#budget), new BodyCopy(MAX_COPY, this.#budget)];
    const asking = deferred<boolean>();
    let isRecorded: boolean | undefined;
    const pieces = new PiecesOverTime(this.#timers, (bytes, packing) => {
      const given = async () => {
        // What goes past is given on in the order in which it came.
        if (isRecorded ?? (await asking.promise)) await recorder.passing({ id, bytes, encoding: packing });
      };
      void this.#work(given());
    });
    this.#passing.add(pieces);
    const passed = await passOn({
      request,
      response,
      target: route.target,
      onAsked: (chunk) => asked.add(chunk),
      onAskedAll: () => asking.resolve((isRecorded ??= this.#begin(request, { id, asked, route, start }))),
      onAnswered: (chunk, packing) => {
        answered.add(chunk);
        pieces.add(chunk, packing);
      },
    });
    pieces.end();
    this.#passing.delete(pieces);
    const { status, encoding } = passed;
    const failure = passed.failure !== '' && this.#isClosing ? STOPPED : passed.failure;
    if (status === undefined) onProblem(failure);
    const end = this.#clock.now();
    const record = async () => {
      // What is still to come of the request comes before its answer.
      if (await asking.promise)
        await recorder.answered({ id, body: answered.sent(encoding), status, end, failure });
    };
    this.#record(record(), answered);
  }

  /** Has a request that has come whole recorded, if it asks a model; tells whether it does. */
  #begin(
    { headers, method, url: address = '' }: IncomingMessage,
    { id, asked, route, start }: PassingRequest,
  ): boolean {
    if (method !== 'POST' || !asksModel(route.target.pathname)) {
      asked.free();
      if (method === 'POST') this.#passedBy(route.target.pathname);
      return false;
    }
    const body = asked.sent(headers['content-encoding']);
    const url = `${route.target.origin}${route.target.pathname}`;
    const isRetry = Number(headers['x-stainless-retry-count'] ?? 0) > 0;
    const keys = keysOf(headers, address);
    // It may go on with an answer that has told all but its end.
    for (const pieces of this.#passing) pieces.giveNow();
    this.#record(this.#options.recorder.asked({ id, body, url, start, isRetry, keys }), asked);
    return true;
  }

  /** Waits until a copy was recorded, and holds it no longer then. */
  #record(work: Promise<void>, copy: BodyCopy): void {
    void this.#work(work.finally(() => copy.free()));
  }

  /** What is waited for at the end; resolves when it is done, also where it fails, which is told. */
  #work(work: Promise<void>): Promise<void> {
    const done = work
      .catch((error: unknown) => this.#options.onProblem(messageOf(error)))
      .finally(() => this.#working.delete(done));
    this.#working.add(done);
    return done;
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
}

/** A request that goes past. */
interface PassingRequest {
  readonly id: string;
  readonly asked: BodyCopy;
  readonly route: Route;
  readonly start: number;
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T | Promise<T>) => void } {
  let resolve: (value: T | Promise<T>) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

function pathOf(url: string | undefined): string {
  return (url ?? '').split('?')[0] ?? '';
}

/** Whether a path of an API is where a model is asked, and not one that counts tokens, embeds texts or logs events. */
export function asksModel(path: string): boolean {
  return ASKED.test(path);
}

/** After how long what came of an answer is given on, in milliseconds: nobody loses more than a second of it. */
const PIECE_MS = 500;

/** What comes of an answer, gathered over a while and given on together. */
class PiecesOverTime {
  readonly #timers: Timers;
  readonly #give: (bytes: Buffer, encoding: string | undefined) => void;
  #chunks: Buffer[] = [];
  #encoding: string | undefined;
  #timer: Disposable | undefined;

  constructor(timers: Timers, give: (bytes: Buffer, encoding: string | undefined) => void) {
    this.#timers = timers;
    this.#give = give;
  }

  add(chunk: Buffer, encoding: string | undefined): void {
    this.#chunks.push(chunk);
    this.#encoding = encoding;
    this.#timer ??= this.#timers.after(PIECE_MS, () => this.giveNow());
  }

  /** Gives what has come. */
  giveNow(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#chunks.length > 0) this.#give(Buffer.concat(this.#chunks.splice(0)), this.#encoding);
  }

  /** Gives nothing more: the whole answer is there. */
  end(): void {
    this.#timer?.dispose();
    this.#chunks = [];
  }
}

/** Collects a copy of a body that goes past, up to a number of bytes and within what all copies may hold together. */
export class BodyCopy {
  readonly #max: number;
  readonly #budget: BodyBudget;
  #chunks: Buffer[] = [];
  #held = 0;
  #length = 0;
  #isLeftOut = false;

  constructor(max: number, budget: BodyBudget) {
    this.#max = max;
    this.#budget = budget;
  }

  add(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#isLeftOut) return;
    if (this.#length > this.#max || !this.#budget.tryTake(chunk.length)) {
      this.#isLeftOut = true;
      this.free();
      return;
    }
    this.#held += chunk.length;
    this.#chunks.push(chunk);
  }

  /** What went past, packed as `encoding` says. What is held stays so until it is freed. */
  sent(encoding: string | undefined): SentBody {
    const bytes = this.#isLeftOut ? undefined : Buffer.concat(this.#chunks);
    this.#chunks = [];
    return { bytes, length: this.#length, encoding };
  }

  /** Gives up what is held. */
  free(): void {
    this.#budget.free(this.#held);
    this.#held = 0;
    this.#chunks = [];
  }
}
