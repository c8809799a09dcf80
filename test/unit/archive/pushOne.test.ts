import { expect, test, vi } from 'vitest';
import { knownRecords } from '../../../src/archive/archiveCalls.js';
import { ConversationPush, type PushOptions } from '../../../src/archive/conversationPush.js';
import { ArchivePrefetch, pushOne } from '../../../src/archive/pushOne.js';
import { DEFAULT_RULES } from '../../../src/export/sharing/sharingPolicy.js';
import { NO_PRICES } from '../../../src/core/ports/prices.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { recordOf, said } from '../../support/storeFixture.js';
import { ownArchives } from '../../support/testArchive.js';

const { archive, server, connect } = ownArchives();

const options: PushOptions = {
  mode: 'full',
  rules: DEFAULT_RULES,
  prices: { prices: NO_PRICES, mark: 'none' },
  signal: new AbortController().signal,
};

const story = (id: string, count: number) =>
  new MemoryTranscript(
    id,
    Array.from({ length: count }, (_, at) => recordOf(at + 1, said(`loaf ${at}`), id)),
  );

test('many conversations are asked about in one statement, and one that the archive has all of is not opened', async () => {
  const { connection } = await archive();
  const about = () => ({ title: 'Bread' });
  for (const id of ['c0', 'c1', 'c2'])
    await new ConversationPush({ id, about: about(), transcript: story(id, 3) }, options).push(connection);
  const ids = Array.from({ length: 200 }, (_, at) => `c${at}`);
  const known = new ArchivePrefetch(ids, options);
  const asked = vi.spyOn(connection, 'query');
  const opened: string[] = [];
  const outcomes = [];
  for (const [at, id] of ids.slice(0, 4).entries())
    outcomes.push(
      await pushOne(
        connection,
        {
          id,
          about,
          records: knownRecords({ records: id === 'c1' ? 4 : 3, damaged: id === 'c2' ? 1 : 0 }),
          open: () => {
            opened.push(id);
            return Promise.resolve(story(id, id === 'c1' ? 4 : 3));
          },
        },
        options,
        await known.of(at, connection),
      ),
    );
  expect(outcomes.map(({ outcome }) => [outcome?.kind, outcome?.added, outcome?.records])).toEqual([
    ['unchanged', 0, 3],
    ['grown', 1, 4],
    ['unchanged', 0, 3],
    ['new', 3, 3],
  ]);
  expect(opened).toEqual(['c1', 'c2', 'c3']);
  expect(asked.mock.calls.filter(([text]) => text.startsWith('SELECT c.conversation'))).toHaveLength(1);
  await connection.close();
});

test('what cannot be read is told of its conversation; that the archive is away ends the push', async () => {
  const { name, connection } = await archive();
  const broken = {
    id: 'c1',
    about: () => ({ title: '' }),
    open: () => Promise.reject(new Error('no such file')),
  };
  expect(await pushOne(connection, broken, options)).toEqual({ problem: 'no such file' });
  await connection.close();
  const other = await connect(name);
  await server().kill();
  const whole = { ...broken, open: () => Promise.resolve(story('c1', 2)) };
  await expect(pushOne(other, whole, options)).rejects.toMatchObject({ kind: 'away' });
  await server().begin();
  await other.close();
});
