import { errorCode } from '../core/errorCode.js';
import { messageOf } from '../core/text.js';

/** One end of a channel between two threads: a worker, its parent, or a `MessagePort`. */
export interface CallPort {
  postMessage(message: unknown, moved?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: CallMessage) => void): unknown;
}

/** What travels between the two ends. */
export type CallMessage =
  | { readonly call: number; readonly name: string; readonly args: readonly unknown[] }
  | { readonly answer: number; readonly value: unknown }
  | { readonly answer: number; readonly problem: string; readonly code: string };

/** An answer with memory that goes to the other end, and need not be copied. */
export class MovedAnswer {
  constructor(
    readonly value: unknown,
    readonly memory: readonly ArrayBuffer[],
  ) {}
}

interface PendingReply {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

type ArgumentsOf<Remote, N extends keyof Remote> = Remote[N] extends (...args: infer A) => unknown
  ? A
  : never;

/** Why a call was not answered: the other end of the channel is gone. Its cause is why, where that is known. */
export class ChannelClosed extends Error {
  override readonly name = 'ChannelClosed';

  constructor(cause?: Error) {
    super('The thread that was asked has ended.', { cause });
  }
}

/**
 * Calls across two threads, in both directions: each end names what it answers, and what is thrown there is rejected
 * here with the same words and code. Calls arrive in the order in which they were made.
 */
export class PortCalls<Remote extends object> {
  readonly #port: CallPort;
  readonly #local: object;
  readonly #waiting = new Map<number, PendingReply>();
  #lastId = 0;
  #closed: Error | undefined;

  /** `local` answers the calls of the other end by its methods. Whoever sees the other end go calls `close`. */
  constructor(port: CallPort, local: object) {
    this.#port = port;
    this.#local = local;
    port.on('message', (message: CallMessage) => this.#take(message));
  }

  /** How many calls wait for their answers. */
  get open(): number {
    return this.#waiting.size;
  }

  /** Calls a method of the other end; rejects with its error, and where the channel closes before. */
  call<N extends keyof Remote & string>(
    name: N,
    ...args: ArgumentsOf<Remote, N>
  ): Promise<Remote[N] extends (...args: never[]) => infer R ? Awaited<R> : never> {
    if (this.#closed) return Promise.reject(this.#closed);
    const call = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      try {
        this.#port.postMessage({ call, name, args } satisfies CallMessage);
      } catch (error) {
        this.#waiting.delete(call);
        reject(new Error(messageOf(error), { cause: error }));
      }
    });
  }

  /** Calls without waiting: where nobody is left to hear it, nobody is left to be told. */
  tell<N extends keyof Remote & string>(name: N, ...args: ArgumentsOf<Remote, N>): void {
    this.call(name, ...args).catch(() => undefined);
  }

  /** Rejects whatever still waits, and later calls too; `cause` is why, where it is known. */
  close(cause?: Error): void {
    const error = new ChannelClosed(cause);
    this.#closed ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #take(message: CallMessage): void {
    if ('call' in message) {
      void this.#answer(message.call, message.name, message.args);
      return;
    }
    const waiting = this.#waiting.get(message.answer);
    this.#waiting.delete(message.answer);
    if ('problem' in message) waiting?.reject(errorOf(message));
    else waiting?.resolve(message.value as never);
  }

  async #answer(call: number, name: string, args: readonly unknown[]): Promise<void> {
    let answer: CallMessage;
    let memory: readonly ArrayBuffer[] = [];
    try {
      const method = (this.#local as Record<string, (...args: readonly unknown[]) => unknown>)[name];
      if (typeof method !== 'function') throw new Error(`There is nothing named '${name}' to call.`);
      const made = await method.apply(this.#local, args as unknown[]);
      if (made instanceof MovedAnswer) memory = made.memory;
      answer = { answer: call, value: made instanceof MovedAnswer ? made.value : made };
    } catch (error) {
      answer = { answer: call, problem: messageOf(error), code: errorCode(error) };
    }
    if (!this.#closed) this.#port.postMessage(answer, memory);
  }
}

function errorOf({ problem, code }: { readonly problem: string; readonly code: string }): Error {
  const error = new Error(problem);
  return code === '' ? error : Object.assign(error, { code });
}
