import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { oneFile } from './oneFile.mjs';
import { shippedSqlite, SQLITE } from './sqliteFiles.mjs';

const root = join(import.meta.dirname, '..');

/**
 * The packages of the chat platforms, half a megabyte that nothing would ask for: no command starts a connector.
 * @type {import('rolldown').Plugin}
 */
const withoutConnectors = {
  name: 'without buses',
  load: {
    filter: { id: /\/(?:grammyPackage|discordPackages)\.ts$/ },
    handler: () => ({
      code: "throw new Error('The command line starts no chat platform.');",
      moduleSideEffects: true,
    }),
  },
};

/** What stands for SQLite in the file: a part of its own, so that it is loaded when it is asked for. */
const LATE_SQLITE = '\0sqlite';

/** @type {import('rolldown').Plugin} */
const sqliteBeside = {
  name: 'sqlite',
  resolveId(id) {
    if (id === SQLITE) return LATE_SQLITE;
    return id === shippedSqlite('') ? { id, external: true } : null;
  },
  load: (id) => (id === LATE_SQLITE ? `export { default } from ${JSON.stringify(shippedSqlite(''))};` : null),
};

/**
 * How the command line is bundled: one file that needs Node, and SQLite beside it to read databases with, in which each
 * command loads only what it uses.
 * @param {{ outfile: string, production: boolean }} options the file is absolute
 * @returns {import('rolldown').BuildOptions & { output: import('rolldown').OutputOptions }}
 */
export function cliBundle({ outfile, production }) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    cwd: root,
    input: { cli: 'src/surfaces/cli/main.ts' },
    platform: 'node',
    transform: { target: 'node20', define: { PACKAGE_VERSION: JSON.stringify(version) } },
    plugins: [withoutConnectors, sqliteBeside, oneFile(basename(outfile))],
    output: {
      dir: dirname(outfile),
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name].cjs',
      // Names of functions and classes survive, so that a stack trace in a bug report can be read.
      minify: production && {
        compress: { keepNames: { function: true, class: true } },
        mangle: { keepNames: true },
        codegen: { removeWhitespace: true },
      },
    },
    logLevel: 'warn',
    onLog: (level, log, handle) => handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
  };
}
