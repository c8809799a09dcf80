import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { nodeBundle } from './nodeBundle.mjs';

/**
 * What files of `src/` export, in one module made from the sources as they are, so that nothing has to be built before.
 * @param {string} script who asks: the name of its folder in `out/`
 * @param {readonly string[]} modules paths in `src/` without `.ts`
 * @returns {Promise<any>}
 */
export async function importSources(script, modules) {
  const outfile = join(nodeBundle.absWorkingDir, 'out', script, 'engine.mjs');
  const contents = modules.map((name) => `export * from './src/${name}.js';`).join('\n');
  await build({
    ...nodeBundle,
    splitting: false,
    stdin: { contents, resolveDir: nodeBundle.absWorkingDir, loader: 'ts' },
    outfile,
  });
  return await import(pathToFileURL(outfile).href);
}
