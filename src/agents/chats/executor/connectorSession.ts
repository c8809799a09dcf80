import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KnownOptions } from '../../../core/checkOptions.js';
import { systemClock, type Clock } from '../../../core/clock.js';
import { messageOf } from '../../../core/text.js';
import { systemTimers, type Timers } from '../../../core/timers.js';
import type { ConversationRunner } from '../../../core/ports/conversationRunner.js';
import type { Log } from '../../../core/ports/log.js';
import type { IncomingMessage, ChatConnector } from '../../../core/ports/chatConnector.js';
import { ConnectorState } from './connectorState.js';
import { commandOf } from './chatCommands.js';
import { ChatWorker, type WorkerContext, type MakeFrontend } from './chatWorker.js';
import { HELP, notAllowed } from './chatTexts.js';
import { ProcessLock } from '../../../node/processLock.js';
import { untilStopped } from '../networkFailure.js';

/** What an executor needs. */
export interface ConnectorExecutorOptions {
  readonly connector: ChatConnector;
  readonly runner: ConversationRunner;
  readonly makeFrontend: MakeFrontend;
  /** What is posted of a text, for what is to be left out of it; absent: all. */
  readonly clean?: (text: string) => string;
  /** Ids of senders like `telegram:4711`, read for each message; 'everyone' where only the user can send. */
  readonly allowedSenders: () => readonly string[] | 'everyone';
  /** The file for what must survive a restart; absent: nothing does. */
  readonly memoryPath?: string;
  readonly log: Log;
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly random?: () => number;
  /** How many messages of one chat may be unanswered, including the one being answered. */
  readonly maxWaiting?: number;
}

/** What `ConnectorExecutorOptions` may hold. */
export const executorOptionKinds: KnownOptions<ConnectorExecutorOptions> = {
  connector: 'object',
  runner: 'object',
  makeFrontend: 'function',
  clean: 'function',
  allowedSenders: 'function',
  memoryPath: 'text',
  log: 'object',
  clock: 'object',
  timers: 'object',
  random: 'function',
  maxWaiting: 'count',
};

/** More than a person types while waiting. */
const MAX_WAITING = 10;
/** How long posts in flight and cancelled runs are waited for, in milliseconds. */
const STOP_MS = 6_000;
/** How many disallowed senders get a reply; further ones are only logged. */
const MAX_STRANGERS = 1_000;

/** The life of an executor from one start to its stop. */
export class ConnectorSession {
  readonly #options: ConnectorExecutorOptions;
  readonly #timers: Timers;
  readonly #strangers: Set<string>;
  readonly #stop = new AbortController();
  readonly #workers = new Map<string, ChatWorker>();
  readonly #onLockLost: () => void;
  #release: () => Promise<void> = () => Promise.resolve();

  /** `onLockLost` is called when another window has taken over, and the session must be ended. */
  constructor(options: ConnectorExecutorOptions, strangers: Set<string>, onLockLost: () => void) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#strangers = strangers;
    this.#onLockLost = onLockLost;
  }

  /** Connects, then continues what an earlier session left. */
  async begin(): Promise<void> {
    const { connector, clock = systemClock, log, makeFrontend, random = Math.random, runner } = this.#options;
    const { clean = (text: string) => text } = this.#options;
    const { signal } = this.#stop;
    const memory = await this.#openMemory();
    signal.throwIfAborted();
    const context = {
      connector,
      clean,
      clock,
      log,
      makeFrontend,
      memory,
      random,
      runner,
      signal,
      timers: this.#timers,
    };
    await connector.start((message) => this.#take(message, context), signal, memory.lastIds);
    signal.throwIfAborted();
    const { inbox, outbox } = memory.data;
    for (const { chat } of outbox.values()) this.#workerOf(chat, context);
    for (const { message } of inbox.values()) this.#workerOf(message.chat, context).wake();
  }

  /** Ends the session; `started` is the promise of its `begin`. Never rejects. */
  async end(started: Promise<void>): Promise<void> {
    const { connector, log } = this.#options;
    const { signal } = this.#stop;
    this.#stop.abort(new Error('The bus was stopped.'));
    const problem = (error: unknown) => log.warn(`Stopping ${connector.name}: ${messageOf(error)}`);
    // The caller of `begin` has been told why it failed.
    await untilStopped(started, signal, this.#timers, STOP_MS).catch(() => undefined);
    const idle = Promise.all([...this.#workers.values()].map((worker) => worker.idle()));
    await untilStopped(idle, signal, this.#timers, STOP_MS).catch(problem);
    await connector.stop().catch(problem);
    await this.#release().catch(problem);
  }

  async #openMemory(): Promise<ConnectorState> {
    const { connector, log, memoryPath } = this.#options;
    if (memoryPath === undefined) return ConnectorState.open(undefined, log);
    const path = `${memoryPath}.lock`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const acquired = await ProcessLock.acquire(path);
    if (!('lock' in acquired)) {
      const { holder, isOnThisMachine } = acquired;
      const who = holder && isOnThisMachine ? `process ${holder.pid}` : 'on another computer or container';
      throw new Error(
        `Another window (${who}) is connected to ${connector.name} already. Stop it there first; if there is none, delete ${path}.`,
      );
    }
    const { lock } = acquired;
    this.#release = () => lock.release();
    lock.keepBeating(
      () => this.#lose(),
      (error) => log.warn(`The lock of ${connector.name} could not be renewed: ${messageOf(error)}`),
    );
    return ConnectorState.open(memoryPath, log);
  }

  /** Two windows must not answer the same messages. */
  #lose(): void {
    const { connector, log } = this.#options;
    log.error(
      `Another window has taken over ${connector.name}, because this one stood still for too long; here it is stopped.`,
    );
    this.#onLockLost();
  }

  /** Resolves when the message need not be delivered again. */
  async #take(message: IncomingMessage, context: WorkerContext): Promise<void> {
    context.signal.throwIfAborted();
    if (context.memory.knows(message.id)) return;
    const worker = this.#workerOf(message.chat, context);
    if (!this.#isAllowed(message)) {
      this.#turnAway(message, worker);
      return;
    }
    // Written to disk together with the changes that follow in the same turn.
    void context.memory.change(worker.noting({ lastId: message.id }));
    const command = commandOf(message)?.command;
    if (command === 'help') return worker.reply(message, HELP);
    if (command === 'stop') return worker.stop(message);
    if (worker.unanswered.length >= (this.#options.maxWaiting ?? MAX_WAITING)) return worker.refuse(message);
    await context.memory.change(({ inbox }) => inbox.set(message.id, { message, attempts: 0 }));
    worker.wake();
  }

  #isAllowed({ sender }: IncomingMessage): boolean {
    const allowed = this.#options.allowedSenders();
    return allowed === 'everyone' || allowed.includes(sender.id);
  }

  #turnAway({ sender }: IncomingMessage, worker: ChatWorker): void {
    this.#options.log.info(`A message from ${sender.id}, who is not an allowed sender, was not answered.`);
    if (this.#strangers.has(sender.id) || this.#strangers.size >= MAX_STRANGERS) return;
    this.#strangers.add(sender.id);
    worker.say(notAllowed(sender.id));
  }

  #workerOf(chat: string, context: WorkerContext): ChatWorker {
    const worker = this.#workers.get(chat) ?? new ChatWorker(chat, context);
    this.#workers.set(chat, worker);
    return worker;
  }
}
