import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pageOfBranch } from '../../../../src/app/sources/explainedBranch.js';
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

test('a secret that the end of a prompt cuts leaves nothing, wherever it stands', async () => {
  const cwd = await branched(false);
  const journal = join(cwd, '.agent-logbook/conversations/c_cake/messages.jsonl');
  const told = await readFile(journal, 'utf8');
  const password = 'S3cr3tPassw0rdVeryLong9';
  const words = 'Mend the cake with all that stands in the book of it. '.repeat(5);
  for (const before of [195, 180, 165]) {
    const prompt = `${words.slice(0, before)} postgres://admin:${password}@oven.example.com/cakes`;
    await writeFile(journal, told.replace('Write down the cake.', prompt));
    for (const words of [
      ['explain', '--json'],
      ['explain', '--format', 'markdown'],
      ['blame', 'cake.ts'],
      ['blame', 'cake.ts', '--json'],
    ]) {
      const { out } = await agentLogbook(words, { cwd });
      expect(out).toContain('Mend the cake with all that');
      expect(out).not.toContain(password.slice(0, 3));
    }
  }
});

test('a range begins where its branches part, as that of a branch does', async () => {
  const cwd = await branched(false);
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], { cwd });
  git('checkout', '-q', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'Another');
  git('cherry-pick', 'topic~1');
  git('checkout', '-q', 'topic');
  const counted = async (...range: string[]) => {
    const { code, json } = await agentLogbook(['explain', ...range, '--fail-on', 'unreviewed', '--json'], {
      cwd,
    });
    return [code, json[0]?.unreviewed];
  };
  expect(await counted('topic')).toEqual([1, 2]);
  expect(await counted('main..topic')).toEqual([1, 2]);
});

/** A clone in which the contents of files are only got when they are needed, which nothing here does. */
async function partial(from: string): Promise<string> {
  const cwd = join(await temporaryFolder(), 'clone');
  const git = (...words: string[]) => execFileSync('git', words, { cwd: from, stdio: 'ignore' });
  git('config', 'uploadpack.allowFilter', 'true');
  git('clone', '-q', '--no-local', '--no-checkout', '--filter=blob:none', `file://${from}`, cwd);
  execFileSync('git', ['branch', 'main', 'origin/main'], { cwd });
  await cp(join(from, '.agent-logbook'), join(cwd, '.agent-logbook'), { recursive: true });
  return cwd;
}

test('where git cannot tell what a branch brought, the check says so and does not hold', async () => {
  const cwd = await partial(await branched(false));
  const { code, out, err } = await agentLogbook(['explain', 'main..topic', '--fail-on', 'unreviewed'], {
    cwd,
  });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain('Git could not tell the commits between');
});

test('a file of which the repository does not hold all is left out, and the check does not hold', async () => {
  const cwd = await branched(true);
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], {
      cwd,
      encoding: 'utf8',
    }).trim();
  for (const sugar of [1, 2]) {
    await writeFile(join(cwd, 'cake.ts'), `${CAKE}export const sugar = ${sugar};\n`);
    git('commit', '-q', '-a', '-m', 'Sugar');
  }
  const check = async () => {
    const { code, json } = await agentLogbook(
      ['explain', 'HEAD~1..HEAD', '--fail-on', 'unreviewed', '--json'],
      { cwd },
    );
    return [code, json[0]?.filesLeftOut];
  };
  expect(await check()).toEqual([0, 0]);
  const blob = git('rev-parse', 'HEAD~2:cake.ts');
  await rm(join(cwd, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  expect(await check()).toEqual([1, 1]);
});

test.each([
  [0, 0, 'No line is proved, so that nothing is said of approvals.'],
  [1, 0, 'A person approved every edit behind a proved line.'],
  [1, 1, 'Of 1 proved line no approval by a person is recorded.'],
  [3, 2, 'Of 2 proved lines no approval by a person is recorded.'],
])('%d proved lines of which %d are not approved are told in words: %s', (proved, unreviewed, note) => {
  const { sentence, notes } = pageOfBranch({
    range: 'topic',
    base: '',
    tip: '',
    commits: [],
    sessions: [],
    added: 3,
    proved,
    unreviewed,
    told: proved,
    filesLeftOut: proved,
  });
  expect(notes).toContain(note);
  expect(sentence).toContain(proved === 1 ? ': 1 line is proved' : `: ${proved} lines are proved`);
  if (proved > 0) {
    const [line, file] = proved === 1 ? ['line', 'file'] : ['lines', 'files'];
    expect(notes).toContain(`Of ${proved} more ${line} only another program tells that an agent wrote it.`);
    expect(notes.some((each) => each.startsWith(`Not looked at as a whole: ${proved} ${file}, `))).toBe(true);
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
