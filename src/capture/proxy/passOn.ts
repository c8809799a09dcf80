import {
  request as plainRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { request as secureRequest } from 'node:https';
import { messageOf } from '../../core/text.js';
import { refuse, Refusal } from '../servers/refusal.js';

/** A header as it came: its name, and its value with a character for each byte. */
type Header = readonly [name: string, value: string];

/** The headers that concern one connection only, by RFC 9110 section 7.6.1. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What is written anew for a request that goes on. */
const OWN = new Set(['host', 'accept-encoding', 'content-length', 'expect']);

/** The methods whose requests say that they have no body, by RFC 9110 section 8.6. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** The encodings that a copy can be read in; an answer in another one could not be recorded. */
const READABLE = /^\s*(?:gzip|x-gzip|deflate|br|identity|\*)\s*(?:;|$)/i;

/** The headers with which a request goes on to an address, as a list of names and values. Throws a `Refusal`. */
function headersOn(request: IncomingMessage, target: URL): readonly string[] {
  const encodings = (request.headers['accept-encoding'] ?? '')
    .split(',')
    .filter((each) => READABLE.test(each) && !each.trim().startsWith('*'))
    .join(',');
  return [
    'host',
    target.host,
    ...passing(request).flatMap(([name, value]) => (OWN.has(name.toLowerCase()) ? [] : [name, value])),
    'accept-encoding',
    encodings === '' ? 'identity' : encodings,
    ...framingOf(request),
  ];
}

/**
 * The header that says where the body ends, as the request itself said it: without one, what a body holds would be the
 * next request of the connection, for which Node cares with some methods only.
 */
function framingOf({ headers, method = '' }: IncomingMessage): readonly string[] {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (coding.trim().toLowerCase() === 'chunked') return ['transfer-encoding', 'chunked'];
    throw new Refusal(501, 'Of transfer codings only chunked is passed on.');
  }
  const length = headers['content-length'] ?? (WITH_BODY.has(method) ? '0' : undefined);
  return length === undefined ? [] : ['content-length', length];
}

/** The headers with which an answer goes back, as a list of names and values. */
function headersBack(answer: IncomingMessage): string[] {
  return passing(answer).flat();
}

function passing({ headers, rawHeaders }: IncomingMessage): readonly Header[] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  return pairs(rawHeaders).filter(([name]) => {
    const known = name.toLowerCase();
    // The length belongs to the body, whatever the connection says of it.
    return known === 'content-length' || !(HOP_BY_HOP.has(known) || named.includes(known));
  });
}

function pairs(raw: readonly string[]): readonly Header[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}

const NOTHING = Buffer.alloc(0);

/** How often it is asked whether a program that said that it sends no more is still there, in milliseconds. */
const ALIVE_MS = 10_000;

/** A request that is to go on to an address, and who hears what goes past. */
export interface Passing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: URL;
  /** Hears each piece of what is asked. */
  readonly onAsked: (chunk: Buffer) => void;
  /** Hears, once, that no more of what is asked will come. */
  readonly onAskedAll: () => void;
  /** Hears each piece of the answer, and what it is packed as. */
  readonly onAnswered: (chunk: Buffer, encoding: string | undefined) => void;
}

/** How a request that was passed on has ended. */
export interface Passed {
  /** The status of the answer; undefined where none came. */
  readonly status: number | undefined;
  /** What the answer is packed as. */
  readonly encoding: string | undefined;
  /** Why it did not end well; '' where it did. */
  readonly failure: string;
}

/**
 * Sends a request on and its answer back, as it comes. Resolves when either side has ended, whatever the other one sends;
 * where no answer can be passed back, the program is told so with 502.
 */
export function passOn(passing: Passing): Promise<Passed> {
  return new Promise((resolve) => new Passage(passing, resolve).begin());
}

/** One request on its way, and its answer. */
class Passage {
  readonly #passing: Passing;
  readonly #done: (passed: Passed) => void;
  #onward: ClientRequest | undefined;
  #answer: IncomingMessage | undefined;
  #failure = '';
  #isOver = false;

  constructor(passing: Passing, done: (passed: Passed) => void) {
    this.#passing = passing;
    this.#done = done;
  }

  begin(): void {
    const { request, response, target, onAsked, onAskedAll } = this.#passing;
    const send = target.protocol === 'https:' ? secureRequest : plainRequest;
    const headers = headersOn(request, target);
    const onward = send(target, { method: request.method ?? 'GET', headers });
    this.#onward = onward;
    this.#follow(onward);
    response.on('error', () => undefined);
    response.on('close', () => {
      if (!response.writableFinished) this.#leave();
    });
    this.#watch();
    request.on('error', () => undefined);
    request.on('data', onAsked);
    request.once('end', onAskedAll);
    request.once('close', () => {
      if (!request.complete) onAskedAll();
    });
    request.pipe(onward);
  }

  /**
   * A program that says that it sends no more either waits for its answer, as one does that has nothing else to ask, or is
   * gone. Within an answer it is gone: nobody says so then but by closing.
   */
  #watch(): void {
    const { request, response } = this.#passing;
    const { socket } = request;
    const ended = () => {
      if (response.headersSent) this.#leave();
      else socket.setKeepAlive(true, ALIVE_MS);
    };
    if (socket.readableEnded) ended();
    else {
      socket.once('end', ended);
      response.once('close', () => socket.off('end', ended));
    }
  }

  #leave(): void {
    this.#failure ||= 'The program that asked did not wait for the whole answer.';
    this.#passing.response.destroy();
    this.#onward?.destroy();
  }

  #follow(onward: ClientRequest): void {
    const { request, target } = this.#passing;
    onward.on('response', (answer) => {
      try {
        this.#take(answer);
      } catch (error) {
        this.#fail(`The answer of ${target.host} cannot be passed on: ${messageOf(error)}`);
      }
    });
    onward.on('upgrade', (_, socket) => {
      socket.on('error', () => undefined).destroy();
      this.#fail(`${target.host} wants to speak another protocol, which is not passed on.`);
    });
    onward.on('error', (error) => {
      if (!this.#answer) this.#fail(`${target.host} cannot be asked: ${messageOf(error)}`);
    });
    onward.on('close', () => {
      if (!this.#answer) this.#fail(`${target.host} gave no answer.`);
      // What is still to come of the request goes nowhere, but its sender shall not be held up by that.
      request.resume();
    });
  }

  #take(answer: IncomingMessage): void {
    const { response, onAnswered } = this.#passing;
    // How it ended is asked when it is closed, which follows.
    answer.on('error', () => undefined);
    response.writeHead(statusOf(answer), reasonOf(answer), headersBack(answer));
    this.#answer = answer;
    // Sends the head now, and byte by byte as it came; `flushHeaders` would send it in UTF-8.
    response.write(NOTHING);
    const encoding = answer.headers['content-encoding'];
    answer.on('data', (chunk: Buffer) => onAnswered(chunk, encoding));
    answer.on('close', () => {
      if (!answer.complete) {
        this.#failure ||= 'The answer ended in the middle.';
        response.destroy();
      }
      this.#end();
    });
    answer.pipe(response);
  }

  #fail(why: string): void {
    if (this.#isOver) return;
    const { request, response } = this.#passing;
    this.#failure ||= why;
    this.#end();
    if (response.headersSent || response.destroyed) response.destroy();
    else refuseInJson(request, response, { status: 502, message: this.#failure });
    this.#onward?.destroy();
  }

  #end(): void {
    this.#isOver = true;
    this.#done({
      status: this.#answer?.statusCode,
      encoding: this.#answer?.headers['content-encoding'],
      failure: this.#failure,
    });
  }
}

/** The status of an answer. Throws for a number that is none, such as 099. */
function statusOf({ statusCode = 0 }: IncomingMessage): number {
  if (statusCode < 200) throw new Error(`its status is ${statusCode}.`);
  return statusCode;
}

/** What an answer calls its status; '' for what no answer may. */
function reasonOf({ statusMessage = '' }: IncomingMessage): string {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(statusMessage) ? statusMessage : '';
}

/** Refuses a request in words that the clients of OpenAI and of Anthropic both read. */
export function refuseInJson(
  request: IncomingMessage,
  response: ServerResponse,
  { status, message, headers = {} }: JsonRefusal,
): void {
  const body = JSON.stringify({ type: 'error', error: { type: 'recording_proxy_error', message } });
  refuse(request, response, { status, headers: { 'content-type': 'application/json', ...headers }, body });
}

interface JsonRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}
