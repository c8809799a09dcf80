import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test as base } from 'vitest';
import { DraftStore } from '../../../src/app/chat/draftStore.js';
import { RecordingLog } from '../../support/recordingLog.js';

/** A storage folder; each `openWindow` is another window over it. */
const test = base.extend<{ storage: { path: string; log: RecordingLog; openWindow(): DraftStore } }>({
  storage: async ({}, use) => {
    const path = await mkdtemp(join(tmpdir(), 'agent-logbook-unsaid-'));
    const log = new RecordingLog();
    await use({ path, log, openWindow: () => new DraftStore(path, log) });
    await rm(path, { recursive: true, force: true });
  },
});

test('what stood in the box stands there in the next window', async ({ storage }) => {
  const first = storage.openWindow();
  await first.keep('a', 'half a sen');
  await first.keep('a', 'half a sentence');
  await first.keep('b', 'other');
  const second = storage.openWindow();
  expect(await second.draftOf('a')).toBe('half a sentence');
  expect(await second.draftOf('b')).toBe('other');
  expect(await second.draftOf('c')).toBe('');
});

test('what waited in a window that is gone stands in the box, in order, before what was typed', async ({
  storage,
}) => {
  const first = storage.openWindow();
  await first.keepWaiting('a', ['one', 'two\nlines']);
  await first.keep('a', 'and thr');
  expect(await first.draftOf('a')).toBe('and thr');
  expect(await storage.openWindow().draftOf('a')).toBe('one\n\ntwo\nlines\n\nand thr');
  // It waits no longer: the window after that has it once.
  expect(await storage.openWindow().draftOf('a')).toBe('one\n\ntwo\nlines\n\nand thr');
});

test('what was sent and not taken yet when the window went away stands in the box once', async ({
  storage,
}) => {
  const first = storage.openWindow();
  await first.keep('a', 'two');
  await first.keepWaiting('a', ['one', 'two']);
  expect(await storage.openWindow().draftOf('a')).toBe('one\n\ntwo');
});

test('what was typed in the moment in which the window closes is on the disk when it is closed', async ({
  storage,
}) => {
  const window = storage.openWindow();
  void window.keep('a', 'half a sen');
  void window.keepWaiting('b', ['one']);
  void window.keep('a', 'half a sentence');
  void window.putBack('b', 'two');
  await window.close();
  const onDisk = (conversation: string): unknown =>
    JSON.parse(readFileSync(join(storage.path, `unsaid/${conversation}.json`), 'utf8'));
  expect(onDisk('a')).toEqual({ draft: 'half a sentence', waiting: [] });
  expect(onDisk('b')).toEqual({ draft: 'two', waiting: ['one'] });
});

test('what was said or taken out of the box leaves nothing behind', async ({ storage }) => {
  const window = storage.openWindow();
  await window.keepWaiting('a', ['one']);
  await window.keep('a', 'two');
  await window.keep('a', '');
  await window.keepWaiting('a', []);
  expect(await readdir(join(storage.path, 'unsaid'))).toEqual([]);
  expect(await storage.openWindow().draftOf('a')).toBe('');
});

test('a text that could not be said comes back below what stands in the box, and whoever shows it hears', async ({
  storage,
}) => {
  const window = storage.openWindow();
  const heard: string[] = [];
  window.onDidReturn(({ conversation, text }) => heard.push(`${conversation}: ${text}`));
  await window.keep('a', 'typing');
  await window.putBack('a', 'one');
  expect(heard).toEqual(['a: one']);
  expect(await storage.openWindow().draftOf('a')).toBe('typing\n\none');
});

test.for(['', '{', 'null', '[]', '{"draft":7,"waiting":"x"}', '{"waiting":[1,null,"kept"]}'])(
  'a file that says %j hurts nobody',
  async (text, { storage }) => {
    const first = storage.openWindow();
    await first.keep('a', 'x');
    await writeFile(join(storage.path, 'unsaid/a.json'), text);
    const second = storage.openWindow();
    expect(await second.draftOf('a')).toBe(text.includes('kept') ? 'kept' : '');
    await second.keep('a', 'new');
    expect(await storage.openWindow().draftOf('a')).toBe('new');
  },
);

test('a storage that cannot be written is reported once, and the window goes on', async ({ storage }) => {
  await writeFile(join(storage.path, 'unsaid'), 'in the way');
  const window = storage.openWindow();
  await window.keep('a', 'one');
  await window.keepWaiting('a', ['two']);
  expect(await window.draftOf('a')).toBe('one');
  expect(storage.log.lines.filter((line) => line.includes('cannot be kept'))).toHaveLength(1);
});
