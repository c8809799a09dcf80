import { expect, test } from 'vitest';
import { archiveLocationIn, PendingPanels } from '../../../src/app/archive/pendingPanels.js';

const cake = { place: 'db:5432/logbook', id: 'cake' };

/** Panels with names, an archive that may be away, and what was done with them. */
function window() {
  const done: string[] = [];
  const archive = { why: 'No server answers.', isAway: false, opened: 0, wait: Promise.resolve() };
  const waiting = new PendingPanels<string>({
    open: async ({ id }) => {
      await archive.wait;
      if (archive.isAway) throw new Error(archive.why);
      archive.opened++;
      return `${id} here`;
    },
    show: (panel, conversation) => done.push(`${panel} shows ${conversation}`),
    fail: (panel, { id }, why) => done.push(`${panel} lacks ${id}: ${why}`),
    unwanted: (conversation) => done.push(`nobody wants ${conversation}`),
  });
  return { done, archive, waiting };
}

test('a panel of the archive comes back', async () => {
  const { done, waiting } = window();
  await waiting.restore('left', cake);
  expect(done).toEqual(['left shows cake here']);
});

test('where the archive is away that is said, and all panels come back once somebody opens it again', async () => {
  const { done, archive, waiting } = window();
  archive.isAway = true;
  await waiting.restore('left', cake);
  await waiting.restore('right', cake);
  await waiting.restore('other', { ...cake, place: 'elsewhere' });
  expect(done.splice(0)).toEqual([
    'left lacks cake: No server answers.',
    'right lacks cake: No server answers.',
    'other lacks cake: No server answers.',
  ]);
  waiting.closed('right');
  waiting.arrived({ ...cake, id: 'bread' }, 'bread here');
  waiting.arrived(cake, 'cake here');
  waiting.arrived(cake, 'cake here');
  expect(done).toEqual(['left shows cake here']);
});

test('what comes for a panel that was closed meanwhile is wanted by nobody, and no failure is told there', async () => {
  const { done, archive, waiting } = window();
  let answer: () => void = () => undefined;
  archive.wait = new Promise((resolve) => (answer = resolve));
  const restored = waiting.restore('left', cake);
  waiting.closed('left');
  answer();
  await restored;
  expect(done).toEqual(['nobody wants cake here']);
  archive.isAway = true;
  const failing = waiting.restore('left', cake);
  waiting.closed('left');
  await failing;
  expect(done).toHaveLength(1);
});

test('what a page kept names an archive and a conversation, or nothing', () => {
  expect(archiveLocationIn({ conversation: 'x', archived: { ...cake, more: 1 } })).toEqual(cake);
  for (const archived of [undefined, null, 'cake', {}, { place: 7, id: 'cake' }, { place: 'db' }])
    expect(archiveLocationIn({ conversation: 'x', archived })).toBeUndefined();
  expect(archiveLocationIn('text')).toBeUndefined();
});
