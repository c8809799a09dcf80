import fc from 'fast-check';
import { expect, test } from 'vitest';
import { globTest, wildcardTest } from '../../../../src/query/language/globs.js';
import { evaluateItems } from '../../../../src/query/language/evaluate.js';
import { planQuery } from '../../../../src/query/language/plan.js';
import { sessionFacts } from '../../../../src/query/language/sessionFactsBuilder.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../../../src/node/patterns/timeGuard.js';
import { inRuns, runs } from '../../../support/fixedInputs.js';

/** What a pattern of a path means, in the words of another engine. */
function asRegExp(glob: string): RegExp {
  const names = (/^(?:\/|[A-Za-z]:\/)/.test(glob) ? glob : `**/${glob}`).split('/');
  const source = names.map((name) =>
    name === '**'
      ? '(?:/[^/]*)*'
      : `/${name.replace(/[*?]|[.]/g, (each) => (each === '*' ? '[^/]*' : each === '?' ? '[^/]' : '\\.'))}`,
  );
  return new RegExp(`^${source.join('')}$`, 'u');
}

const name = fc
  .array(fc.constantFrom('a', 'b', '.'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(''));
const part = fc.oneof(
  { weight: 2, arbitrary: name },
  fc
    .array(fc.constantFrom('a', 'b', '*', '?'), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('')),
  fc.constant('**'),
);
const path = fc
  .tuple(fc.constantFrom('', '/'), fc.array(name, { minLength: 1, maxLength: 6 }))
  .map(([root, names]) => root + names.join('/'));

test('a pattern matches what a regular expression made of it matches', () => {
  let matched = 0;
  fc.assert(
    fc.property(
      fc.constantFrom('', '/'),
      fc.array(part, { minLength: 1, maxLength: 6 }),
      path,
      (root, parts, given) => {
        // `./` at the beginning means nothing.
        const glob = (root + parts.join('/')).replace(/^(?:\.\/)+/, '');
        const plain = given.replace(/^(?:\.\/)+/, '');
        const expected = asRegExp(glob).test(`/${plain}`);
        if (expected) matched++;
        expect([glob, plain, globTest(glob)(plain)]).toEqual([glob, plain, expected]);
      },
    ),
    { numRuns: runs(3_000) },
  );
  expect(matched).toBeGreaterThan(inRuns(100));
});

test('a star stands for any characters of a name, and letter case matters where it should', () => {
  expect([globTest('*.ts')('src/a.ts'), globTest('*.TS')('a.ts'), wildcardTest('A*c', true)('abc')]).toEqual([
    true,
    false,
    true,
  ]);
});

/** A session in which tools name many paths that nearly match. */
function hostile(paths: readonly string[]) {
  const calls = paths.map((named, at) => ({
    id: `t${at}`,
    type: 'function',
    function: { name: 'read_file', arguments: JSON.stringify({ path: named }) },
  }));
  return [{ role: 'assistant', content: '', tool_calls: calls }];
}

test('a pattern of a path that takes too long is given up, with its place', () => {
  const near = `${'a/'.repeat(4_000)}a`;
  const items = hostile(Array.from({ length: 300 }, () => near));
  const glob = `file:**/${'a/'.repeat(2_000)}b/**`;
  const planned = planQuery(glob, { rows: 'toolCalls', now: 0, timeZone: 'UTC' });
  if (!planned.ok) throw new Error('It is right.');
  const guard = (work: () => void) => endsWithin(MAX_TEXT_TEST_MS, work);
  expect(planned.plan.needsGuard).toBe(true);
  const found = evaluateItems(planned.plan, sessionFacts(items, { session: 's' }), items, guard);
  expect(found).toMatchObject({ ok: false, problem: { start: 5, end: glob.length } });
});

test.each([
  ['file:src/a.ts', false],
  ['file:src/*.ts', true],
  ['/a/', true],
  ['(x OR args.path:/a/)', true],
  ['agent:C*', false],
])('%s is looked for with a limit of time: %s', (text, needsGuard) => {
  const planned = planQuery(text, { rows: 'messages', now: 0, timeZone: 'UTC' });
  expect(planned.ok && planned.plan.needsGuard).toBe(needsGuard);
});
