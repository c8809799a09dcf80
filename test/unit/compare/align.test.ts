import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alignment, finished, type Pair } from '../../../src/compare/align.js';
import type { Step } from '../../../src/compare/steps.js';
import { runs } from '../../support/fixedInputs.js';
import { leastCost, step } from './judge.js';

const align = (left: readonly Step[], right: readonly Step[]) => finished(alignment(left, right));

/** Which step stands for which, by their numbers in their runs: `3=4`, `5-` only left, `-6` only right. */
const told = (pairs: readonly Pair[]): string =>
  pairs
    .map(({ left, right, below }) => {
      const ways = left && right ? '=' : '-';
      return `${left?.position ?? ''}${ways}${right?.position ?? ''}${below.length > 0 ? `(${told(below)})` : ''}`;
    })
    .join(' ');

const numbered = (steps: readonly Step[]) =>
  steps.map((each, position) => ({ ...each, position: position + 1 }));
const calls = (line: string) => numbered([...line].map((tool) => step(tool)));

const leaf = fc
  .record({
    shape: fc.constantFrom('read', 'edit', 'run'),
    input: fc.constantFrom('', 'a', 'b'),
    output: fc.constantFrom('', 'x'),
    end: fc.constantFrom('done', 'done', 'failed'),
    kind: fc.constantFrom('call' as const, 'call' as const, 'answer' as const, 'prompt' as const),
  })
  .map(({ shape, input, output, end, kind }) =>
    kind === 'call' ? step(shape, input, { output, end }) : step('', input, { output, kind }),
  );
/** Short lists in which some neighbours are called together. */
const listOf = (each: fc.Arbitrary<Step>, most: number): fc.Arbitrary<Step[]> =>
  fc.array(fc.tuple(each, fc.boolean()), { maxLength: most }).map((steps) => {
    let group = 0;
    return steps.map(([one, isTogether]) => {
      if (!isTogether) group++;
      return one.kind === 'call' || one.kind === 'agent' ? { ...one, group } : { ...one, group: undefined };
    });
  });
const inner = fc
  .tuple(fc.constantFrom('Crumb', 'Dough'), fc.constantFrom('', 'taste'), listOf(leaf, 3))
  .map(([name, input, below]) => step(name, input, { below, kind: 'agent' }));
const outer = fc
  .tuple(fc.constantFrom('Crumb', 'Dough'), listOf(fc.oneof(leaf, inner), 3))
  .map(([name, below]) => step(name, '', { below, kind: 'agent' }));
const tree = listOf(fc.oneof({ arbitrary: leaf, weight: 4 }, inner, outer), 6);

test('small trees are aligned as cheaply as a judge finds that tries every way, and left and right mirror each other', () => {
  fc.assert(
    fc.property(tree, tree, (left, right) => {
      const [a, b] = [numbered(left), numbered(right)];
      const found = align(a, b);
      expect(found.cost).toBe(leastCost(a, b));
      const other = align(b, a);
      expect(other.cost).toBe(found.cost);
      const mirrored = (pairs: readonly Pair[]): Pair[] =>
        pairs.map(({ left: x, right: y, below }) => ({ left: y, right: x, below: mirrored(below) }));
      expect(told(mirrored(other.pairs))).toBe(told(found.pairs));
      expect(align(a, a).pairs.every(({ left: x, right: y }) => x === y)).toBe(true);
    }),
    { numRuns: runs(5_000) },
  );
});

test('a detour is one gap, what is first is kept together longest, and a set of calls has no order', () => {
  expect(told(align(calls('abc'), calls('abxxc')).pairs)).toBe('1=1 2=2 -3 -4 3=5');
  expect(told(align(calls('ab'), calls('aab')).pairs)).toBe('1=1 -2 2=3');
  expect(told(align(calls('abxc'), calls('abyc')).pairs)).toBe('1=1 2=2 3=3 4=4');
  const together = (line: string) => calls(line).map((each) => ({ ...each, group: 1 }));
  expect(align(together('abcd'), together('dcba')).cost).toBe(0);
});

/** Runs of so many steps, none of which is met twice in one run; `common` says how many of a hundred both have. */
function longRun(length: number, common: number, name: string): Step[] {
  return Array.from({ length }, (_, at) => step('run', at % 100 < common ? `${at}` : `${name} ${at}`));
}

test('long runs are held together by steps that are unique in both, and what is too long is aligned in a band', () => {
  const anchored = align(longRun(3_000, 90, 'left'), longRun(3_000, 90, 'right'));
  expect([anchored.way, anchored.cost]).toEqual(['anchored', 3 * 300]);
  const loops = (length: number) => Array.from({ length }, (_, at) => step('run', String((at * at) % 7)));
  expect(align(loops(2_000), loops(1_500)).way).toBe('whole');
  // A tenth of the cells may be looked at.
  const most = 1_000_000;
  let turns = 0;
  const work = alignment([step('start'), ...loops(3_000)], [...loops(3_200), step('end')], most);
  let found = work.next();
  for (; found.done !== true; found = work.next()) turns++;
  expect(found.value.way).toBe('banded');
  expect(turns).toBeLessThan(3);
  expect(told(found.value.pairs).match(/=/g)?.length).toBeGreaterThan(2_900);
});

test('sets and agents beyond number end, too', () => {
  const sets = Array.from({ length: 600 }, (_, at) => step('run', `${at}`, { group: Math.floor(at / 30) }));
  const others = sets.map((each, at) => ({ ...each, input: `other ${at}`, key: `other ${at}` }));
  expect(align(sets, others).pairs).toHaveLength(600);
  const agents = Array.from({ length: 300 }, (_, at) =>
    step('Crumb', `${at}`, { kind: 'agent', below: longRun(20, 0, String(at)) }),
  );
  const twice = agents.map((each) => ({ ...each, key: `${each.key} again`, output: 'again' }));
  expect(align(agents, twice).pairs).toHaveLength(300);
});
