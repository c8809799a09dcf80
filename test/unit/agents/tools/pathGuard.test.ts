import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openGuarded } from '../../../../src/agents/tools/paths/openGuarded.js';
import { PathGuard } from '../../../../src/agents/tools/paths/pathGuard.js';
import { isInside } from '../../../../src/agents/tools/paths/pathNames.js';
import { temporaryWorkspace } from './toolHarness.js';
import { runs } from '../../../support/fixedInputs.js';

async function workspace() {
  const made = await temporaryWorkspace({ 'src/a.txt': 'a', 'b.txt': 'b' });
  await writeFile(join(made.top, 'secret.txt'), 'secret');
  const guard = new PathGuard([made.root]);
  const expectPlace = async (path: string, relative: string, kind: string) =>
    expect(await guard.resolve(path)).toMatchObject({
      ok: true,
      place: { path: join(made.root, relative), relative, kind },
    });
  const expectRefused = async (path: string, message: string) =>
    expect(await guard.resolve(path)).toEqual({
      ok: false,
      why: 'refused',
      message: expect.stringContaining(message) as string,
    });
  return { ...made, guard, expectPlace, expectRefused };
}

test.each([
  ['src/a.txt', 'src/a.txt', 'file'],
  ['./src//./a.txt', 'src/a.txt', 'file'],
  ['src/../b.txt', 'b.txt', 'file'],
  ['src', 'src', 'folder'],
  ['.', '', 'folder'],
  ['new/deep/file.txt', 'new/deep/file.txt', 'absent'],
  ['..b.txt', '..b.txt', 'absent'],
])('%s is %s, a %s', async (path, relative, kind) => {
  await (await workspace()).expectPlace(path, relative, kind);
});

test.each([
  ['../secret.txt', 'lies outside of the workspace'],
  ['src/../../secret.txt', 'lies outside of the workspace'],
  ['/etc/passwd', 'lies outside of the workspace'],
  ['/proc/self/root/etc/passwd', 'lies outside of the workspace'],
  ['/proc/self/cwd/package.json', 'lies outside of the workspace'],
  ['~/.ssh/id_rsa', 'lies outside of the workspace'],
  ['file:///etc/passwd', 'is a URL'],
  ['src/a.txt/b', 'leads through a file'],
  ['a\0b', 'holds control characters'],
  ['a\nb', 'holds control characters'],
  ['', 'is empty'],
  ['\ud800', 'is no valid text'],
  ['x'.repeat(5_000), 'is too long'],
])('%j is refused', async (path, message) => {
  await (await workspace()).expectRefused(path, message);
});

test('an absolute path inside is fine, that of a twin with the same beginning is not', async () => {
  const { root, expectPlace, expectRefused } = await workspace();
  await mkdir(`${root}-evil`);
  await expectPlace(join(root, 'b.txt'), 'b.txt', 'file');
  await expectRefused(`${root}-evil/x`, 'lies outside');
  await expectRefused('../ws-evil/x', 'lies outside');
});

test('the way over /proc to the workspace itself is refused too', async () => {
  const { root, expectRefused } = await workspace();
  await expectRefused(`/proc/self/root${root}/b.txt`, 'lies outside');
});

test('a workspace that is opened through a link is known by both names', async () => {
  const { top, root } = await workspace();
  await symlink(root, join(top, 'door'));
  const guard = new PathGuard([join(top, 'door')]);
  for (const path of ['b.txt', join(top, 'door/b.txt'), join(root, 'b.txt')]) {
    expect(await guard.resolve(path)).toMatchObject({ ok: true, place: { path: join(root, 'b.txt') } });
  }
});

describe('links', () => {
  test('a link inside is followed to its real place', async () => {
    const { linkTo, expectPlace } = await workspace();
    await linkTo('src', 'door');
    await expectPlace('door/a.txt', 'src/a.txt', 'file');
    await expectPlace('door/new.txt', 'src/new.txt', 'absent');
  });

  test.each([
    ['a linked file outside', '../secret.txt', 'door', 'leads out of the workspace'],
    ['a linked folder outside', '..', 'door/secret.txt', 'leads out of the workspace'],
    ['a new file in a linked folder outside', '..', 'door/new.txt', 'leads out of the workspace'],
    ['a link to nothing', '../nothing', 'door', 'is a link to nothing'],
    ['a folder that is a link to nothing', '../nothing', 'door/new.txt', 'is a link to nothing'],
    ['a link to itself', 'door', 'door', 'cannot be reached'],
    ['the root of the system', '/proc/self/root', 'door/etc/passwd', 'leads out of the workspace'],
    ['a device', '/dev/null', 'door', 'leads out of the workspace'],
  ])('%s', async (_, target, path, message) => {
    const { linkTo, expectRefused } = await workspace();
    await linkTo(target, 'door');
    await expectRefused(path, message);
  });

  test('a link through a link is followed to its end', async () => {
    const { linkTo, expectRefused } = await workspace();
    await linkTo('..', 'src/up');
    await linkTo('src/up/..', 'door');
    await expectRefused('door/secret.txt', 'leads out of the workspace');
  });

  test('the names of a file are counted', async () => {
    const { top, guard, hardLinkTo } = await workspace();
    await hardLinkTo(join(top, 'secret.txt'), 'hard.txt');
    expect(await guard.resolve('hard.txt')).toMatchObject({ place: { kind: 'file', names: 2 } });
  });
});

test('a socket is refused', async () => {
  const { root, expectRefused } = await workspace();
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve));
  await expectRefused('socket', 'is neither a file nor a folder');
});

test('what lies in the store is known, wherever it is kept', async () => {
  const { root, put } = await workspace();
  await put('notes/log/x.json', '{}');
  const guard = new PathGuard([root], join(root, 'notes/log'));
  expect(await guard.resolve('notes/log/x.json')).toMatchObject({ place: { inStore: true } });
  expect(await guard.resolve('notes/log/new.json')).toMatchObject({ place: { inStore: true } });
  expect(await guard.resolve('notes/logs')).not.toMatchObject({ place: { inStore: true } });
});

test('several folders: the first is meant, another by its name', async () => {
  const { top, root } = await workspace();
  await mkdir(join(top, 'other/src'), { recursive: true });
  const guard = new PathGuard([root, join(top, 'other')]);
  expect(await guard.resolve('b.txt')).toMatchObject({ place: { path: join(root, 'b.txt') } });
  expect(await guard.resolve('other/src')).toMatchObject({
    place: { root: join(top, 'other'), relative: 'src' },
  });
});

describe.skipIf(process.platform !== 'linux')('what is opened is what was checked', () => {
  test('a folder that was swapped for a link is seen', async () => {
    const { top, root, guard } = await workspace();
    const checked = await guard.resolve('src/a.txt');
    await rename(join(root, 'src'), join(root, 'old'));
    await mkdir(join(top, 'evil'));
    await writeFile(join(top, 'evil/a.txt'), 'evil');
    await symlink(join(top, 'evil'), join(root, 'src'));
    expect(checked.ok && (await openGuarded(checked.place, 'file'))).toMatchObject({
      ok: false,
      why: 'refused',
    });
  });

  test('a file that was swapped for a link is seen', async () => {
    const { root, guard } = await workspace();
    const checked = await guard.resolve('b.txt');
    await rename(join(root, 'b.txt'), join(root, 'c.txt'));
    await symlink('../secret.txt', join(root, 'b.txt'));
    expect(checked.ok && (await openGuarded(checked.place, 'file'))).toMatchObject({
      ok: false,
      why: 'refused',
    });
  });
});

test('isInside compares names, not beginnings', () => {
  const name = fc.stringMatching(/^[a-z.-]{1,5}$/).filter((text) => text !== '.' && text !== '..');
  const path = fc.array(name, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(path, path, (folder, other) => {
      const expected = folder.every((part, index) => other[index] === part);
      expect(isInside(`/${folder.join('/')}`, `/${other.join('/')}`)).toBe(expected);
    }),
  );
});

test('whatever is written, a place is inside and a refusal is a sentence', async () => {
  const { root, guard, linkTo } = await workspace();
  await linkTo('..', 'up');
  await linkTo('/', 'all');
  const part = fc.constantFrom(
    '..',
    '.',
    'src',
    'a.txt',
    'up',
    'all',
    'new',
    '',
    '/',
    '\\',
    '...',
    basename(root),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(part, fc.string()), { maxLength: 6 }), async (parts) => {
      const outcome = await guard.resolve(parts.join('/'));
      if (!outcome.ok) {
        expect(outcome.message).toMatch(/\.$/);
        return;
      }
      const { path, relative } = outcome.place;
      expect(path).toBe(relative === '' ? root : join(root, relative));
      expect(relative.split('/')).not.toContain('..');
    }),
    { numRuns: runs(500) },
  );
});
