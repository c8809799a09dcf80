import { parentPort } from 'node:worker_threads';
import { PortCalls } from '../../node/portCalls.js';
import type { ProxyCalls, ProxyHostCalls } from './proxyCalls.js';
import { RecordingProxy } from './recordingProxy.js';
import { upstreamsOf } from './upstreams.js';

if (!parentPort) throw new Error('This passes requests on: it is started as a thread.');

let proxy: RecordingProxy | undefined;

const calls: ProxyCalls = {
  async listen({ port, environment, addresses }) {
    proxy = await RecordingProxy.listen({
      port,
      upstreams: upstreamsOf(environment, addresses),
      recorder: {
        asked: (exchange) => host.call('asked', exchange),
        answered: (exchange) => host.call('answered', exchange),
      },
      // Where nobody is left to hear it, nobody is left to be told.
      onProblem: (words) => void host.call('problem', words).catch(() => undefined),
    });
    return proxy.address;
  },
  async close() {
    await proxy?.close();
  },
};
const host = new PortCalls<ProxyHostCalls>(parentPort, calls);
