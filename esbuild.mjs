/**
 * Builds what runs into `dist/`: `node esbuild.mjs [--production] [--watch]`.
 *
 *   src/extension.ts      dist/extension.js    \\ by rolldown, together: with them the bundles of all features, as the
 *   src/library.ts        dist/library.mjs     /  tables of scripts/bundles.mjs say; types in dist/types/
 *   src/**\/*.worker.ts    dist/workers/<name>.js, one file for each thread
 *   js-tiktoken's ranks   dist/tokens/<encoding>.ranks, which src/tokens reads when it first counts
 *   webview/main.ts       dist/webview/main.js, main.css and the chunks it loads later, nothing external; search.ts alike
 *
 * All bundles of the programs lie flat in `dist/`, so `new URL('./workers/<name>.js', import.meta.url)` is right in each.
 */
import { execFile } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { build, context } from 'esbuild';
import { build as buildTogether, watch as watchTogether } from 'rolldown';
import { bundleOptions } from './scripts/bundles.mjs';
import { nodeBundle } from './scripts/nodeBundle.mjs';
import { copyTokenRanks } from './scripts/tokenRanks.mjs';
import { WatchReport } from './scripts/watchReport.mjs';

const root = import.meta.dirname;
const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

/** @typedef {import('esbuild').BuildOptions} BuildOptions */

/** @type {BuildOptions['sourcemap']} */
const sourcemap = production ? false : 'linked';
const together = bundleOptions({ outdir: join(root, 'dist'), production });

/** @type {BuildOptions[]} */
const bundles = [
  {
    ...nodeBundle,
    entryPoints: workers(),
    outdir: 'dist/workers',
    splitting: false,
    minify: production,
    sourcemap,
  },
  {
    absWorkingDir: root,
    entryPoints: ['webview/main.ts', 'webview/search.ts'],
    outdir: 'dist/webview',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2023',
    minify: production,
    sourcemap,
    logLevel: 'warning',
    assetNames: '[name]',
    loader: { '.ttf': 'file', '.svg': 'dataurl' },
  },
];

/** @returns {{ in: string, out: string }[]} */
function workers() {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.worker.ts'))
    .map((file) => ({ in: join('src', file), out: basename(file, '.worker.ts') }));
}

/** The declaration files of the library; tsc's own words when they cannot be made. */
async function buildTypes() {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.library.json'], { cwd: root }).catch(
    (error) => {
      console.error(error.stdout);
      throw new Error('The types of the library cannot be built.', { cause: error });
    },
  );
}

async function main() {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  await copyTokenRanks(join(root, 'dist/tokens'));
  if (watch) {
    const report = new WatchReport(root, (line) => console.log(line));
    const contexts = await Promise.all(
      bundles.map((options) =>
        context({ ...options, plugins: [...(options.plugins ?? []), report.plugin()] }),
      ),
    );
    watchTogether(together).on('event', (event) => report.take(event));
    await Promise.all(contexts.map((each) => each.watch()));
    return;
  }
  await Promise.all([buildTogether(together), ...bundles.map((options) => build(options)), buildTypes()]);
}

await main().catch((error) => {
  // esbuild has already printed its own errors.
  if (!('errors' in error) || error.name === 'RolldownError') console.error(error.message);
  process.exitCode = 1;
});
