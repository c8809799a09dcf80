import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exportToFile, type ExportProgress } from '../../../src/export/files/exportFile.js';
import { exportMessages } from '../../../src/export/exportMessages.js';

/** A folder of its own for one test. */
async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'export-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

async function* messages(count: number) {
  for (let i = 0; i < count; i++) yield { role: 'user', content: `message ${i} ä😀 ${'x'.repeat(500)}` };
}

test('a file holds what the export gives as a whole, and the report says how much', async () => {
  const path = join(await folder(), 'a.json');
  const all = [];
  for await (const message of messages(500)) all.push(message);
  const progress: ExportProgress[] = [];
  const reports: unknown[] = [];
  const report = await exportToFile(messages(500), 'json', path, {
    onProgress: (each) => progress.push(each),
    onReport: (each) => reports.push(each),
  });
  const text = await readFile(path, 'utf8');
  expect(text).toBe(exportMessages(all, 'json'));
  expect(report).toEqual({ messages: 500, redacted: 0, bytes: Buffer.byteLength(text) });
  expect(reports).toEqual([{ messages: 500, redacted: 0 }]);
  expect(progress.length).toBeGreaterThan(2);
  expect(progress.at(-1)).toEqual({ items: 500, bytes: report.bytes });
});

test('a file that is there is left alone unless it is to be replaced', async () => {
  const path = join(await folder(), 'a.csv');
  await writeFile(path, 'mine');
  await expect(exportToFile(messages(1), 'csv', path)).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readFile(path, 'utf8')).toBe('mine');
  await exportToFile(messages(1), 'csv', path, { overwrite: true });
  expect(await readFile(path, 'utf8')).toContain('message 0');
});

test('a name may be as long as the file system allows', async () => {
  const path = await folder();
  const name = `${'ä'.repeat(124)}x.json`;
  expect(Buffer.byteLength(name)).toBe(254);
  await exportToFile(messages(1), 'json', join(path, name));
  expect(await readdir(path)).toEqual([name]);
});

test('no hard link is needed, which FAT and some network disks do not have', async () => {
  const source = await readFile(new URL('../../../src/export/files/exportFile.ts', import.meta.url), 'utf8');
  expect(source).not.toMatch(/\blink\(/);
});

test('an export that is stopped leaves nothing behind', async () => {
  const path = await folder();
  const stop = new AbortController();
  const onProgress = () => stop.abort(new Error('enough'));
  await expect(
    exportToFile(messages(5000), 'markdown', join(path, 'a.md'), { signal: stop.signal, onProgress }),
  ).rejects.toThrow('enough');
  expect(await readdir(path)).toEqual([]);
});

test('a source that fails half way leaves what was there', async () => {
  const path = await folder();
  const file = join(path, 'a.json');
  await writeFile(file, 'mine');
  async function* broken() {
    yield* messages(1000);
    throw new Error('torn');
  }
  await expect(exportToFile(broken(), 'json', file, { overwrite: true })).rejects.toThrow('torn');
  expect(await readdir(path)).toEqual(['a.json']);
  expect(await readFile(file, 'utf8')).toBe('mine');
});
