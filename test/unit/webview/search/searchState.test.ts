import { describe, expect, it, vi } from 'vitest';
import { momentOf, readDate } from '../../../../src/query/language/amounts.js';
import type { SearchGroup, SearchHit, SearchUpdate } from '../../../../src/page/protocol/search.js';
import { drawnBars, writtenMoment } from '../../../../webview/search/histogram.js';
import { movedTo, nextHit, parentOf, rowsOf, rowTyped } from '../../../../webview/search/resultRows.js';
import {
  NOTHING_ASKED,
  reduceSearch,
  sessionKey,
  type SearchEvent,
  type SearchState,
} from '../../../../webview/search/searchState.js';

const hit = (position: number): SearchHit => ({
  rows: 'messages',
  position,
  tools: [],
  isError: false,
  excerpt: { text: `hit ${position}`, marks: [], isCutBefore: false, isCutAfter: false },
  why: [],
});

const group = (title: string, endedAt: number, positions: readonly number[], count = positions.length) =>
  ({
    place: { kind: 'stored', root: '/store', conversation: title },
    title,
    agents: [],
    endedAt,
    isLive: false,
    count,
    hits: positions.map(hit),
  }) satisfies SearchGroup;

const update = (more: Partial<SearchUpdate>): SearchUpdate => ({
  state: 'searching',
  problems: [],
  groups: [],
  totals: { rows: 0, sessions: 0 },
  facets: [],
  histogram: { unit: 'day', bars: [], inNoBar: 0 },
  progress: { looked: 0, of: 0 },
  unread: { count: 0, first: [] },
  incomplete: { count: 0, first: [] },
  ...more,
});

const COOKIES = { text: 'cookies', rows: 'messages' } as const;
const ask = (refines?: string): SearchEvent => ({ type: 'ask', question: COOKIES, refines });
const told = (number: number, more: Partial<SearchUpdate>): SearchEvent => ({
  type: 'update',
  number,
  update: update(more),
});
const after = (state: SearchState, ...events: readonly SearchEvent[]) => events.reduce(reduceSearch, state);

const asked = after(NOTHING_ASKED, ask());
const found = after(
  asked,
  told(asked.number, {
    state: 'done',
    groups: [group('a', 30, [1, 4]), group('b', 20, [2, 3, 9], 12)],
    totals: { rows: 14, sessions: 2 },
    facets: [{ field: 'agent', values: [{ value: 'Pickle', count: 14, refine: 'agent:=Pickle' }], more: 0 }],
  }),
);
const titles = (state: SearchState) => state.groups.map(({ title }) => title);
const kinds = (state: SearchState) => rowsOf(state).map(({ kind }) => kind);

describe('the state of the search page', () => {
  it('gathers groups as they come, in the order that was chosen, each session once', () => {
    const streamed = after(
      asked,
      told(asked.number, { groups: [group('a', 30, [1])] }),
      told(asked.number, { groups: [group('b', 20, [1, 2]), group('a', 31, [1, 2])] }),
    );
    expect(titles(streamed)).toEqual(['a', 'b']);
    expect(streamed.groups[0]?.hits).toHaveLength(2);
    expect(titles(after(found, { type: 'order', order: 'most' }))).toEqual(['b', 'a']);
  });

  it('takes nothing from a search that another one has replaced, or that was cancelled', () => {
    const next = after(found, ask());
    const late = { groups: [group('z', 1, [1])] };
    expect(after(next, told(asked.number, late))).toBe(next);
    const cancelled = after(next, { type: 'cancel' });
    expect(after(cancelled, told(next.number, late))).toBe(cancelled);
    expect(after(found, { type: 'cancel' })).toBe(found);
  });

  it('keeps what stands beside the list until something else is found', () => {
    const next = after(found, ask());
    const early = after(next, told(next.number, {}));
    expect([next.facets, early.facets]).toEqual([found.facets, found.facets]);
    expect(after(early, told(next.number, { state: 'done' })).facets).toEqual([]);
  });

  it('remembers the values of a field that a click refines, and forgets them with a question that is typed', () => {
    const refined = after(found, ask('agent'));
    expect(refined.offered.get('agent')).toBe(found.facets[0]);
    expect(after(refined, ask()).offered.size).toBe(0);
  });

  it('lists sessions with their hits, and says how many are not listed', () => {
    expect(kinds(found)).toEqual(['session', 'hit', 'hit', 'session', 'hit', 'hit', 'hit', 'more']);
    const a = sessionKey(group('a', 0, []));
    const folded = after(found, { type: 'collapse', session: a, collapsed: true });
    expect(kinds(folded)).toEqual(['session', 'session', 'hit', 'hit', 'hit', 'more']);
    const all = after(found, { type: 'collapseAll', collapsed: true });
    expect(kinds(all)).toEqual(['session', 'session']);
    expect(kinds(after(all, { type: 'collapseAll', collapsed: false }))).toHaveLength(8);
  });

  it('moves by keys within the list and no further', () => {
    const list = { count: 8, page: 3 };
    expect(movedTo('ArrowDown', 7, list)).toBe(7);
    expect(movedTo('ArrowUp', 0, list)).toBe(0);
    expect(movedTo('PageDown', 6, list)).toBe(7);
    expect(movedTo('PageUp', 5, list)).toBe(2);
    expect(movedTo('Home', 5, list)).toBe(0);
    expect(movedTo('End', 0, list)).toBe(7);
    expect(movedTo('ArrowDown', -1, { count: 0, page: 3 })).toBe(-1);
    expect(parentOf(rowsOf(found), 6)).toBe(3);
  });

  it('goes from hit to hit over the sessions, and round at both ends', () => {
    const rows = rowsOf(found);
    expect([-1, 2, 6].map((from) => nextHit(rows, from, 1))).toEqual([1, 4, 1]);
    expect([-1, 1, 4].map((from) => nextHit(rows, from, -1))).toEqual([6, 6, 2]);
    expect(nextHit([], -1, 1)).toBe(-1);
  });

  it('finds the row that begins with what is typed, from the chosen one on and round', () => {
    const words = ['Bake', 'bread', 'Cookies', 'bake again'];
    const rows = rowsOf(found).slice(0, words.length);
    const typed = (from: number, text: string) =>
      rowTyped(rows, from, text, (row) => [words[rows.indexOf(row)] ?? '']);
    expect(typed(1, 'ba')).toBe(3);
    expect(typed(3, 'ba')).toBe(3);
    expect(typed(0, 'CO')).toBe(2);
    expect(typed(0, 'x')).toBe(-1);
  });
});

describe('the bars over time', () => {
  const day = (number: number) => new Date(2026, 10, number).getTime();

  it('stand in time, with empty ones between, and together where they are too many', () => {
    const bars = [
      { from: day(1), to: day(2), count: 3 },
      { from: day(4), to: day(5), count: 2 },
    ];
    const histogram = { unit: 'day', bars, inNoBar: 0 } as const;
    expect(drawnBars(histogram).map(({ count }) => count)).toEqual([3, 0, 0, 2]);
    expect(drawnBars(histogram, 2)).toEqual([
      { from: day(1), to: day(3), count: 3 },
      { from: day(3), to: day(5), count: 2 },
    ]);
    expect(drawnBars({ ...histogram, bars: [] })).toEqual([]);
  });

  it('are written as days where they begin one, else to the minute', () => {
    expect(writtenMoment(day(3))).toBe('2026-11-03');
    expect(writtenMoment(day(3) + 3_600_000 * 14)).toBe('2026-11-03T14:00');
  });

  it('tell an hour that clocks show twice from the one before', () => {
    vi.stubEnv('TZ', 'Europe/Berlin');
    const first = Date.UTC(2026, 9, 25, 0);
    const written = [0, 1, 2].map((hours) => writtenMoment(first + hours * 3_600_000));
    vi.unstubAllEnvs();
    expect(new Set(written).size).toBe(3);
    const clock = { now: first, timeZone: 'Europe/Berlin' };
    expect(written.map((each) => (momentOf(readDate(each)!, clock) - first) / 3_600_000)).toEqual([0, 1, 2]);
  });
});
