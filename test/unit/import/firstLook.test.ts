import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { importFile, NO_TEXT } from '../../../src/import/importFile.js';
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
])('of a long file with %s no more is read than its first look', async (_what, bytes) => {
  const { conversations, problems } = await read(bytes);
  expect(conversations).toEqual([]);
  expect(problems).toMatchObject([{ severity: 'error', message: NO_TEXT }]);
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
