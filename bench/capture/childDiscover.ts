import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { SessionDiscovery } from '../../src/app/discovery/sessionDiscovery.js';
import { silentLog } from '../../src/core/ports/log.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';

/** What finding the sessions of a tool cost. */
export interface DiscoverFigures {
  readonly sessions: number;
  /** Until all are listed, with the start of the thread that looks, in milliseconds. */
  readonly listed: number;
  /** Until the beginnings and ends of the newest are read. */
  readonly firstPage: number;
  /** Until those that may have changed are looked at again. */
  readonly again: number;
  /** Of a processor, of 1, of all threads, once nobody looks and the thread that did has ended. */
  readonly hiddenShare: number;
}

/** How long it is hidden before that counts, in milliseconds: the thread that looked waits for more to do, and ends. */
const ENDING_MS = 12_000;
/** How long it is hidden then. */
const HIDDEN_MS = 5_000;

const [home = ''] = process.argv.slice(2);
const discovery = new SessionDiscovery({
  machine: { home, platform: 'linux', env: {} },
  storage: temporaryFolder(),
  settings: { get: () => undefined, onDidChange: () => ({ dispose: () => undefined }) } as never,
  log: silentLog,
  script: pathToFileURL('dist/workers/discovery.js'),
});
await discovery.consent.answer(['claude-code']);
const begun = performance.now();
const [tool] = await discovery.tools();
const listed = performance.now() - begun;
const newest = [...(tool?.sessions.values() ?? [])].slice(0, 50);
const reading = performance.now();
await discovery.about('claude-code', newest);
const firstPage = performance.now() - reading;
const watching = discovery.watch();
await delay(2_500);
const looking = performance.now();
await discovery.look();
const again = performance.now() - looking;
watching.dispose();
await delay(ENDING_MS);
const [hidden, before] = [performance.now(), process.cpuUsage()];
await delay(HIDDEN_MS);
const { user, system } = process.cpuUsage(before);
const hiddenShare = (user + system) / 1_000 / (performance.now() - hidden);
const figures: DiscoverFigures = {
  sessions: tool?.sessions.size ?? 0,
  listed,
  firstPage,
  again,
  hiddenShare,
};
discovery.dispose();
console.log(JSON.stringify(figures));
