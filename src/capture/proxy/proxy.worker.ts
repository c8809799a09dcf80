import { serveThread } from '../../node/serveThread.js';
import type { ProxyCalls, ProxyHostCalls } from './proxyCalls.js';
import { RecordingProxy } from './recordingProxy.js';
import { upstreamsOf } from './upstreams.js';

let proxy: RecordingProxy | undefined;

const calls: ProxyCalls = {
  async listen({ port, environment, addresses }) {
    proxy = await RecordingProxy.listen({
      port,
      upstreams: upstreamsOf(environment, addresses),
      recorder: {
        asked: (exchange) => host.call('asked', exchange),
        passing: (piece) => host.call('passing', piece),
        answered: (exchange) => host.call('answered', exchange),
      },
      onProblem: (words) => host.tell('problem', words),
    });
    return proxy.address;
  },
  async close() {
    await proxy?.close();
  },
};
const { host } = serveThread<ProxyHostCalls>(calls);
