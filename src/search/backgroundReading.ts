import { messageOf } from '../core/text.js';
import type { Log } from '../core/ports/log.js';
import type { MarkedPrices } from './columns/readSession.js';
import type { Session, SessionSource } from './sessions/session.js';

/**
 * Reads the sessions of which nothing is known yet, so that the next question finds them read. It gives way to whoever
 * asks something: `stop` ends it at once, and what it was reading is read again later.
 */
export class BackgroundReading {
  readonly #log: Log;
  /** Those that were tried: of some nothing may be kept, and they would be read again and again. */
  readonly #tried = new WeakSet<Session>();
  #stop = new AbortController();
  #running = Promise.resolve();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Begins to read the sessions that are `wanted`; to be called when nobody asks anything. Resolves when all is read, with
   * true, or it was stopped.
   */
  start(
    sources: readonly SessionSource[],
    prices: MarkedPrices,
    wanted: (session: Session) => boolean,
  ): Promise<boolean> {
    this.stop();
    const stop = new AbortController();
    this.#stop = stop;
    const reading = this.#running.then(() => this.#readAll(sources, prices, wanted, stop.signal));
    this.#running = reading;
    return reading.then(() => !stop.signal.aborted);
  }

  stop(): void {
    this.#stop.abort();
  }

  async #readAll(
    sources: readonly SessionSource[],
    prices: MarkedPrices,
    wanted: (session: Session) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    for (const source of sources) {
      const sessions = await source.sessions().catch(() => []);
      const newest = [...sessions].sort((a, b) => (a.order < b.order ? 1 : -1));
      for (const session of newest) {
        if (signal.aborted) return;
        if (wanted(session) && !this.#tried.has(session)) await this.#read(session, prices, signal);
      }
    }
  }

  async #read(session: Session, prices: MarkedPrices, signal: AbortSignal): Promise<void> {
    try {
      if (!(await session.known(prices, false))) await session.read(prices, signal);
      this.#tried.add(session);
    } catch (error) {
      if (signal.aborted) return;
      this.#tried.add(session);
      // Whoever asks this session is told.
      this.#log.debug(`${session.place.conversation} could not be read ahead: ${messageOf(error)}`);
    }
  }
}
