import { exportTables, type TableSession } from '../../export/tables/exportTables.js';
import { serveThread } from '../../node/serveThread.js';
import { loadUsablePrices } from '../../query/pricing/loadPrices.js';
import { pathsOf } from '../../store/files/storePaths.js';
import { SharedSource } from '../../store/read/sharedSource.js';
import { readSource } from '../../store/read/sourceTable.js';
import { StoredTranscript } from '../../store/read/storedTranscript.js';
import { restoredRecords } from '../../store/read/restoredRecords.js';
import type { TablesCalls, TablesHostCalls, TablesTarget } from './tablesThread.js';

const stop = new AbortController();

/** A conversation, which is opened when its records are asked for and closed after them. */
async function sessionOf({ target, title, source, project, positions }: TablesTarget): Promise<TableSession> {
  const { root, id, name, readOnly } = target;
  const paths = pathsOf(root, id, name);
  const about = { session: id, title, source, project };
  try {
    const shared = new SharedSource(await readSource(paths, log, readOnly), log);
    const transcript = new StoredTranscript(paths, shared, () => shared.dispose());
    async function* records() {
      try {
        yield* restoredRecords(transcript, positions, stop.signal);
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
  for (const target of targets) yield await sessionOf(target);
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
