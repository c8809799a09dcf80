import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentLogbook } from '../../../support/commandLine.js';
import { temporaryFolder } from '../../../support/storeFixture.js';
import { committedFile } from '../../../support/writtenFile.js';

const TIME = Date.parse('2026-03-01T11:00:00Z');
const CAKE = 'export const eggs = 12;\nexport const butter = 250;\n';

/** Keeps a conversation in the store of a folder, in which an agent has written a file and a person allowed it, or nobody. */
async function keepConversation(folder: string, isApproved: boolean): Promise<void> {
  const call = { name: 'write_file', arguments: JSON.stringify({ path: 'cake.ts', content: CAKE }) };
  const said = (message: object) => ({ type: 'message', message });
  const records = [
    said({ role: 'user', content: 'Write down the cake.' }),
    said({ role: 'assistant', content: '', tool_calls: [{ id: 'w1', type: 'function', function: call }] }),
    ...(isApproved
      ? [
          {
            type: 'approval',
            toolName: 'write_file',
            toolCallId: 'w1',
            subject: 'cake.ts',
            decision: 'approved',
            decidedBy: 'user',
            waitedMs: 9,
          },
        ]
      : []),
    said({ role: 'tool', tool_call_id: 'w1', content: 'Written.' }),
  ];
  const place = { run: 'r_1', call: 'k_1', agent: 'Baker', depth: 0, conversation: 'c_cake' };
  const lines = [
    { logbook: 1, conversation: 'c_cake', created: TIME },
    ...records.map((record, at) => ({ seq: at + 1, id: `m_${at}`, time: TIME + at, ...place, ...record })),
  ];
  const journal = join(folder, '.agent-logbook/conversations/c_cake');
  await mkdir(journal, { recursive: true });
  await writeFile(join(journal, 'messages.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await writeFile(join(folder, '.agent-logbook/.logbook'), '{"logbook":1}\n');
  await writeFile(join(folder, 'cake.ts'), CAKE);
}

/** A branch with a commit of an agent and one of a person; main is behind it. */
async function branched(isApproved: boolean): Promise<string> {
  const { cwd, git } = await committedFile();
  git('branch', '-M', 'main');
  git('checkout', '-q', '-b', 'topic');
  await keepConversation(cwd, isApproved);
  git('add', 'cake.ts');
  git('commit', '-q', '-m', 'Add the | cake');
  await writeFile(join(cwd, 'by-hand.ts'), 'export const flour = 400;\n');
  git('add', 'by-hand.ts');
  git('commit', '-q', '-m', 'Add flour');
  return cwd;
}

test('a branch is told with its sessions, prompts, approvals and what none of them covers', async () => {
  const cwd = await branched(true);
  const { code, json, err } = await agentLogbook(['explain', '--json'], { cwd });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(json).toMatchObject([
    { kind: 'branch', commits: 2, sessions: 1, added: 3, proved: 2, unreviewed: 0 },
    { kind: 'commit', subject: 'Add the | cake', author: 'A', added: 2, proved: 2, sessions: ['c_cake'] },
    { kind: 'commit', subject: 'Add flour', added: 1, proved: 0, sessions: [] },
    { kind: 'session', session: 'c_cake', agents: ['Baker'], prompts: ['Write down the cake.'], lines: 2 },
  ]);
  const { out } = await agentLogbook(['explain', 'main..topic', '--format', 'markdown'], { cwd });
  expect(out).toContain('| Add the \\| cake | A | 2 | 2 | 0 | 1 |');
  expect(out).toContain('A person approved every edit behind a proved line.');
  expect(out).toContain('1 commit not covered by any session');
});

test('a check fails where no person approved an edit, and only then', async () => {
  const check = async (cwd: string) =>
    (await agentLogbook(['explain', '--fail-on', 'unreviewed'], { cwd })).code;
  expect(await check(await branched(true))).toBe(0);
  const cwd = await branched(false);
  expect(await check(cwd)).toBe(1);
  expect((await agentLogbook(['explain'], { cwd })).code).toBe(0);
});

test('what is told of a branch is without secrets', async () => {
  const cwd = await branched(false);
  const journal = join(cwd, '.agent-logbook/conversations/c_cake/messages.jsonl');
  const key = `ghp_${'aB3dE6'.repeat(6)}`;
  await writeFile(
    journal,
    (await readFile(journal, 'utf8')).replace('Write down the cake.', `Use ${key} now.`),
  );
  for (const form of [['--json'], ['--format', 'markdown'], ['--format', 'html'], []]) {
    const { out } = await agentLogbook(['explain', ...form], { cwd });
    expect(out).toContain('[REDACTED:');
    expect(out).not.toContain(key);
  }
});

test.each([
  ['gone', 'There is no commit gone here'],
  ['--upload-pack=x..HEAD', '--upload-pack is no option'],
  ['main', 'It is not known where main went out from'],
  ['main..gone', 'There is no commit gone here'],
])('%s is refused: %s', async (range, reason) => {
  const cwd = await branched(true);
  const { code, err } = await agentLogbook(['explain', range], { cwd });
  expect(code).toBe(2);
  expect(err).toContain(reason);
});

test('without a repository that is said', async () => {
  const { code, err } = await agentLogbook(['explain'], { cwd: await temporaryFolder() });
  expect(code).toBe(2);
  expect(err).toContain('There is no repository of git around');
});
