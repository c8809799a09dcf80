import { readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';

/** The folder of small made-up sessions: one for each tool, called by the version, or the day of its source, that it is like. */
export const NEWEST = join(import.meta.dirname, '../test/formats');

/**
 * Which version of each tool was looked at last, by the files in `NEWEST`, as the page of formats tells it.
 * @param {Pick<typeof import('../src/import/importFile.js') & typeof import('../src/import/tools.js'), 'importFile' | 'formats'>} engine
 * @returns {Promise<readonly { readonly of: string, readonly version: string }[]>}
 */
export async function checkedFormats({ importFile, formats }) {
  const names = await readdir(NEWEST, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const found = [];
  for (const path of files.sort()) {
    const { format } = await importFile(path, { alone: true });
    const of = formats.find(({ name }) => name === format)?.of ?? format;
    found.push({ of, version: basename(path, extname(path)) });
  }
  return found;
}
