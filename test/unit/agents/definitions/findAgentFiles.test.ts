import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findAgentFiles, MAX_AGENT_FILE_BYTES } from '../../../../src/agents/definitions/findAgentFiles.js';

let top: string;
const workspace = () => join(top, 'ws');
const home = () => join(top, 'home');

beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'agents-'));
});
afterEach(() => rm(top, { recursive: true }));

async function put(path: string, text = 'Hello.') {
  await mkdir(dirname(join(top, path)), { recursive: true });
  await writeFile(join(top, path), text);
}

/** The files that are found, as `path` or `path: problem`. */
async function found(locations: readonly string[] = []) {
  const files = await findAgentFiles([workspace()], home(), locations);
  return files.map(({ path, problems }) =>
    [
      relative(top, path),
      ...problems.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    ].join(': '),
  );
}

test('agents are found in every place of both conventions, and nothing else is', async () => {
  const agents = [
    'ws/.github/agents/a.agent.md',
    'ws/.github/agents/b.md',
    'ws/.claude/agents/c.md',
    'ws/.github/chatmodes/d.chatmode.md',
    'home/.copilot/agents/e.agent.md',
    'home/.claude/agents/f.md',
  ];
  for (const path of agents) await put(path);
  for (const path of ['notes.txt', 'README.md', 'x.prompt.md', 'y.instructions.md'])
    await put(`ws/.github/agents/${path}`);
  for (const path of ['ws/.github/chatmodes/x.md', 'ws/agents/y.agent.md', 'ws/.claude/agents/readme.md'])
    await put(path);
  expect(await found()).toEqual(agents);
});

test('further places hold files that are agents by their name', async () => {
  const agents = ['ws/team/a.agent.md', 'ws/team/b.chatmode.md', 'home/mine/c.agent.md', 'far/d.agent.md'];
  for (const path of [...agents, 'ws/team/notes.md', 'far/notes.md', 'ws/.github/agents/e.md'])
    await put(path);
  const locations = ['team', './team/', '~/mine', join(top, 'far'), 'nowhere', '.github/agents'];
  expect(await found(locations)).toEqual(['ws/.github/agents/e.md', ...agents]);
});

test('a place that leads out of the workspace by its path gives nothing from there', async () => {
  await put('elsewhere/evil.agent.md');
  await mkdir(workspace());
  expect(await found(['../elsewhere'])).toEqual([
    expect.stringMatching(/^elsewhere\/evil\.agent\.md: .*leads out of the workspace; it is not read\.$/),
  ]);
});

test('without any folder there is nothing, and no home is fine', async () => {
  expect(await findAgentFiles([join(top, 'nowhere')], undefined)).toEqual([]);
});

test('a link out of the workspace is refused; inside and at home links are fine', async () => {
  await put('secret.md');
  await put('ws/docs/kind.md');
  await put('home/.claude/agents/.keep');
  await put('ws/.github/agents/.keep');
  await symlink(join(top, 'secret.md'), join(top, 'ws/.github/agents/evil.md'));
  await symlink('../../docs/kind.md', join(top, 'ws/.github/agents/kind.md'));
  await symlink(join(top, 'secret.md'), join(top, 'home/.claude/agents/mine.md'));
  expect(await found()).toEqual([
    'ws/.github/agents/evil.md: The file is a link that leads out of the workspace; it is not read.',
    'ws/.github/agents/kind.md',
    'home/.claude/agents/mine.md',
  ]);
});

test('a linked folder out of the workspace is refused file by file', async () => {
  await put('elsewhere/evil.md');
  await mkdir(join(top, 'ws/.github'), { recursive: true });
  await symlink(join(top, 'elsewhere'), join(top, 'ws/.github/agents'));
  expect(await found()).toEqual([
    'ws/.github/agents/evil.md: The file is a link that leads out of the workspace; it is not read.',
  ]);
});

test('a file that is too large, a folder and a dangling link are listed with the reason', async () => {
  await put('ws/.github/agents/big.md', 'x'.repeat(MAX_AGENT_FILE_BYTES + 1));
  await mkdir(join(top, 'ws/.github/agents/folder.md'));
  await symlink('nowhere', join(top, 'ws/.github/agents/gone.md'));
  expect(await found()).toEqual([
    'ws/.github/agents/big.md: The file has 262145 bytes; more than 256 KiB are not read.',
    'ws/.github/agents/folder.md: This is not a file.',
    expect.stringContaining('ws/.github/agents/gone.md: The file cannot be read: ENOENT'),
  ]);
});
