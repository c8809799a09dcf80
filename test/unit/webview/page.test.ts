import { describe, expect, it } from 'vitest';
import { NO_QUESTION } from '../../../src/page/protocol/question.js';
import type { Snapshot } from '../../../src/page/protocol/panelState.js';
import type { NoteRow } from '../../../src/page/protocol/row.js';
import { splitAnsi } from '../../../webview/content/ansi.js';
import { markPattern } from '../../../webview/content/marks.js';
import { formatBytes, formatMoment, formatTime } from '../../../webview/format.js';
import { shortNumber } from '../../../src/core/shortNumber.js';
import { persist, readPersisted } from '../../../webview/persisted.js';
import { MAX_CACHED_ROWS, MAX_TEXTS, reduce, type PageEvent } from '../../../webview/store.js';
import { shiftIndex } from '../../../webview/shiftRows.js';
import { INITIAL, type State } from '../../../webview/state.js';
import { panned, zoomed } from '../../../webview/views/timeScale.js';
import { TimeAxis } from '../../../webview/views/timeAxis.js';

const list = {
  generation: 1,
  rows: 1_000,
  allRows: 1_000,
  messages: 900,
  read: 2_000,
  records: 2_000,
  rawRows: 0,
  showsRaw: false,
};
const snapshot: Omit<Snapshot, 'draft'> = {
  title: 'T',
  conversation: 'c',
  live: { state: 'running', canStop: true, canContinue: false },
  list,
  facts: INITIAL.facts,
  provenance: INITIAL.provenance,
  facets: { agents: [], tools: [] },
  damaged: [],
  damagedTotal: 0,
  approvals: [],
  questions: { saved: [], recent: [] },
  expandedAll: false,
};
const row = (id: number): NoteRow => ({
  kind: 'note',
  id,
  position: id,
  time: 0,
  agent: 'a',
  hue: 0,
  depth: 0,
  note: 'title',
  level: 'plain',
  text: String(id),
});
const rows = (start: number, count: number, center = start): PageEvent => ({
  type: 'rows',
  answer: { generation: 1, start, rows: Array.from({ length: count }, (_, at) => row(start + at)) },
  center,
});

/** The state after events, the first of which is the snapshot. */
function after(...events: readonly PageEvent[]): State {
  const all: PageEvent[] = [{ type: 'snapshot', snapshot }, ...events];
  return all.reduce(reduce, INITIAL);
}

const grown = (at: number, inserted: number): PageEvent => ({
  type: 'list',
  data: {
    ...list,
    generation: 2,
    rows: 1_000 + inserted,
    changes: [{ at, removed: 0, inserted }],
    replaced: false,
  },
});

/** The list after one that had grown: another generation with more rows in it. */
const regrown = (generation: number, at: number, inserted: number): PageEvent => ({
  type: 'list',
  data: {
    ...list,
    generation,
    rows: at + inserted,
    changes: [{ at, removed: 0, inserted }],
    replaced: false,
  },
});

describe("the page's state", () => {
  it('follows a conversation that runs, and one that is over where the page before did', () => {
    expect(after().following).toBe(true);
    const over: PageEvent = {
      type: 'snapshot',
      snapshot: { ...snapshot, live: { ...snapshot.live, state: 'done' } },
    };
    expect(reduce(INITIAL, over).following).toBe(false);
    expect(reduce({ ...INITIAL, following: true }, over).following).toBe(true);
  });

  it('has the rows that came with the news while it follows, and fetches them when it looks there if not', () => {
    const news = grown(1_000, 2);
    if (news.type !== 'list') throw new Error('This is no change of the list.');
    const tail = { start: 1_000, rows: [row(1_000), row(1_001)] };
    const withRows: PageEvent = { type: 'list', data: { ...news.data, tail } };
    expect([...after(withRows).rows.keys()]).toEqual([1_000, 1_001]);
    const away: PageEvent = { type: 'follow', following: false };
    expect(after(away, withRows).rows.size).toBe(0);
    expect(after(away, withRows).list.rows).toBe(1_002);
  });

  it('counts what comes at the end while the person looks elsewhere, and nothing else', () => {
    const away: PageEvent = { type: 'follow', following: false };
    expect(after(away, grown(1_000, 3)).unseen).toBe(3);
    expect(after(away, grown(10, 3)).unseen).toBe(0);
    expect(after(grown(1_000, 3)).unseen).toBe(0);
    expect(after(away, grown(1_000, 3), { type: 'follow', following: true }).unseen).toBe(0);
  });

  it('moves what it knows along when rows come in above', () => {
    const state = after(rows(10, 3), { type: 'select', selected: { id: 11, index: 11 } }, grown(11, 5));
    expect([...state.rows].map(([index, { id }]) => [index, id])).toEqual([
      [10, 10],
      [16, 11],
      [17, 12],
    ]);
    expect(state.selected).toEqual({ id: 11, index: 16 });
  });

  it('knows a bounded number of rows, those nearest to where the person looks', () => {
    const state = after(...Array.from({ length: 20 }, (_, at) => rows(at * 50, 50, 500)));
    expect(state.rows.size).toBe(MAX_CACHED_ROWS);
    expect(state.rows.has(500)).toBe(true);
    expect(state.rows.has(0)).toBe(false);
  });

  it('keeps a bounded number of fetched texts', () => {
    const texts = Array.from({ length: 99 }, (_, at): PageEvent => ({
      type: 'text',
      key: String(at),
      text: { text: 'x', total: 1 },
    }));
    expect(after(...texts).texts.size).toBe(MAX_TEXTS);
  });

  it('takes no rows of a list that is another one by now', () => {
    expect(after(grown(0, 1), rows(0, 5)).rows.size).toBe(0);
    expect(after(grown(0, 1), regrown(3, 1_001, 5), rows(0, 5)).rows.size).toBe(0);
  });

  it('takes rows of a list that has only grown at its end since they were asked for', () => {
    expect(after(grown(1_000, 5), rows(0, 5)).rows.size).toBe(5);
    expect(after(grown(1_000, 0), regrown(3, 1_000, 7), rows(995, 5)).rows.size).toBe(5);
  });

  it('hears only what belongs to the question that was asked last', () => {
    const matches = (number: number): PageEvent => ({
      type: 'matches',
      data: {
        number,
        rows: 'records',
        found: 1,
        total: 1,
        matches: 1,
        scanned: 1,
        of: 1,
        done: true,
        problems: [],
      },
    });
    const asking = (text: string, answered = text): PageEvent => {
      const [question, asked] = [text, answered].map((each) => ({ ...NO_QUESTION, text: each }));
      return { type: 'question', question: question!, asked: asked! };
    };
    expect(after(asking('x'), asking('y'), matches(1)).matches).toBeUndefined();
    expect(after(asking('x'), asking('y'), matches(2)).matches?.matches).toBe(1);
    expect(after(asking('x'), asking('x ('), matches(2)).matches?.matches).toBe(1);
    expect(after(asking('x'), asking('x (', 'x'), matches(1)).matches?.matches).toBe(1);
  });

  it('survives being left behind, and begins anew where that is malformed', () => {
    const state = after(
      { type: 'tab', tab: 'tools' },
      { type: 'question', question: { ...NO_QUESTION, text: 'x (' }, asked: { ...NO_QUESTION, text: 'x' } },
      { type: 'open', row: 4, open: true },
    );
    const left = persist(state, { id: 9, offset: 3 });
    expect(readPersisted(structuredClone(left))).toEqual(left);
    const archived = { place: 'db:5432/logbook', id: 'cake' };
    expect(persist({ ...state, provenance: { archived, details: [] } }, undefined).archived).toEqual(
      archived,
    );
    for (const bad of [undefined, null, 7, { ...left, tab: 'x' }, { ...left, open: ['a'] }])
      expect(readPersisted(bad).tab).toBe('messages');
  });
});

describe('the small things of the page', () => {
  it.each([
    [5, [{ at: 6, removed: 0, inserted: 9 }], 5],
    [5, [{ at: 5, removed: 0, inserted: 2 }], 7],
    [5, [{ at: 2, removed: 3, inserted: 0 }], 2],
    [5, [{ at: 2, removed: 4, inserted: 0 }], undefined],
    [
      5,
      [
        { at: 0, removed: 0, inserted: 1 },
        { at: 6, removed: 1, inserted: 0 },
      ],
      undefined,
    ],
  ])('moves index %i by %j to %s', (index, changes, to) => expect(shiftIndex(index, changes)).toBe(to));

  it('words numbers, sizes and times, those that are none too', () => {
    expect([999, 1_000, 1_249, 99_950, 1_000_000, 999_999].map(shortNumber)).toEqual([
      '999',
      '1k',
      '1.2k',
      '100k',
      '1M',
      '1M',
    ]);
    expect([999, 51_200, 2_400_000].map(formatBytes)).toEqual(['999 bytes', '51 KB', '2.4 MB']);
    expect([formatTime(NaN), formatMoment(9e99)]).toEqual(['–', 'at no known time']);
  });

  it('takes colours out of terminal output, and shows no other sequence, as a terminal does not', () => {
    expect(splitAnsi('a\u001b[1;31mb\u001b[0mc')).toEqual([
      { text: 'a', style: '' },
      { text: 'b', style: 'ansi-bold ansi-red' },
      { text: 'c', style: '' },
    ]);
    expect(splitAnsi('\u001b[38;5;9mx\u001b[38;2;1;2;3my').map(({ text }) => text)).toEqual(['x', 'y']);
    expect(
      splitAnsi('a\u001b[2J\u001b]52;c;x\u0007\u001b(B\u001b7b\u001b[31mc\u001b[K').map(({ text }) => text),
    ).toEqual(['ab', 'c']);
    expect(splitAnsi('\u001b]never ended')).toEqual([{ text: '\u001b]never ended', style: '' }]);
  });

  it('marks texts as they are, never as patterns', () => {
    expect('a.c abc A.C'.match(markPattern([{ text: 'a.c', matchCase: false }])!)).toEqual(['a.c', 'A.C']);
    const literal = ['$^', '[x](y)'].map((text) => ({ text, matchCase: true }));
    expect('[x](y) $^'.match(markPattern(literal)!)).toEqual(['[x](y)', '$^']);
    expect(markPattern(['', ' '].map((text) => ({ text, matchCase: true })))).toBeUndefined();
  });

  it('marks each of several texts as it was asked for: in any letter case, in this one, or as a word', () => {
    const pattern = markPattern([
      { text: 'i.', matchCase: false },
      { text: 'Cat', matchCase: true },
      { text: 'rm', matchCase: false, wholeWord: true },
    ]);
    expect('I. i. ix Cat cat RM rmdir'.match(pattern!)).toEqual(['I.', 'i.', 'Cat', 'RM']);
  });

  it('zooms around a time and never leaves the whole', () => {
    const whole = { from: 0, to: 1_000 };
    expect(zoomed(whole, whole, 0.5, 500)).toEqual({ from: 250, to: 750 });
    expect(zoomed({ from: 0, to: 100 }, whole, 100, 50)).toEqual(whole);
    expect(panned({ from: 900, to: 1_000 }, whole, 5)).toEqual({ from: 900, to: 1_000 });
    expect(panned({ from: 100, to: 200 }, whole, -0.5)).toEqual({ from: 50, to: 150 });
    expect(new TimeAxis([]).marks({ from: 0, to: 10_000 }, 0, 1_200)).toHaveLength(11);
  });
});
