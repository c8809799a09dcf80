import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { FileWatch } from '../../../src/node/fileWatch.js';
import { FolderWatches } from '../../../src/node/folderWatches.js';
import { soon } from '../../support/soon.js';
import { temporaryFolder } from '../../support/storeFixture.js';

/** How many folders are watched at this moment. */
const watchers = vi.hoisted(() => ({ open: 0 }));
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  const watch = ((...given: Parameters<typeof fs.watch>) => {
    const watcher = fs.watch(...given);
    watchers.open++;
    watcher.on('close', () => watchers.open--);
    return watcher;
  }) as typeof fs.watch;
  return { ...fs, watch, default: { ...fs, watch } };
});

beforeEach(() => {
  watchers.open = 0;
});

/** Files of one folder that are watched, with how often each was told of. */
async function watched(count: number) {
  const folder = await temporaryFolder();
  const watches = new FolderWatches();
  const paths = Array.from({ length: count }, (_, at) => join(folder, `${at}.jsonl`));
  await Promise.all(paths.map((path) => writeFile(path, '')));
  const heard = paths.map(() => 0);
  const each = paths.map((path, at) => {
    const watch = new FileWatch(watches, () => heard[at]!++);
    watch.follow([path], []);
    onTestFinished(() => watch.dispose());
    return watch;
  });
  return { folder, paths, heard, each };
}

test('many files of a folder have one watcher, and each hears of itself alone', async () => {
  const { paths, heard, each } = await watched(50);
  expect(watchers.open).toBe(1);
  expect(each.every(({ isComplete }) => isComplete)).toBe(true);
  await appendFile(paths[7]!, 'x');
  await soon(() => expect(heard[7]).toBeGreaterThan(0));
  expect(heard.filter((times) => times > 0)).toHaveLength(1);
});

test('who follows further files hears on of the first, and the watcher goes with the last who follows', async () => {
  const { folder, paths, heard, each } = await watched(2);
  await mkdir(join(folder, 'subagents'));
  each[0]!.follow([paths[0]!, `${paths[0]!}-wal`], [join(folder, 'subagents')]);
  expect(watchers.open).toBe(2);
  await appendFile(paths[0]!, 'x');
  await soon(() => expect(heard[0]).toBeGreaterThan(0));
  const before = heard[0]!;
  await writeFile(join(folder, 'subagents', 'agent-1.jsonl'), '');
  await soon(() => expect(heard[0]).toBeGreaterThan(before));
  for (const watch of each) watch.dispose();
  await soon(() => expect(watchers.open).toBe(0));
});

test('a folder that is not there is looked at, not watched', async () => {
  const { folder, each } = await watched(1);
  each[0]!.follow([join(folder, 'gone', 'x.jsonl')], []);
  expect(each[0]!.isComplete).toBe(false);
  await rm(folder, { recursive: true });
});
