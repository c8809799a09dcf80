import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { mkdir, readdir, writeFile, symlink } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fileKind } from '../../../../src/app/sources/fileKind.js';
import {
  agentLogbook,
  bakery,
  folderWith,
  messageLines,
  workspaceWith,
} from '../../../support/commandLine.js';
import { treeSnapshot } from '../../../support/treeSnapshot.js';

const hello = messageLines(['user', 'Hello'], ['assistant', 'Hello, you']);

test('the store is found from any folder of the workspace', async () => {
  const cwd = await workspaceWith(bakery());
  await mkdir(join(cwd, 'src/deep'), { recursive: true });
  const { code, out } = await agentLogbook(['list'], { cwd: join(cwd, 'src/deep') });
  expect(code).toBe(0);
  expect(out).toContain('20261121-093015-5f0c2a9e');
  expect(out).toContain('Why are the cookies so small?');
});

test.each(['20261121-093015-5f0c2a9e', '20261121', 'latest', '.agent-logbook', '.'])(
  'a conversation of the store is named by %s',
  async (name) => {
    const cwd = await workspaceWith(bakery());
    const { code, out } = await agentLogbook(['show', name], { cwd });
    expect(code).toBe(0);
    expect(out).toContain('They are larger now.');
  },
);

test('files are listed the newest first, in whatever order they are named', async () => {
  const at = (day: number) =>
    messageLines(['user', `Day ${day}`]).replace('{', `{"timestamp":"2026-03-0${day}T10:00:00Z",`);
  const cwd = await folderWith({
    'b.jsonl': at(2),
    'c.jsonl': at(3),
    'a.jsonl': at(1),
    'x.jsonl': messageLines(['user', 'Day none']),
  });
  const { json, err } = await agentLogbook(['list', 'b.jsonl', 'x.jsonl', 'c.jsonl', 'a.jsonl', '--json'], {
    cwd,
  });
  expect(err).toBe('');
  expect(json.map(({ title }) => title)).toEqual(['Day 3', 'Day 2', 'Day 1', 'Day none']);
});

test('tables of a session are written into a new folder, or nothing is', async () => {
  const cwd = await workspaceWith(bakery());
  const asked = (...args: string[]) =>
    agentLogbook(['export', 'latest', '--format', 'parquet', ...args], { cwd });
  expect(await asked()).toMatchObject({ code: 2, err: expect.stringContaining('--output') as string });
  expect(await asked('-o', 'tables')).toMatchObject({
    code: 0,
    err: expect.stringContaining('exported to tables') as string,
  });
  const files = ['calls', 'messages', 'requests', 'sessions'].map((name) => `${name}.parquet`);
  expect((await readdir(join(cwd, 'tables'))).filter((name) => files.includes(name))).toEqual(files);
  const rows = await parquetReadObjects({
    file: await asyncBufferFromFile(join(cwd, 'tables/messages.parquet')),
  });
  expect(JSON.stringify(rows.map(({ content }) => content))).toContain('They are larger now.');
  expect(await asked('-o', 'tables')).toMatchObject({
    code: 2,
    err: expect.stringContaining('name a new folder') as string,
  });
  expect(await asked('-o', 'no/where')).toMatchObject({
    code: 2,
    err: expect.stringContaining('its folder is not there') as string,
  });
  expect(await asked('-o', 'more', '--with-notes')).toMatchObject({ code: 2 });
});

test('the journal of a conversation is read with its large texts', async () => {
  const story = bakery();
  story.run('Baker', 'Tell me more').say(`${'x'.repeat(80_000)} the end`);
  const cwd = await workspaceWith(story);
  const path = '.agent-logbook/conversations/20261121-093015-5f0c2a9e/messages.jsonl';
  const { json } = await agentLogbook(['show', path, '--json', '--last', '1'], { cwd });
  expect(JSON.stringify(json)).toContain('the end');
});

test('the beginning and the end of a session are shown together, nothing twice', async () => {
  const cwd = await folderWith({
    'a.jsonl': messageLines(['user', 'One'], ['assistant', 'Two'], ['user', 'Three'], ['assistant', 'Four']),
    'e.json': '{}',
  });
  const positions = async (...args: string[]) =>
    (await agentLogbook(['show', 'a.jsonl', '--json', ...args], { cwd })).json.map(
      ({ position }) => position,
    );
  expect(await positions('--first', '1', '--last', '1')).toEqual([0, 3]);
  expect(await positions('--first', '3', '--last', '2')).toEqual([0, 1, 2, 3]);
  expect(await positions('--first', '1')).toEqual([0]);
  expect(await positions('--last', '1')).toEqual([3]);
  expect((await agentLogbook(['show', 'e.json'], { cwd })).err).toBe(
    'agent-logbook: e.json holds no conversation that could be read. Nothing stands in it: its objects are empty. Name the file in which a tool keeps the session.\n',
  );
});

test('a line that cannot be read is shown in its place', async () => {
  const cwd = await folderWith({
    'a.jsonl': `${messageLines(['user', 'Hello'])}{"role":"assis\n${messageLines(['assistant', 'Hello, you'])}`,
  });
  const { code, out } = await agentLogbook(['show', 'a.jsonl'], { cwd });
  expect(code).toBe(1);
  expect(out).toMatch(/ {2}Hello\n\n– A line cannot be read\n {2}\{"role":"assis\n\n#3 [^]* {2}Hello, you\n/);
});

test.skipIf(process.platform === 'win32')(
  'a pipe of the shell is read as standard input is, and a named one is refused, of which nobody knows the other end',
  async () => {
    const cwd = await folderWith({});
    const pipe = join(cwd, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const held = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(held));
    const ofShell = `/dev/fd/${held}`;
    expect(await fileKind(ofShell, ofShell)).toBe('pipe');
    expect(await agentLogbook(['follow', ofShell], { cwd })).toMatchObject({
      code: 2,
      err: `agent-logbook: ${ofShell} is no plain file, and cannot be followed.\n`,
    });
    for (const command of ['show', 'follow'])
      expect(await agentLogbook([command, 'pipe'], { cwd })).toMatchObject({
        code: 2,
        err: expect.stringContaining('pipe is a named pipe, into which perhaps nobody writes') as string,
      });
  },
);

test('a file, standard input and a packed file give the same', async () => {
  const cwd = await folderWith({ 'a.jsonl': hello });
  await writeFile(join(cwd, 'a.jsonl.gz'), gzipSync(hello));
  const named = await agentLogbook(['show', 'a.jsonl', '--json'], { cwd });
  const piped = await agentLogbook(['show', '-', '--json'], { stdin: hello });
  const packed = await agentLogbook(['show', 'a.jsonl.gz', '--json'], { cwd });
  const said = (ran: typeof named) =>
    ran.json.map(({ record }) => (record as { message?: { content: unknown } }).message?.content);
  expect(said(named)).toEqual(['Hello', 'Hello, you']);
  expect(said(piped)).toEqual(said(named));
  expect(said(packed)).toEqual(said(named));
});

test('reading a store writes nothing into it', async () => {
  const cwd = await workspaceWith(bakery());
  const before = await treeSnapshot(cwd);
  for (const args of [['list'], ['show'], ['query', 'cookies'], ['search', 'is:error']])
    await agentLogbook(args, { cwd });
  expect(await treeSnapshot(cwd)).toEqual(before);
});

describe('what cannot be read is told on one line and ends with 2', () => {
  test.each([
    [['show', 'gone.jsonl'], 'There is no file gone.jsonl.'],
    [['show', 'empty.jsonl'], 'empty.jsonl is empty.'],
    [['show', 'notes.txt'], 'notes.txt holds no conversation that could be read.'],
    [['show', 'loop.jsonl'], 'loop.jsonl cannot be read: it is a link that leads back to itself.'],
    [['show', 'folder'], 'folder is a folder without a store'],
    [['show', 'nobody'], 'There is no file called nobody, and no store in'],
    [['list'], 'or what tools keep on this machine with --from all.'],
    [['show'], 'or what tools keep on this machine with --from all.'],
    [['list', '--store', 'folder'], 'folder is no store and holds none'],
    [['show', '-'], 'standard input is empty.'],
    [['show', 'a\0b'], 'There is no file called'],
    [['show', 'a.jsonl', '--session', 'other'], 'No session is called other'],
  ])('%j', async (args, words) => {
    const cwd = await folderWith({
      'empty.jsonl': '',
      'notes.txt': 'Milk, eggs',
      'a.jsonl': hello,
      'folder/x': '',
    });
    await symlink('loop.jsonl', join(cwd, 'loop.jsonl'));
    const { code, out, err } = await agentLogbook(args, { cwd });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(words);
    expect(err.split('\n').at(-2)).toMatch(/^agent-logbook: /);
  });

  test('of an id that several have, and of one that none has', async () => {
    const cwd = await workspaceWith(bakery('20261121-a'), bakery('20261121-b'));
    const several = await agentLogbook(['show', '2026'], { cwd });
    expect(several).toMatchObject({ code: 2, out: '' });
    expect(several.err).toContain('2 conversations begin with 2026');
    expect((await agentLogbook(['show', '1999'], { cwd })).err).toContain('agent-logbook list shows');
  });
});

test('a file that cannot be read hides no other, and the end is 1', async () => {
  const cwd = await folderWith({ 'a.jsonl': hello, 'b.jsonl': hello });
  const { code, out, err } = await agentLogbook(['query', 'hello', 'a.jsonl', 'gone.jsonl', 'b.jsonl'], {
    cwd,
  });
  expect(code).toBe(1);
  expect(out).toContain('a.jsonl');
  expect(out).toContain('b.jsonl');
  expect(err).toContain('There is no file gone.jsonl.');
});

test('a line that cannot be read is told, and the end is 1', async () => {
  const cwd = await folderWith({ 'a.jsonl': `${hello}{"role":"user","content":"cut of` });
  const { code, out, err } = await agentLogbook(['show', 'a.jsonl'], { cwd });
  expect(code).toBe(1);
  expect(out).toContain('Hello, you');
  expect(err).toMatch(/^agent-logbook: a\.jsonl: .*line 3/m);
});

test('of a file with several sessions one is named', async () => {
  const both = JSON.stringify([
    { uuid: 'one', name: 'First', chat_messages: [{ sender: 'human', text: 'Hello' }] },
    { uuid: 'two', name: 'Second', chat_messages: [{ sender: 'human', text: 'Good day' }] },
  ]);
  const cwd = await folderWith({ 'both.json': both });
  const listed = await agentLogbook(['list', 'both.json', '--json'], { cwd });
  expect(listed.json).toHaveLength(2);
  const several = await agentLogbook(['show', 'both.json'], { cwd });
  expect(several.code).toBe(2);
  expect(several.err).toContain('both.json holds 2 sessions; name one with --session');
  const id = String(listed.json[1]?.session);
  const one = await agentLogbook(['show', 'both.json', '--session', id], { cwd });
  expect(one.code).toBe(0);
  expect(one.out).toContain('Good day');
  expect(one.out).not.toContain('Hello');
});
