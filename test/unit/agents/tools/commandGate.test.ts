import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeCommand } from '../../../../src/agents/tools/command/decide.js';
import { tricks } from './commandTricks.js';
import { runs } from '../../../support/fixedInputs.js';

const kindOf = (line: string) => judgeCommand(line).kind;

describe('what only looks is harmless', () => {
  test.each([
    'ls',
    'ls -la src',
    'pwd',
    'cat README.md',
    'cat "a file.txt" \'another file.txt\'',
    'head -20 src/main.ts',
    'head -n 5 a.txt && tail -n 5 a.txt',
    'tail -c 100 log.txt',
    'wc -l src/a.ts src/b.ts',
    "grep -n 'function.*main' src/main.ts",
    'grep -in -A 3 error log.txt | head -20',
    'grep -e one -e two file.txt',
    'cat a.txt | sort | uniq -c | sort -rn',
    "find . -name '*.ts' -type f -not -path './node_modules/*'",
    'find src -maxdepth 2 -type d',
    "sed -n '10,20p' src/main.ts",
    'git status',
    'git status --short --branch',
    'git log --oneline -10',
    'git diff --stat main..dev',
    'git branch -a',
    'git show --stat HEAD',
    'git show --name-only "HEAD~2"',
    'git --version',
    'df -h .',
    'test -f a.txt && echo yes',
    'which node python3',
    'node --version',
    'python3 -V',
    'rg --files --hidden src',
    'echo "hello world"',
    "printf '%s\\n' done",
    "printf '%5.1f%% of %s\\n' 12 none",
    "printf '100%%nine\\n'",
    'cd src && ls -l && cat main.ts',
    'cat a.txt 2>/dev/null || echo missing',
    'ls nothing 2>&1 | head -1',
    'date +%Y-%m-%d',
    'du -sh src',
    'diff -u a.txt b.txt',
    'stat -c %s a.txt',
    'ls;pwd',
    'ls\npwd\n',
  ])('%s', (line) => expect(kindOf(line)).toBe('allow'));

  test('what it looks at is told, seen from where it runs', () => {
    expect(judgeCommand('cd src && cat main.ts /abs/x | grep -n pattern - && ls lib')).toEqual({
      kind: 'allow',
      command: {
        programs: ['cd', 'cat', 'grep', 'ls'],
        entered: ['src'],
        lookedUp: [],
        checked: [
          { path: 'src/main.ts', what: 'contents' },
          { path: '/abs/x', what: 'contents' },
          { path: 'src/lib', what: 'names' },
        ],
        listings: [],
        isBuiltin: false,
        writtenOut: 'cd src && cat main.ts /abs/x | grep -n pattern - && ls lib',
        line: 'cd src && cat main.ts /abs/x | grep -n pattern - && ls lib',
      },
    });
  });
});

test.each([
  ['rg --color never key', [{ path: '.', what: 'tree', without: ['.git'], heedsIgnoreFiles: true }]],
  ['rg --color=never key src', [{ path: 'src', what: 'tree', without: ['.git'], heedsIgnoreFiles: true }]],
  ['grep --color always a.txt', [{ path: 'a.txt', what: 'contents' }]],
  ['xxd -c 8 a.txt', [{ path: 'a.txt', what: 'contents' }]],
  ['tree -a -L 2 src', [{ path: 'src', what: 'names' }]],
])('%s looks at what its program takes for a path', (line, checked) => {
  expect(judgeCommand(line)).toMatchObject({ kind: 'allow', command: { checked } });
});

test.each(['tree -Ll 2 src', 'tree -Il x src', 'strings *.txt', 'xxd -ag a.txt b.txt', 'od -w a.txt'])(
  '%s is more than it looks like',
  (line) => expect(kindOf(line)).not.toBe('allow'),
);

test('programs that people have in other versions are named', () => {
  expect(judgeCommand('which cat rg; node -v && rg --files')).toMatchObject({
    kind: 'allow',
    command: { lookedUp: ['cat', 'rg', 'node', 'rg'] },
  });
});

describe('tricks are never harmless', () => {
  test.each(tricks)('%j', (line) => expect(kindOf(line)).not.toBe('allow'));
});

describe('properties', () => {
  const safe = [
    'ls -l',
    'cat a.txt',
    "grep -n 'x' a.txt",
    'git status',
    'echo "a b"',
    'pwd',
    "find . -name '*.ts'",
  ];
  const joint = fc.constantFrom(' && ', ' || ', ' ; ', ' | ', '; ', '\n');
  const chain = fc.array(fc.tuple(fc.constantFrom(...safe), joint), { minLength: 1, maxLength: 60 });

  test('a chain of harmless commands is harmless, and with one other anywhere it is not', () => {
    fc.assert(
      fc.property(
        chain,
        fc.nat(),
        fc.constantFrom('touch p', 'tee p', 'rm a', './x', 'sh'),
        (parts, at, bad) => {
          const line = (parts_: readonly (readonly [string, string])[]) =>
            parts_.map(([a, b]) => a + b).join('') + 'pwd';
          expect(kindOf(line(parts))).toBe('allow');
          const spoiled = parts.with(at % parts.length, [bad, ' && ']);
          expect(kindOf(line(spoiled))).not.toBe('allow');
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test('whatever stands unquoted in a harmless command is a plain character', () => {
    const pieces = fc.constantFrom(
      ...'ls cat grep -n a.txt \' " ` $ ( ) { } < > & | ; \\ * ? [ ] ! # ~ = touch'.split(' '),
      ' ',
      '\n',
      '\t',
      '$(',
      '&&',
      '\u00a0',
      '\r',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
        const line = parts.join('');
        const judged = judgeCommand(line);
        if (judged.kind !== 'allow') return;
        const unquoted = line.replace(/'[^']*'|"[^"$`\\!]*"/g, '');
        // A star stands only in a pattern whose files are looked at before anything runs.
        const patterns = new Set(
          judged.command.checked.filter((look) => look.pattern).map(({ path }) => path),
        );
        const plain = unquoted.replace(/[^\s;&|]+/g, (word) => (patterns.has(word) ? '' : word));
        expect(plain.replaceAll('2>/dev/null', '')).toMatch(/^[A-Za-z0-9_./,:=@%+\- \t\n;|&~^[\]!]*$/);
        expect(unquoted).not.toMatch(/(^|[^&])&([^&]|$)/);
        expect(unquoted).not.toMatch(/(^|[;&|\n])\s*touch/);
      }),
      { numRuns: runs(5_000) },
    );
  });

  test('nothing makes the gate throw', () => {
    const any = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc
        .array(fc.constantFrom('$(', '((', '<<', '{', '[[', '`', '"', "'", '\n', 'a'), { maxLength: 80 })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(any, (line) => {
        expect(['allow', 'ordinary', 'ask']).toContain(kindOf(line));
      }),
      {
        numRuns: runs(3_000),
      },
    );
  });

  test.each(['[]', '[^]', ' ; p', ' '])('a script that repeats %j can be read in one way only', (piece) => {
    const many = piece.repeat(150);
    for (const script of [`/${many}x`, `s/${many}/b/x`, `p${many}x`]) {
      expect(kindOf(`sed '${script}' a.txt`)).toBe('ask');
    }
  });

  test('depth and length are no way around', () => {
    for (const line of [
      '$('.repeat(5_000),
      '('.repeat(5_000),
      `${'('.repeat(300)}rm -rf x${')'.repeat(300)}`,
      'a;'.repeat(100_000),
    ]) {
      expect(kindOf(line)).toBe('ask');
    }
  });
});
