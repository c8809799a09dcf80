import { expect, test } from 'vitest';
import { ArchiveSessions } from '../../../src/app/sources/archiveSessions.js';
import { testArchives } from '../../support/testArchive.js';

const { archive, connect } = testArchives();

test('who asks at the same moment shares one connection, and one that broke off is made anew', async () => {
  const { name, connection: first } = await archive();
  await first.close();
  const opened: Awaited<ReturnType<typeof connect>>[] = [];
  const sessions = new ArchiveSessions(async () => {
    const connection = await connect(name);
    opened.push(connection);
    return connection;
  });
  expect(await Promise.all([sessions.listed(), sessions.listed(), sessions.listed()])).toEqual([[], [], []]);
  expect(opened).toHaveLength(1);
  await opened[0]?.close();
  expect(await sessions.listed()).toEqual([]);
  expect(opened).toHaveLength(2);
  await sessions.close();
  expect(opened.map(({ isBroken }) => isBroken)).toEqual([true, true]);
});
