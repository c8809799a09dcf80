import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';
import { expect, test } from 'vitest';
import { oneFile } from '../../../scripts/oneFile.mjs';
import { temporaryFolder } from '../../support/storeFixture.js';

/** Bundles sources into one file and runs it with some words; gives what it prints, and the file. */
async function runOne(sources: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(sources)) await writeFile(join(folder, name), text);
  const file = join(folder, 'one.cjs');
  await build({
    input: join(folder, 'main.js'),
    platform: 'node',
    plugins: [oneFile('one.cjs')],
    output: { dir: folder, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
    logLevel: 'silent',
  });
  const printed = execFileSync(process.execPath, [file, ...words], { encoding: 'utf8', cwd: '/' });
  return { printed: printed.trim(), text: await readFile(file, 'utf8') };
}

test('what ends a comment, is outside of ASCII or is written as what is, stays what it was', async () => {
  const odd = String.raw`'\\*/ ~002f ~ 小さ 🍪 \u2028' + String.raw${'`é\\d*/~0041`'} + (~5) + /o*/.source + /[–~]/u.test('–')`;
  const { printed, text } = await runOne({
    'main.js': `import('./later.js').then(({ odd }) => console.log(JSON.stringify(odd)));`,
    'later.js': `export const odd = ${odd};`,
  });
  expect(JSON.parse(printed)).toBe('\\*/ ~002f ~ 小さ 🍪 \u2028' + String.raw`é\d*/~0041` + '-6o*' + 'true');
  expect(text).toMatch(/^\p{ASCII}+$/u);
});

test('only what is asked for runs, once, and in strict mode', async () => {
  const sources = {
    'main.js': `const load = { a: () => import('./a.js'), b: () => import('./b.js') };
      for (const word of process.argv.slice(2)) console.log(word), load[word]();`,
    'a.js': `import { count } from './shared.js'; console.log('a', count(), (function () { return this; })());`,
    'b.js': `import { count } from './shared.js'; console.log('b', count());`,
    'shared.js': `let times = 0; export const count = () => ++times;`,
  };
  expect((await runOne(sources, 'b')).printed.split('\n')).toEqual(['b', 'b 1']);
  expect((await runOne(sources, 'a', 'b')).printed.split('\n')).toEqual(['a', 'b', 'a 1 undefined', 'b 2']);
});

test('a stack trace names the line of the file', async () => {
  const { printed, text } = await runOne({
    'main.js': `import('./later.js').then(({ fail }) => { try { fail(); } catch ({ stack }) { console.log(stack); } });`,
    'later.js': `const one = '\\n';\n\nexport function fail() {\n  throw new Error('here');\n}\n`,
  });
  const [, line = '0'] = /one\.cjs:(\d+):/.exec(printed) ?? [];
  expect(text.split('\n')[Number(line) - 1]).toContain(`throw new Error("here")`);
});
