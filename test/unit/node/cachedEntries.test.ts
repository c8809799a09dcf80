import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CachedEntries } from '../../../src/node/cachedEntries.js';
import { runs, seed } from '../../support/fixedInputs.js';
import { temporaryFolder } from '../../support/storeFixture.js';

const entry = fc.tuple(fc.constantFrom('a', 'b', 'c', 'ä'), fc.uint8Array({ maxLength: 40 }));
/** What a process adds before it writes. */
const added = fc.array(entry, { maxLength: 5 });

test('of each key there is what was added last, also where several processes add in turns', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(added, { maxLength: 6 }), async (turns) => {
      const path = join(await temporaryFolder(), 'some.kept');
      const expected = new Map<string, Buffer>();
      const early = new CachedEntries(path);
      for (const [at, turn] of turns.entries()) {
        const entries = at % 2 === 0 ? new CachedEntries(path) : early;
        for (const [key, value] of turn) {
          entries.set(key, Buffer.from(value));
          expected.set(key, Buffer.from(value));
          expect(entries.get(key)).toEqual(Buffer.from(value));
        }
        await entries.write();
      }
      const now = new CachedEntries(path);
      for (const key of ['a', 'b', 'c', 'ä']) expect(now.get(key)).toEqual(expected.get(key));
    }),
    { seed, numRuns: runs(300) },
  );
});

test('whatever is cut off or changed, nothing is there that was not added', async () => {
  await fc.assert(
    fc.asyncProperty(added, fc.nat(), fc.nat(), fc.boolean(), async (all, at, byte, isCut) => {
      const path = join(await temporaryFolder(), 'some.kept');
      const entries = new CachedEntries(path);
      for (const [key, value] of all) entries.set(key, Buffer.from(value));
      await entries.write();
      const bytes = all.length === 0 ? Buffer.alloc(0) : await readFile(path);
      const place = at % (bytes.length + 1);
      if (!isCut && place < bytes.length) bytes[place] = byte % 256;
      await writeFile(path, isCut ? bytes.subarray(0, place) : bytes);
      const damaged = new CachedEntries(path);
      for (const key of ['a', 'b', 'c', 'ä']) {
        const known = all.flatMap(([each, value]) => (each === key ? [Buffer.from(value)] : []));
        const found = damaged.get(key);
        if (found) expect(known).toContainEqual(found);
      }
      // What is added to it afterwards is found by all.
      damaged.set('new', Buffer.from('value'));
      await damaged.write();
      expect(new CachedEntries(path).get('new')).toEqual(Buffer.from('value'));
    }),
    { seed, numRuns: runs(1_000) },
  );
});

test('what nobody finds any more is left out once it is most of a large file', async () => {
  const path = join(await temporaryFolder(), 'some.kept');
  const value = Buffer.alloc(400_000, 'x');
  for (let turn = 0; turn < 12; turn++) {
    const entries = new CachedEntries(path);
    entries.set('same', Buffer.concat([value, Buffer.from(`${turn}`)]));
    if (turn === 0) entries.set('other', Buffer.from('stays'));
    await entries.write();
  }
  const { length } = await readFile(path);
  expect(length).toBeLessThan(6 * value.length);
  expect(new CachedEntries(path).get('other')?.toString()).toBe('stays');
  expect(new CachedEntries(path).get('same')?.subarray(-2).toString()).toBe('11');
});

test('a file that is too large to be held is read where an entry stands, and one that stands elsewhere now is not there', async () => {
  const path = join(await temporaryFolder(), 'some.kept');
  const first = new CachedEntries(path);
  for (let at = 0; at < 25; at++) first.set(`${at}`, Buffer.alloc(400_000, at));
  await first.write();
  const reader = new CachedEntries(path);
  expect(reader.get('24')?.equals(Buffer.alloc(400_000, 24))).toBe(true);
  await writeFile(path, (await readFile(path)).subarray(400_017));
  expect(reader.get('3')).toBeUndefined();
  await appendFile(path, 'what is no entry');
  expect(new CachedEntries(path).get('24')?.equals(Buffer.alloc(400_000, 24))).toBe(true);
});
