import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DiskWorkspaceFiles } from '../../../../src/agents/tools/files/writeDiskText.js';
import { versionOf } from '../../../../src/agents/tools/files/diskFiles.js';
import { PathGuard } from '../../../../src/agents/tools/paths/pathGuard.js';
import { approve, deny, temporaryWorkspace, toolWorkspace } from './toolHarness.js';

const yes = { decide: approve };

describe('write_file', () => {
  test('creates a file with its folders after a question that shows all of it', async () => {
    const { call, root } = await toolWorkspace();
    const { content, asked } = await call('write_file', { path: 'a/b/c.txt', content: 'one\ntwo\n' }, yes);
    expect(content).toBe("Created 'a/b/c.txt'.");
    expect(asked).toMatchObject([
      { title: 'Write a/b/c.txt', subject: `${join(root, 'a/b/c.txt')}\nnew file\n+one\n+two\n+` },
    ]);
    expect(asked[0]).not.toHaveProperty('askReason');
    expect(await readFile(join(root, 'a/b/c.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(await readdir(join(root, 'a/b'))).toEqual(['c.txt']);
  });

  test('replaces a file that was read, and shows what changes only', async () => {
    const { call, root } = await toolWorkspace({ 'f.txt': 'one\ntwo\nthree\n' });
    await chmod(join(root, 'f.txt'), 0o751);
    await call('read_file', { path: 'f.txt' });
    const { content, asked } = await call('write_file', { path: 'f.txt', content: 'one\n2\nthree\n' }, yes);
    expect(content).toBe("Replaced 'f.txt'.");
    expect(asked[0]?.subject).toBe(`${join(root, 'f.txt')}\nline 2\n-two\n+2`);
    expect((await stat(join(root, 'f.txt'))).mode & 0o777).toBe(0o751);
  });

  test('does not replace a file that was not read, or was changed since', async () => {
    const { call, put, root } = await toolWorkspace({ 'f.txt': 'mine' });
    const refused = "'f.txt' exists, and you have not read it as it is now. Read it first.";
    expect((await call('write_file', { path: 'f.txt', content: 'x' })).content).toBe(refused);
    await call('read_file', { path: 'f.txt' });
    await put('f.txt', 'mine, newer');
    expect((await call('write_file', { path: 'f.txt', content: 'x' })).content).toBe(refused);
    expect(await readFile(join(root, 'f.txt'), 'utf8')).toBe('mine, newer');
  });

  test('a file that a person has removed does not come back by a write that knows nothing of it', async () => {
    const { call, root } = await toolWorkspace({ 'f.txt': 'old' });
    await call('read_file', { path: 'f.txt' });
    await rm(join(root, 'f.txt'));
    const write = (options = {}) => call('write_file', { path: 'f.txt', content: 'new' }, options);
    expect((await write()).content).toBe(
      "'f.txt' is gone since you read it. Write it again only if it shall come back.",
    );
    expect((await write(yes)).content).toBe("Created 'f.txt'.");
  });

  test('what another call has read counts for that call only; an entry agent keeps it from run to run', async () => {
    const { call } = await toolWorkspace({ 'f.txt': 'old' });
    const child = (name: string) => ({ call: { call: name, depth: 1 } });
    await call('read_file', { path: 'f.txt' }, child('k1'));
    expect((await call('write_file', { path: 'f.txt', content: 'x' }, child('k2'))).isError).toBe(true);
    await call('read_file', { path: 'f.txt' }, { call: { call: 'k3', run: 'r1' } });
    const later = await call(
      'write_file',
      { path: 'f.txt', content: 'x' },
      { ...yes, call: { call: 'k4', run: 'r2' } },
    );
    expect(later.content).toBe("Replaced 'f.txt'.");
  });

  test('a denial leaves the file and gives the reason to the model', async () => {
    const { call, root } = await toolWorkspace();
    const denied = await call('write_file', { path: 'f.txt', content: 'x' }, { decide: deny('not today') });
    expect(denied).toMatchObject({ content: 'This was not allowed: not today', isError: true });
    expect(await readdir(root)).toEqual([]);
  });

  test('a file that a person changes while the question waits is not written over', async () => {
    const { call, put, root } = await toolWorkspace({ 'f.txt': 'old' });
    await call('read_file', { path: 'f.txt' });
    const outcome = await call(
      'edit_file',
      { path: 'f.txt', old_text: 'old', new_text: 'new' },
      {
        decide: async () => {
          await put('f.txt', 'the person was faster');
          return { approved: true, decidedBy: 'user' };
        },
      },
    );
    const now = await readFile(join(root, 'f.txt'), 'utf8');
    expect([outcome.isError, now]).toEqual([true, 'the person was faster']);
  });

  test.each([
    ['.agent-logbook/x.json', 'belongs to the record'],
    ['sub/.Agent-Logbook/x.json', 'belongs to the record'],
    ['../f.txt', 'lies outside'],
    ['src', 'is a folder'],
  ])('%s is refused without a question', async (path, message) => {
    const { call } = await toolWorkspace({ 'src/a.txt': '' });
    expect(await call('write_file', { path, content: 'x' })).toEqual({
      content: expect.stringContaining(message) as string,
      isError: true,
      asked: [],
    });
  });

  test('half a character is not written', async () => {
    const { call } = await toolWorkspace();
    expect((await call('write_file', { path: 'f.txt', content: '\ud800' })).content).toBe(
      'The content is no valid text.',
    );
  });

  test('what cannot be seen is written out in the question, and written as it is', async () => {
    const { call, root } = await toolWorkspace();
    const content = `let a = 1;${' '.repeat(200)}evil();\u202e`;
    const { asked } = await call('write_file', { path: 'f.js', content }, yes);
    expect(asked[0]?.subject).toContain('+let a = 1;⟨200 spaces⟩evil();⟨U+202E⟩');
    expect(await readFile(join(root, 'f.js'), 'utf8')).toBe(content);
  });
});

describe('edit_file', () => {
  test('replaces what stands once', async () => {
    const { call, root } = await toolWorkspace({ 'f.txt': 'a\nb\nc\n' });
    const { content, asked } = await call(
      'edit_file',
      { path: 'f.txt', old_text: 'b\n', new_text: 'B\n' },
      yes,
    );
    expect(content).toBe("Changed 'f.txt' at line 2.");
    expect(asked[0]?.subject).toBe(`${join(root, 'f.txt')}\nline 2\n-b\n+B`);
    expect(await readFile(join(root, 'f.txt'), 'utf8')).toBe('a\nB\nc\n');
  });

  test('one change after the other, without reading again', async () => {
    const { call, root } = await toolWorkspace({ 'f.txt': 'a b' });
    await call('read_file', { path: 'f.txt' });
    await call('edit_file', { path: 'f.txt', old_text: 'a', new_text: 'A' }, yes);
    await call('edit_file', { path: 'f.txt', old_text: 'b', new_text: 'B' }, yes);
    expect(await readFile(join(root, 'f.txt'), 'utf8')).toBe('A B');
  });

  test('a file that changed since it was read is refused', async () => {
    const { call, put } = await toolWorkspace({ 'f.txt': 'a' });
    await call('read_file', { path: 'f.txt' });
    await put('f.txt', 'a and more');
    const { content } = await call('edit_file', { path: 'f.txt', old_text: 'a', new_text: 'b' });
    expect(content).toBe("'f.txt' has changed since you read it. Read it again.");
  });

  test.each([
    [
      'nothing to be found',
      'aa',
      { old_text: 'b', new_text: 'c' },
      "In 'f.txt' old_text does not stand. Read the file again.",
    ],
    [
      'twice',
      'x\nx',
      { old_text: 'x', new_text: 'y' },
      "In 'f.txt' old_text stands 2 times (line 1, 2). Give more around it.",
    ],
    [
      'twice, overlapping',
      'aaa',
      { old_text: 'aa', new_text: 'b' },
      "In 'f.txt' old_text stands 2 times (line 1). Give more around it.",
    ],
    [
      'the same',
      'a',
      { old_text: 'a', new_text: 'a' },
      "In 'f.txt' nothing would change: both texts are the same.",
    ],
  ])('%s', async (_, text, args, message) => {
    const { call } = await toolWorkspace({ 'f.txt': text });
    expect(await call('edit_file', { path: 'f.txt', ...args })).toEqual({
      content: message,
      isError: true,
      asked: [],
    });
  });

  test('everywhere, when told', async () => {
    const { call, root } = await toolWorkspace({ 'f.txt': 'x\nx' });
    const args = { path: 'f.txt', old_text: 'x', new_text: '$&', replace_all: true };
    expect((await call('edit_file', args, yes)).content).toBe("Changed 'f.txt' at line 1, 2.");
    expect(await readFile(join(root, 'f.txt'), 'utf8')).toBe('$&\n$&');
  });

  test('a link inside of the workspace stays a link, its target changes', async () => {
    const { call, linkTo, root } = await toolWorkspace({ 'real.txt': 'old' });
    await linkTo('real.txt', 'door.txt');
    await call('edit_file', { path: 'door.txt', old_text: 'old', new_text: 'new' }, yes);
    expect(await readlink(join(root, 'door.txt'))).toBe('real.txt');
    expect(await readFile(join(root, 'real.txt'), 'utf8')).toBe('new');
  });

  test('a file with another name is asked for, and the other name keeps its text', async () => {
    const { call, top, hardLinkTo, root } = await toolWorkspace();
    await writeFile(join(top, 'outside.txt'), 'old');
    await hardLinkTo(join(top, 'outside.txt'), 'f.txt');
    const { asked } = await call('edit_file', { path: 'f.txt', old_text: 'old', new_text: 'new' }, yes);
    expect(asked[0]?.askReason).toContain('2 names (hard links)');
    expect(await readFile(join(root, 'f.txt'), 'utf8')).toBe('new');
    expect(await readFile(join(top, 'outside.txt'), 'utf8')).toBe('old');
  });
});

describe('the disk', () => {
  async function disk() {
    const made = await temporaryWorkspace({ 'src/f.txt': 'old' });
    const guard = new PathGuard([made.root]);
    const placeOf = async (path: string) => {
      const checked = await guard.resolve(path);
      if (!checked.ok) throw new Error(checked.message);
      return checked.place;
    };
    return { ...made, placeOf, files: new DiskWorkspaceFiles() };
  }

  test('a folder that was swapped for a link before the write leads nowhere', async () => {
    const { top, root, placeOf, files } = await disk();
    const place = await placeOf('src/new.txt');
    await mkdir(join(top, 'outside'));
    await rename(join(root, 'src'), join(root, 'old'));
    await symlink(join(top, 'outside'), join(root, 'src'));
    expect(await files.write(place, 'x', 'absent')).toMatchObject({ ok: false, why: 'refused' });
    expect(await readdir(join(top, 'outside'))).toEqual([]);
  });

  test('a file that became a link is not written through', async () => {
    const { top, root, placeOf, files } = await disk();
    const place = await placeOf('src/f.txt');
    await writeFile(join(top, 'outside.txt'), 'old');
    await rename(join(root, 'src/f.txt'), join(root, 'src/g.txt'));
    await symlink(join(top, 'outside.txt'), join(root, 'src/f.txt'));
    expect(await files.write(place, 'new', versionOf('old'))).toMatchObject({ ok: false });
    expect(await readFile(join(top, 'outside.txt'), 'utf8')).toBe('old');
    expect((await lstat(join(root, 'src/f.txt'))).isSymbolicLink()).toBe(true);
  });

  test.each([
    ['a file that came meanwhile', 'src/new.txt', 'absent'],
    ['a file that changed meanwhile', 'src/f.txt', versionOf('old')],
  ])('%s is not written over, and nothing is left behind', async (_, path, expected) => {
    const { root, placeOf, files } = await disk();
    const place = await placeOf(path);
    await writeFile(join(root, path), 'the person was faster');
    expect(await files.write(place, 'new', expected)).toMatchObject({ ok: false, why: 'changed' });
    expect(await readFile(join(root, path), 'utf8')).toBe('the person was faster');
    expect((await readdir(join(root, 'src'))).filter((name) => name.includes('tmp'))).toEqual([]);
  });

  test('two writers of one new file: one wins, the other is told', async () => {
    const { placeOf, files } = await disk();
    const place = await placeOf('race.txt');
    const outcomes = await Promise.all(
      ['a', 'b', 'c', 'd'].map((text) => files.write(place, text, 'absent')),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  });
});
