/**
 * Builds what runs into `dist/`: `node esbuild.mjs [--production] [--watch]`.
 *
 *   src/extension.ts      dist/extension.js, by rolldown: with it the bundles of all features and the library that it gives to
 *                         other extensions, as the tables of scripts/bundles.mjs say
 *   src/library.ts        dist/library.mjs     \\ what npm installs of the library, with the `.mjs` files that both share or load
 *   src/parts.ts          dist/parts.mjs       /  later; types in dist/types/
 *   src/surfaces/cli/main.ts       dist/cli.cjs, the command line: one file that needs Node, and dist/sqlite to read databases
 *   src/**\/*.worker.ts    dist/workers/<name>.js, one for each thread, beside what they share and what they load later (scripts/workerBundles.mjs)
 *   node-sqlite3-wasm     dist/sqlite/, which is loaded with the first database that is read
 *   js-tiktoken's ranks   dist/tokens/<encoding>.ranks, which src/query/tokens reads when it first counts
 *   webview/pages/main.ts       dist/webview/main.js, main.css and the chunks it loads later, nothing external; search.ts, ledger.ts, spending.ts and compare.ts alike
 *
 * All bundles of the programs lie flat in `dist/`, so `new URL('./workers/<name>.js', import.meta.url)` is right in each.
 */
import { execFile } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, context } from 'esbuild';
import { build as buildTogether, watch as watchTogether } from 'rolldown';
import { bundleOptions, libraryOptions } from './scripts/bundles.mjs';
import { cliBundle } from './scripts/cliBundle.mjs';
import { ownBundles, pageBundle } from './scripts/pageBundle.mjs';
import { copySqlite, SQLITE_FOLDER } from './scripts/sqliteFiles.mjs';
import { copyTokenRanks } from './scripts/tokenRanks.mjs';
import { WatchReport } from './scripts/watchReport.mjs';
import { workerOptions } from './scripts/workerBundles.mjs';

const root = import.meta.dirname;
const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

/** @typedef {import('esbuild').BuildOptions} BuildOptions */

/** @type {BuildOptions['sourcemap']} */
const sourcemap = production ? false : 'linked';
const programs = [
  bundleOptions({ outdir: join(root, 'dist'), production }),
  libraryOptions({ outdir: join(root, 'dist'), production }),
  cliBundle({ outfile: join(root, 'dist/cli.cjs'), production }),
  workerOptions({ outdir: join(root, 'dist/workers'), production }),
];

/** @type {BuildOptions[]} */
const bundles = [pageBundle, ...ownBundles].map((bundle) => ({
  ...bundle,
  outdir: 'dist/webview',
  minify: production,
  sourcemap,
}));

/** The declaration files of the library; tsc's own words when they cannot be made. */
async function buildTypes() {
  const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
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
  copySqlite(join(root, 'dist', SQLITE_FOLDER));
  // A bundler of other programs may leave out whatever of the library they do not use.
  writeFileSync(join(root, 'dist/package.json'), '{ "type": "module", "sideEffects": false }\n');
  if (watch) {
    const report = new WatchReport(root, (line) => console.log(line));
    const contexts = await Promise.all(
      bundles.map((options) =>
        context({ ...options, plugins: [...(options.plugins ?? []), report.plugin()] }),
      ),
    );
    watchTogether(programs).on('event', (event) => report.take(event));
    await Promise.all(contexts.map((each) => each.watch()));
    return;
  }
  await Promise.all([
    ...programs.map((options) => buildTogether(options)),
    ...bundles.map((options) => build(options)),
    buildTypes(),
  ]);
  chmodSync(join(root, 'dist/cli.cjs'), 0o755);
}

await main().catch((error) => {
  // esbuild has already printed its own errors.
  if (!('errors' in error) || error.name === 'RolldownError') console.error(error.message);
  process.exitCode = 1;
});
