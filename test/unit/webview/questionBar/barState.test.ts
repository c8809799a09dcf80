import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withValues } from '../../../../src/query/language/edit.js';
import { problemsOf, type Question } from '../../../../src/query/language/question.js';
import {
  barWith,
  reduceBar,
  type BarContext,
  type BarEvent,
  type BarState,
} from '../../../../webview/questionBar/barState.js';
import { anyText } from '../../query/arbitraries.js';
import { anyQuestion } from '../../query/language/questionArbitrary.js';
import { runs } from '../../../support/fixedInputs.js';

const NOTHING: Question = { text: '', rows: 'records' };
const asked = (text: string, rows: Question['rows'] = 'records'): Question => ({ text, rows });
const names: Record<string, string[]> = { agent: ['Cookie', 'Cook book'], tool: ['Bash'] };

function context(...history: Question[]): BarContext {
  return { values: (name) => names[name] ?? [], history: () => history };
}

function after(events: readonly BarEvent[], known = context(), from = NOTHING): BarState {
  return events.reduce((state, event) => reduceBar(state, event, known), barWith(from, NOTHING));
}

/** A text that is typed, with the caret where `|` stands. */
function typed(marked: string): BarEvent {
  return { type: 'typed', text: marked.replace('|', ''), caret: marked.indexOf('|') };
}

const offeredBy = (state: BarState) => state.offered?.items.map(({ text }) => text) ?? [];

describe('what may be written is offered', () => {
  test('where something of it was begun, and none of it is chosen', () => {
    const state = after([typed('ag|')]);
    expect(offeredBy(state)).toEqual(['agent:']);
    expect(state.active).toBe(-1);
  });

  test('but not where nothing was begun, until it is asked for', () => {
    expect(offeredBy(after([typed('is:error |')]))).toEqual([]);
    expect(offeredBy(after([typed('is:error |'), { type: 'complete' }]))).toContain('agent:');
  });

  test('and not where it stands there already', () => {
    expect(offeredBy(after([typed('tool:Bash|')]))).toEqual([]);
  });

  test('a chosen field goes on with the values that occur', () => {
    const state = after([typed('x ag|'), { type: 'option', by: 1 }, { type: 'accept', option: 0 }]);
    expect(state.question.text).toBe('x agent:');
    expect(offeredBy(state)).toEqual(['Cookie', '"Cook book"']);
  });

  test('a chosen value takes the place of what was typed of it, whatever stands behind', () => {
    const state = after([typed('agent:Co|x is:error'), { type: 'complete' }, { type: 'accept', option: 1 }]);
    expect(state.question.text).toBe('agent:"Cook book" is:error');
    expect(state.caret).toBe('agent:"Cook book"'.length);
    expect(state.offered).toBeUndefined();
  });

  test('going down and up comes by the text as it was typed', () => {
    const ways = (...by: (1 | -1)[]) =>
      after([typed('agent:|'), ...by.map((each) => ({ type: 'option', by: each }) as const)]).active;
    expect([ways(1), ways(1, 1), ways(1, 1, 1), ways(-1), ways(-1, 1)]).toEqual([0, 1, -1, 1, -1]);
  });

  test('moving away ends it', () => {
    expect(after([typed('agent:|'), { type: 'moved', caret: 2 }]).offered).toBeUndefined();
    expect(after([typed('agent:|'), { type: 'close' }]).offered).toBeUndefined();
  });
});

describe('while something is wrong', () => {
  test('the last question that was right is still the answered one', () => {
    const state = after([typed('is:error|'), typed('is:error (|')]);
    expect(state.problems.map(({ start }) => start)).toEqual([9]);
    expect(state.answered).toEqual(asked('is:error'));
    expect(state.question.text).toBe('is:error (');
  });

  test('rows that have no such field are a problem too, and choosing others mends it', () => {
    const state = after([typed('role:user|'), { type: 'rows', rows: 'toolCalls' }]);
    expect(state.problems[0]).toMatchObject({ start: 0, end: 9 });
    expect(state.answered).toEqual(asked('role:user'));
    const mended = after([
      typed('role:user|'),
      { type: 'rows', rows: 'toolCalls' },
      { type: 'rows', rows: 'runs' },
    ]);
    expect(mended).toMatchObject({ problems: [], answered: asked('role:user', 'runs') });
  });

  test('what would be right can be written in its place', () => {
    const state = after([typed('agnt:Cookie|')]);
    const [problem] = state.problems;
    expect(problem?.fix).toBe('agent:');
    expect(after([typed('agnt:Cookie|'), { type: 'fix', problem: problem! }]).question.text).toBe(
      'agent:Cookie',
    );
  });

  test('and around all of it, where the place alone does not say what would be right', () => {
    const [problem] = after([typed('is:error OR is:partial|')]).problems;
    expect(problem).toMatchObject({ start: 9, end: 11 });
    const mended = after([typed('is:error OR is:partial|'), { type: 'fix', problem: problem! }]);
    expect(mended).toMatchObject({ question: asked('(is:error OR is:partial)'), problems: [] });
  });
});

describe('the history', () => {
  const known = context(asked('three'), asked('two', 'runs'), asked('one'));

  test('is gone back through and forward again, to what was being typed', () => {
    const back: BarEvent = { type: 'recall', by: 1 };
    const forward: BarEvent = { type: 'recall', by: -1 };
    const way = [typed('new|'), back, back, back, back, forward, forward, forward];
    const texts = way.map((_, at) => after(way.slice(0, at + 1), known).question.text);
    expect(texts).toEqual(['new', 'three', 'two', 'one', 'one', 'two', 'three', 'new']);
    expect(after([typed('new|'), back, back], known).question.rows).toBe('runs');
  });

  test('leaves out what stands in the bar, and ends with the next key', () => {
    expect(after([{ type: 'recall', by: 1 }], known, asked('three')).question.text).toBe('two');
    expect(after([{ type: 'recall', by: 1 }, typed('t|')], known).recalled).toBeUndefined();
  });
});

describe('text, chips and menus are one state', () => {
  const vocabulary = { texts: ['a b', 'after'], names: { agent: ['A'], tool: ['Bash'] } };
  const rows = fc.constantFrom<Question['rows']>('records', 'messages', 'toolCalls', 'agentCalls', 'runs');
  const step = fc.oneof(
    fc.tuple(fc.constant('type' as const), fc.oneof(anyText, anyQuestion(vocabulary))),
    fc.tuple(fc.constant('menu' as const), fc.subarray(['A', 'B c', 'C*'])),
    fc.tuple(fc.constant('rows' as const), rows),
    fc.tuple(fc.constant('complete' as const), fc.nat(8)),
    fc.tuple(fc.constant('recall' as const), fc.constantFrom<1 | -1>(1, -1)),
    fc.tuple(fc.constant('move' as const), fc.nat(20)),
  );

  function take(state: BarState, [kind, what]: readonly [string, unknown]): BarState {
    const reduce = (from: BarState, event: BarEvent) =>
      reduceBar(from, event, context(asked('is:error'), asked('(')));
    const { question } = state;
    switch (kind) {
      case 'type':
        return reduce(state, { type: 'typed', text: what as string, caret: (what as string).length });
      case 'menu': {
        const text = withValues(question.text, 'agent', what as string[]);
        return text === undefined ? state : reduce(state, { type: 'set', question: { ...question, text } });
      }
      case 'rows':
        return reduce(state, { type: 'rows', rows: what as Question['rows'] });
      case 'complete':
        return reduce(reduce(state, { type: 'complete' }), { type: 'accept', option: what as number });
      case 'recall':
        return reduce(state, { type: 'recall', by: what as 1 | -1 });
      default:
        return reduce(state, { type: 'moved', caret: Math.min(what as number, question.text.length) });
    }
  }

  test('whatever is done, what is wrong is wrong with the text, and what is answered was right', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let state = barWith(NOTHING, NOTHING);
        let right = NOTHING;
        for (const each of steps) {
          const before = state;
          state = take(state, each);
          const problems = problemsOf(state.question);
          if (problems.length === 0) right = state.question;
          expect(state.problems).toEqual(problems);
          expect(state.answered).toEqual(right);
          expect(state.caret).toBeGreaterThanOrEqual(0);
          expect(state.caret).toBeLessThanOrEqual(state.question.text.length);
          expect(state.active).toBeLessThan(state.offered?.items.length ?? 1);
          if (each[0] === 'move') expect(state.question).toBe(before.question);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
