import { checkOptions } from '../../../core/checkOptions.js';
import { ConnectorSession, executorOptionKinds, type ConnectorExecutorOptions } from './connectorSession.js';

/**
 * Answers the messages of one connector. Each chat has its own conversation and queue, so that none waits for another.
 * A message is handled at least once and its answer posted at most once, across failures and restarts.
 */
export class ConnectorExecutor {
  readonly #options: ConnectorExecutorOptions;
  /** Senders who were told that they are not allowed, so that each is told only once per window. */
  readonly #strangers = new Set<string>();
  #current:
    | { readonly session: ConnectorSession; readonly started: Promise<void>; connected: boolean }
    | undefined;
  #stopped: Promise<void> = Promise.resolve();

  constructor(options: ConnectorExecutorOptions) {
    checkOptions(options, executorOptionKinds, 'ConnectorExecutor');
    this.#options = options;
  }

  /**
   * Starts the connector. Resolves when it is connected, rejects with a message for a person. A repeated start does nothing,
   * unless the connector has failed since.
   */
  start(): Promise<void> {
    if (this.#current?.connected === true && this.#options.connector.state.kind === 'failed')
      void this.stop();
    if (this.#current) return this.#current.started;
    const session = new ConnectorSession(this.#options, this.#strangers, () => void this.stop());
    const started = this.#stopped.then(() => session.begin());
    const current = { session, started, connected: false };
    this.#current = current;
    started.then(
      () => (current.connected = true),
      () => (this.#current === current ? this.stop() : undefined),
    );
    return started;
  }

  /** Cancels runs, lets posts in flight complete and stops the connector. Idempotent; never rejects. */
  stop(): Promise<void> {
    if (this.#current) {
      const { session, started } = this.#current;
      this.#current = undefined;
      this.#stopped = session.end(started);
    }
    return this.#stopped;
  }
}
