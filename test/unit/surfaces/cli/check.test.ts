import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../../../../src/core/ports/log.js';
import { TranscriptStore } from '../../../../src/store/transcriptStore.js';
import { agentLogbook } from '../../../support/commandLine.js';
import { temporaryFolder } from '../../../support/storeFixture.js';
import { StoryTeller } from '../../../support/storyTeller.js';

const KEY = `sk-ant-api03-${'aB3'.repeat(31)}AA`;

interface Made {
  readonly calls?: readonly (readonly [tool: string, args: object])[];
  readonly answer?: string;
}

/** A transcript in which tools are called one after the other. */
function session({ calls = [], answer = 'The factor is upside down.' }: Made): string {
  const messages: object[] = [{ role: 'user', content: 'Why are the cookies so small?' }];
  for (const [at, [name, args]] of calls.entries()) {
    const call = { id: `c${at}`, type: 'function', function: { name, arguments: JSON.stringify(args) } };
    messages.push({ role: 'assistant', content: '', tool_calls: [call] });
    messages.push({ role: 'tool', tool_call_id: `c${at}`, content: 'done' });
  }
  messages.push({ role: 'assistant', content: answer });
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('');
}

const reads: Made = {
  calls: [
    ['read_file', { path: 'log.md' }],
    ['read_file', { path: 'scale.mjs' }],
  ],
};

async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await temporaryFolder();
  for (const [name, text] of Object.entries({ 'run.jsonl': session(reads), ...files }))
    await writeFile(join(cwd, name), text);
  return cwd;
}

async function checked(yaml: string, ...args: string[]) {
  const cwd = await folder({ 'a.logbook.yaml': yaml });
  return { cwd, ...(await agentLogbook(['check', ...args], { cwd })) };
}

const holds = `
tests:
  - name: Reads both files
    session: run.jsonl
    expect:
      toolSequence:
        inOrder: [{ tool: read_file, args: { path: log.md } }, { tool: read_file, args: { path: scale.mjs } }]
      maxErrors: 0
`;

test('what holds passes with 0, what does not fails with 1 and tells line, expected and found', async () => {
  expect(await checked(holds)).toMatchObject({ code: 0, out: expect.stringContaining('1 passed, 0 failed') });
  const { code, out } = await checked(holds.replace('path: log.md', 'path: cup.md'));
  expect(code).toBe(1);
  expect(out).toContain('✗ Reads both files (line 3)');
  expect(out).toContain(
    'toolSequence (line 6): The run never makes the first of these calls, read_file, as expected.',
  );
  expect(out).toContain('  - read_file {"path":"cup.md"}');
  expect(out).toContain('  + read_file {"path":"log.md"}');
});

test('a word that is not known is refused by name with its line and the nearest one, and nothing passes', async () => {
  const { code, out } = await checked(holds.replace('inOrder', 'inOrdr').replace('maxErrors', 'moons'));
  expect(code).toBe(2);
  expect(out).toContain('a.logbook.yaml:7:9: inOrdr is not known here. Did you mean inOrder?');
  expect(out).toContain('a.logbook.yaml:8:7: moons is not known here; known are toolSequence, allowedTools');
  expect(out).toContain('0 passed, 0 failed, 1 could not be tested');
});

test('a run that is not there, a record that is damaged and a folder without files cannot be tested', async () => {
  const gone = await checked(holds.replace('run.jsonl', 'gone.jsonl'));
  expect(gone).toMatchObject({ code: 2, out: expect.stringContaining('There is no file gone.jsonl.') });
  const cwd = await folder({ 'a.logbook.yaml': holds, 'run.jsonl': `${session(reads)}{"role":"assis` });
  expect(await agentLogbook(['check'], { cwd })).toMatchObject({
    code: 2,
    out: expect.stringContaining('run has 1 places that cannot be read, so that it proves nothing.'),
  });
  const empty = await agentLogbook(['check'], { cwd: await temporaryFolder() });
  expect(empty).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no *.logbook.yaml file here'),
  });
});

test('what never happened is vacuous: beside what holds it is told, alone it fails, with --strict it always does', async () => {
  const both = `${holds}      files: { writtenOnly: ['src/**'] }\n`;
  const passed = await checked(both);
  expect(passed).toMatchObject({ code: 0 });
  expect(passed.out).toContain('vacuous: files.writtenOnly (line 9): No call writes a file.');
  expect(await checked(both, '--strict')).toMatchObject({ code: 1 });
  const alone = holds.replace(/ {6}toolSequence[^]*/, '      approvals: { by: user }\n');
  expect(await checked(alone)).toMatchObject({
    code: 1,
    out: expect.stringContaining('Nothing was tested: No call was decided on, so that nobody decided.'),
  });
});

test('a question must find none, some, or so many, and of no session it cannot be tested', async () => {
  const question = (finds: string, of = 'run.jsonl') =>
    `tests:\n  - name: Q\n    question: 'tool:read_file'\n    rows: toolCalls\n    in: ${of}\n    finds: ${finds}\n`;
  for (const [finds, code] of [
    ['some', 0],
    ['2', 0],
    ['none', 1],
    ['3', 1],
  ] as const)
    expect(await checked(question(finds))).toMatchObject({ code });
  expect((await checked(question('3'))).out).toContain('The question finds 2, and expected is 3.');
  expect(await checked(question('none', 'gone.jsonl'))).toMatchObject({ code: 2 });
});

test('of several runs so many must hold as the test says', async () => {
  const twice = session(reads) + session({ answer: 'No idea.' });
  const yaml = `tests:\n  - name: Reads\n    session: run.jsonl\n    runs: 2\n    atLeast: AT\n    expect: { toolSequence: { superset: [read_file] } }\n`;
  const ran = async (atLeast: string) => {
    const cwd = await folder({ 'a.logbook.yaml': yaml.replace('AT', atLeast), 'run.jsonl': twice });
    return await agentLogbook(['check'], { cwd });
  };
  expect(await ran('1')).toMatchObject({ code: 0 });
  const all = await ran('2');
  expect(all.code).toBe(1);
  expect(all.out).toContain('It holds in 1 of 2 runs, and must in 2.');
  expect((await ran('3')).out).toContain('name at least so many as runs');
  const few = await checked(yaml.replace('AT', '1'));
  expect(few).toMatchObject({
    code: 2,
    out: expect.stringContaining('There are 1 runs, and the test looks at 2.'),
  });
});

test('JUnit, annotations and JSON tell the same, without secrets and without what XML or a workflow would obey', async () => {
  const cwd = await folder({
    'a.logbook.yaml': holds.replace('      maxErrors: 0\n', `      answer: { equals: "%, ]]> \\b" }\n`),
    'run.jsonl': session({ ...reads, answer: `The key is ${KEY}.\n]]> & <b>` }),
  });
  const { code, out } = await agentLogbook(['check', '--junit', 'out.xml', '--annotations', 'github'], {
    cwd,
  });
  expect(code).toBe(1);
  const xml = await readFile(join(cwd, 'out.xml'), 'utf8');
  expect(xml).toContain('<testsuites tests="1" failures="1" errors="0"');
  expect(xml).toContain('<testcase classname="a.logbook.yaml" name="Reads both files"');
  expect(xml).toContain(']]]]><![CDATA[>');
  expect(out).toContain('::error file=a.logbook.yaml,line=8,title=Reads both files::answer.equals (line 8)');
  const { json, out: lines } = await agentLogbook(['check', '--json'], { cwd });
  expect(json).toMatchObject([
    {
      kind: 'test',
      name: 'Reads both files',
      state: 'failed',
      runs: [
        {
          session: 'run',
          findings: [
            { path: ['toolSequence'], state: 'passed' },
            { path: ['answer', 'equals'], line: 8, state: 'failed', position: 5 },
          ],
        },
      ],
    },
    { kind: 'check', passed: 0, failed: 1 },
  ]);
  for (const text of [xml, out, lines]) expect(text).not.toContain(KEY);
});

test('a test that is made of a session is short, passes, and fails once the run does something else', async () => {
  const cwd = await folder({});
  const { out } = await agentLogbook(['check', '--make', 'run.jsonl'], { cwd });
  expect(out.split('\n').length).toBeLessThan(20);
  await writeFile(join(cwd, 'made.logbook.yaml'), out);
  expect(await agentLogbook(['check'], { cwd })).toMatchObject({ code: 0 });
  await writeFile(join(cwd, 'run.jsonl'), session({ calls: [['write_file', { path: 'scale.mjs' }]] }));
  expect(await agentLogbook(['check'], { cwd })).toMatchObject({ code: 1 });
});

test('the sample workspace has three that pass, one of them over a replay, which departs where an agent is changed', async () => {
  const cwd = await temporaryFolder();
  await cp(join(import.meta.dirname, '../../../../samples/team'), cwd, { recursive: true });
  expect(await agentLogbook(['check'], { cwd })).toMatchObject({
    code: 0,
    out: expect.stringContaining('3 passed'),
  });
  const cookie = join(cwd, '.github/agents/cookie.agent.md');
  await writeFile(cookie, `${await readFile(cookie, 'utf8')}\nNever read a file.\n`);
  const { code, out } = await agentLogbook(['check'], { cwd });
  expect(code).toBe(1);
  expect(out).toContain('over (line 5): Departed at step ');
  expect(out).toContain('  + Never read a file.');
});

test('however many tests look for runs by their prompts, each run is read once', async () => {
  const cwd = await temporaryFolder();
  const root = join(cwd, '.agent-logbook');
  const store = await TranscriptStore.open({ root, log: silentLog, onProblem: () => undefined });
  const prompts = Array.from({ length: 6 }, (_, at) => `Why is bread ${at} flat?`);
  for (const [at, prompt] of prompts.entries()) {
    const told = new StoryTeller();
    const baker = told.run('baker', prompt);
    baker.useTool('read_file', { path: 'recipe.md' }, 'No yeast.');
    baker.end();
    const conversation = `20261129-0000-00000${at}`;
    await store.importConversation(
      conversation,
      told.records.map((record) => ({ ...record, conversation })),
    );
  }
  await store.close();
  const tests = prompts.map(
    (prompt) =>
      `  - name: ${prompt}\n    agent: baker\n    prompt: ${prompt}\n    expect: { maxErrors: 0, allowedTools: [read_file] }\n`,
  );
  await writeFile(join(cwd, 'a.logbook.yaml'), `tests:\n${tests.join('')}`);
  const opening = vi.spyOn(TranscriptStore.prototype, 'openTranscript');
  onTestFinished(() => opening.mockRestore());
  expect(await agentLogbook(['check'], { cwd })).toMatchObject({
    code: 0,
    out: expect.stringContaining('6 passed'),
  });
  expect(opening).toHaveBeenCalledTimes(prompts.length);
});
