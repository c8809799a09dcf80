/** Writes docs/formats.md from what the importers declare: `npm run docs:formats`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { format, resolveConfig } from 'prettier';
import { nodeBundle } from './nodeBundle.mjs';

const root = join(import.meta.dirname, '..');
const outfile = join(root, 'out/formatsPage/engine.mjs');
const contents = "export * from './src/import/formats.js'; export * from './src/import/formatsPage.js';";
await build({
  ...nodeBundle,
  splitting: false,
  stdin: { contents, resolveDir: root, loader: 'ts' },
  outfile,
});
/** @type {typeof import('../src/import/formats.js') & typeof import('../src/import/formatsPage.js')} */
const engine = await import(outfile);
const page = join(root, 'docs/formats.md');
const options = await resolveConfig(page);
await writeFile(page, await format(engine.formatsPage(engine.formats), { ...options, parser: 'markdown' }));
