import { join } from 'node:path';
import type * as vscode from 'vscode';
import { BusExecutor } from '../../bus/executor/busExecutor.js';
import { messageOf } from '../../core/text.js';
import { MessageBusFrontend } from '../../frontends/messageBusFrontend.js';
import type { Log } from '../../ports/log.js';
import type { MessageBus } from '../../ports/messageBus.js';
import { setting } from '../settings.js';
import { Cancelled, UserError } from '../userError.js';
import type { BusPlatform } from './busPlatform.js';
import { BusStatus } from './busStatus.js';
import type { TeamRunner } from './teamRunner.js';

/** What the service of a platform needs. */
export interface BusServiceDeps {
  readonly platform: BusPlatform;
  readonly runner: TeamRunner;
  /** Where the bus keeps what must survive a restart. */
  readonly storage: vscode.Uri;
  readonly log: Log;
}

interface Connection {
  readonly executor: BusExecutor;
  readonly bus: MessageBus;
  readonly started: Promise<void>;
}

/** The bus of one platform; each start takes the token and the settings of then. Loaded at the first start. */
export class BusService {
  readonly #deps: BusServiceDeps;
  readonly #status: BusStatus;
  #current: Connection | undefined;
  #stopped: Promise<void> = Promise.resolve();
  /** How often it was stopped: a start that a stop overtook tells by it. */
  #stops = 0;

  constructor(deps: BusServiceDeps) {
    this.#deps = deps;
    this.#status = new BusStatus(deps.platform);
  }

  /**
   * Resolves when connected; rejects with words for a person, which the status bar says too, and with `Cancelled` when
   * it was stopped meanwhile. Started again it does nothing, unless the bus has failed since.
   */
  async start(token: string): Promise<void> {
    if (this.#current?.bus.state.kind === 'failed') void this.stop();
    const stops = this.#stops;
    try {
      await (this.#current ?? (await this.#open(token, stops))).started;
    } catch (error) {
      if (stops !== this.#stops) throw new Cancelled();
      await this.stop();
      const problem = messageOf(error);
      this.#status.show({ kind: 'failed', problem });
      throw new UserError(problem);
    }
  }

  /** Ends what runs for the bus and disconnects; stopped again it does nothing. Never rejects. */
  stop(): Promise<void> {
    this.#stops++;
    if (this.#current) this.#stopped = this.#current.executor.stop();
    this.#current = undefined;
    this.#status.show({ kind: 'off' });
    return this.#stopped;
  }

  dispose(): void {
    void this.stop();
    this.#status.dispose();
  }

  async #open(token: string, stops: number): Promise<Connection> {
    const { platform, runner, log } = this.#deps;
    await runner.defaultAgent();
    const bus = await platform.open(token, log);
    if (stops !== this.#stops) throw new Cancelled();
    return (this.#current ??= this.#connect(bus));
  }

  #connect(bus: MessageBus): Connection {
    const { platform, runner, storage, log } = this.#deps;
    const executor = new BusExecutor({
      bus,
      runner,
      makeFrontend: (poster, chat) => new MessageBusFrontend(poster, { chat, log }),
      allowedSenders: () => setting(`${platform.id}.allowedSenders`),
      memoryPath: join(storage.fsPath, 'buses', `${platform.id}.json`),
      log,
    });
    bus.onDidChangeState((state) => {
      log.info(`${platform.name}: ${'problem' in state ? state.problem : state.kind}`);
      if (this.#current?.bus === bus) this.#status.show(state);
    });
    // The memory file belongs to one connection at a time.
    return { bus, executor, started: this.#stopped.then(() => executor.start()) };
  }
}
