import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentLogbook } from '../../../support/commandLine.js';
import { temporaryFolder } from '../../../support/storeFixture.js';
import { committedFile, writtenFile } from '../../../support/writtenFile.js';

test('a line is led back to the prompt that it was written for', async () => {
  const cwd = await writtenFile();
  const { code, json } = await agentLogbook(['blame', 'a.ts', 's1.jsonl', '--json'], { cwd });
  expect(code).toBe(0);
  expect(json).toMatchObject([
    { kind: 'line', file: 'a.ts', line: 1, text: 'one' },
    {
      line: 2,
      text: 'two',
      session: 's1',
      asked: 'Add a second line',
      tool: 'Edit',
      callId: 't1',
      prompt: 0,
      position: 1,
    },
    { line: 3, text: 'three' },
    { kind: 'blame', file: 'a.ts', lines: 3, proved: 1, sessions: 1, edits: 1, versions: 0 },
  ]);
  expect(json[0]).not.toHaveProperty('session');
  const { out, err } = await agentLogbook(['blame', 'a.ts:2', 's1.jsonl'], { cwd });
  expect(out).toContain('Add a second line');
  expect(err).toContain('1 of 1 line');
});

test.each([
  [['blame', 'gone.ts', 's1.jsonl'], 'gone.ts cannot be read'],
  [['blame', 'a.ts:9', 's1.jsonl'], 'a.ts has 3 lines; there is no line 9'],
  [['blame', 'a.ts:3-2', 's1.jsonl'], 'a.ts:3-2 names no lines'],
])('%j is refused: %s', async (words, reason) => {
  const { code, err } = await agentLogbook(words, { cwd: await writtenFile() });
  expect(code).toBe(2);
  expect(err).toContain(reason);
});

test('the lines of a committed file are told in the forms of other programs', async () => {
  const { cwd, git } = await committedFile();
  const as = (form: string) => agentLogbook(['blame', 'a.ts', 's1.jsonl', '--as', form], { cwd });
  await writeFile(join(cwd, 'a.ts'), 'zero\n');
  expect(await as('git-ai')).toMatchObject({ code: 2, err: expect.stringContaining('is not as the commit') });
  git('checkout', '-q', 'a.ts');
  const head = git('rev-parse', 'HEAD').trim();
  // The first 14 digits of the SHA-256 of `claude:s1`, as git-ai computes it.
  const session = `s_${createHash('sha256').update('claude:s1').digest('hex').slice(0, 14)}`;
  const [attested = '', told = ''] = (await as('git-ai')).out.split('---\n');
  expect(attested).toMatch(new RegExp(`^a\\.ts\n  ${session}::t_[0-9a-f]{14} 2\n$`));
  expect(JSON.parse(told)).toMatchObject({
    schema_version: 'authorship/3.0.0',
    base_commit_sha: head,
    sessions: { [session]: { agent_id: { tool: 'claude', id: 's1', model: 'claude-x' } } },
  });
  expect(JSON.parse((await as('agent-trace')).out)).toMatchObject({
    version: '0.1.0',
    vcs: { type: 'git', revision: head },
    files: [
      {
        path: 'a.ts',
        conversations: [{ contributor: { type: 'ai' }, ranges: [{ start_line: 2, end_line: 2 }] }],
      },
    ],
  });
});

test('what other programs tell is told as theirs, and leads to the session that is on this machine', async () => {
  const { cwd, git } = await committedFile();
  const key = `s_${createHash('sha256').update('claude:s1').digest('hex').slice(0, 14)}`;
  const agent = { tool: 'claude', id: 's1', model: 'claude-x' };
  const note = `a.ts\n  ${key}::t_00112233445566 2-3\n---\n${JSON.stringify({ sessions: { [key]: { agent_id: agent } } })}`;
  git('notes', '--ref=ai', 'add', '-m', note);
  const { json } = await agentLogbook(['blame', 'a.ts', 's1.jsonl', '--json'], { cwd });
  // What a session proves goes before what a note says.
  expect(json[1]).toMatchObject({ line: 2, callId: 't1' });
  expect(json[1]).not.toHaveProperty('toldBy');
  expect(json[2]).toMatchObject({
    line: 3,
    toldBy: 'git-ai',
    tool: 'claude',
    session: 's1',
    title: 'Add a second line',
  });
  expect(json[3]).toMatchObject({ proved: 1, told: 1 });
  const { out, err } = await agentLogbook(['blame', 'a.ts:3', 's1.jsonl'], { cwd });
  expect(out).toContain('git-ai, by its note on a commit');
  expect(err).toContain('Another program tells it of 1 more line.');
});

test('the records of Agent Trace in a file are read, and those that this program writes as well', async () => {
  const { cwd } = await committedFile();
  const { out } = await agentLogbook(['blame', 'a.ts', 's1.jsonl', '--as', 'agent-trace'], { cwd });
  await writeFile(join(cwd, 'traces.jsonl'), out);
  const empty = JSON.stringify({
    type: 'user',
    sessionId: 's2',
    uuid: 'u1',
    message: { role: 'user', content: 'Hello' },
  });
  await writeFile(join(cwd, 's2.jsonl'), empty);
  const { json } = await agentLogbook(['blame', 'a.ts', 's2.jsonl', '--trace', 'traces.jsonl', '--json'], {
    cwd,
  });
  expect(json[1]).toMatchObject({ line: 2, toldBy: 'agent-trace', tool: 'claude', toolSession: 's1' });
  expect(json[2]).not.toHaveProperty('toldBy');
  expect(await agentLogbook(['blame', 'a.ts', 's2.jsonl', '--trace', 'gone.jsonl'], { cwd })).toMatchObject({
    code: 2,
    err: expect.stringContaining('gone.jsonl cannot be read'),
  });
});

test('what is kept of sessions and of git answers as reading does, and as they are now', async () => {
  const { cwd, git } = await committedFile();
  const cache = await temporaryFolder();
  const ask = (kept?: string) => agentLogbook(['blame', 'a.ts', 's1.jsonl', '--json'], { cwd, cache: kept });
  const expectSame = async () => {
    const expected = await ask();
    expect([await ask(cache), await ask(cache)]).toEqual([expected, expected]);
    return expected.json.map(({ callId }) => callId);
  };
  expect(await expectSame()).toEqual([undefined, 't1', undefined, undefined]);
  await writeFile(join(cwd, 'a.ts'), 'zero\none\ntwo\nthree\n');
  git('commit', '-q', '-a', '-m', 'zero');
  expect(await expectSame()).toEqual([undefined, undefined, 't1', undefined, undefined]);
  const session = await readFile(join(cwd, 's1.jsonl'), 'utf8');
  await writeFile(join(cwd, 's1.jsonl'), session.replaceAll('t1', 't2'));
  expect(await expectSame()).toEqual([undefined, undefined, 't2', undefined, undefined]);
});

test('a list says how many of the lines of each session are still there', async () => {
  const cwd = await writtenFile();
  const ask = async () => (await agentLogbook(['list', 's1.jsonl', '--kept', '--json'], { cwd })).json[0];
  expect(await ask()).toMatchObject({ session: 's1', linesPut: 1, linesKept: 1 });
  expect((await agentLogbook(['list', 's1.jsonl', '--kept'], { cwd })).out).toContain('1 of 1');
  await writeFile(join(cwd, 'a.ts'), 'one\nthree\n');
  expect(await ask()).toMatchObject({ linesPut: 1, linesKept: 0 });
  expect((await agentLogbook(['list', 's1.jsonl', '--json'], { cwd })).json[0]).not.toHaveProperty(
    'linesPut',
  );
});

test('each edit of a call counts, and those that another session tells again do not', async () => {
  const cwd = await temporaryFolder();
  const path = join(cwd, 'a.ts');
  const call = (id: string, name: string, input: object) => [
    {
      type: 'assistant',
      uuid: `${id}-1`,
      message: { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
    },
    {
      type: 'user',
      uuid: `${id}-2`,
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] },
    },
  ];
  const edits = [
    { old_string: 'beta line', new_string: 'beta line of two' },
    { old_string: 'gamma line', new_string: 'gamma line of two' },
  ];
  const records = [
    { type: 'user', uuid: 'u1', message: { role: 'user', content: 'Write it' } },
    ...call('t1', 'Write', { file_path: path, content: 'alpha line\nbeta line\ngamma line\n' }),
    ...call('t2', 'MultiEdit', { file_path: path, edits }),
  ];
  for (const sessionId of ['s1', 's2']) {
    const base = { sessionId, cwd, version: '2.1.0', timestamp: '2026-03-01T10:00:00.000Z' };
    const lines = records.map((record) => JSON.stringify({ ...base, ...record }));
    await writeFile(join(cwd, `${sessionId}.jsonl`), lines.join('\n'));
  }
  await writeFile(path, 'alpha line\nbeta line of two\ngamma line of two\n');
  const cache = await temporaryFolder();
  for (const kept of [undefined, cache, cache]) {
    const { json } = await agentLogbook(['blame', 'a.ts', 's1.jsonl', 's2.jsonl', '--json'], {
      cwd,
      cache: kept,
    });
    expect(json.map(({ callId }) => callId)).toEqual(['t1', 't2', 't2', undefined]);
    const list = await agentLogbook(['list', 's1.jsonl', 's2.jsonl', '--kept', '--json'], {
      cwd,
      cache: kept,
    });
    expect(list.json).toMatchObject([
      { session: 's1', linesPut: 5, linesKept: 3 },
      { session: 's2', linesPut: 0, linesKept: 0 },
    ]);
  }
});

/** A session that thinks, edits a file, looks around, and runs a command with an answer. */
async function testedSession(command: string, answer: string, isError = false): Promise<string> {
  const cwd = await temporaryFolder();
  const path = join(cwd, 'a.ts');
  const base = { sessionId: 's1', cwd, version: '2.1.0', timestamp: '2026-03-01T10:00:00.000Z' };
  const calls = (id: string, name: string, input: object, thinking?: string) => ({
    type: 'assistant',
    uuid: `${id}-1`,
    message: {
      id: `msg_${id}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      usage: { input_tokens: 10_000, output_tokens: 0 },
      content: [
        ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: 'x' }]),
        { type: 'tool_use', id, name, input },
      ],
    },
  });
  const answers = (id: string, content: string, is_error = false) => ({
    type: 'user',
    uuid: `${id}-2`,
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
  });
  const records = [
    { type: 'user', uuid: 'u1', message: { role: 'user', content: 'Write it' } },
    calls('t1', 'Write', { file_path: path, content: 'alpha line\n' }, 'One line says it all.'),
    answers('t1', 'done'),
    calls('t2', 'Bash', { command: 'git commit -m "then npm test"' }),
    answers('t2', 'done'),
    calls('t3', 'Bash', { command }),
    answers('t3', answer, isError),
    calls('t4', 'Bash', { command: 'npm test' }),
    answers('t4', 'ok'),
  ];
  await writeFile(
    join(cwd, 's1.jsonl'),
    records.map((record) => JSON.stringify({ ...base, ...record })).join('\n'),
  );
  await writeFile(path, 'alpha line\n');
  return cwd;
}

test.each([
  ['npx vitest run a.test.ts', 'ok', false, 'npx vitest run a.test.ts: no failure is told'],
  ['cd here && CI=1 npm run test:unit', 'Exit code 1', true, 'cd here && CI=1 npm run test:unit: failed'],
  ['python -m pytest -q', 'Exit code 2', false, 'python -m pytest -q: failed'],
  ['cat pytest.ini', 'ok', false, 'npm test: no failure is told'],
  // That something is called so makes it no test.
  [
    [
      'node scripts/deploy.js --env test',
      'node --no-warnings deploy.js --test',
      'npm install --save-dev test',
      'npm publish --tag test',
      'npm -w test run build',
      'cargo new test',
      'make -C test install',
    ].join(' && '),
    'ok',
    false,
    'npm test: no failure is told',
  ],
  ['yarn workspace oven run test', 'ok', false, 'yarn workspace oven run test: no failure is told'],
  ['pnpm -r --filter oven test', 'ok', false, 'pnpm -r --filter oven test: no failure is told'],
  ['node --import tsx --test a.js', 'ok', false, 'node --import tsx --test a.js: no failure is told'],
  ['mvn -B clean test', 'ok', false, 'mvn -B clean test: no failure is told'],
])(
  'a line is told with what its agent thought, what it cost and the test behind it: %s',
  async (command, answer, isError, tested) => {
    const cwd = await testedSession(command, answer, isError);
    const { json } = await agentLogbook(['blame', 'a.ts:1', 's1.jsonl', '--json'], { cwd });
    expect(json.filter(({ kind }) => kind === 'why')).toMatchObject([
      { step: 'asked', position: 0, text: 'Write it' },
      { step: 'thought', position: 1, text: 'One line says it all.' },
      { step: 'done', position: 1, text: expect.stringContaining('Write') },
      { step: 'tested', text: tested },
    ]);
    const { out } = await agentLogbook(['blame', 'a.ts:1', 's1.jsonl'], { cwd });
    expect(out).toMatch(/Thought +One line says it all\./);
    expect(out).toContain(tested);
    expect(out).toMatch(/Cost +~?\$0\.03/);
    // A whole file is told without that.
    const whole = await agentLogbook(['blame', 'a.ts', 's1.jsonl', '--json'], { cwd });
    expect(whole.json.some(({ kind }) => kind === 'why')).toBe(false);
  },
);

test('an export says how many of its lines still stand, where that is wanted', async () => {
  const cwd = await writtenFile();
  const ask = (...words: string[]) => agentLogbook(['export', 's1.jsonl', ...words], { cwd });
  expect((await ask('--kept')).out).toContain('kept 1 of 1 line');
  const whole = JSON.parse((await ask('--kept', '--format', 'json')).out) as unknown[];
  expect(whole.at(-1)).toMatchObject({ lines: { put: 1, kept: 1 } });
  expect((await ask()).out).not.toContain('kept 1 of 1');
  await ask('--kept', '--format', 'html', '-o', 'pages/');
  expect(await readFile(join(cwd, 'pages', 'Add a second line.html'), 'utf8')).toContain('kept 1 of 1 line');
  // What a store holds is proved by all of it.
  await agentLogbook(['import', 's1.jsonl'], { cwd });
  await writeFile(join(cwd, 'a.ts'), 'one\nthree\n');
  const stored = await agentLogbook(['export', 'latest', '--kept'], { cwd });
  expect(stored.out).toContain('kept 0 of 1 line');
  for (const words of [
    ['--format', 'csv'],
    ['--where', 'two'],
    ['--format', 'parquet', '-o', 'new'],
  ])
    expect(await ask('--kept', ...words)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--kept is'),
    });
});
