/**
 * `npm run package:npm [-- FOLDER]`: builds the command line and packs it as a package that needs Node and nothing else, into
 * `out/agent-logbook-<version>.tgz`, or into the folder. What it holds lies in `npm` beside it: the one file, SQLite to read
 * databases with, its manual page, how to use it.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'rolldown';
import { cliBundle } from './cliBundle.mjs';
import { importSources } from './importSources.mjs';
import { copySqlite, SQLITE_FOLDER } from './sqliteFiles.mjs';

const root = join(import.meta.dirname, '..');
const out = resolve(process.argv[2] ?? join(root, 'out'));
const folder = join(out, 'npm');

/**
 * The manifest of the package: what of the extension's concerns it too.
 * @param {Record<string, unknown>} manifest
 */
export function packageManifest({ name, version, license, engines }) {
  return {
    name,
    version,
    license,
    description: 'Read, search and count what agents have said: transcripts of any known tool.',
    keywords: ['agents', 'llm', 'transcript', 'claude-code', 'codex', 'cli'],
    type: 'module',
    bin: { 'agent-logbook': 'cli.cjs' },
    man: ['agent-logbook.1'],
    files: ['cli.cjs', 'agent-logbook.1', SQLITE_FOLDER],
    engines: { node: /** @type {{ node: string }} */ (engines).node },
  };
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
await build(cliBundle({ outfile: join(folder, 'cli.cjs'), production: true }));
copySqlite(join(folder, SQLITE_FOLDER));
/** @type {typeof import('../src/surfaces/cli/commands.js') & typeof import('../src/surfaces/cli/manualPage.js')} */
const engine = await importSources('manualPage', ['surfaces/cli/commands', 'surfaces/cli/manualPage']);
writeFileSync(join(folder, 'agent-logbook.1'), engine.manualPage(engine.commands, manifest.version));
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packageManifest(manifest), null, 2)}\n`);
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
// Its links lead into this repository's pages, which are not in the package.
const page = readFileSync(join(root, 'docs/commandLine.md'), 'utf8').replace(
  /\[([^\]]+)\]\((?!#|https:)[^)]+\)/g,
  '$1',
);
writeFileSync(join(folder, 'README.md'), page.replace('# The command line', '# agent-logbook'));
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
execFileSync(npm, ['pack', '--silent', '--pack-destination', out], {
  cwd: folder,
  stdio: ['ignore', 'inherit', 'inherit'],
  shell: process.platform === 'win32',
});
