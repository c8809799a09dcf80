import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RecordingFiles } from '../../../src/capture/servers/recordingFiles.js';

/** Recordings in a folder that cannot be made yet, because a file stands there. */
async function recordingFiles() {
  const root = await mkdtemp(join(tmpdir(), 'recordings-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, 'recordings');
  await writeFile(folder, '');
  const options = { extension: '.jsonl', maxBytes: 1_000, onGrown: () => undefined };
  const files = new RecordingFiles({ folder, ...options });
  const makeRoom = async () => {
    await rm(folder);
    await mkdir(folder);
  };
  return { files, makeRoom };
}

test('what is added again as soon as it could not be written is waited for', async () => {
  const { files, makeRoom } = await recordingFiles();
  const again = files.add('a', ['{}']).catch(() => {
    const second = files.add('a', ['{"again":true}']);
    return { isWriting: () => files.has('a'), second };
  });
  const { isWriting, second } = (await again) as Exclude<Awaited<typeof again>, boolean>;
  expect(isWriting()).toBe(true);
  await expect(second).rejects.toThrow();
  await makeRoom();
  expect(await files.add('a', ['{"third":true}'])).toBe(true);
  await files.settled();
  expect(files.has('a')).toBe(true);
  expect(await readFile(files.pathOf('a'), 'utf8')).toBe('{"third":true}\n');
});
