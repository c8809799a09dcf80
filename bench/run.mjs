/**
 * `npm run bench [-- name…] [-- --write]`: measures ours, the peers and the limits side by side and prints Markdown tables;
 * with `--write` they replace those of docs/measured.md and docs/internals/measured.md, which are never written by hand.
 * Builds the product first; installs the peers into `bench/node_modules` when they are not there.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

const bench = import.meta.dirname;
const root = join(bench, '..');
// Below bench/node_modules, so that the peers are found from there.
const bundles = join(bench, 'node_modules/.bench');

const all = readdirSync(bench, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(bench, entry.name, 'main.ts')))
  .map((entry) => entry.name);
const named = process.argv.slice(2).filter((word) => word !== '--write');
const wanted = named.length > 0 ? named : all;
const pages = ['docs/measured.md', 'docs/internals/measured.md'].map((path) => join(root, path));
const isWritten = process.argv.includes('--write');

function installPeers() {
  const installed = join(bench, 'node_modules/.package-lock.json');
  const lock = join(bench, 'package-lock.json');
  if (existsSync(installed) && packagesOf(installed) === packagesOf(lock)) return;
  console.error('Installing the peers into bench/node_modules …');
  const { status } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: bench,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0) console.error('The peers cannot be installed: the tables show those that are there.');
}

/**
 * The names and versions in a lock file.
 * @param {string} file
 */
function packagesOf(file) {
  /** @type {{ packages: Record<string, { version?: string, optional?: boolean }> }} */
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const wanted = Object.entries(lock.packages).filter(([path, { optional }]) => path !== '' && !optional);
  return wanted.map(([path, { version }]) => `${path}@${version}`).join();
}

/** @param {readonly string[]} names */
async function bundle(names) {
  await build({
    absWorkingDir: root,
    entryPoints: names.flatMap((name) =>
      readdirSync(join(bench, name))
        .filter((file) => /^(main|child.*)\.ts$/.test(file))
        .map((file) => ({ in: join('bench', name, file), out: `${name}/${file.slice(0, -3)}` })),
    ),
    outdir: relative(root, bundles),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
}

const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench '${unknown.join("', '")}'; there are ${all.join(', ')}.`);
  process.exit(1);
}
installPeers();
execFileSync(process.execPath, ['esbuild.mjs', '--production'], { cwd: root, stdio: ['ignore', 2, 2] });
await bundle(wanted);
const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;
console.log(`${machine}\n`);
for (const name of wanted) {
  const script = join(bundles, name, 'main.mjs');
  const tables = execFileSync(process.execPath, ['--expose-gc', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  console.log(tables);
  if (isWritten) replaceTables(name, tables);
}

/**
 * Puts the tables of one bench into the page that has a place for it, between the marks of that bench.
 * @param {string} name
 * @param {string} tables
 */
function replaceTables(name, tables) {
  const [start, end] = [`<!-- bench ${name} -->`, `<!-- end of ${name} -->`];
  const file = pages.find((page) => readFileSync(page, 'utf8').includes(start));
  const text = file === undefined ? '' : readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (file === undefined || from < 0 || to < from)
    throw new Error(`No page has a place for '${name}': ${start} … ${end} is missing.`);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  const day = new Date().toISOString().slice(0, 10);
  // The headings of the page are its own.
  const body = tables.replace(/^## .*\n+/gm, '').trim();
  const measured = `${start}\n\n_${machine}, ${day}, commit ${commit}._\n\n${body}\n\n`;
  writeFileSync(file, text.slice(0, from) + measured + text.slice(to));
}
