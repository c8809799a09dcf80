import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { SessionDiscovery } from '../../src/app/discovery/sessionDiscovery.js';
import { Claims } from '../../src/app/discovery/openWatch.js';
import { Watch } from '../../src/app/discovery/watch.js';
import { silentLog } from '../../src/core/ports/log.js';
import { systemTimers } from '../../src/core/timers.js';
import { parentIsDone } from '../harness/startChild.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';

/** How late what sessions do was known and told, each from the line that tells it, in milliseconds. */
export interface WatchLateness {
  readonly known: readonly number[];
  /** The notices of sessions that wait. */
  readonly waits: readonly number[];
  readonly finished: readonly number[];
}

/** What watching took while the parent wrote. */
export interface WatchFigures {
  /** Of one processor, of 1, of all threads. */
  readonly share: number;
  readonly looks: number;
}

/** How many sessions begin to wait, and how many end their turn, one after the other. */
const EVENTS = 5;
/** Notices come apart, so that the next is none of two that are joined. */
const APART_MS = 13_000;
/** The thread that looks has begun, and each file was looked at once. */
const WARM_MS = 6_000;

const [home = '', mode = ''] = process.argv.slice(2);
const rules = [
  { when: 'waits', then: 'notify' },
  { when: 'finished while away', then: 'notify' },
  { when: 'looping', then: 'notify' },
  { when: 'stalled', then: 'notify' },
  { when: 'tokens of context > 80 %', then: 'status' },
  { when: 'command:"git push"', then: 'notify' },
];
const settings = {
  get: (id: string) => (id === 'watch' ? { rules: mode === 'bare' ? [] : rules } : undefined),
  onDidChange: () => ({ dispose: () => undefined }),
} as never;
const discovery = new SessionDiscovery({
  machine: { home, platform: 'linux', env: {} },
  storage: temporaryFolder(),
  settings,
  log: silentLog,
  script: pathToFileURL('dist/workers/discovery.js'),
});
await discovery.consent.answer(['claude-code']);
const told: { readonly at: number; readonly words: string }[] = [];
const watch = new Watch({
  view: {
    show: () => undefined,
    notify: (words) => {
      told.push({ at: performance.now(), words });
      return Promise.resolve(undefined);
    },
    isAway: () => true,
    isLookedAt: () => false,
    open: () => undefined,
    terminalOf: () => Promise.resolve(undefined),
  },
  settings,
  log: silentLog,
  claims: new Claims(join(temporaryFolder(), 'claims')),
  shared: (text) => Promise.resolve(text),
  send: () => Promise.resolve(),
  chatOf: () => Promise.resolve(undefined),
  run: () => Promise.resolve(),
  spent: () => Promise.resolve([]),
  found: () => Promise.resolve([]),
  stopRuns: () => undefined,
  pauseRuns: () => undefined,
  time: { now: () => Date.now(), after: (ms, act) => systemTimers.after(ms, act) },
});
let looks = 0;
discovery.onDidLook(() => {
  looks++;
  watch.take([...discovery.states.values()]);
});
const watching = discovery.watch();

const answer = mode === 'late' ? await lateness() : await share();
watching.dispose();
watch.dispose();
discovery.dispose();
console.log(JSON.stringify(answer));

async function share(): Promise<WatchFigures> {
  await delay(WARM_MS);
  console.log('{}');
  looks = 0;
  const [begun, before] = [performance.now(), process.cpuUsage()];
  await parentIsDone();
  const { user, system } = process.cpuUsage(before);
  return { share: (user + system) / 1_000 / (performance.now() - begun), looks };
}

/** A line of Claude Code. */
function line(session: string, type: 'user' | 'assistant', message: object): string {
  const uuid = crypto.randomUUID();
  const timestamp = new Date().toISOString();
  return `${JSON.stringify({ type, uuid, sessionId: session, timestamp, message: { role: type, ...message } })}\n`;
}

async function lateness(): Promise<WatchLateness> {
  const project = join(home, '.claude/projects/-watched');
  mkdirSync(project, { recursive: true });
  const sessions = Array.from({ length: 2 * EVENTS }, (_, at) => `watched-${at}`);
  const pathOf = (session: string) => join(project, `${session}.jsonl`);
  for (const session of sessions)
    writeFileSync(pathOf(session), line(session, 'user', { content: `Prompt of ${session}` }));
  await delay(WARM_MS);
  const known: number[] = [];
  const late = { waiting: [] as number[], finished: [] as number[] };
  for (const [at, session] of sessions.entries()) {
    const state = at % 2 === 0 ? 'waiting' : 'finished';
    const question = { type: 'tool_use', id: 't1', name: 'AskUserQuestion', input: { questions: [] } };
    const content = state === 'waiting' ? [question] : [{ type: 'text', text: 'It is done.' }];
    const message = { content, stop_reason: state === 'waiting' ? 'tool_use' : 'end_turn' };
    // Not always at the same moment between two looks.
    await delay(at * 97);
    const begun = performance.now();
    appendFileSync(pathOf(session), line(session, 'assistant', message));
    while (performance.now() - begun < APART_MS) {
      if (known.length === at && discovery.states.get(pathOf(session))?.state.state === state)
        known.push(performance.now() - begun);
      await delay(5);
    }
    if (known.length !== at + 1) throw new Error(`${session} is not known to be ${state}.`);
    const notice = told.find(({ at: when }) => when > begun);
    if (!notice) throw new Error(`Nothing was told of ${session}, which is ${state}.`);
    late[state].push(notice.at - begun);
  }
  return { known, waits: late.waiting, finished: late.finished };
}
