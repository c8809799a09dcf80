import { expect, test } from 'vitest';
import { silentLog } from '../../../src/core/ports/log.js';
import { argumentValues } from '../../../src/search/argumentValues.js';
import { ColumnCache } from '../../../src/search/columns/columnCache.js';
import type { Session } from '../../../src/search/sessions/session.js';
import { StoreSource } from '../../../src/search/sessions/storeSource.js';
import { bakery } from '../../support/bakeryStory.js';
import { temporaryStore } from '../../support/storeFixture.js';
import { PRICES } from '../query/language/judge.js';

const prices = { prices: PRICES, mark: 'judge' };

async function sessionsOf(ids: readonly string[]) {
  const { store, root } = await temporaryStore();
  for (const id of ids)
    await store.importConversation(
      id,
      bakery().records.map((record) => ({ ...record, conversation: id })),
    );
  return new StoreSource(root, false, { log: silentLog, cache: new ColumnCache() }).sessions();
}

test('arguments are told of sessions that were read, the most frequent first', async () => {
  const [first, second] = await sessionsOf(['s1', 's2']);
  if (!first || !second) throw new Error('Two were stored.');
  await first.read(prices, undefined);
  const values = await argumentValues([first, second], prices);
  expect(values.file).toEqual(['src/scale.ts']);
  expect([...(values.command ?? [])].sort()).toEqual(['cd', 'echo', 'rm', 'sudo']);
  expect(values.args?.[0]).toBe('path');
  expect(values['args.agent']).toEqual(['Fixer']);
});

test('a session of which nothing is known is not read for it, and one that cannot be read tells nothing', async () => {
  const [unread] = await sessionsOf(['s1']);
  if (!unread) throw new Error('One was stored.');
  const broken: Pick<Session, 'known'> = {
    known: () => {
      throw new Error('The disk is away.');
    },
  };
  expect(await argumentValues([broken as Session, unread], prices)).toEqual({
    file: [],
    command: [],
    args: [],
  });
});

test('no further session is looked at once a moment has passed', async () => {
  const sessions = await sessionsOf(['s1', 's2', 's3']);
  let looked = 0;
  const counted = sessions.map((session) => ({
    known: (...asked: Parameters<Session['known']>) => {
      looked++;
      return session.known(...asked);
    },
  }));
  for (const session of sessions) await session.read(prices, undefined);
  let now = 0;
  await argumentValues(counted as unknown as Session[], prices, () => (now += 300));
  expect(looked).toBe(1);
});
