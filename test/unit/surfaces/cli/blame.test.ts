import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentLogbook } from '../../../support/commandLine.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

/** A folder with a file in which an agent wrote the second line, and the session that tells it. */
async function written(): Promise<string> {
  const folder = await realpath(await temporaryFolder());
  const path = join(folder, 'a.ts');
  const base = { sessionId: 's1', cwd: folder, version: '2.1.0', timestamp: '2026-03-01T10:00:00.000Z' };
  const input = { file_path: path, old_string: 'one\n', new_string: 'one\ntwo\n' };
  const call = { type: 'tool_use', id: 't1', name: 'Edit', input };
  const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: [' one', '+two'] }];
  const lines = [
    { type: 'user', uuid: 'u1', message: { role: 'user', content: 'Add a second line' } },
    { type: 'assistant', uuid: 'u2', message: { role: 'assistant', model: 'claude-x', content: [call] } },
    {
      type: 'user',
      uuid: 'u3',
      toolUseResult: { filePath: path, originalFile: 'one\n', structuredPatch: patch },
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'done' }] },
    },
  ];
  await writeFile(
    join(folder, 's1.jsonl'),
    lines.map((line) => JSON.stringify({ ...base, ...line })).join('\n'),
  );
  await writeFile(path, 'one\ntwo\nthree\n');
  return folder;
}

test('a line is led back to the prompt that it was written for', async () => {
  const cwd = await written();
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
  const { code, err } = await agentLogbook(words, { cwd: await written() });
  expect(code).toBe(2);
  expect(err).toContain(reason);
});

test('the lines of a committed file are told in the forms of other programs', async () => {
  const cwd = await written();
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], {
      cwd,
      encoding: 'utf8',
    });
  const as = (form: string) => agentLogbook(['blame', 'a.ts', 's1.jsonl', '--as', form], { cwd });
  git('init', '-q');
  expect(await as('git-ai')).toMatchObject({ code: 2, err: expect.stringContaining('is not as the commit') });
  git('add', 'a.ts');
  git('commit', '-q', '-m', 'two');
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
