import { exportTables, type TableSession } from '../../export/tables/exportTables.js';
import { serveThread } from '../../node/serveThread.js';
import { ownedElsewhere, type SessionIdentities, type Verdicts } from '../../query/numbers/ownership.js';
import { loadUsablePrices } from '../../query/pricing/loadPrices.js';
import { pathsOf } from '../../store/files/storePaths.js';
import { SharedSource } from '../../store/read/sharedSource.js';
import { readSource } from '../../store/read/sourceTable.js';
import { StoredTranscript } from '../../store/read/storedTranscript.js';
import { restoredRecords } from '../../store/read/restoredRecords.js';
import { ColumnCache } from '../columns/columnCache.js';
import { markedPrices } from '../markedPrices.js';
import { OwnedTranscript } from '../sessions/ownedTranscript.js';
import { StoredSession } from '../sessions/storedSession.js';
import type { TablesCalls, TablesHostCalls, TablesTarget } from './tablesThread.js';

const stop = new AbortController();

/** A conversation, which is opened when its records are asked for and closed after them. */
async function sessionOf(
  { target, title, source, project, positions }: TablesTarget,
  verdicts: Verdicts | undefined,
): Promise<TableSession> {
  const { root, id, name, readOnly } = target;
  const paths = pathsOf(root, id, name);
  const about = { session: id, title, source, project };
  try {
    const shared = new SharedSource(await readSource(paths, log, readOnly), log);
    const transcript = new StoredTranscript(paths, shared, () => shared.dispose());
    async function* records() {
      try {
        const owned = verdicts ? await OwnedTranscript.open(transcript, verdicts) : transcript;
        yield* restoredRecords(owned, positions, stop.signal);
      } finally {
        await transcript.close();
      }
    }
    const whole = () => restoredRecords(transcript, undefined, stop.signal);
    return { ...about, damaged: transcript.damaged.length, records: records(), whole };
  } catch (error) {
    // Told with the session, whose row says why there are no others.
    return { ...about, records: failing(error) };
  }
}

async function* failing(error: unknown): AsyncGenerator<never> {
  await Promise.resolve();
  throw error;
}

async function* sessionsOf(targets: readonly TablesTarget[]): AsyncGenerator<TableSession> {
  const verdicts = await verdictsOf(targets);
  for (const [at, target] of targets.entries()) yield await sessionOf(target, verdicts[at]);
}

/** What is said of the records of several conversations, so that whoever adds up their rows counts each request once. */
async function verdictsOf(targets: readonly TablesTarget[]): Promise<readonly (Verdicts | undefined)[]> {
  if (targets.length < 2) return [];
  const prices = await markedPrices('');
  const cache = new ColumnCache(0);
  const identities: (SessionIdentities | undefined)[] = [];
  for (const { target } of targets) {
    const { root, id, name, readOnly } = target;
    const session = new StoredSession(pathsOf(root, id, name), { readOnly, log, cache });
    // One that cannot be read is told when it is written.
    identities.push(await session.identities(prices, stop.signal).catch(() => undefined));
    stop.signal.throwIfAborted();
  }
  return ownedElsewhere(identities);
}

const calls: TablesCalls = {
  export: async ({ targets, folder, redact, sharing, ownPrices }) =>
    await exportTables(sessionsOf(targets), folder, {
      redact,
      sharing: sharing.policy,
      asks: sharing.asks,
      signal: stop.signal,
      prices: await loadUsablePrices(ownPrices),
      review: (found) => host.call('review', found),
      onProgress: (progress) => host.tell('progress', progress),
    }),
  cancel: () => stop.abort(),
};

const { host, log } = serveThread<TablesHostCalls>(calls);
