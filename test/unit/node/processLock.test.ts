import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ProcessLock, isLocked } from '../../../src/node/processLock.js';
import { ownIdentity, processState } from '../../../src/node/processIdentity.js';
import { temporaryFolder } from '../../support/storeFixture.js';

const STALE_MS = 250;

async function lockPath(holder?: object): Promise<string> {
  const path = join(await temporaryFolder(), 'lock');
  if (holder) await writeFile(path, JSON.stringify({ ...ownIdentity, token: 'other', ...holder }));
  return path;
}

async function take(path: string): Promise<ProcessLock> {
  const acquired = await ProcessLock.acquire(path, { staleMs: STALE_MS });
  if (!('lock' in acquired)) throw new Error('somebody else has it');
  return acquired.lock;
}

const isRefused = async (path: string) =>
  !('lock' in (await ProcessLock.acquire(path, { staleMs: STALE_MS })));

/** The pid of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? -1;
}

test('one holder at a time, and the next after it', async () => {
  const path = await lockPath();
  const lock = await take(path);
  expect(await isRefused(path)).toBe(true);
  expect(await isLocked(path)).toBe(true);
  await lock.release();
  expect(await isLocked(path)).toBe(false);
  await (await take(path)).release();
  expect(await readdir(join(path, '..'))).toEqual([]);
});

test('of many that want it at once, one gets it', async () => {
  const path = await lockPath();
  const acquired = await Promise.all(
    Array.from({ length: 20 }, () => ProcessLock.acquire(path, { staleMs: STALE_MS })),
  );
  expect(acquired.filter((each) => 'lock' in each)).toHaveLength(1);
});

test('of many that find it left by a dead process, one gets it', async () => {
  const path = await lockPath({ pid: await deadPid(), started: '1' });
  const acquired = await Promise.all(
    Array.from({ length: 20 }, () => ProcessLock.acquire(path, { staleMs: STALE_MS })),
  );
  expect(acquired.filter((each) => 'lock' in each)).toHaveLength(1);
});

test('a lock of a process whose number has been given to another is stale', async () => {
  expect(processState({ ...ownIdentity, started: '1' })).toBe(
    process.platform === 'linux' ? 'dead' : 'unknown',
  );
  const path = await lockPath({ started: '1' });
  await take(path);
});

test('a lock of another machine is stale when it shows no life', async () => {
  await take(await lockPath({ machine: 'elsewhere' }));
  const path = await lockPath({ machine: 'elsewhere' });
  const beating = setInterval(() => void utimes(path, new Date(), new Date()), 20);
  expect(await isRefused(path)).toBe(true);
  clearInterval(beating);
});

test.each(['', '{', 'null', '{"pid":"x"}', 'x'.repeat(100_000)])(
  'a lock file that says %j is stale after a while',
  async (content) => {
    const path = await lockPath();
    await writeFile(path, content);
    await take(path);
  },
);

test('a takeover that a crash cut off does not keep others for ever', async () => {
  const path = await lockPath({ pid: await deadPid(), started: '1' });
  await writeFile(`${path}.takeover`, '');
  await take(path);
});

test('the holder notices that it lost its lock, and takes one back that is gone', async () => {
  const path = await lockPath();
  const lock = await take(path);
  expect(await lock.beat()).toBe(true);
  await unlink(path);
  expect(await lock.beat()).toBe(true);
  await writeFile(path, JSON.stringify({ ...ownIdentity, token: 'other' }));
  expect(await lock.beat()).toBe(false);
  await lock.release();
  expect(await readFile(path, 'utf8')).toContain('other');
});

test('a link in the place of the lock is not followed', async () => {
  const path = await lockPath();
  await symlink('/etc/passwd', path);
  await expect(ProcessLock.acquire(path, { staleMs: STALE_MS })).rejects.toThrow('link');
});
