import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');

/** A file's imports of files of the project; both as paths like `src/core/text.ts`. @typedef {ReadonlyMap<string, readonly string[]>} ImportGraph */

/**
 * Who imports whom below folders of the project: types, re-exports and what is loaded late included.
 * @param {...string} folders
 * @returns {ImportGraph}
 */
export function importGraph(...folders) {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(folder, path).replaceAll('\\', '/')),
  );
  return new Map(files.map((file) => [file, importsIn(file)]));
}

/** @param {string} file */
function importsIn(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const specifiers = text.matchAll(/(?:\bfrom|\bimport\(|^import)\s*'(\.{1,2}\/[^']+)'/gm);
  const found = [...specifiers].map(([, specifier = '']) =>
    relative(root, join(root, dirname(file), specifier))
      .replaceAll('\\', '/')
      .replace(/\.js$/, '.ts'),
  );
  return [...new Set(found)];
}
