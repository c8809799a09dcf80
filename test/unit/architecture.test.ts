import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

test('every path that ARCHITECTURE.md names exists', () => {
  const named = [...text.matchAll(/`([\w.][\w.@-]*(?:\/[\w.@-]+)+|[\w-]+\.(?:mjs|json|md))`/g)].map(
    ([, path]) => path ?? '',
  );
  expect(named.length).toBeGreaterThan(15);
  const ofTheProject = named.filter((path) => !path.startsWith('state/'));
  expect(ofTheProject.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('every room of src is in ARCHITECTURE.md and in layers.mjs', async () => {
  const { layers } = (await import('../../layers.mjs')) as { layers: Record<string, unknown> };
  const rooms = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  for (const { name } of rooms) {
    expect(text).toContain(`\`src/${name}\``);
    expect(Object.keys(layers)).toContain(name);
  }
});
