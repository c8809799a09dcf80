import type { Disposable } from '../../core/event.js';
import type { Settings } from '../ports/settings.js';
import { join } from 'node:path';
import { ConnectorExecutor } from '../../agents/chats/executor/connectorExecutor.js';
import { messageOf } from '../../core/text.js';
import { ConnectorFrontend } from '../../agents/frontends/connectorFrontend.js';
import type { Log } from '../../core/ports/log.js';
import type { ChatConnector, ConnectorState } from '../../core/ports/chatConnector.js';
import { redactorFor } from '../../export/sharing/sharingGate.js';
import { sharingRules } from '../../export/sharing/sharingPolicy.js';
import { sharingPolicyOf } from '../sharing/sharingSettings.js';
import { Cancelled, UserError } from '../userError.js';
import type { ConnectorPlatform } from './connectorPlatform.js';
import type { ConnectorConversationRunner } from './connectorConversationRunner.js';

/** What the service of a platform needs. */
export interface ConnectorServiceOptions {
  readonly platform: ConnectorPlatform;
  readonly runner: ConnectorConversationRunner;
  /** The folder in which the connector keeps what must survive a restart. */
  readonly storage: string;
  readonly settings: Settings;
  /** Shows the state of the connector. */
  readonly status: ConnectorStatusView;
  readonly log: Log;
}

/** What shows a person the state of one connector; nothing while it is off. */
export interface ConnectorStatusView extends Disposable {
  show(state: ConnectorState): void;
}

interface Connection {
  readonly executor: ConnectorExecutor;
  readonly connector: ChatConnector;
  readonly started: Promise<void>;
}

/** The connector of one platform; each start uses the token and settings of that moment. Loaded with the first start. */
export class ConnectorService {
  readonly #options: ConnectorServiceOptions;
  readonly #status: ConnectorStatusView;
  #current: Connection | undefined;
  #stopped: Promise<void> = Promise.resolve();
  /** The number of stops, by which a start notices that it was overtaken by a stop. */
  #stops = 0;

  constructor(options: ConnectorServiceOptions) {
    this.#options = options;
    this.#status = options.status;
  }

  /** Whether it is on, or on its way there. */
  get isOn(): boolean {
    return this.#current !== undefined;
  }

  /** What it is connected to; undefined where it is not. */
  get connected(): ChatConnector | undefined {
    const connector = this.#current?.connector;
    return connector?.state.kind === 'on' ? connector : undefined;
  }

  /**
   * Resolves when connected; rejects with an error for a person, which the status bar shows too, or with `Cancelled` when
   * it was stopped meanwhile. A repeated start does nothing, unless the connector has failed since.
   */
  async start(token: string): Promise<void> {
    if (this.#current?.connector.state.kind === 'failed') void this.stop();
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

  /** Ends the connector's runs and disconnects. Idempotent; never rejects. */
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
    const { platform, runner, settings, log } = this.#options;
    await runner.defaultAgent();
    const connector = await platform.open(token, settings, log);
    if (stops !== this.#stops) throw new Cancelled();
    const clean = await cleaning(settings);
    if (stops !== this.#stops) throw new Cancelled();
    return (this.#current ??= this.#connect(connector, clean));
  }

  #connect(connector: ChatConnector, clean: (text: string) => string): Connection {
    const { platform, runner, storage, settings, log } = this.#options;
    const executor = new ConnectorExecutor({
      connector,
      runner,
      clean,
      makeFrontend: (poster, chat) => new ConnectorFrontend(poster, { chat, log }),
      allowedSenders: () => settings.get(`${platform.id}.allowedSenders`),
      memoryPath: join(storage, 'buses', `${platform.id}.json`),
      log,
    });
    connector.onDidChangeState((state) => {
      log.info(`${platform.name}: ${'problem' in state ? state.problem : state.kind}`);
      if (this.#current?.connector === connector) this.#status.show(state);
    });
    // Only one connection at a time may use the memory file.
    return { connector, executor, started: this.#stopped.then(() => executor.start()) };
  }
}

/** What replaces secrets in what is posted, as the person's settings say at this moment. */
async function cleaning(settings: Settings): Promise<(text: string) => string> {
  if (!settings.get('export.redactSecrets')) return (text) => text;
  const redactor = redactorFor(await sharingRules(sharingPolicyOf(settings)));
  return (text) => redactor.text(text);
}
