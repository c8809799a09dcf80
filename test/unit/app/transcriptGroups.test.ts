import { expect, test } from 'vitest';
import { stateOf } from '../../../src/capture/discovery/sessionState.js';
import { unreadSince } from '../../../src/app/discovery/stateWords.js';
import type { CatalogEntry } from '../../../src/core/ports/transcript.js';
import {
  MEMBERS_AT_ONCE,
  TranscriptGroups,
  type GroupRow,
  type Grouping,
  type Listing,
  type SessionRow,
} from '../../../src/app/views/transcriptGroups.js';

const NOW = new Date(2026, 10, 21, 12).getTime();
const WORKING = { phase: 'working', attempts: 0, asks: [], calls: [], lately: [] } as const;
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
    recordedHere: true,
    tokens: 100,
    tokensEstimated: false,
    state: 'done',
    scripted: false,
    damaged: 0,
    bytes: 1000,
    ...more,
  };
}

/** Lists by `by`; the names of projects are made of those of the conversations. */
function listing(filter = '', by: Grouping = 'date'): Listing {
  return { filter, by, now: NOW, projectOf: ({ conversation }) => conversation.replace(/\d+$/, '') };
}

/** Groups as `label: titles`, with a `+` where they are unfolded. */
function drawn({ rows }: TranscriptGroups): string[] {
  return rows.map(
    ({ label, isOpen, conversations }) =>
      `${isOpen ? '+' : ' '}${label}: ${conversations.map((row) => row.entry.title).join(' ')}`,
  );
}

test('running conversations come first, then period by period, and only near ones are unfolded', () => {
  const groups = new TranscriptGroups();
  const running = entry('runs', 30, { state: 'running' });
  const waiting = entry('waits', 1, { state: 'waiting' });
  groups.update([entry('a', 1), waiting, entry('b', 24), running, entry('c', 240)], listing(''));
  expect(drawn(groups)).toEqual(['+Live: waits runs', '+Today: a', '+Yesterday: b', ' November 2026: c']);
});

test('the newest group is unfolded however old it is, and a time that no calendar has hides nothing', () => {
  const groups = new TranscriptGroups();
  groups.update([entry('old', 240), entry('none', 0, { startedAt: 0 })], listing(''));
  groups.update([entry('old', 240), entry('wild', 0, { startedAt: 1e300 })], listing(''));
  expect(drawn(groups)).toEqual(['+November 2026: old', ' No date: wild']);
});

test('a filter keeps what has all its words in title, agents or state', () => {
  const groups = new TranscriptGroups();
  const kept = [entry('Late invoices', 1, { state: 'failed' }), entry('Invoices', 240), entry('shop', 1)];
  expect(groups.update(kept, listing('  INVOICES planner '))).toBe('all');
  expect(drawn(groups)).toEqual(['+Today: Late invoices', '+November 2026: Invoices']);
  groups.update(kept, listing('failed'));
  expect(drawn(groups)).toEqual(['+Today: Late invoices']);
});

test('while a run goes on, only its row is drawn again', () => {
  const groups = new TranscriptGroups();
  const others = Array.from({ length: 100 }, (_, n) => entry(`other ${n}`, 1));
  const live = (messages: number) => entry('live', 0, { state: 'running', messages });
  expect(groups.update([live(1), ...others], listing(''))).toBe('all');
  const row = groups.rows[0]?.conversations[0];
  expect(groups.update([live(2), ...others.map((other) => ({ ...other }))], listing(''))).toEqual([row]);
  expect(row?.entry.messages).toBe(2);
  expect(groups.update([live(2), ...others], listing(''))).toEqual([]);
  expect(groups.update([entry('live', 0), ...others], listing(''))).toBe('all');
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
  groups.update(entries, listing('conversation'));
  groups.update(entries, listing('conversation'));
  return reads;
}

test('ten times as many conversations are ten times the work', () => {
  expect(readsOfAnUpdate(10_000) / readsOfAnUpdate(1_000)).toBeCloseTo(10, 1);
});

test('this week begins on Monday, and what is older stands under its month, newest first', () => {
  const groups = new TranscriptGroups();
  const ages = [0, 24, 48, 5 * 24, 6 * 24, 30 * 24, 400 * 24, -72];
  groups.update(
    ages.map((hours) => entry(`${hours}h`, hours)),
    listing(),
  );
  expect(drawn(groups)).toEqual([
    '+Today: 0h',
    '+Yesterday: 24h',
    '+This Week: 48h 120h',
    ' November 2026: 144h -72h',
    ' October 2026: 720h',
    ' October 2025: 9600h',
  ]);
});

test('conversations are grouped by source, project or agent where a person wants that', () => {
  const entries = [
    entry('shop1', 1),
    entry('shop2', 2, { source: 'Codex', agents: ['r\u0435viewer'], project: 'till' }),
    entry('mill1', 3, { recordedHere: false, agents: [] }),
    entry('live1', 30, { state: 'running' }),
  ];
  const by = (grouping: Grouping) => {
    const groups = new TranscriptGroups();
    groups.update(entries, listing('', grouping));
    return drawn(groups);
  };
  expect(by('source')).toEqual([
    '+Live: live1',
    ' Recorded here: shop1',
    ' Codex: shop2',
    ' Imported: mill1',
  ]);
  expect(by('project')).toEqual(['+Live: live1', ' shop: shop1', ' till: shop2', ' mill: mill1']);
  expect(by('agent')).toEqual([
    '+Live: live1',
    ' planner: shop1',
    ' r\u0435viewer: shop2',
    ' No agent: mill1',
  ]);
});

test('of a thousand imports no list is longer than a person reads, and none is lost', () => {
  const entries = Array.from({ length: 1_000 }, (_, at) =>
    entry(`c${at}`, at * 7, {
      ...(at % 9 === 0 && { startedAt: 0 }),
      recordedHere: false,
      source: `Tool ${at % 5}`,
    }),
  );
  for (const by of ['date', 'source', 'project', 'agent'] as const) {
    const groups = new TranscriptGroups();
    groups.update(entries, listing('', by));
    const leaves = (row: GroupRow): readonly GroupRow[] => row.groups?.flatMap(leaves) ?? [row];
    const lists = groups.rows.flatMap(leaves);
    expect(groups.rows.length).toBeLessThan(20);
    expect(Math.max(...lists.map(({ conversations }) => conversations.length))).toBeLessThan(120);
    expect(lists.reduce((sum, { conversations }) => sum + conversations.length, 0)).toBe(1_000);
    expect(new Set(lists.map(({ id }) => id)).size).toBe(lists.length);
  }
});

/** A session of Codex that was written to so long ago. */
function session(name: string, hoursAgo: number, folder = ''): SessionRow {
  const file = {
    path: `/sessions/${name}`,
    bytes: 1,
    changed: NOW - hoursAgo * HOUR,
    workspaceKey: undefined,
  };
  return { kind: 'session', id: 'codex', tool: 'Codex', file, folder, title: name };
}

/** Groups as `label: members`, newest first. */
const members = ({ rows }: TranscriptGroups) =>
  rows.map(
    ({ label, members: all }) =>
      `${label}: ${all.map((row) => (row.kind === 'session' ? row.title : row.entry.title)).join(' ')}`,
  );

test('what is pinned stands behind what is live, is found by its name, and news are what came since one looked', () => {
  const groups = new TranscriptGroups();
  const about = { isPinned: false, name: '', seen: undefined };
  const found = [
    { ...session('live', 0), state: stateOf({ changed: NOW, life: WORKING }, NOW) },
    session('one', 1),
    { ...session('old', 300), kept: { ...about, isPinned: true, name: 'The soup' } },
  ];
  groups.update([], listing(), found);
  expect(members(groups)).toEqual(['Live: live', 'Pinned: old', 'Today: one']);
  groups.update([], listing('soup'), found);
  expect(members(groups)).toEqual(['Pinned: old']);
  const seenAt = (at: number) => ({ ...session('one', 1), kept: { ...about, seen: { at, records: 1 } } });
  expect([seenAt(NOW - 2 * HOUR), seenAt(NOW), session('one', 1)].map(unreadSince)).toEqual([
    NOW - 2 * HOUR,
    0,
    0,
  ]);
});

test('news of a conversation are records that came since one looked, and only its row is drawn again', () => {
  const groups = new TranscriptGroups();
  const all = [entry('a', 1, { records: 9 }), entry('b', 1, { records: 9 })];
  let seen = { at: NOW - HOUR, records: 9 };
  const seenOf = ({ conversation }: CatalogEntry) => (conversation === 'a' ? seen : undefined);
  const since = () => groups.rowsOf(['a', 'b']).map(unreadSince);
  groups.update(all, { ...listing(), seenOf });
  // Another order of what was read, as of a version before, is nothing new.
  expect(since()).toEqual([0, 0]);
  const more = [entry('a', 1, { records: 12 }), all[1]!];
  expect(groups.update(more, { ...listing(), seenOf })).toHaveLength(1);
  expect(since()).toEqual([NOW - HOUR, 0]);
  seen = { at: NOW, records: 12 };
  expect(groups.update(more, { ...listing(), seenOf })).toEqual(groups.rowsOf(['a']));
  expect(since()).toEqual([0, 0]);
  expect(groups.update(more, { ...listing(), seenOf })).toEqual([]);
});

test('sessions of other tools stand among the conversations: live ones on top, then by day or by project', () => {
  const groups = new TranscriptGroups();
  const own = [entry('shop2', 2), entry('shop30', 30)];
  const found = [
    { ...session('live', 0), state: stateOf({ changed: NOW, life: WORKING }, NOW) },
    { ...session('one', 1, '/a/shop'), state: stateOf({ changed: 0, life: WORKING }, NOW) },
    session('three', 3, '/b/till'),
    session('old', 300),
  ];
  groups.update(own, listing(), found);
  expect(members(groups)).toEqual([
    'Live: live',
    'Today: one shop2 three',
    'Yesterday: shop30',
    'November 2026: old',
  ]);
  groups.update(own, listing('', 'project'), found);
  expect(members(groups)).toEqual([
    'Live: live',
    'shop: one shop2 shop30',
    'till: three',
    'No folder named: old',
  ]);
  groups.update(own, listing('', 'project'), [session('x', 1, '/a/shop'), session('y', 3, '/b/shop')]);
  expect(members(groups)).toEqual(['/a/shop: x', 'shop: shop2 shop30', '/b/shop: y']);
  groups.update(own, listing('codex thr'), found);
  expect(members(groups)).toEqual(['Today: three']);
});

test('a session that is written to is the same row, and of very many come so many at a time', () => {
  const groups = new TranscriptGroups();
  const many = Array.from({ length: 2 * MEMBERS_AT_ONCE + 1 }, (_, at) => session(`s${at}`, 1 + at / 10_000));
  groups.update([entry('own', 1)], listing(), many);
  const [today] = groups.rows;
  const grown = { ...session('s0', 1), title: 'said more' };
  expect(groups.update([entry('own', 1)], listing(), [grown, ...many.slice(1)])).toEqual([today?.members[0]]);
  const part = groups.rows[0]?.groups?.[0] ?? groups.rows[0];
  if (!part) throw new Error('There is no group.');
  const shown = () => groups.membersOf(part).map((row) => (row.kind === 'more' ? row.left : row.kind));
  expect(shown()).toHaveLength(MEMBERS_AT_ONCE + 1);
  groups.showMore(part);
  expect(shown().at(-1)).toBe(part.members.length - 2 * MEMBERS_AT_ONCE);
  groups.showMore(part);
  expect(shown()).toHaveLength(part.members.length);
});
