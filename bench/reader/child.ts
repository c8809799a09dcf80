import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { silentLog } from '../../src/core/ports/log.js';
import type { PanelEvent } from '../../src/page/protocol/events.js';
import { ReaderThread } from '../../src/search/reader/readerThread.js';
import { longestWork } from '../harness/longestStall.js';
import { openStore } from '../harness/openStore.js';

/** What was seen while one transcript was open: times in milliseconds from its opening, memory in megabytes. */
export interface ReaderFigures {
  readonly firstRows: number;
  /** All views, asked for at once; where answers are kept, they are of all of it. */
  readonly viewsAtOnce: number;
  readonly allRead: number;
  readonly allViews: number;
  /** Of a word that is typed key by key, from its last key on. */
  readonly firstMatches: number;
  readonly allMatches: number;
  /** The longest time in which the thread that waits could do nothing else, and for which it worked itself. */
  readonly stall: number;
  readonly worked: number;
  /** The heap of the thread that waits, above its rest: the most while reading. */
  readonly heap: number;
  /** The whole process, with the thread that reads, above its rest: the most while reading, and after it is closed. */
  readonly process: number;
  readonly processAfter: number;
}

const MB = 1_000_000;
/** A common word, and the time between two keys of somebody who types fast. */
const TYPED = 'the';
const KEY_MS = 60;
const [root = '', conversation = ''] = process.argv.slice(2);
const LIVE = {
  state: { state: 'done', canStop: false, canContinue: true },
  title: '',
  texts: [],
} as const;

const store = await openStore(root);
await store.catalog.refresh();
const reader = new ReaderThread({ script: pathToFileURL('dist/workers/reader.js'), log: silentLog });
const events = new Set<(event: PanelEvent) => void>();

/** Resolves with the time at which an event came that the test is true of. */
function heard(isIt: (event: PanelEvent) => boolean): Promise<number> {
  return new Promise((resolve) => {
    const take = (event: PanelEvent) => {
      if (!isIt(event)) return;
      events.delete(take);
      resolve(performance.now());
    };
    events.add(take);
  });
}

/** The garbage is no part of what is taken. */
function settled(): { readonly heap: number; readonly rss: number } {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return { heap: heapUsed + arrayBuffers, rss };
}

const rest = settled();
let mostHeap = rest.heap;
let mostProcess = rest.rss;
const watching = setInterval(() => {
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  mostHeap = Math.max(mostHeap, heapUsed + arrayBuffers);
  mostProcess = Math.max(mostProcess, rss);
}, 20);

const times: Record<
  'firstRows' | 'viewsAtOnce' | 'allRead' | 'allViews' | 'firstMatches' | 'allMatches',
  number
> = {
  firstRows: NaN,
  viewsAtOnce: NaN,
  allRead: NaN,
  allViews: NaN,
  firstMatches: NaN,
  allMatches: NaN,
};
const { stall, worked } = await longestWork(async () => {
  const start = performance.now();
  const transcript = await reader.open(store, conversation, {
    send: (event) => {
      for (const take of events) take(event);
      return Promise.resolve();
    },
    onEnd: (error) => {
      throw error;
    },
  });
  const { list } = await transcript.begin({}, LIVE);
  await transcript.ask('rows', { generation: list.generation, start: 0, end: 40 });
  times.firstRows = performance.now() - start;
  const ask = () =>
    Promise.all([
      transcript.ask('statistics', {}),
      transcript.ask('tools', {}),
      transcript.ask('timeline', { pixels: 1_200 }),
      transcript.ask('turns', { start: 0, count: 100 }),
    ]);
  await ask();
  times.viewsAtOnce = performance.now() - start;
  const isRead = heard(({ name, data }) => name === 'list' && data.read === data.records);
  await transcript.follow(LIVE);
  times.allRead = (list.read === list.records ? performance.now() : await isRead) - start;
  await ask();
  times.allViews = performance.now() - start;
  const ofWord = (event: PanelEvent) => event.name === 'matches' && event.data.number === TYPED.length;
  const first = heard((event) => ofWord(event) && event.name === 'matches' && event.data.matches > 0);
  const all = heard((event) => ofWord(event) && event.name === 'matches' && event.data.done);
  let asked = 0;
  const answers: Promise<unknown>[] = [];
  // Each key asks anew, and nobody waits for what is no longer asked.
  for (let letters = 1; letters <= TYPED.length; letters++) {
    if (letters > 1) await delay(KEY_MS);
    asked = performance.now();
    const question = { text: TYPED.slice(0, letters), rows: 'records' } as const;
    answers.push(transcript.ask('ask', { number: letters, question }));
  }
  await Promise.all(answers);
  times.firstMatches = (await first) - asked;
  times.allMatches = (await all) - asked;
  transcript.dispose();
});
clearInterval(watching);
while (reader.isRunning) await delay(100);
await delay(500);
const after = settled();
const figures: ReaderFigures = {
  ...times,
  stall,
  worked,
  heap: (mostHeap - rest.heap) / MB,
  process: (mostProcess - rest.rss) / MB,
  processAfter: (after.rss - rest.rss) / MB,
};
console.log(JSON.stringify(figures));
await store.close();
reader.dispose();
