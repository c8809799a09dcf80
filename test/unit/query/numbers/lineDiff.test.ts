import { describe, expect, test } from 'vitest';
import {
  changedLines,
  diffOfLines,
  lineDiff,
  linesOfBoth,
  type DiffLine,
} from '../../../../src/query/numbers/lineDiff.js';

/** A diff as text: changed words in brackets. */
function drawn(before: string, after: string): string[] {
  const marks = { removed: '-', added: '+', same: ' ' };
  return lineDiff(before, after).map((line) =>
    line.kind === 'skipped'
      ? `⋯${line.count}`
      : marks[line.kind] + line.parts.map(({ text, changed }) => (changed ? `[${text}]` : text)).join(''),
  );
}

/** One side of a diff, the lines that it leaves out taken from the original. */
function sideOf(diff: readonly DiffLine[], kind: 'removed' | 'added', original: string): string {
  const lines: string[] = [];
  const all = original.split('\n');
  for (const line of diff) {
    if (line.kind === 'skipped') lines.push(...all.slice(lines.length, lines.length + line.count));
    else if (line.kind === kind || line.kind === 'same')
      lines.push(line.parts.map(({ text }) => text).join(''));
  }
  return lines.join('\n');
}

/** How much a change adds and removes, and as how many lines each is shown. */
const counted = (before: string, after: string) => {
  const { added, removed } = changedLines(before, after);
  const shown = diffOfLines(...linesOfBoth(before, after));
  const ofKind = (kind: DiffLine['kind']) => shown.filter((line) => line.kind === kind).length;
  return [added, removed, ofKind('added'), ofKind('removed')];
};

test.each([
  ['', 'a\n', 1, 0],
  ['', '\n', 1, 0],
  ['\n', '', 0, 1],
  ['', '\n\n', 2, 0],
  ['a\n', 'a\n\n', 1, 0],
  ['', 'a', 1, 0],
])(
  'a change from %j to %j counts as many lines as the file has more or less',
  (before, after, plus, minus) => {
    expect(counted(before, after)).toEqual([plus, minus, plus, minus]);
  },
);

describe('the diff of an edit', () => {
  test('marks the words that differ within a line', () => {
    expect(drawn('const factor = serves / people;', 'const factor = people / serves;')).toEqual([
      '-const factor = [serves] / [people];',
      '+const factor = [people] / [serves];',
    ]);
  });

  test('shows two changes far from each other as two, with two lines around each', () => {
    const before = ['flour', ...Array.from('12345678'), 'sugar'].join('\n');
    const after = ['rye flour', ...Array.from('12345678'), 'brown sugar'].join('\n');
    expect(drawn(before, after)).toEqual([
      '-flour',
      '+[rye ]flour',
      ' 1',
      ' 2',
      '⋯4',
      ' 7',
      ' 8',
      '-sugar',
      '+[brown ]sugar',
    ]);
  });

  test('marks no words where next to nothing stays', () => {
    expect(drawn('butter', 'eggs and milk')).toEqual(['-butter', '+eggs and milk']);
  });

  test('of lines that only come or only go shows these alone', () => {
    expect(drawn('a\nc', 'a\nb\nc')).toEqual([' a', '+b', ' c']);
    expect(drawn('', 'new file\n')).toEqual(['+new file', '+']);
    expect(drawn('gone', '')).toEqual(['-gone']);
  });

  test('leaves a single line in its place, which takes no more room than to say so', () => {
    expect(drawn('x\n1\n2\n3\n4\n5\ny', 'z\n1\n2\n3\n4\n5\nw')).toContain(' 3');
  });

  test('says both sides whole, whatever they are', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    const text = () =>
      Array.from({ length: random(30) }, () =>
        Array.from({ length: random(4) }, () => ['egg', 'salt', ' ', '=', '', '🍪'][random(6)]).join(' '),
      ).join('\n');
    for (let round = 0; round < 500; round++) {
      const [before, after] = [text(), text()];
      const diff = lineDiff(before, after);
      expect(sideOf(diff, 'removed', before)).toBe(before);
      expect(sideOf(diff, 'added', after)).toBe(after);
    }
  });

  test('of long texts that have nothing in common is one block each', () => {
    const long = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}`).join('\n');
    const diff = lineDiff(long('egg'), long('salt'));
    expect(diff.findIndex((line) => line.kind === 'added')).toBe(20_000);
    expect(diff).toHaveLength(40_000);
  });
});
