import { join } from 'node:path';
import { expect, test } from 'vitest';
import { syncFolder } from '../../../src/node/plainFile.js';
import { countedSyncs } from '../../support/countedSyncs.js';
import { temporaryFolder } from '../../support/storeFixture.js';

test.skipIf(process.platform === 'win32')('who asks at the same time shares one sync', async () => {
  const folder = await temporaryFolder();
  const counts = await countedSyncs();
  await Promise.all(Array.from({ length: 100 }, () => syncFolder(folder)));
  expect(counts.folders).toBe(1);
});

test.skipIf(process.platform === 'win32')(
  'who asks while a sync is in progress waits for a further one, which later ones share',
  async () => {
    const folder = await temporaryFolder();
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const counts = await countedSyncs(async () => {
      begin();
      await released;
    });
    const first = syncFolder(folder);
    await begun;
    const later = Promise.all([syncFolder(folder), syncFolder(folder)]);
    release();
    await Promise.all([first, later]);
    expect(counts.folders).toBe(2);
  },
);

test.skipIf(process.platform === 'win32')(
  'a failed sync is told to each who waits for it, and to nobody else',
  async () => {
    const folder = await temporaryFolder();
    const missing = join(folder, 'missing');
    const results = await Promise.allSettled([syncFolder(missing), syncFolder(missing), syncFolder(folder)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await expect(syncFolder(missing)).rejects.toThrow('ENOENT');
  },
);
