import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SeenArguments } from '../../../../src/query/language/seenArguments.js';

function seenIn(inputs: readonly unknown[]): SeenArguments {
  const seen = new SeenArguments();
  for (const input of inputs) seen.add(input);
  return seen;
}

test('files, programs, and the names and values of arguments, the most frequent first', () => {
  const seen = seenIn([
    { path: 'a.ts', limit: 5 },
    JSON.stringify({ path: 'b.ts', deep: { path: 'c.ts' }, tags: ['x', 'y'] }),
    { path: 'b.ts', dry: true },
    { command: 'cd a && rm b; rm c' },
  ]);
  expect(seen.of('file')).toEqual(['b.ts', 'a.ts']);
  expect([...seen.of('command')].sort()).toEqual(['cd', 'rm']);
  expect(seen.of('args')).toEqual(['path', 'limit', 'deep', 'tags', 'dry', 'command']);
  expect(seen.of('args.path')).toEqual(['b.ts', 'a.ts']);
  expect(seen.of('args.limit')).toEqual(['5']);
  expect(seen.of('args.tags')).toEqual(['x', 'y']);
  expect(seen.of('args.dry')).toEqual(['true']);
  for (const name of ['args.deep', 'args.nothing', 'args.toString', 'agent', ''])
    expect(seen.of(name)).toEqual([]);
});

test('what nobody could choose from a list is left out', () => {
  const seen = seenIn([
    { text: 'two\nlines', long: 'x'.repeat(121), '': 'x', 'a b': 'x', [`n${'x'.repeat(60)}`]: 1 },
  ]);
  expect(seen.of('args')).toEqual(['text', 'long']);
  expect([...seen.of('args.text'), ...seen.of('args.long')]).toEqual([]);
});

test('whatever is called with, it stays small', () => {
  const seen = seenIn(Array.from({ length: 5_000 }, (_, at) => ({ path: `${at}.ts`, [`name${at}`]: at })));
  expect(seen.of('file')).toHaveLength(2_000);
  expect(seen.of('args')).toHaveLength(2_000);
  fc.assert(fc.property(fc.array(fc.jsonValue()), (inputs) => void seenIn(inputs).of('args')));
});
