import { errorCode } from '../../core/errorCode.js';
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Readable, pipeline, type Transform } from 'node:stream';
import type { Disposable } from '../../core/event.js';
import { messageOf, preview } from '../../core/text.js';
import type { Timers } from '../../core/timers.js';
import type { ModelFailure } from '../../core/ports/model.js';
import type { HttpLimits } from './httpLimits.js';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** How Node's codes for packed bytes that are wrong begin, of zlib and of Brotli. */
const UNPACKING = /^(?:Z_|ERR__ERROR|ERR_BROTLI)/;

/** How much of a refusal is read, in UTF-16 code units: more than any endpoint needs to explain it. */
const MAX_REFUSAL_LENGTH = 65_536;

/** How long the rest of a body is waited for after its end was announced, so that the connection can be used again. */
const WRAP_UP_MS = 1_000;

/** The longest delay of a timer; a longer one would fire at once. */
const MAX_MS = 2 ** 31 - 1;

/** Statuses whose answer has no body by definition. */
const bodiless = new Set([204, 205, 304]);

/**
 * One HTTP request and its response under limits, as a `fetch` that follows no redirect. When a limit or the network ends
 * it, the reason is in `failure`, whatever the caller makes of the error.
 */
export class HttpExchange {
  /** Why it failed; undefined while it has not. */
  failure: ModelFailure | undefined;
  readonly #limits: HttpLimits;
  readonly #timers: Timers;
  #total: Disposable | undefined;
  #step: Disposable | undefined;
  #idleMs: number;
  /** Starts the wait for the next piece of the body anew; undefined while none is awaited. */
  #awaitPiece: (() => void) | undefined;

  constructor(limits: HttpLimits, timers: Timers) {
    this.#limits = limits;
    this.#idleMs = limits.idleMs;
    this.#timers = timers;
  }

  /** Sends a request whose body is a text or bytes; resolves with the response's head. */
  readonly fetch = (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    return this.#send(url, init, false);
  };

  /** Has the rest of the body, in which nothing more is expected, given up soon. */
  wrapUp(): void {
    this.#idleMs = Math.min(this.#idleMs, WRAP_UP_MS);
    this.#awaitPiece?.();
  }

  #send(url: URL, init: RequestInit, again: boolean): Promise<Response> {
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? requestHttps : requestHttp;
      const { method = 'GET', signal } = init;
      const headers = { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' };
      const request = send(url, { method, headers, ...(signal && { signal }) });
      let isOver = false;
      let hasAnswered = false;
      const fail = (error: unknown): void => {
        if (isOver) return;
        isOver = true;
        this.#stop();
        // That the server has meanwhile closed a kept-alive connection says nothing about the server.
        if (
          !again &&
          !hasAnswered &&
          request.reusedSocket &&
          isReset(error) &&
          !this.failure &&
          !signal?.aborted
        ) {
          this.#send(url, init, true).then(resolve, reject);
          return;
        }
        this.failure ??= networkFailure(error);
        reject(error instanceof Error ? error : new Error(String(error)));
      };
      this.#watch(request);
      request.on('error', fail);
      // Node closes the connection of an answer that switches to another protocol without a word.
      request.on('close', () => {
        if (!hasAnswered) fail(new Error('it closed the connection without an answer'));
      });
      request.on('response', (incoming) => {
        hasAnswered = true;
        const head = { status: incoming.statusCode ?? 0, headers: headersOf(incoming) };
        try {
          const body = bodiless.has(head.status)
            ? null
            : this.#bodyOf(this.#unpacked(incoming), incoming, request);
          resolve(new Response(body, head));
        } catch (error) {
          request.destroy();
          fail(error);
        }
      });
      request.end(isPlainBody(init.body) ? init.body : undefined);
    });
  }

  #watch(request: ClientRequest): void {
    const { connectMs, firstByteMs, totalMs } = this.#limits;
    const longest = Math.min(totalMs, MAX_MS);
    this.#total = this.#timers.after(longest, () => this.#expire(request, 'total', totalMs));
    const answerWithin = (): void =>
      this.#next(firstByteMs, () => this.#expire(request, 'firstByte', firstByteMs));
    request.once('socket', (socket) => {
      if (!socket.connecting) {
        answerWithin();
        return;
      }
      this.#next(connectMs, () => this.#expire(request, 'connect', connectMs));
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', answerWithin);
    });
  }

  /** The bytes of an answer's body; throws, with the reason in `failure`, where its encoding is not known. */
  #unpacked(incoming: IncomingMessage): Readable {
    const encoding = incoming.headers['content-encoding'];
    const bytes = unpacked(
      incoming,
      encoding,
      (error) => (this.failure ??= unpackingFailure(encoding, error)),
    );
    if (bytes) return bytes;
    this.failure ??= unpackingFailure(encoding);
    throw new Error(this.failure.message);
  }

  /** The body of `incoming`, whose unpacked bytes are `source`; what arrived before a failure is given before it. */
  #bodyOf(source: Readable, incoming: IncomingMessage, request: ClientRequest): ReadableStream<Uint8Array> {
    const { bodyBytes } = this.#limits;
    const awaitPiece = (): void => {
      const idleMs = this.#idleMs;
      this.#next(idleMs, () => this.#expire(request, 'idle', idleMs));
    };
    let bytes = 0;
    let isOpen = true;
    /** What is due once the pieces that wait are read: an error would take them away from the reader. */
    let ending: (() => void) | undefined;
    const end = (act: () => void, controller?: ReadableStreamDefaultController): void => {
      this.#stop();
      if (!isOpen) return;
      isOpen = false;
      if (controller && (controller.desiredSize ?? 0) <= 0) ending = act;
      else act();
    };
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const fail = (error: unknown): void => {
          this.failure ??= networkFailure(error);
          end(() => controller.error(error), controller);
        };
        source.on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (bytes > bodyBytes)
            this.#giveUp(request, 'tooLong', `The answer is longer than ${bodyBytes} bytes.`);
          if (!isOpen || this.failure) return;
          this.#awaitPiece = awaitPiece;
          awaitPiece();
          controller.enqueue(new Uint8Array(piece));
          if ((controller.desiredSize ?? 0) <= 0) source.pause();
        });
        // A body without a length ends with its connection, also where that was broken off.
        source.on('end', () =>
          this.failure ? fail(new Error(this.failure.message)) : end(() => controller.close()),
        );
        source.on('error', fail);
      },
      pull: () => {
        if (ending) ending();
        else source.resume();
      },
      cancel: () => {
        end(() => undefined);
        incoming.destroy();
      },
    });
  }

  #next(ms: number, act: () => void): void {
    this.#step?.dispose();
    this.#step = this.#timers.after(Math.min(ms, MAX_MS), act);
  }

  #expire(request: ClientRequest, what: keyof typeof expired, ms: number): void {
    this.#giveUp(request, 'timeout', `${expired[what]} within ${ms / 1000} s.`, true);
  }

  #giveUp(request: ClientRequest, code: string, message: string, retryable = false): void {
    this.failure ??= { code, message, retryable };
    this.#stop();
    request.destroy(new Error(message));
  }

  #stop(): void {
    this.#awaitPiece = undefined;
    this.#total?.dispose();
    this.#step?.dispose();
  }
}

const expired = {
  connect: 'The endpoint could not be reached',
  firstByte: 'The endpoint did not begin to answer',
  idle: 'The endpoint fell silent and said nothing more',
  total: 'The endpoint did not finish its answer',
} as const;

/** The body of a refusal as text, as much of it as is worth reading. */
export async function refusalIn({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  const pieces: AsyncIterable<Uint8Array> | readonly Uint8Array[] = body ?? [];
  let text = '';
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > MAX_REFUSAL_LENGTH) break;
  }
  return text;
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

function isPlainBody(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

function isReset(error: unknown): boolean {
  return errorCode(error) === 'ECONNRESET';
}

function networkFailure(error: unknown): ModelFailure {
  const code = errorCode(error);
  const words = networkWords[code] ?? messageOf(error);
  return {
    code: 'network',
    message: `The endpoint could not be used: ${words}.`,
    retryable: code !== 'ENOTFOUND',
  };
}

function unpackingFailure(encoding: string | undefined, error?: unknown): ModelFailure {
  const packed = `The endpoint packs its answer as '${preview(String(encoding), 40)}'`;
  return error === undefined
    ? { code: 'badResponse', message: `${packed}, which is not known here.`, retryable: false }
    : {
        code: 'badResponse',
        message: `${packed}, and it cannot be unpacked: ${messageOf(error)}.`,
        retryable: true,
      };
}

const networkWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'it closed the connection',
  ENOTFOUND: 'its name is not known',
  EPIPE: 'it closed the connection',
};

/**
 * The bytes of a body as they were before they were packed. Nothing packed is asked for, but some servers and proxies
 * pack all the same. `failed` hears why unpacking failed; undefined where the encoding is not known.
 */
function unpacked(
  packed: Readable,
  encoding: string | undefined,
  failed: (error: Error) => void,
): Readable | undefined {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return packed;
  if (!Object.hasOwn(unpackers, name)) return undefined;
  const unpacker = unpackers[name]?.();
  if (!unpacker) return undefined;
  // An error of the connection comes through here too, but whoever made the connection hears it first.
  unpacker.once('error', (error) => {
    if (UNPACKING.test(errorCode(error))) failed(error);
  });
  return pipeline(packed, unpacker, () => undefined);
}
