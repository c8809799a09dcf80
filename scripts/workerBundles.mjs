import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { common, written } from './bundles.mjs';
import { shippedSqlite, SQLITE } from './sqliteFiles.mjs';

/** What of the threads is loaded when it is first needed, each in a file of its own. */
const late = ['exportsOnThread', 'parquetPackage', 'pgPackage'];

/** Those that have the records of a conversation in their hands, and what these load later. */
const reading = ['archive', 'archiveReading', 'search', 'reader', 'tables', 'exportsOnThread'];
const later = ['conversationCost', 'readRow', 'readRows'];

/**
 * What several threads share, by the file that it stands in: a module stands in the first that names all who need it, so
 * that a file loads those after it only. Who needs it are the threads and what they load later, by the names of their files.
 * @type {Readonly<Record<string, readonly string[] | undefined>>}
 */
export const shared = {
  linearSpans: ['patterns', 'linearSpans', 'guardedPatterns'],
  importing: ['search', 'import', 'compare'],
  secrets: ['archive', 'capture', 'proxy', 'compare', 'tables', 'exportsOnThread'],
  asking: ['archive', 'archiveReading', 'search', 'reader', 'compare'],
  prices: [
    'archive',
    'archiveReading',
    'search',
    'compare',
    'tables',
    'exportsOnThread',
    'loadPrices',
    'markedPrices',
  ],
  yaml: [
    'archive',
    'archiveReading',
    'search',
    'compare',
    'import',
    'tables',
    'exportsOnThread',
    'loadPrices',
    'markedPrices',
  ],
  stored: [...reading, 'import', 'compare', ...later],
  lines: [...reading, 'import', 'scan', 'compare', ...later],
  /** What any of them needs. */
  base: undefined,
};

/** The name of a module as the tables say it. @param {string} id */
const nameOf = (id) => basename(id).replace(/(?:\.worker)?\.[cm]?[jt]s$/, '');

/** The threads by their names, each with the file that it starts with. @param {string} root of the project */
function workers(root) {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const starts = files.filter((file) => file.endsWith('.worker.ts')).sort();
  return Object.fromEntries(starts.map((file) => [nameOf(file), join('src', file)]));
}

/** The names of all files that the threads are, without the few lines that the bundler itself needs. */
export function workerNames() {
  return [...Object.keys(workers(common.cwd)), ...late, ...Object.keys(shared)];
}

/**
 * How the threads are bundled: `workers/<name>.js` for each, and the files of the tables above.
 * @param {{ outdir: string, production?: boolean }} options
 * @returns {import('rolldown').BuildOptions & { output: import('rolldown').OutputOptions }}
 */
export function workerOptions({ outdir, production = false }) {
  const input = workers(common.cwd);
  /** @type {ReadonlyMap<string, string>} */
  let bundles = new Map();
  // A group takes along what its modules need, so that what others stand on is put together first.
  const names = workerNames();
  const { minify, ...output } = written(production);
  return {
    ...common,
    input,
    plugins: [
      {
        name: 'sqlite',
        resolveId: (id) => (id === SQLITE ? { id: shippedSqlite('workers'), external: 'relative' } : null),
      },
      {
        name: 'bundles by thread',
        buildEnd() {
          const starts = Object.values(input).map((file) => join(common.cwd, file));
          bundles = bundlesOf(starts, (id) => this.getModuleInfo(id));
        },
      },
    ],
    output: {
      dir: outdir,
      ...output,
      // Names are left as they are, so that a stack trace in a bug report can be read: to give short ones back their own, each
      // function would be named whenever it is made, which is a quarter of the time of a search.
      minify: typeof minify === 'object' && { ...minify, mangle: false },
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      codeSplitting: {
        groups: names.map((name, index) => ({
          name,
          priority: index,
          test: (id) => bundles.get(id) === name,
        })),
      },
    },
  };
}

/**
 * The file of each module.
 * @param {readonly string[]} starts of the threads
 * @param {(id: string) => import('rolldown').ModuleInfo | null} infoOf
 * @returns {ReadonlyMap<string, string>}
 */
function bundlesOf(starts, infoOf) {
  /** @type {Map<string, Set<string>>} */
  const users = new Map();
  const loaded = new Set(starts);
  for (const start of loaded) {
    const found = new Set([start]);
    for (const id of found) {
      for (const next of infoOf(id)?.importedIds ?? []) found.add(next);
      for (const next of infoOf(id)?.dynamicallyImportedIds ?? []) loaded.add(next);
    }
    for (const id of found) users.set(id, (users.get(id) ?? new Set()).add(nameOf(start)));
  }
  const own = new Set([...starts.map(nameOf), ...late]);
  return new Map([...users].map(([id, names]) => [id, fileOf([...names], own)]));
}

/**
 * @param {readonly string[]} users
 * @param {ReadonlySet<string>} own those that have a file of their own
 */
function fileOf(users, own) {
  const [first = '', ...others] = users;
  if (others.length === 0 && own.has(first)) return first;
  const rows = Object.entries(shared);
  return rows.find(([, named]) => !named || users.every((user) => named.includes(user)))?.[0] ?? '';
}
