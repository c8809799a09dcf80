import { RecordingProxy } from '../../src/capture/proxy/recordingProxy.js';
import { parentIsDone } from '../harness/startChild.js';

/** How many requests the proxy has recorded, and what went wrong with them. */
export interface ProxyFigures {
  readonly problems: readonly string[];
}

const [folder = '', upstream = ''] = process.argv.slice(2);
const problems: string[] = [];
const address = new URL(upstream);
const proxy = await RecordingProxy.listen({
  ...{ port: 0, folder, upstreams: { openai: address, anthropic: address } },
  onGrown: () => undefined,
  onProblem: (words) => problems.push(words),
});
console.log(JSON.stringify({ address: proxy.address }));
await parentIsDone();
await proxy.close();
console.log(JSON.stringify({ problems } satisfies ProxyFigures));
