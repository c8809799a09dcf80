import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { deny, toolWorkspace } from './toolHarness.js';

/** What an agent runs all day to look around, a hundred of them; none changes, sends or builds anything. */
const everyday = [
  'ls',
  'ls -la',
  'ls -la src',
  'ls -R src',
  'ls -lh docs',
  'ls src test',
  'pwd',
  'cat README.md',
  'cat -n src/main.ts',
  'cat src/main.ts src/greet.ts',
  'head README.md',
  'head -n 20 src/main.ts',
  'head -50 src/main.ts',
  'tail -n 5 CHANGELOG.md',
  'tail -20 CHANGELOG.md',
  'wc -l src/main.ts',
  'wc -l src/main.ts src/greet.ts',
  'wc -c README.md',
  'cat src/main.ts | wc -l',
  'cat src/main.ts | head -n 40',
  'nl src/main.ts',
  "sed -n '1,20p' src/main.ts",
  "sed -n '5p' README.md",
  'sed -n 1,40p src/greet.ts',
  "grep -n 'TODO' src/main.ts",
  'grep -in hello src/greet.ts',
  "grep -c 'export' src/greet.ts",
  "grep -n 'a' src/main.ts | head -n 5",
  "grep -rn 'greet' src",
  "grep -rn 'greet' .",
  "grep -rl 'greet' src test",
  "grep -rn --include='*.ts' 'export' src",
  "grep -E 'one|two' README.md",
  "grep -A 3 -B 3 'greet' src/main.ts",
  'rg greet',
  'rg -n greet src',
  "rg -l 'export function' src",
  'rg --files src',
  "find . -name '*.ts'",
  'find . -type f',
  'find src -type f',
  "find . -type f -name '*.md'",
  'find . -maxdepth 2 -type d',
  'find . -name node_modules -prune -o -print',
  "find src -name '*.ts' | sort",
  "find src -name '*.ts' | wc -l",
  'tree',
  'tree -L 2',
  'du -sh .',
  'du -sh src test',
  'df -h .',
  'stat README.md',
  'file README.md',
  'md5sum README.md',
  'sha256sum README.md',
  'diff src/main.ts src/greet.ts',
  'diff -u src/main.ts src/greet.ts',
  'cmp src/main.ts src/greet.ts',
  'sort docs/words.txt',
  'sort -u docs/words.txt',
  'sort docs/words.txt | uniq -c',
  'sort docs/words.txt | uniq -c | sort -rn | head -n 10',
  "cut -d ',' -f 1 docs/table.csv",
  "cut -d ',' -f 2 docs/table.csv | sort | uniq",
  'basename src/main.ts',
  'dirname src/main.ts',
  'realpath src',
  'test -f README.md && echo yes',
  'echo hello',
  "printf '%s\\n' hello",
  'date',
  'date +%Y-%m-%d',
  'uname -a',
  'whoami',
  'id',
  'which node',
  'node --version',
  'npm --version',
  'git --version',
  'python3 --version',
  'git status',
  'git status --short',
  'git status -sb',
  'git log',
  'git log --oneline',
  'git log --oneline -10',
  'git log --oneline -n 5',
  'git log --stat -3',
  'git log --oneline src/main.ts',
  'git branch',
  'git branch -a',
  'git branch --show-current',
  'git diff',
  'git diff --stat',
  'git diff --name-only HEAD',
  'git show --stat HEAD',
  'git ls-files',
  'git rev-parse --abbrev-ref HEAD',
  'git remote -v',
  'cd src && ls',
];

/** Those of them that a person is still asked about, and why nobody has made them quiet. */
const asked = [
  // It reads the settings of the folder first, which can name programs.
  'npm --version',
];

test('of a hundred everyday commands no more than this one asks', async () => {
  const { call, root } = await toolWorkspace(
    {
      'README.md': 'one\n',
      'CHANGELOG.md': 'two\n',
      'src/main.ts': 'greet();\n',
      'src/greet.ts': 'export function greet() {}\n',
      'test/a.ts': '',
      'docs/words.txt': 'a\n',
      'docs/table.csv': 'a,b\n',
    },
    // Programs that a person has besides the system's are another matter.
    { host: { ...process.env, PATH: '/usr/bin:/bin' } },
  );
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root });
  const asking: string[] = [];
  for (const command of everyday) {
    if (command === 'git diff') {
      git('init', '-q');
      git('add', '.');
      git('commit', '-qm', 'one');
    }
    const { asked: questions } = await call('run_command', { command }, { decide: deny() });
    if (questions[0]?.allowReason === undefined) asking.push(command);
  }
  expect([new Set(everyday).size, asked.length]).toEqual([100, 1]);
  expect(asking.filter((command) => !asked.includes(command))).toEqual([]);
});
