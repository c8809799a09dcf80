import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { RowPlanner } from '../../../../src/page/panel/rows/rowPlanner.js';
import { ROW } from '../../../../src/page/panel/rows/rowIndex.js';
import { RowList } from '../../../../src/page/panel/rows/rowList.js';
import type { ListChange } from '../../../../src/page/protocol/events.js';
import { FilteredList } from '../../../../src/page/panel/filter/filteredList.js';
import { runs } from '../../../support/fixedInputs.js';
import { StoryTeller, type CallTeller } from '../../../support/storyTeller.js';

/** What a page that only hears changes takes the list for; rows that came are unknown to it, so they are asked for. */
function applied(
  known: readonly number[],
  changes: readonly ListChange[],
  list: { slice(a: number, b: number): readonly number[] },
): number[] {
  const rows = [...known];
  for (const { at, removed, inserted } of changes)
    rows.splice(at, removed, ...Array<number>(inserted).fill(-1));
  return rows.map((row, index) => (row === -1 ? (list.slice(index, index + 1)[0] ?? -2) : row));
}

type Act = {
  readonly kind: 'say' | 'dispatch' | 'end' | 'expand' | 'collapse' | 'grow';
  readonly which: number;
};
const acts = fc.array(
  fc.record({
    kind: fc.constantFrom<Act['kind']>('say', 'say', 'dispatch', 'end', 'expand', 'collapse', 'grow'),
    which: fc.nat(20),
  }),
  { minLength: 1, maxLength: 60 },
);

describe('the list of rows', () => {
  it('is the same whether it grew and was changed step by step, or was made at once', () => {
    fc.assert(
      fc.property(acts, (steps) => {
        const story = new StoryTeller();
        const fold = new RowPlanner();
        const { index } = fold;
        const open: CallTeller[] = [story.run('a', 'Go')];
        const list = new RowList(index);
        let page: number[] = [];
        let taken = 0;
        const hear = (changes: readonly ListChange[]): void => {
          page = applied(page, changes, list);
        };
        const grow = (): void => {
          for (const record of story.records.slice(taken)) fold.add(factsOf(record));
          taken = story.records.length;
          hear(list.grow());
        };
        for (const { kind, which } of steps) {
          const call = open[which % open.length]!;
          const rows = Array.from({ length: index.length }, (_, row) => row);
          const dispatches = rows.filter((row) => index.kind(row) === ROW.dispatch);
          const dispatch = dispatches[which % Math.max(dispatches.length, 1)];
          if (kind === 'say') call.say('Hm', 1);
          else if (kind === 'dispatch') open.push(call.dispatch(`agent ${which}`, 'Do').child);
          else if (kind === 'end') call.end();
          else if (kind === 'grow') grow();
          else if (dispatch !== undefined) hear(list.setExpanded(dispatch, kind === 'expand'));
        }
        grow();
        const expanded = page.filter((row) => index.kind(row) === ROW.dispatch && list.isExpanded(row));
        const hidden = Array.from({ length: index.length }, (_, row) => row).filter((row) =>
          list.isExpanded(row),
        );
        const atOnce = new RowList(index, hidden);
        atOnce.grow();
        expect(page).toEqual(atOnce.slice(0, atOnce.length));
        expect(expanded.every((row) => hidden.includes(row))).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  it('shows what a dispatch began below it, and hides it again', () => {
    const story = new StoryTeller();
    const call = story.run('a', 'Go');
    const { child } = call.dispatch('b', 'Do it');
    child.say('Working');
    call.say('Meanwhile');
    const fold = new RowPlanner();
    const { index } = fold;
    for (const record of story.records) fold.add(factsOf(record));
    const list = new RowList(index);
    list.grow();
    const closed = list.slice(0, 99);
    const dispatch = closed.find((row) => index.kind(row) === ROW.dispatch)!;
    const at = closed.indexOf(dispatch);
    expect(list.setExpanded(dispatch, true)).toEqual([{ at: at + 1, removed: 0, inserted: 2 }]);
    expect(list.setExpanded(dispatch, false)).toEqual([{ at: at + 1, removed: 2, inserted: 0 }]);
    expect(list.slice(0, 99)).toEqual(closed);
  });

  it('reveals a row through all dispatches that hide it', () => {
    const story = new StoryTeller();
    const outer = story.run('a', 'Go').dispatch('b', 'Do').child;
    const inner = outer.dispatch('c', 'Do').child;
    const said = inner.say('Deep down');
    const fold = new RowPlanner();
    const { index } = fold;
    for (const record of story.records) fold.add(factsOf(record));
    const list = new RowList(index);
    list.grow();
    const row = index.rowOfRecord(said.seq - 1)!;
    expect(list.indexOf(row)).toBe(-1);
    const { index: at } = list.reveal(row);
    expect(list.slice(at, at + 1)).toEqual([row]);
  });

  it('loses no row when calls claim each other as their child', () => {
    const fold = new RowPlanner();
    const { index } = fold;
    const header = { conversation: 'c', run: 'r', time: 1, depth: 0 };
    const dispatch = (call: string, agent: string, childCall: string) =>
      ({
        ...header,
        seq: 1,
        id: call,
        call,
        agent,
        type: 'dispatch',
        target: 'x',
        task: 't',
        toolCallId: 'x',
        childCall,
      }) as const;
    fold.add(factsOf(dispatch('one', 'a', 'two')));
    fold.add(factsOf(dispatch('two', 'b', 'one')));
    fold.add(factsOf(dispatch('two', 'b', 'two')));
    const list = new RowList(index, [], true);
    list.grow();
    expect(list.slice(0, 9).toSorted()).toEqual([0, 1, 2]);
  });
});

describe('the filtered list', () => {
  it('keeps rows sorted and tells where they came, in whatever order they are found', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(200), { maxLength: 20 }), { maxLength: 20 }), (batches) => {
        const list = new FilteredList();
        let page: number[] = [];
        for (const batch of batches) {
          for (const row of batch) list.add(row);
          page = applied(page, list.grow() ?? [], list);
        }
        expect(page).toEqual([...new Set(batches.flat())].sort((a, b) => a - b));
        expect(page.map((row) => list.indexOf(row))).toEqual([...page.keys()]);
      }),
    );
  });

  it('is another list where many rows come at once, and tells of single ones again after that', () => {
    const list = new FilteredList();
    for (let row = 50_000; row >= 0; row -= 2) list.add(row);
    expect(list.grow()).toBeUndefined();
    expect([list.length, ...list.slice(0, 3), ...list.slice(24_999, 30_000)]).toEqual([
      25_001, 0, 2, 4, 49_998, 50_000,
    ]);
    for (const row of [7, 50_001, 8]) list.add(row);
    expect(list.grow()).toEqual([
      { at: 4, removed: 0, inserted: 1 },
      { at: 25_002, removed: 0, inserted: 1 },
    ]);
    expect([list.indexOf(7), list.indexOf(8), list.indexOf(9), list.indexOf(60_000)]).toEqual([4, 5, -1, -1]);
  });
});
