import { readFile, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ImportReport } from '../../../src/store/files/importReport.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

const report = (problems: ImportReport['problems']): ImportReport => ({
  path: '/logs/s1.jsonl',
  format: 'a-tool',
  readWith: ['/logs/s1/sub.jsonl'],
  problems,
  problemCount: problems.length,
  conversations: 1,
  records: 3,
  readAt: 1_700_000_000_000,
});
const problems = [
  { severity: 'error' as const, message: 'No JSON.', line: 4 },
  { severity: 'warning' as const, message: 'Kept without being understood: x (2 times).' },
];

async function imported() {
  const made = await temporaryStore();
  const journal = await made.store.createConversation('c1');
  journal.append(recordOf(1, said('hello')));
  await journal.close();
  return { ...made, file: join(made.root, 'conversations', 'c1', 'import.json') };
}

test('what an import has told is there as long as nothing else was told', async () => {
  const { store } = await imported();
  expect(await store.importReport('c1')).toBeUndefined();
  await store.keepImportReport('c1', report(problems));
  expect(await store.importReport('c1')).toEqual(report(problems));
  await store.keepImportReport('c1', report([]));
  expect(await store.importReport('c1')).toBeUndefined();
});

test('of many problems the first are kept, and all are counted', async () => {
  const { store } = await imported();
  const many = Array.from({ length: 5_000 }, (_, line) => ({
    severity: 'error' as const,
    message: 'x',
    line,
  }));
  await store.keepImportReport('c1', report(many));
  const kept = await store.importReport('c1');
  expect(kept).toMatchObject({ problemCount: 5_000 });
  expect(kept?.problems).toEqual(many.slice(0, 1_000));
});

test.each([
  ['cut', (file: string) => truncate(file, 40)],
  ['of a later version', (file: string) => writeFile(file, '{"version":2}')],
  ['something else', (file: string) => writeFile(file, '{"version":1,"path":7,"problems":[]}')],
  ['as long as nothing that is written here', (file: string) => truncate(file, 20_000_000)],
])('a report that is %s is none', async (_, harm) => {
  const { store, file } = await imported();
  await store.keepImportReport('c1', report(problems));
  await harm(file);
  expect(await store.importReport('c1')).toBeUndefined();
});

test('a link in its place is neither followed nor written through', async () => {
  const { store, root, file } = await imported();
  const outside = join(root, '..', 'theirs.json');
  await writeFile(outside, JSON.stringify({ version: 1, ...report(problems) }));
  await symlink(outside, file);
  await expect(store.importReport('c1')).rejects.toThrow();
  await store.keepImportReport('c1', report([...problems, ...problems]));
  expect(JSON.parse(await readFile(outside, 'utf8'))).toMatchObject({ problemCount: 2 });
  expect(await store.importReport('c1')).toMatchObject({ problemCount: 4 });
  await unlink(file);
});
