import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Recorder } from '../../src/core/record/recorder.js';
import { silentLog } from '../../src/core/ports/log.js';
import { ReaderThread } from '../../src/search/reader/readerThread.js';
import { openStore } from '../harness/openStore.js';
import { messageOf } from '../recording/messages.js';

/** How much of the time the thread that records was at work, of 1: recording alone, and while a panel follows. */
export interface LiveFigures {
  readonly alone: number;
  readonly followed: number;
  /** How many of the messages of the panel's turn had reached its list one second after the last. */
  readonly shown: number;
}

/** A thousand messages a second, some at a time as they come from several agents. */
const MESSAGES = 5_000;
const AT_ONCE = 10;
const EVERY_MS = 10;
const LIVE = {
  state: { state: 'running', canStop: true, canContinue: false },
  title: '',
  texts: [],
} as const;

const [root = ''] = process.argv.slice(2);
const store = await openStore(root);
const conversation = `live-${process.pid}`;
const journal = await store.createConversation(conversation);
const recorder = new Recorder({ conversation, onListenerFailure: (error) => console.error(error) });
recorder.onDidRecord((record) => journal.append(record));
const place = { run: 'r', call: 'k', agent: 'Pickle', depth: 0 } as const;
let recorded = 0;

/** Records so many messages a second; gives how much of the time this thread was at work. */
async function record(): Promise<number> {
  const before = performance.eventLoopUtilization();
  const start = performance.now();
  for (let n = 0; n < MESSAGES; n += AT_ONCE) {
    for (let more = 0; more < AT_ONCE; more++)
      recorder.record({ ...place, type: 'message', message: messageOf(recorded++) });
    await delay(Math.max(0, start + ((n + AT_ONCE) / AT_ONCE) * EVERY_MS - performance.now()));
  }
  return performance.eventLoopUtilization(before).utilization;
}

await record();
const alone = await record();
const reader = new ReaderThread({ script: pathToFileURL('dist/workers/reader.js'), log: silentLog });
let shown = 0;
const transcript = await reader.open(store, conversation, {
  send: (event) => {
    if (event.name === 'list') shown = event.data.records;
    return Promise.resolve();
  },
  onEnd: (error) => {
    throw error;
  },
});
await transcript.begin({}, LIVE);
await transcript.follow(LIVE);
await delay(1_000);
const before = recorded;
const followed = await record();
await delay(1_000);
const figures: LiveFigures = { alone, followed, shown: shown - before };
console.log(JSON.stringify(figures));
transcript.dispose();
reader.dispose();
await journal.close();
await store.close();
