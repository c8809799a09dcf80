import { readFile } from 'node:fs/promises';
import { serveThread } from '../node/serveThread.js';
import type { CaptureCalls, CaptureHostCalls } from './captureCalls.js';
import { OtlpReceiver } from './otlp/otlpReceiver.js';
import { Problems } from './problems.js';
import type { Growth } from './servers/recordingFiles.js';
import { Thread } from '../node/thread.js';
import { ExchangeRecorder, type ExchangeRecorderOptions } from './proxy/exchangeRecorder.js';
import { ServedRecording } from './proxy/servedRecording.js';
import type { ProxyCalls, ProxyHostCalls, ProxyOptions } from './proxy/proxyCalls.js';

const SCRIPT = new URL('./proxy.js', import.meta.url);

/**
 * The thread that passes requests on, and the recorder of what it passes here: a request of many megabytes takes a while to
 * be read and compared with others, and no stream waits for that.
 */
class ProxyThread {
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

/** How long growths are collected before they are told together, in milliseconds. */
const TELL_MS = 100;

let receiver: OtlpReceiver | undefined;
let proxy: ProxyThread | undefined;
let serving: ServedRecording | undefined;
const grown = new Map<string, Growth>();

const calls: CaptureCalls = {
  async receive({ port, folder }) {
    receiver ??= await OtlpReceiver.listen({ port, folder, onGrown, onProblem });
    return receiver.address;
  },
  async stopReceiving() {
    const ending = receiver;
    receiver = undefined;
    await ending?.close();
  },
  received: () => receiver?.counts,
  async record(options) {
    proxy ??= await ProxyThread.start(options, { folder: options.folder, onGrown, onProblem });
    return proxy.address;
  },
  async stopRecording() {
    const ending = proxy;
    proxy = undefined;
    await ending?.close();
  },
  async serve(recordings) {
    const texts = await Promise.all(recordings.map((path) => readFile(path, 'utf8')));
    await serving?.close();
    serving = undefined;
    serving = await ServedRecording.listen(texts, 0, onProblem);
    return serving.address;
  },
  served: () => serving?.state,
  async stopServing() {
    const ending = serving;
    serving = undefined;
    await ending?.close();
    return ending?.state;
  },
};
const { host } = serveThread<CaptureHostCalls>(calls);
const problems = new Problems((words) => {
  host.tell('problem', words);
});

function onProblem(words: string): void {
  problems.add(words);
}

function onGrown(growth: Growth): void {
  if (grown.size === 0) setTimeout(tell, TELL_MS);
  grown.set(growth.path, growth);
}

function tell(): void {
  const growths = [...grown.values()];
  grown.clear();
  host.tell('grown', growths);
}
