import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import type { RecordBody } from '../../../../src/core/record.js';
import { RowPlanner } from '../../../../src/page/panel/rows/rowPlanner.js';
import { ROW, type RowIndex } from '../../../../src/page/panel/rows/rowIndex.js';
import { StoryTeller } from '../../../support/storyTeller.js';

const KINDS = ['none', 'message', 'tool', 'dispatch', 'note'];

/** The rows of a story, as `kind@position` and, where there is one, `>position of the result`. */
function rowsOf(tell: (story: StoryTeller) => void): string[] {
  const story = new StoryTeller();
  tell(story);
  const index = indexOf(story);
  return Array.from({ length: index.length }, (_, row) => {
    const result = index.result(row);
    return `${KINDS[index.kind(row)]}@${index.position(row)}${result === undefined ? '' : `>${result}`}`;
  });
}

function foldOf(story: StoryTeller): RowPlanner {
  const fold = new RowPlanner();
  for (const record of story.records) fold.add(factsOf(record));
  return fold;
}

function indexOf(story: StoryTeller): RowIndex {
  return foldOf(story).index;
}

const request: RecordBody = { type: 'request', model: 'm', endpoint: 'e', attempt: 1, durationMs: 5 };

describe('the rows of a transcript', () => {
  it('makes one card of a tool call and its result', () => {
    const rows = rowsOf((story) => {
      const call = story.run('a', 'Go');
      const tool = call.toolCall('read', { path: 'x' });
      call.message({ role: 'assistant', content: null, tool_calls: [tool] });
      call.answer(tool, 'text');
    });
    expect(rows).toEqual(['note@0', 'message@1', 'tool@2>3']);
  });

  it('takes a result that comes after the call of its agent has ended', () => {
    const rows = rowsOf((story) => {
      const call = story.run('a', 'Go');
      const tool = call.toolCall('read', { path: 'x' });
      call.message({ role: 'assistant', content: null, tool_calls: [tool] });
      call.end();
      call.answer(tool, 'text');
    });
    expect(rows).toEqual(['note@0', 'message@1', 'tool@2>4', 'note@3']);
  });

  it('gives a reply with a text and two calls three rows, and pairs results that come in another order', () => {
    const rows = rowsOf((story) => {
      const call = story.run('a', 'Go');
      const [one, two] = [call.toolCall('read', {}), call.toolCall('write', {})];
      call.message({ role: 'assistant', content: 'Both', tool_calls: [one, two] });
      call.answer(two, '2');
      call.answer(one, '1');
    });
    expect(rows).toEqual(['note@0', 'message@1', 'message@2', 'tool@2>4', 'tool@2>3']);
  });

  it('shows a result that no call asked for, and one that comes again, as messages', () => {
    const rows = rowsOf((story) => {
      const call = story.run('a', 'Go');
      const tool = call.toolCall('read', {});
      call.answer(tool, 'too early');
      call.message({ role: 'assistant', tool_calls: [tool] });
      call.answer(tool, 'text');
      call.answer(tool, 'again');
    });
    expect(rows).toEqual(['note@0', 'message@1', 'message@2', 'tool@3>4', 'message@5']);
  });

  it('makes the card of a call that dispatches a dispatch, and keeps the rows of the child with the child', () => {
    const story = new StoryTeller();
    const call = story.run('a', 'Go');
    const { child, call: asked } = call.dispatch('b', 'Do it');
    child.say('Done');
    call.answer(asked, 'Done');
    const index = indexOf(story);
    const dispatch = [...Array(index.length).keys()].find((row) => index.kind(row) === ROW.dispatch);
    const node = index.calls.find(child.callSite.call)!;
    expect(index.ownerOf(node)).toBe(dispatch);
    expect(node.depth).toBe(1);
    expect(index.rowsOf(node).map((row) => index.position(row))).toEqual([6, 8]);
    expect(index.result(dispatch!)).toBe(9);
  });

  it('joins a request to the reply beside it, whichever of them is recorded first', () => {
    for (const requestFirst of [true, false]) {
      const story = new StoryTeller();
      const call = story.run('a', 'Go');
      if (requestFirst) call.add(request);
      call.message({ role: 'assistant', content: 'Hi' });
      if (!requestFirst) call.add(request);
      const index = indexOf(story);
      expect(index.length).toBe(3);
      expect(index.request(2)).toBe(requestFirst ? 2 : 3);
    }
  });

  it('joins an approval to the card of its call, and shows others by themselves', () => {
    const approval = {
      type: 'approval',
      toolName: 't',
      subject: 's',
      decision: 'approved',
      decidedBy: 'user',
      waitedMs: 1,
    } as const;
    const story = new StoryTeller();
    const call = story.run('a', 'Go');
    const tool = call.toolCall('write', {});
    call.message({ role: 'assistant', tool_calls: [tool] });
    call.add({ ...approval, toolCallId: tool.id });
    call.add({ ...approval, toolCallId: 'unknown' });
    const index = indexOf(story);
    expect(index.approval(2)).toBe(3);
    expect(index.kind(3)).toBe(ROW.note);
  });

  it('keeps records of unknown types, and replies that are malformed in every way', () => {
    const rows = rowsOf((story) => {
      const call = story.run('a', 'Go');
      call.add({ type: 'fromTheFuture', x: 1 } as never);
      call.message({ role: 'assistant', content: 7, tool_calls: [null, { function: null }, 'x'] } as never);
      call.add({ type: 'message', message: null } as never);
    });
    expect(rows).toEqual(['note@0', 'message@1', 'note@2', 'message@3', 'message@4']);
  });

  it('tells which rows look different since it was asked last', () => {
    const story = new StoryTeller();
    const call = story.run('a', 'Go');
    const tool = call.toolCall('read', {});
    call.message({ role: 'assistant', tool_calls: [tool] });
    const fold = foldOf(story);
    const { index } = fold;
    index.takeChanged();
    fold.add(factsOf(call.answer(tool, 'text')));
    expect([...index.takeChanged()]).toEqual([2]);
    expect([...index.takeChanged()]).toEqual([]);
  });
});
