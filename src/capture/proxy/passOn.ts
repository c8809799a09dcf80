import {
  request as plainRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { request as secureRequest } from 'node:https';
import { messageOf } from '../../core/text.js';
import { refuse } from '../servers/refusal.js';
import { headersBack, headersOn } from './passedHeaders.js';

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
