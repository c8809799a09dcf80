import { expect, test } from 'vitest';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

test('a title is a record: it survives a restart and wins over the first prompt', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said('How much salt?', 'user')));
  await journal.close();
  expect(await store.rename('c1', 'Salt\n and   brine')).toEqual({});
  const { store: later } = await temporaryStore({ root });
  await later.catalog.refresh();
  expect(later.catalog.entries()).toMatchObject([{ title: 'Salt and brine', messages: 1 }]);
  const transcript = await later.openTranscript('c1');
  expect(await transcript.read(1, 2)).toMatchObject([{ seq: 2, type: 'title', title: 'Salt and brine' }]);
});

test('what is being recorded, or missing, is not renamed behind the recorder', async () => {
  const { store } = await temporaryStore();
  await store.createConversation('c1');
  expect(await store.rename('c1', 'x')).toHaveProperty('refused');
  expect(await store.rename('nothing', 'x')).toHaveProperty('refused');
});
