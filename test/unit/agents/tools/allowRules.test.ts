import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/clock.js';
import type { LogRecord } from '../../../../src/core/record.js';
import type { AllowedBy, RunApprovalPolicy } from '../../../../src/core/ports/approvals.js';
import { Recorder } from '../../../../src/core/record/recorder.js';
import { ApprovalDecider } from '../../../../src/agents/loop/approvalDecider.js';
import { judgeCommand } from '../../../../src/agents/tools/command/decide.js';
import { programs } from '../../../../src/agents/tools/command/policy/programs.js';
import {
  allowedByRules,
  MAX_RULES,
  readAllowRules,
  readRule,
} from '../../../../src/agents/tools/rules/allowRules.js';
import { dailyWork } from './dailyCommands.js';
import { hostileCommands } from './hostileCommands.js';
import { deny, toolWorkspace } from './toolHarness.js';
import { inRuns, runs } from '../../../support/fixedInputs.js';

const run = promisify(execFile);
const command = (text: string) => ({ tool: 'run_command', command: text });
const allows = (rules: readonly object[], line: string) =>
  allowedByRules(readAllowRules(rules).rules, 'run_command', { kind: 'command', line }) !== undefined;
const writes = (path: string, file: string, tool = 'write_file') =>
  allowedByRules(readAllowRules([{ tool, path }]).rules, 'write_file', { kind: 'write', path: file }) !==
  undefined;

describe('a rule', () => {
  test.each([
    ['npm test', 'run_command: npm test'],
    ['  npm   "run" lint', 'run_command: npm run lint'],
    ['node scripts/build.mjs', 'run_command: node scripts/build.mjs'],
    ["git commit -m 'a b'", "run_command: git commit -m 'a b'"],
  ])('for %s is read as the shell reads it', (text, words) => {
    expect(readRule(command(text))).toMatchObject({ kind: 'command', text: words });
  });

  test.each<readonly [entry: unknown, why: string | RegExp]>([
    [7, 'no object'],
    [{}, '"tool"'],
    [{ tool: 'run_command' }, 'needs "command"'],
    [{ tool: 'write_file' }, 'needs "path"'],
    [{ tool: 'write_file', path: 'src/', command: 'x' }, 'run_command alone'],
    [{ tool: 'run_command', command: 'npm test', path: 'src/' }, 'no "path"'],
    [{ tool: 'oven', path: 'src/' }, 'write_file and edit_file alone'],
    [{ tool: 'oven', anything: 1 }, '"anything"'],
    [{ tool: 'o ven' }, 'no name of a tool'],
    ...[
      '',
      ' ',
      'npm test && ls',
      'npm test; ls',
      'npm test | tail',
      'npm test &',
      'npm test > a',
      '$X test',

      'npm $X',
      'npm *',
      'X=1 npm test',
      '(npm test)',
      '! npm test',
      'npm test # x',
      'npm \\test',
      'npm te\u200bst',
    ].map((text) => [command(text), 'one program with plain words'] as const),
    ...['bash run.sh', 'sh -c x', 'env npm test', 'xargs rm', 'timeout 5 npm test', 'eval ls', 'sudo ls'].map(
      (text) => [command(text), /runs other programs|always asks/] as const,
    ),
    ...['node', 'python3', 'node -e x', 'python3 -c x', 'perl'].map(
      (text) => [command(text), /can run anything|always asks/] as const,
    ),
    ...['./run.sh', '/bin/ls', 'node_modules/.bin/eslint .'].map(
      (text) => [command(text), 'by its path'] as const,
    ),
    ...['unheardof x', 'curl x'].map((text) => [command(text), 'always asks'] as const),
    ...[
      '',
      '/',
      '/etc/',
      '../a',
      'a/../b',
      './a',
      'a//b',
      'src/*',
      'a?b',
      'a\\b',
      '~/a',
      'c:/a',
      'a\u202eb',
    ].map((path) => [{ tool: 'write_file', path }, 'no plain path'] as const),
  ])('%j allows nothing, and says why', (entry, why) => {
    expect(readRule(entry)).toEqual(expect.stringMatching(why));
    expect(readAllowRules([entry]).problems).toHaveLength(1);
  });

  test('beyond the most that are read allows nothing, which is told', () => {
    const { rules, problems } = readAllowRules(Array(MAX_RULES + 1).fill(command('npm test')));
    expect([rules.length, problems.length]).toEqual([MAX_RULES, 1]);
    expect(readAllowRules({ 0: command('npm test') })).toMatchObject({
      rules: [],
      problems: ['It is no list.'],
    });
  });
});

describe('a command rule', () => {
  const rules = [command('npm test'), command('npm run lint'), command('git add')];

  test.each([
    'npm test',
    'npm  test',
    "'npm' test",
    'npm test -- --watch=false',
    'npm test src/a.test.ts',

    'npm test && npm run lint',
    'npm test; git add -A',
    'npm test 2>&1 | tail -20',
    'npm test | grep fail | wc -l',
    'npm test || echo failed',
    'npm run lint >/dev/null',
    'npm test\nnpm run lint',
  ])('lets through what it names: %s', (line) => {
    expect(allows(rules, line)).toBe(true);
  });

  test.each([
    'npm',
    'npm testing',
    'npm run',
    'npm run lint:fix',
    'npm tes',
    'NPM test',
    'npm Test',
    'npm\u00a0test',

    'nрm test',
    'npm te\u0301st',
    'npm test\u200b',
    'ｎpm test',
    './npm test',
    '/usr/bin/npm test',
    'bin/npm test',
    'npm -g test',
    'npm --prefix x test',
    'npm install',
    'git -c a=b add',
    'git commit',
    'echo npm test',

    'npm test && rm a',
    'npm test; rm a',
    'npm test & rm a',
    'npm test | rm a',
    'npm test || rm a',
    'rm a && npm test',

    'npm test\nrm a',
    'npm test &',
    'npm test > a',
    'npm test >> a',
    'npm test < a',
    'npm test 2> a',
    'npm test <<< a',

    'npm test $(rm a)',
    'npm test `rm a`',
    'npm test "$(rm a)"',
    'npm test <(rm a)',
    'npm test ${X:-a}',
    'npm $X',

    'npm test $X',
    'npm test "$HOME"',
    'npm test *',
    'npm test src/*.ts',
    'npm test {a,b}',
    'npm test ~',
    '{npm,rm} test',

    'X=1 npm test',
    'PATH=. npm test',
    'env npm test',
    'time npm test',
    '! npm test',
    'exec npm test',
    'npm te\\st',

    '(npm test)',
    '{ npm test; }',
    'if npm test; then rm a; fi',
    'for i in a; do npm test; done',
    'npm() { rm a; }; npm test',

    'npm test # x',
    'alias npm=rm; npm test',
    'npm test;;',
    'npm test | tee a',
    'npm test | xargs rm',
    'npm test | sh',

    'npm test | cat a',
    'npm test && cat a',
    'npm test | grep x a',
    'cd x && npm test',
    "npm t'es't && rm a",
    'tail -20',
    '',

    "npm 'test rm'",
    'npm "test"x',
    `npm test ${'x'.repeat(9_000)}`,
    '[[ npm test ]]',
    'npm test |& rm a',
    'coproc npm test',
  ])('asks about what it does not name: %s', (line) => {
    expect(allows(rules, line)).toBe(false);
  });

  test('allows only the tool that it names', () => {
    const { rules: read } = readAllowRules([{ tool: 'oven' }, command('npm test')]);
    expect(allowedByRules(read, 'oven', { kind: 'call' })).toBe('oven');
    expect(allowedByRules(read, 'Oven', { kind: 'call' })).toBeUndefined();
    expect(allowedByRules(read, 'run_command', { kind: 'call' })).toBeUndefined();
    expect(allowedByRules(read, 'oven2', { kind: 'command', line: 'npm test' })).toBeUndefined();
  });
});

test('a path rule allows a file, or what lies below a folder, letter by letter', () => {
  for (const file of ['src/a.ts', 'src/b/c.ts']) expect(writes('src/', file)).toBe(true);
  expect(writes('docs/guide.md', 'docs/guide.md')).toBe(true);
  const others = [
    'src',
    'src/',
    'srcs/a.ts',
    'SRC/a.ts',
    'src\\a.ts',
    'src/../.env',
    'a/src/b.ts',
    '/src/a.ts',
    '',
    'ѕrc/a.ts',
  ];
  for (const file of others) expect([file, writes('src/', file)]).toEqual([file, false]);
  for (const file of ['docs/guide.md/x', 'docs/guide.mdx', 'docs/Guide.md', 'guide.md']) {
    expect([file, writes('docs/guide.md', file)]).toEqual([file, false]);
  }
  expect(writes('src/', 'src/a.ts', 'edit_file')).toBe(false);
});

/** The rules that allow as much as rules can: every program by its name and with each first word that occurs. */
function broadest(lines: readonly string[]): readonly object[] {
  const words = lines.flatMap((line) => {
    const [name = '', first = ''] = line.split(/\s+/);
    return [name, `${name} ${first}`];
  });
  const rules = [...new Set([...programs.keys(), ...words])].map(command);
  return rules.filter((rule) => typeof readRule(rule) !== 'string');
}

/** Which calls are let through, and by whom; a person who is asked refuses, so that nothing is ever run. */
async function letThrough(
  policy: RunApprovalPolicy,
  rules: readonly object[],
  lines: readonly string[],
): Promise<LogRecord[]> {
  const { call } = await toolWorkspace(
    {
      'a.txt': 'a',
      'b.txt': 'b',
      'run.sh': 'true',
      'src/main.js': '',
      'sub/x.txt': '',
      '.env': 'KEY=1',
      'package.json': '{}',
      'node_modules/.bin/eslint': '',
    },
    { host: { ...process.env, PATH: '/usr/bin:/bin' } },
  );
  const recorder = new Recorder({ conversation: 'c', onListenerFailure: () => undefined });
  const records: LogRecord[] = [];
  recorder.onDidRecord((record) => records.push(record));
  const read: ReturnType<typeof readAllowRules>[] = [];
  for (let at = 0; at < rules.length; at += MAX_RULES)
    read.push(readAllowRules(rules.slice(at, at + MAX_RULES)));
  const known = read.flatMap((each) => each.rules);
  const decider = new ApprovalDecider({
    policy,
    messageLog: recorder,
    clock: systemClock,
    ask: () => Promise.resolve({ approved: false }),
    allowedBy: (tool, action) => allowedByRules(known, tool, action),
  });
  const decide: typeof decider.decide = async (request) => {
    await decider.decide(request);
    return deny()();
  };
  for (const line of lines) await call('run_command', { command: line }, { decide });
  return records.filter((record) => record.type === 'approval' && record.decision === 'approved');
}

describe('whatever rules there are', () => {
  const hostile = Object.values(hostileCommands).flat();

  test('no hostile command runs unasked', async () => {
    expect(await letThrough('ask', broadest(hostile), hostile)).toEqual([]);
  });

  test('they let through only what would run if everything were approved, and all of it that they name', async () => {
    const rules = broadest(dailyWork);
    const lines = (records: readonly LogRecord[], by?: string) =>
      records.flatMap((record) =>
        record.type === 'approval' && (by === undefined || record.decidedBy === by)
          ? [record.subject.split('\n\nin ')[0]]
          : [],
      );
    const ruled = lines(await letThrough('ask', rules, dailyWork), 'rule');
    const all = new Set(lines(await letThrough('approveAll', [], dailyWork)));
    expect(ruled.filter((line) => !all.has(line))).toEqual([]);
    expect(ruled.length).toBeGreaterThan(dailyWork.length / 2);
  });

  test('nothing that always asks by its text is allowed, where the gate comes first', async () => {
    const part = fc.constantFrom(...dailyWork.slice(0, 120), ...hostile.slice(0, 200));
    const joint = fc.constantFrom(' && ', '; ', ' | ', ' || ', '\n', ' & ');
    const lines = fc.sample(
      fc.tuple(part, joint, part).map((parts) => parts.join('')),
      { numRuns: runs(150) },
    );
    const asks = lines.filter((line) => judgeCommand(line).kind === 'ask');
    expect(asks.length).toBeGreaterThan(inRuns(15));
    expect(await letThrough('ask', broadest(lines), asks)).toEqual([]);
  });

  test('rejecting everything rejects what they name', async () => {
    expect(await letThrough('rejectAll', [command('npm test')], ['npm test'])).toEqual([]);
  });
});

describe('in a real shell', () => {
  let folder = '';
  const names = ['npm', 'git', 'rm', 'evil', 'touch', 'tee', 'xargs', 'sh', 'tail', 'grep'];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rules-'));
    await mkdir(join(folder, 'bin'));
    for (const name of names) {
      const file = join(folder, 'bin', name);
      await writeFile(file, `#!/bin/bash\nprintf '%s\\n' "\${0##*/} $*" >> "${folder}/ran"\n`);
      await chmod(file, 0o755);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('what is let through runs the programs that are named, and none besides that only looks', async () => {
    const rules = [command('npm test'), command('git add')];
    const token = fc.constantFrom(
      'npm',
      'test',
      'git',
      'add',
      'evil',
      'rm',
      'touch',
      'tail',
      '-20',
      'grep',
      'x',
      'sh',
      'npm test',
      'git add',
      '&&',
      '||',
      '|',
      ';',
      '&',
      '\n',
      '>',
      '>>',
      '<',
      '2>&1',
      '>/dev/null',
      '(',
      ')',
      '{',
      '}',
      '!',
      '#',
      '\\',
      '`',
      '$(evil)',
      '`evil`',
      '<(evil)',
      '$X',
      '"$X"',
      "'npm'",
      '"npm test"',
      'X=evil',
      '*',
      '~',
      "$'evil'",
      '${X:-evil}',
      'then',
      'if',
      'do',
      'time',
      'exec',
      'eval',
      'coproc',
      '[[',
      ']]',
      '\u00a0',
      '\u200b',
      '\\\n',
      "'",
      '"',
      ';;',
    );
    const lines = fc
      .sample(fc.array(token, { minLength: 1, maxLength: 7 }), { numRuns: runs(25_000) })
      .map((tokens) => tokens.join(' '));
    const through = [...new Set(lines)].filter((line) => allows(rules, line)).slice(0, runs(80));
    expect(through.length).toBeGreaterThan(inRuns(20));
    const bash = { cwd: folder, env: { PATH: join(folder, 'bin') }, shell: false } as const;
    for (const line of through) {
      await writeFile(join(folder, 'ran'), '');
      await run('/bin/bash', ['--noprofile', '--norc', '-c', line], bash).catch((error: unknown) => error);
      const ran = (await readFile(join(folder, 'ran'), 'utf8')).split('\n').filter((each) => each !== '');
      const unnamed = ran.filter((each) => !/^(npm test|git add)( |$)|^(tail|grep)( |$)/.test(each));
      expect([line, unnamed]).toEqual([line, []]);
    }
  });
});

test('a rule sees where a link leads, and not what it is called', async () => {
  const { call, root } = await toolWorkspace({ 'src/a.ts': '', 'docs/b.md': '' });
  await symlink(join(root, 'docs'), join(root, 'src/linked'));
  const seen: (string | undefined)[] = [];
  const { rules } = readAllowRules([{ tool: 'write_file', path: 'src/' }]);
  const decide: Parameters<typeof call>[2] = {
    decide: (request) => {
      seen.push(
        request.askReason === undefined && request.action
          ? allowedByRules(rules, request.toolName, request.action)
          : 'asks',
      );
      return deny()();
    },
  };
  await call('write_file', { path: 'src/new.ts', content: 'x' }, decide);
  await call('write_file', { path: 'src/linked/new.md', content: 'x' }, decide);
  await call('write_file', { path: './src/../src/deep/new.ts', content: 'x' }, decide);
  await call('write_file', { path: 'src/.env', content: 'x' }, decide);
  expect(seen).toEqual(['write_file: src/', undefined, 'write_file: src/', 'asks']);
});

test('what a rule has approved counts as read by nobody', async () => {
  const { call, seen } = await toolWorkspace({});
  const byRule: AllowedBy = () => 'write_file: src/';
  const decide: Parameters<typeof call>[2] = {
    decide: ({ toolName, action }) => ({
      approved: true,
      decidedBy: 'rule' as const,
      rule: (action && byRule(toolName, action)) ?? '',
    }),
  };
  await call('write_file', { path: 'src/new.ts', content: 'x' }, decide);
  expect(seen.unreviewed()).toHaveLength(1);
});
