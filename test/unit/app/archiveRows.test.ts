import { expect, test } from 'vitest';
import { ArchiveRows, CONVERSATIONS_AT_ONCE } from '../../../src/app/archive/archiveRows.js';
import type { ArchivePage, ListedConversation } from '../../../src/archive/archiveReadingCalls.js';

function listed(number: number): ListedConversation {
  return { id: `c${number}` } as ListedConversation;
}

/** An archive of so many conversations, and how many were asked for. */
function archiveOf(count: number) {
  const asked: number[] = [];
  let failure: Error | undefined;
  const archive = { count, offset: 0 };
  const rows = new ArchiveRows((from, most): Promise<ArchivePage> => {
    asked.push(from);
    if (failure) return Promise.reject(failure);
    const all = Array.from({ length: archive.count }, (_, at) => listed(at + archive.offset));
    return Promise.resolve({ count: archive.count, conversations: all.slice(from, from + most) });
  });
  const kinds = async () => {
    const { rows: shown } = await rows.list();
    return shown.map((row) =>
      row.kind === 'archived'
        ? row.listed.id
        : row.kind === 'way'
          ? row.way
          : 'left' in row
            ? `${row.left}`
            : row.kind,
    );
  };
  return { archive, rows, asked, kinds, fail: (error: Error | undefined) => (failure = error) };
}

test('of very many conversations one page is asked for, and one more each time a person wants it', async () => {
  const { rows, asked, kinds } = archiveOf(10_000);
  expect(asked).toEqual([]);
  expect((await kinds()).slice(-2)).toEqual([`c${CONVERSATIONS_AT_ONCE - 1}`, '9900']);
  await rows.list();
  expect(asked).toEqual([0]);
  rows.showMore();
  expect((await kinds()).slice(-2)).toEqual([`c${2 * CONVERSATIONS_AT_ONCE - 1}`, '9800']);
  expect(asked).toEqual([0, CONVERSATIONS_AT_ONCE]);
});

test('what comes in meanwhile moves the others down, and none of them is listed twice', async () => {
  const { archive, rows, kinds } = archiveOf(150);
  await kinds();
  archive.count += 10;
  archive.offset = -10;
  rows.showMore();
  const shown = await kinds();
  expect(new Set(shown).size).toBe(shown.length);
  expect(shown).toHaveLength(150);
});

test('a failure leaves what is listed, says why, and offers what can be done', async () => {
  const { rows, kinds, fail } = archiveOf(150);
  await kinds();
  fail(new Error('No server answers.'));
  rows.showMore();
  expect((await rows.list()).problem).toBe('No server answers.');
  expect((await kinds()).slice(-3)).toEqual(['tryAgain', 'setPassword', 'openSettings']);
  expect(await kinds()).toHaveLength(CONVERSATIONS_AT_ONCE + 3);
  fail(undefined);
  rows.refresh();
  expect(await rows.list()).toMatchObject({ problem: undefined, count: 150 });
});

test('what was asked before everything was to be asked anew counts no more', async () => {
  const { archive, rows, kinds, asked } = archiveOf(2);
  const before = rows.list();
  archive.count = 3;
  rows.refresh();
  expect(await kinds()).toEqual(['c0', 'c1', 'c2']);
  expect((await before).rows).toHaveLength(3);
  expect(asked).toEqual([0, 0]);
});
