import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The package of SQLite as WebAssembly, and how its file is called where it is shipped: CommonJS says so by its name there. */
export const SQLITE = 'node-sqlite3-wasm';
const SHIPPED = `${SQLITE}.cjs`;

const script = createRequire(import.meta.url).resolve(SQLITE);

/** The folder beside the bundles that holds it, as it is called. */
export const SQLITE_FOLDER = 'sqlite';

/** Puts SQLite, which finds its WebAssembly beside itself, into a folder of what is shipped. @param {string} folder */
export function copySqlite(folder) {
  mkdirSync(folder, { recursive: true });
  copyFileSync(script, join(folder, SHIPPED));
  copyFileSync(join(dirname(script), `${SQLITE}.wasm`), join(folder, `${SQLITE}.wasm`));
}

/** From where a bundle loads it that lies in `below` of what is shipped. @param {'' | 'workers'} below */
export function shippedSqlite(below) {
  return `${below === '' ? './' : '../'}${SQLITE_FOLDER}/${SHIPPED}`;
}

/**
 * Has bundles load it when it is first asked for, by this path; by default from its package.
 * @param {string} [path]
 * @returns {import('esbuild').Plugin}
 */
export function sqliteAt(path = pathToFileURL(script).href) {
  return {
    name: 'sqlite',
    setup(builder) {
      builder.onResolve({ filter: /^node-sqlite3-wasm$/ }, () => ({ path, external: true }));
    },
  };
}
