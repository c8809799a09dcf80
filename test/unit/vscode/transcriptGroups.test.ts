import { expect, test } from 'vitest';
import type { CatalogEntry } from '../../../src/ports/transcript.js';
import { TranscriptGroups } from '../../../src/vscode/views/transcriptGroups.js';

const NOW = new Date(2026, 10, 21, 12).getTime();
const HOUR = 60 * 60 * 1000;

function entry(conversation: string, hoursAgo: number, more: Partial<CatalogEntry> = {}): CatalogEntry {
  return {
    conversation,
    title: conversation,
    agents: ['planner'],
    startedAt: NOW - hoursAgo * HOUR,
    endedAt: NOW,
    messages: 3,
    runs: 1,
    tokens: 100,
    tokensEstimated: false,
    state: 'done',
    scripted: false,
    damaged: 0,
    bytes: 1000,
    ...more,
  };
}

/** Groups as `label: titles`, with a `+` where they are unfolded. */
function drawn({ rows }: TranscriptGroups): string[] {
  return rows.map(
    ({ label, isOpen, conversations }) =>
      `${isOpen ? '+' : ' '}${label}: ${conversations.map((row) => row.entry.title).join(' ')}`,
  );
}

test('running conversations come first, then day by day, and only near days are unfolded', () => {
  const groups = new TranscriptGroups();
  const running = entry('runs', 30, { state: 'running' });
  const waiting = entry('waits', 1, { state: 'waiting' });
  groups.update([entry('a', 1), waiting, entry('b', 24), running, entry('c', 240)], '', NOW);
  expect(drawn(groups)).toEqual([
    '+Running: waits runs',
    '+Today: a',
    '+Yesterday: b',
    ' Wed, 11 November 2026: c',
  ]);
});

test('the newest day is unfolded however old it is, and a time that no calendar has hides nothing', () => {
  const groups = new TranscriptGroups();
  groups.update([entry('old', 240), entry('none', 0, { startedAt: 0 })], '', NOW);
  groups.update([entry('old', 240), entry('wild', 0, { startedAt: 1e300 })], '', NOW);
  expect(drawn(groups)).toEqual(['+Wed, 11 November 2026: old', ' No date: wild']);
});

test('a filter keeps what has all its words in title, agents or state', () => {
  const groups = new TranscriptGroups();
  const kept = [entry('Late invoices', 1, { state: 'failed' }), entry('Invoices', 240), entry('shop', 1)];
  expect(groups.update(kept, '  INVOICES planner ', NOW)).toBe('all');
  expect(drawn(groups)).toEqual(['+Today: Late invoices', '+Wed, 11 November 2026: Invoices']);
  groups.update(kept, 'failed', NOW);
  expect(drawn(groups)).toEqual(['+Today: Late invoices']);
});

test('while a run goes on, only its row is drawn again', () => {
  const groups = new TranscriptGroups();
  const others = Array.from({ length: 100 }, (_, n) => entry(`other ${n}`, 1));
  const live = (messages: number) => entry('live', 0, { state: 'running', messages });
  expect(groups.update([live(1), ...others], '', NOW)).toBe('all');
  const row = groups.rows[0]?.conversations[0];
  expect(groups.update([live(2), ...others.map((other) => ({ ...other }))], '', NOW)).toEqual([row]);
  expect(row?.entry.messages).toBe(2);
  expect(groups.update([live(2), ...others], '', NOW)).toEqual([]);
  expect(groups.update([entry('live', 0), ...others], '', NOW)).toBe('all');
});

/** How often an update reads anything of the entries. */
function readsOfAnUpdate(count: number): number {
  let reads = 0;
  const groups = new TranscriptGroups();
  const entries = Array.from({ length: count }, (_, n) => {
    const plain = entry(`conversation ${n}`, n / 10);
    return new Proxy(plain, {
      get: (target, key: keyof CatalogEntry) => {
        reads++;
        return target[key];
      },
    });
  });
  groups.update(entries, 'conversation', NOW);
  groups.update(entries, 'conversation', NOW);
  return reads;
}

test('ten times as many conversations are ten times the work', () => {
  expect(readsOfAnUpdate(10_000) / readsOfAnUpdate(1_000)).toBeCloseTo(10, 1);
});
