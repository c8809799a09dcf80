import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const textOf = (document: string) => readFileSync(join(root, document), 'utf8');

/** The anchors that a Markdown document's headings make, as GitHub writes them. */
const anchorsOf = (text: string) =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

test.each(documents)('%s leads nowhere that does not exist', (document) => {
  const links = [...textOf(document).matchAll(/(?:\]\(|src="|srcset=")([^)"\s]+)[)"]/g)].map(
    ([, to = '']) => to,
  );
  const broken = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : normalize(join(dirname(document), path));
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchorsOf(textOf(target)).has(anchor);
  });
  expect(broken).toEqual([]);
});

test('README.md is about two pages', () => {
  expect(textOf('README.md').split(/\s+/).length).toBeLessThan(1_000);
});
