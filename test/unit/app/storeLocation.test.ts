import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { storeLocation } from '../../../src/app/services/stores.js';

const ownStorage = resolve('own');
const folder = (name: string, scheme = 'file') => ({ name, uri: { scheme, fsPath: resolve(name) } });
const place = (where?: ReturnType<typeof folder>, chosen = '') =>
  storeLocation(where, { chosen, ownStorage });

test('each folder of a workspace has a store of its own', () => {
  expect(place(folder('shop'))).toEqual({ root: resolve('shop/.agent-logbook') });
  expect(place(folder('kitchen'))).toEqual({ root: resolve('kitchen/.agent-logbook') });
});

test('with no folder open the extension keeps it, and nothing has to be said', () => {
  expect(place()).toEqual({ root: join(ownStorage, 'logbook') });
});

test.each(['vscode-vfs', 'github', 'ftp', 'untitled'])(
  'a folder of %s is kept elsewhere, which is said',
  (scheme) => {
    const { root, notice } = place(folder('far', scheme));
    expect(root).toBe(join(ownStorage, 'logbook'));
    expect(notice).toContain('"far" is not on a disk of this machine');
  },
);

test('a chosen place is for all folders, wherever they are', () => {
  for (const where of [folder('shop'), folder('far', 'github'), undefined])
    expect(place(where, resolve('chosen'))).toEqual({ root: resolve('chosen') });
});

test('a chosen place that is no absolute path is refused in words', () => {
  expect(() => place(folder('shop'), 'relative/place')).toThrow('must be an absolute path');
});
