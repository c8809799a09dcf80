import { statSync } from 'node:fs';
import { setPriority, totalmem } from 'node:os';
import { workerData } from 'node:worker_threads';
import { t, useTranslations } from '../core/l10n.js';
import { serveThread } from '../node/serveThread.js';
import { planQuery } from '../query/language/plan.js';
import type { NearRecord, SearchUpdate, SessionLocation } from '../page/protocol/search.js';
import { argumentValues } from './argumentValues.js';
import { BackgroundReading } from './backgroundReading.js';
import { ColumnCache } from './columns/columnCache.js';
import { FileSource } from './files/fileSource.js';
import { CachedImports } from './files/cachedImports.js';
import { CachedFiles } from './files/cachedFiles.js';
import { SharedMatches, ripgrepFinder, type FindJournals } from './sessions/journalFinder.js';
import { OwnerIndex } from './owners.js';
import { markedPrices } from './markedPrices.js';
import { recordsNear } from './recordsNear.js';
import { search, sessionsOf } from './search.js';
import type {
  SearchCalls,
  Searched,
  SearchedStore,
  SearchThreadData,
  ShardHostCalls,
  SessionQuery,
  RecordMatches,
} from './searchCalls.js';
import { keyOf, type SessionSource } from './sessions/session.js';
import { ShardSearch, type ShardStep } from './shardSearch.js';
import { shardOf } from './shards.js';
import { ShardThreads } from './shardThreads.js';
import { Tallies } from './tallies.js';
import { KeptSessions } from '../store/notes/keptSessions.js';
import { StoreSource } from './sessions/storeSource.js';
import { recordsOf } from '../query/language/recordsOf.js';
import { Asking } from './asking.js';
import type { MarkedPrices } from './columns/readSession.js';

const NOTHING: RecordMatches = { rows: 0, positions: new Uint32Array() };

/**
 * Asks a question of one session. Rejects with an error for a person where the question has problems, and where the
 * session is not there or cannot be read; and where the signal is aborted.
 */
async function recordsIn(
  source: SessionSource | undefined,
  location: SessionLocation,
  question: SessionQuery,
  prices: MarkedPrices,
  signal: AbortSignal,
): Promise<RecordMatches> {
  const planned = planQuery(question.text, question);
  if (!planned.ok) throw new Error(planned.problems[0]?.message);
  const key = keyOf(location);
  const session = (await source?.sessions([location]))?.find((each) => keyOf(each.place) === key);
  if (!session) throw new Error('This conversation is not there any more.');
  const answer = await new Asking(planned.plan, prices, 'not told').ask(session, signal);
  signal.throwIfAborted();
  if (answer?.problem) throw new Error(answer.problem.message);
  if (!answer) return NOTHING;
  const { facts, indexes } = answer;
  return { rows: indexes.length, positions: Uint32Array.from(recordsOf(facts, question.rows, indexes)) };
}

/** As `nice` counts: 0 is what everything else has. */
const LOWER_PRIORITY = 5;
const data = workerData as SearchThreadData;
const { script, threads, keptFiles, ripgrep, archiveScript } = data;
useTranslations(data.translations);
lowerPriority();

/** Lets the editor's own thread go first where all cores are busy. */
function lowerPriority(): void {
  // Elsewhere a priority is that of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(LOWER_PRIORITY);
  } catch {
    // Where a sandbox forbids it, all threads are equal.
  }
}

/**
 * The most memory that what is known of sessions takes on all threads together, in bytes: enough for 20,000 sessions as people
 * have them, but no more than a part of what the machine has.
 */
const MAX_CACHE_BYTES = Math.min(640 * 1024 * 1024, totalmem() / 16);

interface Running {
  /** Undefined for a question to one session. */
  readonly updates?: AsyncGenerator<SearchUpdate, void>;
  /** What a share finds, and counts. */
  readonly steps?: AsyncGenerator<ShardStep, void>;
  readonly tallies?: Tallies;
  readonly stop: AbortController;
}

const running = new Map<number, Running>();
const sources = new Map<string, StoreSource>();
const cache = new ColumnCache(MAX_CACHE_BYTES / threads);
const owners = new OwnerIndex();
let readAhead = (): Promise<void> => Promise.resolve();

function sourceOf({ root, readOnly }: SearchedStore): StoreSource {
  const key = JSON.stringify([root, readOnly]);
  const source = sources.get(key) ?? new StoreSource(root, readOnly, { log, cache, find, keptSessions });
  sources.set(key, source);
  return source;
}

function sourcesOf(stores: readonly SearchedStore[]): readonly SessionSource[] {
  return [...stores.map(sourceOf), files];
}

/** Those whose files may be written: what may be kept of a store that is only read would be lost with this thread. */
function keptOf({ stores }: Searched): readonly StoreSource[] {
  return stores.filter(({ readOnly }) => !readOnly).map(sourceOf);
}

/** A mark of the program: another build may read files in another way. */
function programMark(program: URL): string {
  const { size, mtimeMs } = statSync(program);
  return `${size} ${mtimeMs}`;
}

const calls: SearchCalls = {
  begin: async (number, question, searched) => {
    const { stores, files: found, ownPrices } = searched;
    reading.stop();
    others.stopReading();
    const stop = new AbortController();
    const prices = await markedPrices(ownPrices);
    cache.begin();
    foundOnce.begin();
    files.files = found;
    const updates = search(
      sourcesOf(stores),
      question,
      prices,
      stop.signal,
      others.sharing(number, searched),
      owners,
    );
    running.set(number, { updates, stop });
    readAhead = async () => {
      const isDone = await reading.start(keptOf(searched), prices, (session) => others.isOwn(session));
      if (isDone) await others.readAhead(searched);
      await files.tidy();
    };
  },
  beginShard: async (number, question, { stores, ownPrices }, { shard, of, except = [] }) => {
    reading.stop();
    const stop = new AbortController();
    running.set(number, { stop });
    const prices = await markedPrices(ownPrices);
    cache.begin();
    const planned = planQuery(question.text, question);
    if (!planned.ok) throw new Error(planned.problems[0]?.message);
    const sessions = await sessionsOf(stores.map(sourceOf), question);
    const elsewhere = new Set(except);
    const own = sessions.filter(
      (session) => shardOf(session, of) === shard && !elsewhere.has(keyOf(session.place)),
    );
    const tallies = new Tallies(question);
    const steps = new ShardSearch(question, prices, planned.plan, tallies).run(own, stop.signal);
    // Whoever asks may have ended it meanwhile.
    if (running.has(number)) running.set(number, { steps, tallies, stop });
  },
  nextShard: async (number) => {
    const { steps, tallies } = running.get(number) ?? {};
    const step = (await steps?.next())?.value;
    if (!step || !tallies) throw new Error('This search is over.');
    return { step, counted: tallies.take() };
  },
  readAhead: async (searched, { shard, of }) => {
    const prices = await markedPrices(searched.ownPrices);
    await reading.start(keptOf(searched), prices, (session) => shardOf(session, of) === shard);
  },
  stopReading: () => reading.stop(),
  argumentValues: async ({ stores, files: found, ownPrices }) => {
    files.files = found;
    const sessions = (await Promise.all(sourcesOf(stores).map((source) => source.sessions()))).flat();
    const newest = sessions.sort((a, b) => (a.order < b.order ? 1 : -1));
    return await argumentValues(newest, await markedPrices(ownPrices));
  },
  recordsIn: async (number, location, question, { stores, files: found, ownPrices }) => {
    const stop = new AbortController();
    running.set(number, { stop });
    foundOnce.begin();
    files.files = found;
    const store = stores.find(({ root }) => root === location.root);
    const source = location.kind === 'file' ? files : store && sourceOf(store);
    try {
      return await recordsIn(source, location, question, await markedPrices(ownPrices), stop.signal);
    } finally {
      running.delete(number);
    }
  },
  next: async (number) => {
    const step = await running.get(number)?.updates?.next();
    return step?.value ?? undefined;
  },
  cancel: (number) => running.get(number)?.stop.abort(),
  end: (number) => {
    running.get(number)?.stop.abort();
    running.delete(number);
    if (running.size === 0) void readAhead();
  },
  near: (location, position, around, archive) => {
    if (location.kind === 'archive') return nearArchived(location, position, around, archive);
    return recordsNear(
      location.kind === 'file' ? files : sourceOf({ root: location.root, readOnly: true }),
      ...([location, position, around] as const),
    );
  },
};

async function nearArchived(
  location: SessionLocation,
  position: number,
  around: number,
  archive: Searched['archive'],
): Promise<readonly NearRecord[]> {
  if (!archive) throw new Error(t`No archive is set any more.`);
  if ('problem' in archive) throw new Error(archive.problem);
  return await others.near(archive, location, position, around);
}

/** Asks the thread that shares the sessions out. Where that has ended, nobody waits for an answer. */
const findByHost: FindJournals = (root, texts) =>
  host.call('findJournals', root, texts).catch(() => undefined);

const { host, log } = serveThread<ShardHostCalls>(calls);
const foundOnce = new SharedMatches(ripgrepFinder(ripgrep, log));
const find = ripgrep === '' ? undefined : data.isShard ? findByHost : foundOnce.find;
const reading = new BackgroundReading(log);
const kept = keptFiles === '' ? undefined : new CachedFiles(keptFiles, programMark(new URL(script)), log);
const keptSessions = data.keptSessions === '' ? undefined : new KeptSessions(data.keptSessions, log);
const files = new FileSource({ imports: new CachedImports(), cache, kept, keptSessions });
const others = new ShardThreads({
  script: new URL(script),
  data,
  archiveScript,
  most: threads,
  host: { findJournals: foundOnce.find },
  log,
});
