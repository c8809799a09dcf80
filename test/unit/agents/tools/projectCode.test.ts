import { writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ApprovalDecision } from '../../../../src/core/ports/approvals.js';
import { runsProjectCode } from '../../../../src/agents/tools/command/decide.js';
import { approve, deny, toolWorkspace } from './toolHarness.js';

const files = {
  'package.json': '{"scripts":{"test":"node a.test.js"}}',
  'a.test.js': "require('./lib/a.js')\n",
  'lib/a.js': 'exports.a = 1;\n',
  Makefile: 'test:\n\ttrue\n',
  'tests/test_a.py': '',
  'node_modules/.bin/eslint': '',
};
/** Everything that may be approved is, by the settings; what must be asked is denied. */
const byPolicy = {
  decide: ({ askReason }: { askReason?: string }): ApprovalDecision => ({
    approved: askReason === undefined,
    decidedBy: askReason === undefined ? 'policy' : 'user',
  }),
};

async function project() {
  const made = await toolWorkspace(files);
  const edit = (path: string, oldText: string, newText: string, options = byPolicy as object) =>
    made.call('edit_file', { path, old_text: oldText, new_text: newText }, options);
  const questionFor = async (command: string) =>
    (await made.call('run_command', { command }, { decide: deny() })).asked[0];
  return {
    ...made,
    edit,
    whyOf: async (command: string) => (await questionFor(command))?.askReason,
    questionFor,
  };
}

const NOBODY = 'nobody has yet looked at';

describe('where everything is approved, code that an agent has changed asks before the project runs it', () => {
  test.each([
    'npm test',
    'npm run build',
    'yarn test',
    'pnpm -r test',
    'npx eslint src',
    'make',
    'make -j4 test',
    'pytest -q',
    'python3 -m pytest',
    'python3 tests/test_a.py',
    'node a.test.js',
    './run.sh',
    'bash run.sh',
    'cargo test',
    'go test ./...',
    './gradlew build',
    'mvn -q test',
    'env CI=1 npm test',
    'timeout 60 make',
    "bash -c 'npm test'",
    'cd lib && npm test',
    'true && (make)',
    'if true; then npm test; fi',
    'poetry run pytest',
    'vitest run',
    'jest',
  ])('%s', async (command) => {
    const { edit, whyOf } = await project();
    expect((await whyOf(command)) ?? '').not.toContain(NOBODY);
    await edit('lib/a.js', '1', '2');
    expect(await whyOf(command)).toContain(`${NOBODY} what agents changed: 'lib/a.js'`);
  });

  test.each([
    'git diff',
    'ls -la',
    'tsc --noEmit',
    'npm ls',
    'go vet ./...',
    'cargo fmt',
    'git status',
    'echo npm test',
    'grep -rn node lib',
    'node --version',
  ])('%s runs nothing of the project', async (command) => {
    const { edit, whyOf } = await project();
    await edit('lib/a.js', '1', '2');
    expect((await whyOf(command)) ?? '').not.toContain(NOBODY);
  });

  test('the question shows the change itself, and whoever has approved it is not asked again', async () => {
    const { call, edit, whyOf, questionFor } = await project();
    await edit('lib/a.js', '1', 'evil()');
    const question = await questionFor('npm test');
    expect(question?.subject).toContain('lib/a.js\nline 1\n-exports.a = 1;\n+exports.a = evil();');
    await call('run_command', { command: 'npm test' }, { decide: approve });
    expect(await whyOf('npm test')).toBeUndefined();
    await edit('lib/a.js', 'evil()', 'worse()');
    expect(await whyOf('make')).toContain(NOBODY);
  });

  test('a denial shows nothing to anybody who agreed: it asks again', async () => {
    const { edit, whyOf } = await project();
    await edit('lib/a.js', '1', '2');
    expect(await whyOf('npm test')).toContain(NOBODY);
    expect(await whyOf('npm test')).toContain(NOBODY);
  });

  test('what a person has approved with its text is looked at', async () => {
    const { call, edit, whyOf } = await project();
    await edit('lib/a.js', '1', '2', { decide: approve });
    await call('write_file', { path: 'lib/b.js', content: 'x' }, { decide: approve });
    await call('run_command', { command: 'echo x > lib/c.js' }, { decide: approve });
    expect(await whyOf('npm test')).toBeUndefined();
  });

  test('files that commands write count too', async () => {
    const { call, whyOf, questionFor } = await project();
    const command = "sed -i 's/1/evil/' lib/a.js";
    await call('run_command', { command }, byPolicy);
    expect(await whyOf('npm test')).toContain("'lib/a.js'");
    expect((await questionFor('npm test'))?.subject).toContain(`written by: ${command}`);
  });

  test('what changes while the question waits was not shown: nothing runs', async () => {
    const { call, edit, root } = await project();
    await writeFile(join(root, 'run.sh'), 'touch ran\n');
    await edit('lib/a.js', '1', '2');
    const { content, isError } = await call(
      'run_command',
      { command: 'bash run.sh' },
      {
        decide: async () => {
          await edit('lib/a.js', '2', '3');
          return approve();
        },
      },
    );
    expect([isError, content]).toEqual([true, expect.stringContaining('while this waited') as string]);
  });

  test('a commit asks where the repository has hooks, which run the project’s code', async () => {
    const { edit, put, root, whyOf } = await project();
    execFileSync('git', ['init', '-q'], { cwd: root });
    await edit('lib/a.js', '1', '2');
    expect(await whyOf('git commit -am x')).toBeUndefined();
    await put('.git/hooks/pre-commit', 'npm test');
    expect(await whyOf('git commit -am x')).toContain(NOBODY);
  });

  test('many files are named, three of them in the reason', async () => {
    const { call, questionFor } = await project();
    for (let at = 0; at < 5; at++) {
      await call('write_file', { path: `lib/n${at}.js`, content: 'x'.repeat(19_000) }, byPolicy);
    }
    const question = await questionFor('npm test');
    expect(question?.askReason).toContain('and 2 more files');
    for (let at = 0; at < 5; at++) expect(question?.subject).toContain(`lib/n${at}.js`);
    expect(question?.subject).toMatch(/\(\d+ more characters are not shown\)/);
  });
});

test('a program that is known only when it runs may be one of the project', () => {
  expect([runsProjectCode('$X'), runsProjectCode('ls -la'), runsProjectCode('python3 --version')]).toEqual([
    true,
    false,
    false,
  ]);
});
