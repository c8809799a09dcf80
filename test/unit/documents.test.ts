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

/** What is prose of the project about its code: whatever stands between backticks there must be in the code. */
const aboutCode = documents.filter(
  (document) =>
    ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'AGENTS.md'].includes(document) ||
    document.startsWith(join('docs', 'internals')),
);

const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
    (path) => !path.includes('node_modules'),
  );

/** The words of the code without its comments, and the names of all files. */
function wordsOfCode(): ReadonlySet<string> {
  const words = new Set<string>();
  const add = (text: string) => text.match(/[\w$]+/g)?.forEach((word) => words.add(word));
  for (const folder of ['src', 'webview', 'scripts', 'bench', 'test', 'docs', 'l10n', 'media', 'samples'])
    filesIn(folder).forEach(add);
  readdirSync(root).forEach(add);
  const code = ['src', 'webview', 'scripts', 'bench', 'test/support', 'test/vscode'].flatMap((folder) =>
    filesIn(folder).map((path) => join(folder, path)),
  );
  for (const path of [...code, ...readdirSync(root)].filter((name) => /\.(?:ts|mjs|css|json)$/.test(name)))
    add(textOf(path).replace(/\/\*.*?\*\/|^\s*\/\/[^\n]*/gms, ''));
  return words;
}

/** Commands of the shell and words of others that a page shows between backticks. */
const others = ['npx', 'git', 'mv', 'onDidX'];

test('whatever ARCHITECTURE.md, CONTRIBUTING.md, AGENTS.md and docs/internals show between backticks exists in the code', () => {
  const words = wordsOfCode();
  expect(words.has('chatToolLoop')).toBe(true);
  const gone = aboutCode.flatMap((document) => {
    const spans = [
      ...textOf(document)
        .replace(/^```.*?^```/gms, '')
        .matchAll(/`([^`]+)`/g),
    ];
    return spans
      .flatMap(([, span = '']) => span.split(/\s+/))
      .filter((token) =>
        /^(?:src|webview|test|docs|scripts|bench|examples)\/[\w./-]+$/.test(token)
          ? !existsSync(join(root, token))
          : token
              .match(/(?<![\w$])[A-Za-z_$][\w$]+/g)
              ?.some((word) => !words.has(word) && !others.includes(word)),
      )
      .map((token) => `${document}: ${token}`);
  });
  expect(gone).toEqual([]);
});

test('README.md is about two pages', () => {
  expect(textOf('README.md').split(/\s+/).length).toBeLessThan(1_000);
});
