import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGlob, type Glob } from '../../../../src/agents/tools/files/glob.js';
import { IgnoreRules } from '../../../../src/agents/tools/files/walkFiles.js';
import { temporaryWorkspace } from './toolHarness.js';
import { runs } from '../../../support/fixedInputs.js';

/** A pattern of names that can be read. */
function globOf(pattern: string): Glob {
  const glob = compileGlob(pattern);
  if ('problem' in glob) throw new Error(glob.problem);
  return glob;
}

/** Whether the rules leave a path out, or a folder on the way to it. */
function leavesOut(rules: IgnoreRules, path: string): boolean {
  const names = path.split('/');
  return names.some((_, index) => {
    const part = names.slice(0, index + 1).join('/');
    return rules.ignores(part, index < names.length - 1 ? 'folder' : 'file');
  });
}

const hasGit = spawnSync('git', ['--version']).status === 0;

describe.skipIf(!hasGit)('as git reads it', () => {
  test('random lines of .gitignore leave out the same files', async () => {
    const { root } = await temporaryWorkspace();
    execFileSync('git', ['init', '-q'], { cwd: root });
    const paths = [
      'a',
      'b',
      'a.log',
      'b.log',
      'x/a',
      'x/b.log',
      'x/y/a',
      'x/y/b.log',
      'xa/b',
      'a/x/y',
      '.h',
      'x/.h/a',
    ];
    for (const path of paths) {
      await mkdir(join(root, 'files', path, '..'), { recursive: true });
    }
    const piece = fc.constantFrom(
      'a',
      'b',
      'x',
      'y',
      '*',
      '**',
      '?',
      '.log',
      '*.log',
      '[ab]',
      '[!a]',
      '.h',
      'xa',
    );
    const line = fc
      .tuple(
        fc.constantFrom('', '', '!', '/'),
        fc.array(piece, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('/', ''),
        fc.constantFrom('', '', '/', ' '),
      )
      .map(([start, parts, joint, end]) => start + parts.join(joint) + end)
      .filter((text) => !/\*\*[^/]|[^/]\*\*|\*\*\*|\/\//.test(text));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), async (lines) => {
        await writeFile(join(root, '.gitignore'), lines.join('\n'));
        const out = spawnSync('git', ['check-ignore', '--no-index', '--stdin'], {
          cwd: root,
          input: paths.join('\n'),
          encoding: 'utf8',
        });
        const byGit = out.stdout.split('\n').filter((path) => path !== '');
        const rules = new IgnoreRules().with(lines.join('\n'), '');
        expect(paths.filter((path) => leavesOut(rules, path))).toEqual(byGit);
      }),
      { numRuns: runs(150) },
    );
  });
});

test('the rules of a folder count below it only, and beat those above', () => {
  const rules = new IgnoreRules().with('*.log', '').with('!keep.log\n/only', 'sub');
  expect(
    ['a.log', 'sub/a.log', 'sub/keep.log', 'keep.log', 'only', 'sub/only', 'sub/x/only'].filter((path) =>
      leavesOut(rules, path),
    ),
  ).toEqual(['a.log', 'sub/a.log', 'keep.log', 'sub/only']);
});

test.each([
  ['*.ts', ['a.ts', 'src/a.ts'], ['a.tsx', 'ts']],
  ['src/*.ts', ['src/a.ts'], ['a.ts', 'src/x/a.ts']],
  ['**/*.{ts,js}', ['a.ts', 'x/y/b.js'], ['a.md']],
  ['src/**', ['src/a', 'src/x/y'], ['src', 'lib/a']],
  ['./a?c', ['abc'], ['ac', 'a/c']],
  ['[a-c].txt', ['a.txt'], ['d.txt']],
  ['a+(b).txt', ['a+(b).txt'], ['ab.txt']],
])('%s', (pattern, yes, no) => {
  const matches = globOf(pattern);
  expect([...yes, ...no].filter((path) => matches(path))).toEqual(yes);
});

test('a pattern that kills others ends', () => {
  const matches = globOf(`${'*a'.repeat(50)}b`);
  expect(matches('a'.repeat(5_000))).toBe(false);
});
