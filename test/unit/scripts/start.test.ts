import { spawnSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/storeFixture.js';

const root = join(import.meta.dirname, '../../..');

/** Runs `npm start` in a clone in which nothing was installed; what it would start is played. */
async function startIn(lock: string) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'scripts/start'), { recursive: true });
  await cp(join(root, 'scripts/start.mjs'), join(folder, 'scripts/start.mjs'));
  const played = "export const startCode = async () => console.log('VS Code is there');\n";
  await writeFile(join(folder, 'scripts/start/startCode.mjs'), played);
  const manifest = { name: 'clone', version: '1.0.0', type: 'module' };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'package-lock.json'), lock);
  return () => spawnSync(process.execPath, [join(folder, 'scripts/start.mjs')], { encoding: 'utf8' });
}

const LOCK = { name: 'clone', version: '1.0.0', lockfileVersion: 3, requires: true };

it('npm start installs the packages where they are missing', async () => {
  const lock = { ...LOCK, packages: { '': { name: 'clone', version: '1.0.0' } } };
  const start = await startIn(JSON.stringify(lock));
  const { status, stdout } = start();
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/Installing the packages[^]*VS Code is there\n$/),
  ]);
});

it('npm start says in one line what to do where that fails, without a stack', async () => {
  const start = await startIn('this is no lock file');
  const { status, stdout, stderr } = start();
  expect([status, stdout]).toEqual([1, expect.not.stringContaining('VS Code is there')]);
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^The packages could not be installed: .*npm start/);
  expect(stderr).not.toMatch(/at file:|at Module/);
});
