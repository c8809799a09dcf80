import { pathToFileURL } from 'node:url';
import { CaptureThread } from '../../src/capture/captureThread.js';
import { silentLog } from '../../src/core/ports/log.js';
import { parentIsDone } from '../harness/startChild.js';

/** How many requests the proxy has recorded, and what went wrong with them. */
export interface ProxyFigures {
  readonly problems: readonly string[];
}

const [folder = '', upstream = ''] = process.argv.slice(2);
const problems: string[] = [];
const thread = new CaptureThread({
  log: silentLog,
  script: pathToFileURL('dist/workers/capture.js'),
  onGrown: () => undefined,
  onProblem: (words) => problems.push(words),
  onEnd: (words) => problems.push(`The thread ended: ${words}`),
});
const address = await thread.calls.call('record', {
  port: 0,
  folder,
  environment: {},
  addresses: { openai: upstream, anthropic: upstream },
});
console.log(JSON.stringify({ address }));
await parentIsDone();
await thread.calls.call('stopRecording');
console.log(JSON.stringify({ problems } satisfies ProxyFigures));
thread.dispose();
