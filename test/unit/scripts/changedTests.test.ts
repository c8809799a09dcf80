import { expect, test } from 'vitest';
import { inTime, testsOf } from '../../../scripts/changedTests.mjs';

const graph = new Map([
  ['src/core/text.ts', []],
  ['src/core/lists.ts', []],
  ['src/query/find.ts', ['src/core/text.ts']],
  ['src/app/ask.ts', ['src/query/find.ts']],
  ['test/unit/app/ask.test.ts', ['src/app/ask.ts']],
  ['test/unit/core/lists.test.ts', ['src/core/lists.ts']],
  ['test/unit/node/words.test.ts', ['src/core/text.ts']],
  ['test/unit/query/find.test.ts', ['src/query/find.ts']],
  ['test/ui/find.test.ts', ['src/core/text.ts']],
]);

test('what imports a changed file comes first, then its room, then what imports its importers', () => {
  expect(testsOf(['src/core/text.ts', 'README.md'], graph)).toEqual([
    'test/unit/node/words.test.ts',
    'test/unit/core/lists.test.ts',
    'test/unit/query/find.test.ts',
  ]);
});

test('a changed test is run, one that is gone is not', () => {
  expect(testsOf(['test/unit/app/gone.test.ts', 'test/unit/app/ask.test.ts'], graph)).toEqual([
    'test/unit/app/ask.test.ts',
  ]);
});

test('what there is no time for is named', () => {
  expect(inTime(['a', 'long', 'b'], { a: 1, long: 100, b: 1 }, 10)).toEqual({
    run: ['a', 'b'],
    leftOut: ['long'],
  });
});
