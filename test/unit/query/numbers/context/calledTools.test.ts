import { expect, test } from 'vitest';
import { CalledTools } from '../../../../../src/query/numbers/context/contextPieces.js';
import { namedTool } from '../../../../../src/query/numbers/context/contextKinds.js';

const CALLS = 25_000;

test('of calls long ago only where their results stand is held', () => {
  const called = new CalledTools();
  for (let at = 0; at < CALLS; at++) {
    called.add(`call-${at}`, namedTool('read', `notes/${at}.md`));
    called.answer(`call-${at}`, 2 * at + 1);
  }
  expect(called.resultAt('call-0')).toBe(1);
  expect(called.resultAt(`call-${CALLS - 1}`)).toBe(2 * CALLS - 1);
  expect(called.answer('call-0', 2 * CALLS)).toBeUndefined();
  expect(called.answer(`call-${CALLS - 1}`, 2 * CALLS)?.path).toBe(`notes/${CALLS - 1}.md`);
});

test('a result that answers no call is none of any call, and of an id that comes again the last one stands', () => {
  const called = new CalledTools();
  expect(called.answer('c', 1)).toBeUndefined();
  expect(called.resultAt('c')).toBeUndefined();
  called.add('c', namedTool('read'));
  called.answer('c', 3);
  called.add('c', namedTool('write'));
  expect(called.answer('c', 5)?.tool).toBe('write');
  expect(called.resultAt('c')).toBe(5);
});
