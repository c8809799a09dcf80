import { expect, test } from 'vitest';
import type { OpenArchive } from '../../../src/app/archive/openArchive.js';
import { pushSessions, type PushingOptions } from '../../../src/app/archive/pushSessions.js';
import type { NamedSession } from '../../../src/app/stores/namedSessions.js';
import type { ArchiveConnection } from '../../../src/archive/archiveConnection.js';
import { DEFAULT_RULES } from '../../../src/export/sharing/sharingPolicy.js';
import type { CatalogEntry } from '../../../src/core/ports/transcript.js';
import { NO_PRICES } from '../../../src/core/ports/prices.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { recordOf, said } from '../../support/storeFixture.js';
import { testArchives } from '../../support/testArchive.js';

const { archive, connect } = testArchives();

/** How many transactions are under way on a connection at most; counted until the connection ends. */
function countedTransactions(connection: ArchiveConnection) {
  const counted = { now: 0, most: 0 };
  const transaction = connection.transaction.bind(connection);
  connection.transaction = async (work) => {
    counted.most = Math.max(counted.most, ++counted.now);
    return await transaction(work).finally(() => counted.now--);
  };
  return counted;
}

test('stored sessions and files in any order: over one connection goes one at a time, told in their order', async () => {
  const { name, connection } = await archive();
  const connections = [connection, await connect(name), await connect(name)];
  const counted = connections.map(countedTransactions);
  const kinds = ['stored', 'file', 'stored', 'stored', 'file', 'file', 'stored', 'stored', 'stored'] as const;
  let read = -1;
  const sessions = kinds.map((kind, at): NamedSession => {
    const id = `c${at}`;
    const records = Array.from({ length: 1_500 }, (_, seq) => recordOf(seq + 1, said(`loaf ${seq}`), id));
    return {
      id,
      kind,
      where: '/store',
      others: 0,
      entry: () => Promise.resolve({ conversation: id, damaged: 0 } as CatalogEntry),
      info: () => Promise.resolve({ session: id, title: id }),
      open: () => Promise.resolve(new MemoryTranscript(id, records)),
    } as Partial<NamedSession> as NamedSession;
  });
  const opened: OpenArchive = {
    most: connections.length,
    connection: (at) => Promise.resolve(connections[at] ?? connection),
    close: () => Promise.resolve(),
  };
  const asked = function* () {
    for (const [at, session] of sessions.entries()) {
      // A file can be read until the next session is asked for.
      if (kinds[at - 1] === 'file') expect(read).toBe(at - 1);
      yield session;
    }
  };
  const options: PushingOptions = {
    mode: 'full',
    rules: DEFAULT_RULES,
    prices: { prices: NO_PRICES, mark: 'none' },
    signal: new AbortController().signal,
  };
  const told: unknown[] = [];
  for await (const { session, outcome } of pushSessions(opened, asked(), options)) {
    read = Number(session.id.slice(1));
    told.push([session.id, outcome?.kind, outcome?.records]);
  }
  expect(told).toEqual(kinds.map((_, at) => [`c${at}`, 'new', 1_500]));
  expect(counted.map(({ most }) => most)).toEqual([1, 1, 1]);
  for (const each of connections) await each.close();
});
