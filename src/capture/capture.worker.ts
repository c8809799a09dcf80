import { parentPort } from 'node:worker_threads';
import { PortCalls } from '../node/portCalls.js';
import type { CaptureCalls, CaptureHostCalls } from './captureCalls.js';
import { OtlpReceiver } from './otlp/otlpReceiver.js';
import { Problems } from './problems.js';
import { ProxyThread } from './proxy/proxyThread.js';
import type { Growth } from './recordingFiles.js';

if (!parentPort) throw new Error('This receives and records: it is started as a thread.');

/** How long growths are collected before they are told together, in milliseconds. */
const TELL_MS = 100;

let receiver: OtlpReceiver | undefined;
let proxy: ProxyThread | undefined;
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
};
const host = new PortCalls<CaptureHostCalls>(parentPort, calls);
const problems = new Problems((words) => {
  // Where nobody is left to hear it, nobody is left to be told.
  host.call('problem', words).catch(() => undefined);
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
  host.call('grown', growths).catch(() => undefined);
}
