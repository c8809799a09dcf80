import { serveThread } from '../node/serveThread.js';
import type { CaptureCalls, CaptureHostCalls } from './captureCalls.js';
import { OtlpReceiver } from './otlp/otlpReceiver.js';
import { Problems } from './problems.js';
import { ProxyThread } from './proxy/proxyThread.js';
import type { Growth } from './servers/recordingFiles.js';

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
