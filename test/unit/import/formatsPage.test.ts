import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkedFormats } from '../../../scripts/checkedFormats.mjs';
import { formatted } from '../../../scripts/formatted.mjs';
import { importFile } from '../../../src/import/importFile.js';
import { formats } from '../../../src/import/tools.js';
import { formatsPage } from '../../../src/import/formatsPage.js';

const path = fileURLToPath(new URL('../../../docs/formats.md', import.meta.url));

test('the page of formats says what their readers declare; `npm run docs:formats` writes it anew', async () => {
  const page = await formatted(path, formatsPage(formats, await checkedFormats({ formats, importFile })));
  expect(readFileSync(path, 'utf8')).toBe(page);
});

test('every format carries messages', () => {
  expect(formats.filter(({ carries }) => !carries.includes('messages'))).toEqual([]);
});

test('no two formats have one name', () => {
  expect(new Set(formats.map(({ name }) => name)).size).toBe(formats.length);
});
