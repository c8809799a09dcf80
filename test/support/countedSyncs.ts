import { open, type FileHandle } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';

type Sync = (this: FileHandle) => Promise<void>;

/** Counts the syncs of files and folders from now to the end of the test; `hold` is awaited in each sync of a folder. */
export async function countedSyncs(hold: () => Promise<void> = () => Promise.resolve()) {
  const handle = await open('.');
  const prototype = Object.getPrototypeOf(handle) as Record<'sync' | 'datasync', Sync>;
  await handle.close();
  const counts = { folders: 0, files: 0 };
  const { sync, datasync } = prototype;
  const folders = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    counts.folders++;
    await hold();
    await sync.call(this);
  });
  const files = vi.spyOn(prototype, 'datasync').mockImplementation(async function (this: FileHandle) {
    counts.files++;
    await datasync.call(this);
  });
  onTestFinished(() => {
    folders.mockRestore();
    files.mockRestore();
  });
  return counts;
}
