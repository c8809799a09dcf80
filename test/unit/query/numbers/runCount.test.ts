import { expect, test } from 'vitest';
import { countRun, NO_RUNS, type RunSign } from '../../../../src/query/numbers/runCount.js';

const start = { type: 'callStart', depth: 0, role: undefined };
const says = (role: string, depth: unknown = 0) => ({ type: 'message', depth, role });
const title = { type: 'title', depth: 0, role: undefined };
const [prompt, answer] = [says('user'), says('assistant')];

const told = (...signs: readonly RunSign[]) => {
  const counted = { ...NO_RUNS };
  const begun = signs.map((sign) => countRun(counted, sign));
  return { begun, runs: counted.runs, recordedHere: counted.recordedHere };
};

test('what was recorded here has a run for each start of an entry call, however many prompts', () => {
  expect(told(start, prompt, { ...start, depth: 1 }, says('user', 1), prompt, start, answer)).toEqual({
    begun: [true, false, false, false, false, true, false],
    runs: 2,
    recordedHere: true,
  });
});

test('an imported session has a run for each prompt to its entry agent; what stands before the first belongs to it', () => {
  expect(told(says('system'), prompt, answer, says('user', 1), prompt, says('human'))).toEqual({
    begun: [true, false, false, false, true, true],
    runs: 3,
    recordedHere: false,
  });
});

test('a title begins none, and a place that says nothing of its depth is that of the entry agent', () => {
  expect(told(title).runs).toBe(0);
  expect(told(title, says('user', undefined), says('user', 'deep'), title).runs).toBe(2);
});
