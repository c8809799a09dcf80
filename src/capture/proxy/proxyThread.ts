import { Worker } from 'node:worker_threads';
import { PortCalls } from '../../node/portCalls.js';
import type { ProxyOptions } from '../captureCalls.js';
import { ExchangeRecorder, type ExchangeRecorderOptions } from './exchangeRecorder.js';
import type { ProxyCalls, ProxyHostCalls } from './proxyCalls.js';

const SCRIPT = new URL('./proxy.js', import.meta.url);

/**
 * The thread that passes requests on, and the recorder of what it passes here: a request of many megabytes takes a while to
 * be read and compared with others, and no stream waits for that.
 */
export class ProxyThread {
  /** Where it answers, without a path. */
  readonly address: string;
  readonly #worker: Worker;
  readonly #calls: PortCalls<ProxyCalls>;
  readonly #recorder: ExchangeRecorder;

  private constructor(
    address: string,
    worker: Worker,
    calls: PortCalls<ProxyCalls>,
    recorder: ExchangeRecorder,
  ) {
    this.address = address;
    this.#worker = worker;
    this.#calls = calls;
    this.#recorder = recorder;
  }

  /** Starts it. Rejects with words for a person where the port cannot be had or an address is wrong. */
  static async start(
    { port, environment, addresses }: ProxyOptions,
    options: ExchangeRecorderOptions,
  ): Promise<ProxyThread> {
    const recorder = new ExchangeRecorder(options);
    const worker = new Worker(SCRIPT, { name: 'proxy', execArgv: [] });
    const host: ProxyHostCalls = {
      asked: (exchange) => recorder.asked(exchange),
      answered: (exchange) => recorder.answered(exchange),
      problem: options.onProblem,
    };
    const calls = new PortCalls<ProxyCalls>(worker, host);
    worker.on('exit', () => calls.close());
    // Whoever watches this thread sees that it ended, and begins anew.
    worker.on('error', (error) => {
      throw error;
    });
    try {
      const address = await calls.call('listen', { port, environment, addresses });
      return new ProxyThread(address, worker, calls, recorder);
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  /** Ends all connections; resolves when what went past is on the disk. */
  async close(): Promise<void> {
    await this.#calls.call('close');
    await this.#recorder.settled();
    await this.#worker.terminate();
  }
}
