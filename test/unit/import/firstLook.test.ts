import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { importFile, NO_TEXT, openImport } from '../../../src/import/importFile.js';
import { NO_JSON, ONLY_BLANK } from '../../../src/import/reading/fragments.js';
import { storedZstd } from '../../support/storedZstd.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import { said } from './reading.js';

const MIB = 1024 * 1024;
const talk = `${JSON.stringify({ role: 'user', content: 'Weigh the flour' })}\n${JSON.stringify({ role: 'assistant', content: 'ü'.repeat(MIB) })}\n`;

async function read(bytes: string | Uint8Array) {
  const path = join(await temporaryFolder(), 'a.jsonl');
  await writeFile(path, bytes);
  return importFile(path);
}

test.each([
  ['bytes of anything', randomBytes(3 * MIB)],
  ['nothing but zeros', Buffer.alloc(3 * MIB)],
  ['nothing but zeros and blanks', Buffer.alloc(3 * MIB, '\0 ')],
])('of a long file with %s no more is read than its first look', async (_what, bytes) => {
  const { conversations, problems } = await read(bytes);
  expect(conversations).toEqual([]);
  expect(problems).toMatchObject([{ severity: 'error', message: NO_TEXT }]);
});

test.each([
  ['a long file', Buffer.alloc(3 * MIB, '\n')],
  ['a long file, packed', gzipSync(Buffer.alloc(20 * MIB, ' \r\n'))],
  ['a short file', '\n\n \t\n'],
])('%s of nothing but line feeds is said to be empty', async (_what, bytes) => {
  expect((await read(bytes)).problems).toMatchObject([{ severity: 'error', message: ONLY_BLANK }]);
});

test.each([
  ['lists', '['.repeat(3 * MIB)],
  ['objects', '{"a":'.repeat(MIB)],
  ['lists, packed', gzipSync('['.repeat(20 * MIB))],
])('of a long file of %s in each other no more is read than its first look', async (_what, bytes) => {
  const { conversations, problems } = await read(bytes);
  expect(conversations).toEqual([]);
  expect(problems).toMatchObject([
    { severity: 'error', message: 'It nests deeper than 200 levels; nothing else of it was read.' },
  ]);
});

test('a session whose first line nests too deep is read behind it', async () => {
  expect(said(await read(`${'['.repeat(70_000)}\n${talk}`))).toContain('user: Weigh the flour');
});

test('a long text is no table whose rows nobody would read', async () => {
  const { problems } = await read('Stir the flour, then weigh it\n'.repeat(MIB / 16));
  expect(problems.map(({ message }) => message)).toEqual([NO_JSON]);
});

test('a long table that a format knows is read', async () => {
  const rows = Array.from(
    { length: 300 },
    (_, at) => `"Weigh ${at}, and stir","Weighed\n${'well '.repeat(800)}${at}"`,
  );
  const csv = `prompt,response\n${rows.join('\n')}\n`;
  expect(csv.length).toBeGreaterThan(MIB);
  expect(said(await read(csv))[0]).toBe('user: Weigh 0, and stir');
});

test.each([
  ['as it is', talk],
  ['behind zeros of a crash', `${'\0'.repeat(MIB)}${talk}`],
  ['in UTF-16', Buffer.from(`\ufeff${talk}`, 'utf16le')],
  ['packed by gzip', gzipSync(talk, { level: 0 })],
  ['packed by Zstandard', storedZstd(talk)],
  ['between separators of records', `\x1e${talk.replaceAll('\n', '\n\x1e')}`],
])('a long session %s is read', async (_what, bytes) => {
  expect(said(await read(bytes))[0]).toBe('user: Weigh the flour');
});

/** More than is held at once, once it is unpacked. */
const COUNT = 9_000;
const long = `${JSON.stringify({ role: 'user', content: 'Weigh the flour. '.repeat(120) })}\n`.repeat(COUNT);

test.each<[string, () => Buffer, readonly string[]]>([
  ['whole', () => gzipSync(long), []],
  ['cut off', () => gzipSync(long).subarray(0, -8), ['breaks off']],
  ['packed by Zstandard', () => storedZstd(long), []],
])(
  'a packed session that is large and %s is read, and leaves nothing behind',
  async (_what, packed, told) => {
    const [path, temporary] = [join(await temporaryFolder(), 'a.jsonl.gz'), await temporaryFolder()];
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    await writeFile(path, packed());
    const opened = await openImport(path);
    // What waits on the disk is no list.
    if (told.length === 0) expect(Array.isArray(opened.conversations[0]?.records)).toBe(false);
    expect(opened.conversations[0]?.records).toHaveLength(COUNT);
    const problems = opened.problems.map(({ message }) => message).join();
    for (const words of told) expect(problems).toContain(words);
    opened.close();
    expect(await readdir(temporary)).toEqual([]);
  },
);

test('where there is no folder for temporary files, a packed session is read all the same', async () => {
  const [folder, expected] = [await temporaryFolder(), said(await read(talk))];
  vi.stubEnv('TMPDIR', join(folder, 'missing'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const path = join(folder, 'a.jsonl.gz');
  await writeFile(path, gzipSync(talk, { level: 0 }));
  expect(said(await importFile(path))).toEqual(expected);
});

test('what a killed program left unpacked goes with the next file, and what another unpacks stays', async () => {
  const [path, temporary] = [join(await temporaryFolder(), 'a.jsonl.gz'), await temporaryFolder()];
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { pid } = spawnSync(process.execPath, ['--version']);
  const folderOf = async (of: number, name: string, hours: number) => {
    const folder = join(temporary, `agent-logbook-file-${of}-${name}`);
    await mkdir(folder);
    await writeFile(join(folder, 'unpacked'), 'secret');
    const then = Date.now() / 1000 - hours * 3600;
    await utimes(folder, then, then);
  };
  await folderOf(pid, 'killed', 2);
  await folderOf(pid, 'lately', 0);
  await folderOf(process.pid, 'living', 2);
  await writeFile(path, gzipSync(talk, { level: 0 }));
  await importFile(path);
  expect((await readdir(temporary)).sort()).toEqual(
    [`agent-logbook-file-${pid}-lately`, `agent-logbook-file-${process.pid}-living`].sort(),
  );
});
