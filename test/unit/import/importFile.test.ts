import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { importFile, sidecarPaths } from '../../../src/import/importFile.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { storedZstd } from '../../support/storedZstd.js';
import { lines, nested, query, records, said } from './reading.js';

const line = (uuid: string, message: object) => ({ type: 'user', uuid, sessionId: 's', message });
const session = lines(line('1', { role: 'user', content: 'go' }));
const subagent = lines(line('2', { role: 'user', content: 'look' }));

/** A folder with these files, gone after the test. */
async function folder(files: Record<string, string | Uint8Array>) {
  const root = await mkdtemp(join(tmpdir(), 'import-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  return root;
}

const sessions = {
  's.jsonl': session,
  's/subagents/agent-1.jsonl': subagent,
  's/subagents/agent-1.meta.json': '{}',
  's/subagents/notes.txt': 'x',
};

test('a session is read with its subagents, or alone', async () => {
  const root = await folder(sessions);
  expect(said(await importFile(join(root, 's.jsonl')))).toEqual(['user: go', 'user: look']);
  expect(said(await importFile(join(root, 's.jsonl'), { alone: true }))).toEqual(['user: go']);
});

test('only files that belong to a transcript are read with it', async () => {
  const root = await folder({ ...sessions, 'messages.json': '[]', 'parts.json': '[]' });
  const names = async (name: string) =>
    (await sidecarPaths(join(root, name))).paths.map((path) => relative(root, path));
  expect(await names('s.jsonl')).toEqual(['s/subagents/agent-1.jsonl', 's/subagents/agent-1.meta.json']);
  expect(await names('messages.json')).toEqual(['parts.json']);
  expect(await names('other.json')).toEqual([]);
  expect(await names('other.jsonl')).toEqual([]);
});

test('the agents of a workflow are asked by the call that started it, under the names that it gave them', async () => {
  const said = (uuid: string, type: string, content: unknown, more: object = {}) => ({
    type,
    uuid,
    sessionId: 's',
    message: { role: type, content },
    ...more,
  });
  const agent = (name: string) =>
    lines(
      said(`${name}1`, 'user', `Sweep ${name}`, { isSidechain: true, agentId: name }),
      said(`${name}2`, 'assistant', [{ type: 'text', text: `${name} is swept` }], { isSidechain: true }),
    );
  const folderOf = 's/subagents/workflows/w1';
  const root = await folder({
    's.jsonl': lines(
      said('1', 'user', 'Sweep all'),
      said('2', 'assistant', [{ type: 'tool_use', id: 't1', name: 'Workflow', input: { script: 'x' } }]),
      said('3', 'user', [{ type: 'tool_result', tool_use_id: 't1', content: 'Launched.' }], {
        toolUseResult: { runId: 'w1', transcriptDir: folderOf },
      }),
    ),
    [`${folderOf}/agent-a1.jsonl`]: agent('a1'),
    [`${folderOf}/agent-a1.meta.json`]: '{"agentType":"workflow-agent"}',
    [`${folderOf}/agent-a2.jsonl`]: agent('a2'),
    [`${folderOf}/journal.jsonl`]: lines({
      type: 'result',
      key: 'v',
      agentId: 'a1',
      result: 'two stale pages',
    }),
    's/workflows/w1.json': JSON.stringify({
      runId: 'w1',
      workflowName: 'sweep',
      summary: 'Sweeps every page',
      workflowProgress: [{ type: 'workflow_agent', label: 'sweep:a', agentId: 'a1' }],
    }),
  });
  const result = await importFile(join(root, 's.jsonl'));
  expect(result.problems).toEqual([]);
  const kept = JSON.stringify(records(result));
  for (const text of ['two stale pages', 'Sweeps every page', 'workflow-agent']) expect(kept).toContain(text);
  expect(nested(query(result).timeline())).toEqual([['Claude', ['sweep:a'], ['agent-a2']]]);
});

test("Cursor's subagents lie in the folder of their transcript", async () => {
  const say = (role: string, text: string) => lines({ role, message: { content: [{ type: 'text', text }] } });
  const root = await folder({
    'agent-transcripts/s1/s1.jsonl': `${say('user', 'go')}\n${say('assistant', 'ok')}`,
    'agent-transcripts/s1/subagents/c1.jsonl': say('user', 'look'),
    'agent-transcripts/s2/s2.jsonl': say('user', 'other'),
  });
  const path = join(root, 'agent-transcripts/s1/s1.jsonl');
  expect(said(await importFile(path))).toEqual(['user: go', 'assistant: ok', 'user: look']);
});

test("Codex's subagents are found among the rollouts of the day, those of others are not", async () => {
  const id = (n: number) => `${n}0000000-0000-4000-8000-000000000000`;
  const rollout = (n: number, parent?: number) => {
    const payload = { id: id(n), ...(parent !== undefined && { parent_thread_id: id(parent) }) };
    const content = [{ type: 'input_text', text: `thread ${n}` }];
    const item = { type: 'response_item', payload: { type: 'message', role: 'user', content } };
    return {
      [`2026/11/21/rollout-2026-11-21T09-00-0${n}-${id(n)}.jsonl`]: lines(
        { type: 'session_meta', payload },
        item,
      ),
    };
  };
  const root = await folder({
    ...rollout(1),
    ...rollout(2),
    ...rollout(3, 1),
    ...rollout(4, 3),
    ...rollout(5, 2),
  });
  const path = join(root, Object.keys(rollout(1))[0] ?? '');
  expect(said(await importFile(path))).toEqual(['user: thread 1', 'user: thread 3', 'user: thread 4']);
  expect(said(await importFile(path, { alone: true }))).toEqual(['user: thread 1']);
});

test("Codex's packed subagents are found beside plain and packed sessions, each once", async () => {
  const id = (n: number) => `${n}0000000-0000-4000-8000-000000000000`;
  const name = (n: number) => `2026/11/21/rollout-2026-11-21T09-00-0${n}-${id(n)}.jsonl`;
  const rollout = (n: number, parent?: number) => {
    const payload = { id: id(n), ...(parent !== undefined && { parent_thread_id: id(parent) }) };
    const content = [{ type: 'input_text', text: `thread ${n}` }];
    const item = { type: 'response_item', payload: { type: 'message', role: 'user', content } };
    return lines({ type: 'session_meta', payload }, item);
  };
  const root = await folder({ [name(1)]: rollout(1), [name(4)]: rollout(4, 3) });
  await writeFile(join(root, `${name(2)}.zst`), storedZstd(rollout(2)));
  await writeFile(join(root, `${name(3)}.zst`), storedZstd(rollout(3, 1)));
  await writeFile(join(root, `${name(4)}.zst`), storedZstd(rollout(4, 3)));
  await writeFile(join(root, `${name(5)}.zst`), storedZstd(rollout(5, 2)));
  const read = await importFile(join(root, name(1)));
  expect(said(read)).toEqual(['user: thread 1', 'user: thread 3', 'user: thread 4']);
  expect(said(await importFile(join(root, `${name(2)}.zst`)))).toEqual(['user: thread 2', 'user: thread 5']);
});

test("Codex's subagents are found behind more rollouts of the day than are looked at", async () => {
  const thread = (id: string) => `${id.padStart(8, '0')}-0000-4000-8000-000000000000`;
  const name = (time: string, id: string) => `rollout-2026-11-21T${time}-${thread(id)}.jsonl`;
  const rollout = (id: string, parent?: string) =>
    lines(
      {
        type: 'session_meta',
        payload: { id: thread(id), ...(parent !== undefined && { parent_thread_id: thread(parent) }) },
      },
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: id }] },
      },
    );
  const earlier = Array.from({ length: 1000 }, (_, index) => name('08-00-00', String(index)));
  const root = await folder({
    ...Object.fromEntries(earlier.map((each) => [each, ''])),
    [name('09-00-00', 'b')]: rollout('b'),
    [name('09-00-00', 'a')]: rollout('a', 'b'),
    [name('09-00-01', 'c')]: rollout('c', 'b'),
  });
  const result = await importFile(join(root, name('09-00-00', 'b')));
  expect(said(result)).toEqual(['user: b', 'user: a', 'user: c']);
  expect(result.problems.map(({ message }) => message)).toEqual([
    '2 more files beside it were not looked at; subagents may be missing.',
  ]);
});

test('a file of a subagent that cannot be read is named, and hides no other', async () => {
  const root = await folder(sessions);
  const gone = { name: 'subagents/agent-0.jsonl', source: createReadStream(join(root, 'gone')) };
  const here = { name: 'subagents/agent-1.jsonl', source: subagent };
  const result = await importTranscript(session, 's.jsonl', { sidecars: [gone, here] });
  expect(said(result)).toEqual(['user: go', 'user: look']);
  expect(result.problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^subagents\/agent-0\.jsonl could not be read: ENOENT.*\.$/),
  ]);
});

test('a file that is not there is the only thing that rejects', async () => {
  await expect(importFile(join(await folder({}), 'none.json'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('the corpus command reads every file of a folder, whatever it is', async () => {
  const root = await folder({
    ...sessions,
    'chat.json': JSON.stringify([{ role: 'user', content: 'An error' }]),
    'binary.bin': Uint8Array.from({ length: 1000 }, (_, index) => (index * 7919) % 256),
    'empty.json': '',
    'cut.zip': 'PK\u0003\u0004',
    'deep.json': '['.repeat(10_000),
  });
  await symlink(join(root, 'chat.json'), join(root, 'link.json'));
  const script = fileURLToPath(new URL('../../../scripts/corpus.mjs', import.meta.url));
  const run = async (...options: string[]) =>
    (await promisify(execFile)(process.execPath, [script, root, ...options])).stdout;
  const rows = (await run('--json'))
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row) as { file?: string; facts?: object; totals?: object });
  expect(rows.at(-1)).toMatchObject({ totals: { files: 9, conversations: 7, messages: 3, tool_calls: 0 } });
  expect(rows.find(({ file }) => file === 'chat.json')).toMatchObject({
    format: 'chat-messages',
    facts: { messages: 1, messages_containing_error: 1 },
  });
  const together = await run('--together');
  expect(together).toContain('claude-code: 1 conversations, 2 messages');
  expect(together).toContain('files 9,');
  expect(together).toContain('messages 3,');
});

test('is read no further than until somebody cancels', async () => {
  const root = await folder({ 'long.json': JSON.stringify({ messages: [{ role: 'user', content: 'go' }] }) });
  const reading = importFile(join(root, 'long.json'), { signal: AbortSignal.abort() });
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
});
