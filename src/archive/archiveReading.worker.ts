import { totalmem } from 'node:os';
import { workerData } from 'node:worker_threads';
import { useTranslations, type Translations } from '../core/l10n.js';
import { isObject } from '../core/message.js';
import { serveThread } from '../node/serveThread.js';
import { ColumnCache } from '../search/columns/columnCache.js';
import { markedPrices } from '../search/markedPrices.js';
import { recordsNear } from '../search/recordsNear.js';
import { ArchiveReader } from './archiveReader.js';
import { ArchiveReading } from './archiveReading.js';
import type { ArchiveReadingCalls, ArchiveReadingHostCalls, ArchivePage } from './archiveReadingCalls.js';
import { ArchiveSearch } from './archiveSearch.js';
import { ArchiveSource } from './archiveSource.js';
import { CachedConnection, type ArchiveLogin } from './cachedConnection.js';

/** How many models of a conversation are told. */
const MAX_MODELS = 10;

/** So many conversations of an archive behind others, the newest first. Rejects with an ArchiveError. */
async function archivePage(reader: ArchiveReader, from: number, count: number): Promise<ArchivePage> {
  const all = await reader.count();
  const known = await reader.page(from, count);
  return {
    count: all,
    conversations: known.map(({ conversation: { id, entry, records, source, project }, facts }) => {
      const models = new Set(facts?.recordKinds.examples.flatMap(({ model }) => model ?? []));
      return {
        id,
        entry,
        records,
        source,
        project,
        models: [...models].slice(0, MAX_MODELS),
        cost: facts?.whole.totalCost,
      };
    }),
  };
}

const data: unknown = workerData;
// The search is started with more than these.
useTranslations(
  (isObject(data) && data.translations ? data.translations : undefined) as Translations | undefined,
);

/** What one person waits for is not behind what another does: lists and searches give up what they asked before. */
const [lists, searching, texts] = [new CachedConnection(), new CachedConnection(), new CachedConnection()];
const readings = new Map<number, ArchiveReading>();
const searches = new Map<number, ArchiveSearch>();

/** The most memory that what is known of the conversations of an archive takes, in bytes. */
const MAX_CACHE_BYTES = Math.min(320 * 1024 * 1024, totalmem() / 32);
/** What is known of the archive that was asked last. */
let cached = { address: '', cache: new ColumnCache(MAX_CACHE_BYTES) };

function cacheOf(address: string): ColumnCache {
  if (cached.address !== address) cached = { address, cache: new ColumnCache(MAX_CACHE_BYTES) };
  cached.cache.begin();
  return cached.cache;
}

function readingOf(number: number): ArchiveReading {
  const found = readings.get(number);
  if (!found) throw new Error('This transcript is not open any more.');
  return found;
}

function textReader(login: ArchiveLogin): ArchiveReader {
  return new ArchiveReader(() => texts.connected(login));
}

const calls: ArchiveReadingCalls = {
  page: async (login, from, count) => {
    const connection = await lists.free(login);
    return await archivePage(new ArchiveReader(() => Promise.resolve(connection)), from, count);
  },
  open: async (number, login, id) => {
    const reading = await ArchiveReading.open(textReader(login), id, log);
    readings.set(number, reading);
    return reading.about;
  },
  write: (number, target, options) => readingOf(number).write(target, options),
  fill: (number, target) =>
    readingOf(number).fill(target, (records) => {
      host.tell('filled', number, records);
    }),
  close: (number) => {
    readings.get(number)?.close();
    readings.delete(number);
  },
  beginArchive: async (number, question, { archive, known, told, ownPrices }) => {
    const prices = await markedPrices(ownPrices);
    let connected = () => {
      const opening = searching.free(archive);
      connected = () => searching.connected(archive);
      return opening;
    };
    const asked = { root: archive.root, connected: () => connected(), known: new Set(known), told, prices };
    searches.set(number, new ArchiveSearch(question, { ...asked, cache: cacheOf(archive.address) }));
  },
  nextArchive: async (number) => {
    const search = searches.get(number);
    if (!search) throw new Error('This search is over.');
    return await search.next();
  },
  cancel: (number) => searches.get(number)?.cancel(),
  end: (number) => {
    searches.get(number)?.cancel();
    searches.delete(number);
  },
  nearArchived: (archive, location, position, around) => {
    const source = new ArchiveSource(archive.root, textReader(archive));
    return recordsNear(source, location, position, around);
  },
};

const { host, log } = serveThread<ArchiveReadingHostCalls>(calls);
