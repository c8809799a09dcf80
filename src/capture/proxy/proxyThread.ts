import { Thread } from '../../node/thread.js';
import { ExchangeRecorder, type ExchangeRecorderOptions } from './exchangeRecorder.js';
import type { ProxyCalls, ProxyHostCalls, ProxyOptions } from './proxyCalls.js';

const SCRIPT = new URL('./proxy.js', import.meta.url);

/**
 * The thread that passes requests on, and the recorder of what it passes here: a request of many megabytes takes a while to
 * be read and compared with others, and no stream waits for that.
 */
export class ProxyThread {
  /** Where it answers, without a path. */
  readonly address: string;
  readonly #thread: Thread<ProxyCalls>;
  readonly #recorder: ExchangeRecorder;

  private constructor(address: string, thread: Thread<ProxyCalls>, recorder: ExchangeRecorder) {
    this.address = address;
    this.#thread = thread;
    this.#recorder = recorder;
  }

  /** Starts it. Rejects with words for a person where the port cannot be had or an address is wrong. */
  static async start(
    { port, environment, addresses }: ProxyOptions,
    options: ExchangeRecorderOptions,
  ): Promise<ProxyThread> {
    const recorder = new ExchangeRecorder(options);
    const host: ProxyHostCalls = {
      asked: (exchange) => recorder.asked(exchange),
      passing: (piece) => recorder.passing(piece),
      answered: (exchange) => recorder.answered(exchange),
      problem: options.onProblem,
    };
    const thread = new Thread<ProxyCalls>({
      name: 'proxy',
      script: SCRIPT,
      host,
      onEnd: (error) => {
        // Whoever watches this thread sees that it ended, and begins anew.
        if (error) throw error;
      },
    });
    try {
      const address = await thread.call('listen', { port, environment, addresses });
      return new ProxyThread(address, thread, recorder);
    } catch (error) {
      await thread.stop();
      throw error;
    }
  }

  /** Ends all connections; resolves when what went past is on the disk. */
  async close(): Promise<void> {
    await this.#thread.call('close');
    await this.#recorder.settled();
    await this.#thread.stop();
  }
}
