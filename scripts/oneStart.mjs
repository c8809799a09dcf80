import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Lets esbuild put all that an entry imports statically into one chunk. It makes a chunk of the modules that the same
 * entries and `import()`s need: here that would be dozens of small files, and each costs about a millisecond when VS Code
 * starts. So every own module that comes by `import()` is made to need the whole start, by an import of the entry. When
 * it comes, the entry has long been loaded: nothing more is read, and no module is there twice.
 * @param {string} entry relative to the root of the repository, as in `entryPoints`
 * @returns {import('esbuild').Plugin}
 */
export function oneStart(entry) {
  return {
    name: 'one start',
    setup(bundle) {
      const { absWorkingDir: root = process.cwd() } = bundle.initialOptions;
      /** @type {ReadonlySet<string>} */
      let later = new Set();
      bundle.onStart(async () => {
        later = await importedLater(root, entry);
      });
      bundle.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!later.has(path)) return undefined;
        // At the end, so that every line stays where source maps and messages say.
        const contents = `${await readFile(path, 'utf8')}\nimport ${JSON.stringify(join(root, entry))};`;
        return { contents, loader: 'ts' };
      });
    },
  };
}

/**
 * The own modules that are imported by `import()` and not statically from the entry.
 * @param {string} root
 * @param {string} entry
 */
async function importedLater(root, entry) {
  const { metafile } = await build({
    ...{ absWorkingDir: root, entryPoints: [entry], bundle: true, packages: 'external', format: 'esm' },
    ...{ platform: 'node', metafile: true, write: false, logLevel: 'silent' },
  });
  /** @param {string} file @param {import('esbuild').ImportKind} kind */
  const imports = (file, kind) =>
    metafile.inputs[file]?.imports
      .filter((each) => each.kind === kind && !each.external)
      .map(({ path }) => path) ?? [];
  const start = new Set([entry]);
  for (const file of start) for (const next of imports(file, 'import-statement')) start.add(next);
  const later = Object.keys(metafile.inputs).flatMap((file) => imports(file, 'dynamic-import'));
  return new Set(later.filter((file) => !start.has(file)).map((file) => join(root, file)));
}
