import { parentPort, workerData } from 'node:worker_threads';
import { useTranslations, type Translations } from '../core/l10n.js';
import { messageOf } from '../core/text.js';
import { PortCalls } from '../node/portCalls.js';
import type { Log } from '../ports/log.js';
import type { SearchUpdate } from '../protocol/search.js';
import { BackgroundReading } from './backgroundReading.js';
import { ColumnCache } from './columns/columnCache.js';
import { markedPrices } from './markedPrices.js';
import { recordsNear } from './recordsNear.js';
import { search } from './search.js';
import type { SearchCalls, SearchedStore, SearchHostCalls } from './searchCalls.js';
import { StoreSource } from './storeSource.js';

if (!parentPort) throw new Error('This searches: it is started as a thread.');
const port = parentPort;
useTranslations((workerData ?? undefined) as Translations | undefined);

interface Running {
  readonly updates: AsyncGenerator<SearchUpdate, void>;
  readonly stop: AbortController;
}

const running = new Map<number, Running>();
const sources = new Map<string, StoreSource>();
const cache = new ColumnCache();
let readAhead = (): Promise<void> => Promise.resolve();

function sourceOf({ root, readOnly }: SearchedStore): StoreSource {
  const key = JSON.stringify([root, readOnly]);
  const source = sources.get(key) ?? new StoreSource(root, readOnly, { log, cache });
  sources.set(key, source);
  return source;
}

const calls: SearchCalls = {
  begin: async (number, stores, question, ownPrices) => {
    reading.stop();
    const stop = new AbortController();
    const prices = await markedPrices(ownPrices);
    const asked = stores.map(sourceOf);
    running.set(number, { updates: search(asked, question, prices, stop.signal), stop });
    // What may be kept of a store that is only read would be lost with this thread.
    const kept = stores.filter(({ readOnly }) => !readOnly).map(sourceOf);
    readAhead = () => reading.start(kept, prices);
  },
  next: async (number) => {
    const step = await running.get(number)?.updates.next();
    return step?.value ?? undefined;
  },
  cancel: (number) => running.get(number)?.stop.abort(),
  end: (number) => {
    running.get(number)?.stop.abort();
    running.delete(number);
    if (running.size === 0) void readAhead();
  },
  near: (place, position, around) =>
    recordsNear(sourceOf({ root: place.root, readOnly: true }), place, position, around),
};

const host = new PortCalls<SearchHostCalls>(port, calls);
const say = (level: Parameters<SearchHostCalls['log']>[0]) => (message: string, error?: unknown) => {
  const words = error === undefined ? message : `${message} ${messageOf(error)}`;
  // Where nobody is left to hear it, nobody is left to be told.
  host.call('log', level, words).catch(() => undefined);
};
const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
const reading = new BackgroundReading(log);
