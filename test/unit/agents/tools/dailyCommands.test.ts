import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/clock.js';
import type { RunApprovalPolicy } from '../../../../src/core/ports/approvals.js';
import { Recorder } from '../../../../src/core/record/recorder.js';
import { ApprovalDecider } from '../../../../src/agents/loop/approvalDecider.js';
import { dailyLooks, dailyWork } from './dailyCommands.js';
import { deny, toolWorkspace } from './toolHarness.js';

const files = {
  'README.md': 'one\n',
  'package.json': '{"name":"a"}',
  'tsconfig.json': '{}',
  Makefile: 'test:\n\ttrue\n',
  'a.txt': 'a',
  'run.sh': 'true',
  gradlew: '',
  'src/main.ts': 'greet();\n',
  'src/greet.ts': 'export function greet() {}\n',
  'docs/words.txt': 'a\n',
  'docs/table.csv': 'a,b\n',
  'node_modules/.bin/eslint': '',
};

/** Which of the commands a person is asked about under this policy, in a repository with two commits; none is run. */
async function asking(policy: RunApprovalPolicy, commands: readonly string[]): Promise<readonly string[]> {
  // Programs that a person has besides the system's are another matter.
  const { call, root } = await toolWorkspace(files, { host: { ...process.env, PATH: '/usr/bin:/bin' } });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root });
  git('init', '-q', '-b', 'main');
  git('add', 'src', 'README.md');
  git('commit', '-qm', 'one');
  git('commit', '-qm', 'two', '--allow-empty');
  git('remote', 'add', 'origin', 'https://example.com/a.git');
  const decider = new ApprovalDecider({
    policy,
    ask: () => Promise.resolve({ approved: false }),
    messageLog: new Recorder({ conversation: 'c', onListenerFailure: () => undefined }),
    clock: systemClock,
  });
  const asked: string[] = [];
  for (const command of commands) {
    const decide: typeof decider.decide = async (request) => {
      const decision = await decider.decide(request);
      if (!decision.approved) asked.push(command);
      return deny()();
    };
    await call('run_command', { command }, { decide });
  }
  return asked;
}

const withGit = test.skipIf(spawnSync('git', ['--version']).status !== 0);

withGit(
  'of 110 commands that look, four ask; fifty did before git was told to run nothing else',
  async () => {
    expect(new Set(dailyLooks).size).toBe(110);
    const asked = await asking('ask', dailyLooks);
    expect(asked).toEqual([
      // What other people's programs were told can hold passwords.
      'ps aux',
      'ps -ef | grep node',
      // It reads the settings of the folder first, which can name programs.
      'npm --version',
      // A folder can be made to look like a repository of its own.
      'cd src && git status',
    ]);
  },
);

withGit('of 223 commands that work, fifteen ask where everything may be approved', async () => {
  expect(new Set(dailyWork).size).toBe(223);
  const asked = await asking('approveAll', dailyWork);
  expect(asked).toEqual([
    // They throw away what was half done.
    'git merge --abort',
    'git rebase --abort',
    // A server of this machine does what it is asked for.
    'curl localhost:3000',
    'curl -s http://localhost:8080/health',
    'kubectl get pods',
    // Whole folders are never deleted unasked.
    'rm -rf dist',
    'rm -rf node_modules',
    'rm -rf coverage',
    // They fetch code and run it.
    'npm ci',
    'npm install',
    'kill %1',
    // What they run or read is known only when they do.
    "find src -name '*.ts' -exec wc -l {} +",
    'grep -rl greet src | xargs grep -n main',
    'diff <(ls src) <(ls docs)',
    'echo $((1 + 2))',
  ]);
});
