import { expect, test } from 'vitest';
import { namedPaths } from '../../../../src/query/numbers/namedPaths.js';
import { momentOf, readCount, readDate, readDuration } from '../../../../src/query/language/amounts.js';
import { globTest, wildcardTest } from '../../../../src/query/language/globs.js';
import { programsOf } from '../../../../src/query/language/programs.js';

test.each([
  [{ command: 'rm -rf out' }, ['rm']],
  [{ command: 'echo rm; grep "rm -rf" a' }, ['echo', 'grep']],
  [{ command: 'cd a && /bin/rm b | tee c' }, ['cd', 'rm', 'tee']],
  [{ command: 'if true; then rm a; fi' }, ['true', 'rm']],
  [{ command: 'echo $(rm a)' }, ['echo', 'rm']],
  [{ command: 'sudo -u root env A=1 rm a' }, ['sudo', 'env', 'rm']],
  [{ command: 'timeout 5 rm a' }, ['timeout', 'rm']],
  [{ command: 'find . | xargs -n 1 rm' }, ['find', 'xargs', 'rm']],
  [{ command: "bash -lc 'cd x && rm y'" }, ['bash', 'cd', 'rm']],
  [{ command: ['bash', '-lc', 'rm y'] }, ['bash', 'rm']],
  [{ command: 'command -v rm && command -pV ls' }, ['command']],
  [{ command: 'command -p rm x; command -- mv a b' }, ['command', 'rm', 'mv']],
  [{ command: 'sudo -l rm' }, ['sudo']],
  [{ command: 'sudo -ualice A=1 rm x' }, ['sudo', 'rm']],
  [{ command: 'find . -exec rm {} \\;' }, ['find', 'rm']],
  [{ command: "find . -ok mv {} out ';' -execdir sudo rm {} + -print" }, ['find', 'mv', 'sudo', 'rm']],
  [{ command: 'find . -name rm -exec sh -c \'rm "$1"\' _ {} +' }, ['find', 'sh', 'rm']],
  [{ command: 'eval "rm x"; eval mv "$A" b' }, ['eval', 'rm', 'mv']],
  [{ command: 'eval "$RM x"' }, ['eval']],
  [{ command: "trap 'rm -rf tmp; kill 0' EXIT INT" }, ['trap', 'rm', 'kill']],
  [{ command: "trap - EXIT; trap -p; trap '' INT; trap -- 'rm x' EXIT" }, ['trap', 'rm']],
  [{ command: "watch -n 5 'git status | head'; watch df -h" }, ['watch', 'git', 'head', 'df']],
  [
    { command: 'parallel -j 4 rm -r {} ::: a b; ls | parallel "mv {} {}.old && touch {}"' },
    ['parallel', 'rm', 'ls', 'mv', 'touch'],
  ],
  [{ command: 'bash -euo pipefail -c "cd $DIR && rm \\"$1\\""' }, ['bash', 'cd', 'rm']],
  [{ command: 'bash clean.sh -c rm' }, ['bash']],
  [{ command: 'env -S "rm -f" x' }, ['env', 'rm']],
  [{ command: "env -i --split-string='A=1 sudo -n rm' x" }, ['env', 'sudo', 'rm']],
  [{ command: "env '-Srm x'; env -u A -C /tmp mv a b" }, ['env', 'rm', 'mv']],
  [{ command: 'xargs --max-args 1 rm' }, ['xargs', 'rm']],
  [{ command: 'xargs -0rP 4 --delimiter x --max-procs=2 --arg-file list -I{} rm {}' }, ['xargs', 'rm']],
  [{ command: 'timeout -k 1 -- 5 rm x' }, ['timeout', 'rm']],
  [{ command: 'timeout $LIMIT rm; sudo $FLAGS rm' }, ['timeout', 'sudo']],
  [{ command: '~/bin/rm x; ~root/mv; "$HOME/bin/ls" x; sudo ${DIR}/cp' }, ['rm', 'mv', 'ls', 'sudo', 'cp']],
  [{ command: '~; $A$B/rm; ~/$RM' }, []],
  [{ commands: ['rm x', 'cd a && ls'] }, ['rm', 'cd', 'ls']],
  [{ commands: ['git', 'rm'], argv: ['git', 'mv'] }, ['git', 'rm']],
  [{ command: ['git', 'rm', 'y'] }, ['git']],
  [{ cmd: '$RM a' }, []],
  [{ command: '# rm' }, []],
  [{ text: 'rm a' }, []],
  ['{"command":"rm a"}', ['rm']],
  ['no json', []],
])('%j runs %j', (input, programs) => {
  expect([...programsOf(input)]).toEqual(programs);
});

test('what is nested as nobody writes it ends', () => {
  const line = `${'find . -exec env -S "eval '.repeat(2_000)}rm`;
  expect(programsOf({ command: line }).has('find')).toBe(true);
  expect([...programsOf({ command: `${'sudo '.repeat(19_000)}rm` })]).toEqual(['sudo', 'rm']);
});

test.each([
  [{ file_path: '/a/b.ts' }, ['/a/b.ts']],
  [{ paths: ['a', 'b', 7, ''] }, ['a', 'b']],
  [
    { input: '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n*** End Patch' },
    ['a.ts', 'b.ts'],
  ],
  ['*** Begin Patch\n*** Add File: c.ts\n', ['c.ts']],
  [{ content: 'a.ts' }, []],
])('%j names the files %j', (input, files) => {
  expect(namedPaths(input)).toEqual(files);
});

test.each([
  ['src/**/*.ts', '/home/x/src/a/b/c.ts', true],
  ['src/**/*.ts', 'src/c.ts', true],
  ['src/*.ts', 'src/a/c.ts', false],
  ['scale.ts', 'src/scale.ts', true],
  ['scale.ts', 'src/upscale.ts', false],
  ['/src/*', '/a/src/b', false],
  ['**', 'a/b', true],
  ['src/**', 'x/src/a/b', true],
  ['a?c', 'x/abc', true],
  ['a?c', 'x/a😀c', true],
  ['src\\*.ts', 'C:\\x\\src\\a.ts', true],
  ['./a.ts', 'a.ts', true],
  [`${'*a'.repeat(30)}b`, 'a'.repeat(5_000), false],
  [`${'**/a/'.repeat(30)}b`, 'a/'.repeat(2_000), false],
])('the path %s and %s', (pattern, path, matches) => {
  expect(globTest(pattern)(path)).toBe(matches);
});

test.each([
  ['gpt-5*', 'GPT-5-mini', true],
  ['*mini', 'gpt-5-mini', true],
  ['g*5*i', 'gpt-5-mini', true],
  ['ab*ba', 'aba', false],
  ['*', '', true],
  ['a', 'ab', false],
])('the name %s and %s', (pattern, name, matches) => {
  expect(wildcardTest(pattern, true)(name)).toBe(matches);
});

test('numbers and durations', () => {
  expect(['1000', '1_000', '1.1k', '2M', '1e3', '-1', '1,000', ''].map(readCount)).toEqual([
    1000,
    1000,
    1100,
    2_000_000,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(['500ms', '1h30m', '7d', '1.5s', '30', 's', `1${'0'.repeat(17)}s`].map(readDuration)).toEqual([
    500,
    5_400_000,
    604_800_000,
    1_500,
    undefined,
    undefined,
    1e20,
  ]);
});

test.each([
  ['7d', 'UTC', '2026-11-15T12:00:00.000Z'],
  ['today', 'Asia/Tokyo', '2026-11-21T15:00:00.000Z'],
  ['yesterday', 'America/New_York', '2026-11-21T05:00:00.000Z'],
  ['2026-11-01', 'Europe/Berlin', '2026-10-31T23:00:00.000Z'],
  ['2026-07', 'Europe/Berlin', '2026-06-30T22:00:00.000Z'],
  ['2026-11-01T10:30', 'Europe/Berlin', '2026-11-01T09:30:00.000Z'],
  ['2026-11-01T10:30Z', 'Europe/Berlin', '2026-11-01T10:30:00.000Z'],
  ['2026-11-01T10:30-05:30', 'Europe/Berlin', '2026-11-01T16:00:00.000Z'],
  // Clocks skip from 2 to 3 there, and come back from 3 to 2.
  ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  // The day begins at 1 there, because midnight is skipped.
  ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
])('%s in %s is %s', (text, timeZone, moment) => {
  const date = readDate(text);
  const now = Date.UTC(2026, 10, 22, 12);
  expect(date && new Date(momentOf(date, { now, timeZone })).toISOString()).toBe(moment);
});
