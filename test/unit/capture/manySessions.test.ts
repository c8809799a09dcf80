import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { SessionFinder } from '../../../src/capture/discovery/sessionFinder.js';
import { claudeSession } from '../../support/sessionHome.js';
import { temporaryFolder } from '../../support/storeFixture.js';

/** How often the disk was asked, by what. */
const asked = vi.hoisted(() => ({ open: 0, opendir: 0, lstat: 0 }));
vi.mock(import('node:fs/promises'), async (original) => {
  const fs = await original();
  const counted = <N extends keyof typeof asked>(name: N) =>
    ((...given: readonly unknown[]) => {
      asked[name]++;
      return (fs[name] as (...all: readonly unknown[]) => unknown)(...given);
    }) as unknown as (typeof fs)[N];
  const own = { open: counted('open'), opendir: counted('opendir'), lstat: counted('lstat') };
  return { ...fs, ...own, default: { ...fs, ...own } };
});

const [FOLDERS, OF_A_FOLDER] = [20, 500];
const SESSIONS = FOLDERS * OF_A_FOLDER;
const LONG_AGO = Date.now() - 3_600_000;

/** 10,000 sessions, all of them written to an hour ago. */
async function manySessions() {
  const home = await temporaryFolder();
  const paths = Array.from({ length: SESSIONS }, (_, at) =>
    join(home, '.claude/projects', `-p${at % FOLDERS}`, `${at}.jsonl`),
  );
  const folders = Array.from({ length: FOLDERS }, (_, at) => join(home, '.claude/projects', `-p${at}`));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  for (const path of paths) {
    writeFileSync(path, claudeSession('Bake a cake'));
    utimesSync(path, LONG_AGO / 1000, LONG_AGO / 1000);
  }
  for (const folder of [...folders, join(home, '.claude/projects')])
    utimesSync(folder, LONG_AGO / 1000, LONG_AGO / 1000);
  const finder = new SessionFinder({ home, platform: 'linux', env: {} });
  const look = async (since = 0) => {
    Object.assign(asked, { open: 0, opendir: 0, lstat: 0 });
    const [change] = await finder.changes([{ id: 'claude-code', folders: [] }], since);
    return { written: change?.written ?? [], problems: change?.problems ?? [], ...asked };
  };
  return { finder, paths, look };
}

beforeEach(() => {
  Object.assign(asked, { open: 0, opendir: 0, lstat: 0 });
});

test('10,000 sessions are listed without reading one, and looked at again without asking for each', async () => {
  const { finder, paths, look } = await manySessions();
  const first = await look();
  expect([first.written.length, first.problems]).toEqual([SESSIONS, []]);
  expect([first.open, first.opendir]).toEqual([0, FOLDERS + 1]);
  expect(first.lstat).toBeLessThanOrEqual(SESSIONS + 2 * FOLDERS);
  const again = await look(LONG_AGO + 1);
  expect(again.written).toEqual([]);
  expect([again.open, again.opendir]).toEqual([0, 0]);
  expect(again.lstat).toBeLessThanOrEqual(2 * FOLDERS);
  // What rows that are shown tell is read of these alone.
  asked.open = 0;
  await finder.about('claude-code', paths.slice(0, 50));
  expect(asked.open).toBeGreaterThanOrEqual(50);
  expect(asked.open).toBeLessThanOrEqual(100);
});
