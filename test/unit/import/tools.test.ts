import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formats, tools } from '../../../src/import/tools.js';
import { toolHomes } from '../../../src/import/toolHomes.js';

const folder = join(import.meta.dirname, '../../../src/import');
const files = readdirSync(join(folder, 'tools'), { recursive: true, encoding: 'utf8' }).map((path) =>
  path.replaceAll('\\', '/'),
);

/** The paths in `tools` that a file imports. */
function importedBy(name: string): readonly string[] {
  const text = readFileSync(join(folder, name), 'utf8');
  return Array.from(text.matchAll(/from '\.\/tools\/([^']+)\.js'/g), ([, path = '']) => path);
}

test('every folder of a tool has its row, and every place of sessions has its own', () => {
  const folders = new Set(files.flatMap((path) => (path.includes('/') ? [path.split('/')[0]] : [])));
  const rows = new Set(importedBy('tools.ts').map((path) => path.split('/')[0]));
  expect([...folders].filter((each) => !rows.has(each))).toEqual([]);
  const homes = files.filter((path) => path.endsWith('Home.ts')).map((path) => path.replace('.ts', ''));
  expect(homes.filter((each) => !importedBy('toolHomes.ts').includes(each))).toEqual([]);
  expect(toolHomes.length).toBeGreaterThanOrEqual(homes.length);
});

test('every format of a tool is asked, and none twice', () => {
  const all = tools.flatMap((tool) => [...tool.formats, ...(tool.texts ?? []), ...(tool.telemetry ?? [])]);
  expect(all.filter((format) => !formats.includes(format))).toEqual([]);
  expect(new Set(formats).size).toBe(formats.length);
});

test('a file is of one tool at most by its name', () => {
  const names = ['wire.jsonl', 'messages.json', 'rollout-1-0196f5aa-0000-7000-8000-000000000001.jsonl'];
  for (const name of names) expect(tools.filter(({ owned }) => owned?.is(join('/a', name)))).toHaveLength(1);
});
