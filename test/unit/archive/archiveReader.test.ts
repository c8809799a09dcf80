import { expect, test } from 'vitest';
import type { ArchiveConnection } from '../../../src/archive/archiveConnection.js';
import { ArchivedSession } from '../../../src/archive/archivedSession.js';
import { ArchiveReader } from '../../../src/archive/archiveReader.js';
import { planQuery } from '../../../src/query/language/plan.js';
import { Asking } from '../../../src/search/asking.js';
import { ColumnCache } from '../../../src/search/columns/columnCache.js';
import { markedPrices } from '../../../src/search/markedPrices.js';
import { pushTo } from '../../support/pushedArchive.js';
import { recordOf, said } from '../../support/storeFixture.js';
import { testArchives } from '../../support/testArchive.js';

const { archive } = testArchives();

/** How many statements a question takes that asks for what is known of each conversation. */
async function asked(connection: ArchiveConnection, text: string, cache: ColumnCache) {
  let statements = 0;
  const counted: Pick<ArchiveConnection, 'query'> = {
    query: (sql, values) => {
      statements++;
      return connection.query(sql, values);
    },
  };
  const planned = planQuery(text, { rows: 'messages', now: 1_790_000_100_000, timeZone: 'UTC' });
  if (!planned.ok) throw new Error(`${text} is no question.`);
  cache.begin();
  const reader = new ArchiveReader(() => Promise.resolve(counted), cache);
  const records: (number | undefined)[] = [];
  for (const conversation of await reader.conversations(planned.plan))
    records.push((await reader.factsOf(conversation))?.records.length);
  return { statements, records };
}

test('what is known of conversations is asked once for all questions, and anew of one that has grown', async () => {
  const { connection } = await archive();
  const one = [recordOf(1, said('Knead.'), 'one')];
  await pushTo(connection, 'one', one);
  await pushTo(connection, 'two', [recordOf(1, said('Bake.'), 'two')]);
  const cache = new ColumnCache();
  // The list, and what is known of all of it.
  expect(await asked(connection, 'dough', cache)).toEqual({ statements: 2, records: [1, 1] });
  expect(await asked(connection, 'flour', cache)).toEqual({ statements: 1, records: [1, 1] });
  // What is known for texts is enough where none is asked for.
  expect(await asked(connection, '(is:error OR role:assistant)', cache)).toEqual({
    statements: 1,
    records: [1, 1],
  });
  await pushTo(connection, 'one', [...one, recordOf(2, said('Done.'), 'one')]);
  const grown = await asked(connection, 'flour', cache);
  expect(grown.statements).toBe(2);
  expect(grown.records.toSorted()).toEqual([1, 2]);
});

test('the lines of conversations are looked through only where all that is known allows an answer', async () => {
  const { connection } = await archive();
  const ids = Array.from({ length: 12 }, (_, at) => `c${at}`);
  for (const [at, id] of ids.entries())
    await pushTo(connection, id, [recordOf(1, said(at % 5 === 0 ? 'Add saffron.' : 'Knead.'), id)]);
  const looked: (readonly unknown[])[] = [];
  const counted: Pick<ArchiveConnection, 'query'> = {
    query: (sql, values) => {
      const conversations = values?.[0];
      if (sql.includes('DISTINCT conversation') && Array.isArray(conversations)) looked.push(conversations);
      return connection.query(sql, values);
    },
  };
  const planned = planQuery('saffron -file:none.md', {
    rows: 'messages',
    now: 1_790_000_100_000,
    timeZone: 'UTC',
  });
  if (!planned.ok) throw new Error('It is no question.');
  const reader = new ArchiveReader(() => Promise.resolve(counted));
  const asking = new Asking(planned.plan, await markedPrices(''), 'not told');
  const found: string[] = [];
  for (const conversation of await reader.conversations(planned.plan)) {
    const session = new ArchivedSession('here', conversation, reader);
    const answer = await asking.ask(session, new AbortController().signal);
    if (answer && answer.indexes.length > 0) found.push(conversation.id);
  }
  expect(found.toSorted()).toEqual(['c0', 'c10', 'c5']);
  // One statement, and none of the conversations in which the word does not stand.
  expect(looked.map((each) => each.toSorted())).toEqual([['c0', 'c10', 'c5']]);
});
