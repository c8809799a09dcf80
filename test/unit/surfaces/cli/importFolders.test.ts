import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TOOL_IDS } from '../../../../src/import/toolHomes.js';
import { agentLogbook, folderWith, messageLines, type Ran } from '../../../support/commandLine.js';
import { claudeSession, sessionsOfTools, writeAt } from '../../../support/sessionHome.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

const hello = messageLines(['user', 'Hello'], ['assistant', 'Hello, you']);
const files = ({ json }: Ran) => json.map(({ file }) => String(file).replace(/^.*[\\/]/, ''));

test('a home is imported with the sessions of all known tools in it', async () => {
  const home = await temporaryFolder();
  for (const tool of TOOL_IDS) await writeAt(home, sessionsOfTools[tool]);
  await writeAt(home, { 'notes/other.jsonl': hello });
  const cwd = await temporaryFolder();
  const ran = await agentLogbook(['import', home, '--json'], { cwd });
  // OpenCode's is a title without a word.
  expect(ran.json).toHaveLength(TOOL_IDS.length - 1);
  expect(files(ran)).not.toContain('other.jsonl');
  expect(ran.code).toBe(0);
  const again = await agentLogbook(['import', home, '--json'], { cwd });
  expect(new Set(again.json.map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']));
});

test('of any other folder all transcripts in it and below are imported, each with the files beside it', async () => {
  const cwd = await folderWith({ 'package.json': '{"name":"bakery"}' });
  const session = '11111111-1111-1111-1111-111111111111';
  await writeAt(cwd, {
    'kept/a.jsonl': hello,
    'kept/deep/b.jsonl': messageLines(['user', 'Deep'], ['assistant', 'Down']),
    [`kept/claude/${session}.jsonl`]: claudeSession('Bake a cake'),
    [`kept/claude/${session}/subagents/agent-1.jsonl`]: claudeSession('Mix'),
    'kept/settings.json': '{"color":"blue"}',
    'kept/empty.jsonl': '',
    'kept/.hidden/c.jsonl': hello,
    'kept/readme.md': '# Nothing',
  });
  await symlink(join(cwd, 'kept'), join(cwd, 'kept/deep/again'));
  const ran = await agentLogbook(['import', 'kept', '--json'], { cwd });
  expect(files(ran)).toEqual(['a.jsonl', `${session}.jsonl`, 'b.jsonl']);
  expect(ran).toMatchObject({ code: 0, err: 'agent-logbook: 2 files in kept held no conversation.\n' });
});

test('a folder without transcripts says so, and hides nothing that is named beside it', async () => {
  const cwd = await folderWith({ 'a.jsonl': hello });
  await mkdir(join(cwd, 'none'));
  expect(await agentLogbook(['import', 'none'], { cwd })).toMatchObject({
    code: 2,
    err: 'agent-logbook: There are no transcripts in none.\n',
  });
  const both = await agentLogbook(['import', 'none', 'a.jsonl'], { cwd });
  expect(both).toMatchObject({
    code: 1,
    out: expect.stringContaining('Imported 1 conversation.') as unknown,
  });
});

test('patterns that no shell has expanded stand for the files that have such names', async () => {
  const cwd = await folderWith({ 'a1.jsonl': hello, 'b.json': '{}' });
  await writeAt(cwd, {
    'in/a2.jsonl': messageLines(['user', 'Hello two']),
    'in/deeper/a3.jsonl': messageLines(['user', 'Hello three']),
    'in/.a4.jsonl': hello,
    'x*y.jsonl': messageLines(['user', 'Hello star']),
  });
  const found = async (...names: readonly string[]) =>
    (await agentLogbook(['query', 'hello role:user', '--json', ...names], { cwd })).json.length;
  expect(await found('a?.jsonl')).toBe(1);
  expect(await found('*/*.jsonl')).toBe(1);
  expect(await found('**/*.jsonl')).toBe(4);
  expect(await found(join(cwd, 'in', '**', 'a*.jsonl'))).toBe(2);
  expect(await found('x*y.jsonl')).toBe(1);
  expect(files(await agentLogbook(['import', '**/a*.jsonl', '--json'], { cwd }))).toEqual([
    'a1.jsonl',
    'a2.jsonl',
    'a3.jsonl',
  ]);
  expect(await agentLogbook(['show', 'gone*.jsonl'], { cwd })).toMatchObject({
    code: 2,
    err: 'agent-logbook: There is no file gone*.jsonl.\n',
  });
});

test('a last line that was cut for good is kept out no longer than an hour', async () => {
  const cwd = await folderWith({});
  const path = join(cwd, 'a.jsonl');
  await writeFile(path, hello + messageLines(['user', 'These words were cut off']).slice(0, -12));
  const first = await agentLogbook(['import', 'a.jsonl', '--json'], { cwd });
  expect(first.err).toContain('it comes with the next import');
  const before = Date.now() / 1_000 - 2 * 60 * 60;
  await utimes(path, before, before);
  const later = await agentLogbook(['import', 'a.jsonl', '--json'], { cwd });
  expect(later.json).toMatchObject([{ outcome: 'grown' }]);
  expect(later.err).toBe('agent-logbook: a.jsonl: line 3: The last line is cut.\n');
  expect((await agentLogbook(['show'], { cwd })).out).toContain('These words');
  const again = await agentLogbook(['import', 'a.jsonl', '--json'], { cwd });
  expect(again.json).toMatchObject([{ outcome: 'unchanged' }]);
});

test('a store that is named and not there is made, and a file in its place is refused', async () => {
  const cwd = await folderWith({ 'a.jsonl': messageLines(['user', 'Hello'], ['assistant', 'Good day']) });
  const made = await agentLogbook(['import', 'a.jsonl', '--store', 'new/one'], { cwd });
  expect(made).toMatchObject({ code: 0, err: '' });
  const listed = await agentLogbook(['list', '--store', 'new/one', '--json'], { cwd });
  expect(listed.json).toHaveLength(1);
  const refused = await agentLogbook(['import', 'a.jsonl', '--store', 'a.jsonl'], { cwd });
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('a.jsonl is no folder; a store is made in one');
});

test('the latest of nothing is told in words', async () => {
  const cwd = await folderWith({});
  const { code, err } = await agentLogbook(['show', 'latest'], { cwd });
  expect(code).toBe(2);
  expect(err).toContain('There is no transcript here yet');
});
