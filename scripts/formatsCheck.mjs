/**
 * Reads every file of a folder and prints a line for each tool: how many of its files were read whole, by halves and not at all, and
 * what stands in them that no reader has seen before, with how often:
 *
 *   npm run formats:check -- <folder>
 *
 * It ends with 1 where a file was refused or read by halves.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { importSources } from './importSources.mjs';

/** How many things that are not understood are named of each tool. */
const MAX_NAMED = 8;

/** @type {typeof import('../src/import/importFile.js') & typeof import('../src/import/tools.js')} */
const engine = await importSources('formatsCheck', ['import/importFile', 'import/tools']);

/** @param {string} path @returns {AsyncGenerator<string>} */
async function* filesBelow(path) {
  const about = await lstat(path);
  if (about.isFile()) yield path;
  if (!about.isDirectory()) return;
  for (const name of (await readdir(path)).sort()) yield* filesBelow(join(path, name));
}

/** @typedef {{ whole: number, halves: number, refused: number, unknown: Map<string, number> }} Found */
/** @type {Map<string, Found>} */
const found = new Map();
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name a folder: npm run formats:check -- <folder>');

for await (const path of filesBelow(folder)) {
  const { format, conversations, problems } = await engine.importFile(path);
  const tool = engine.formats.find(({ name }) => name === format)?.of ?? 'no known tool';
  const of = found.get(tool) ?? { whole: 0, halves: 0, refused: 0, unknown: new Map() };
  found.set(tool, of);
  const records = conversations.flatMap((each) => each.records);
  const isSaid = records.some(({ type }) => type === 'message');
  for (const { message } of problems) {
    const [, what = '', often = 'once'] =
      /^Kept without being understood: (.*) \((.*)\)\.$/.exec(message) ?? [];
    const count = often === 'once' ? 1 : Number.parseInt(often.replaceAll(',', ''), 10);
    const word = what === '' ? message : what;
    of.unknown.set(word, (of.unknown.get(word) ?? 0) + count);
  }
  if (!isSaid) of.refused++;
  else if (problems.length > 0) of.halves++;
  else of.whole++;
  if (!isSaid) console.log(`refused: ${path}`);
}

for (const [tool, { whole, halves, refused, unknown }] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const named = [...unknown].sort(([, a], [, b]) => b - a).slice(0, MAX_NAMED);
  const words = named.map(([what, count]) => `${what} (${count})`).join('; ');
  const more = unknown.size > named.length ? `; and ${unknown.size - named.length} more` : '';
  console.log(
    `${tool}: ${whole} whole, ${halves} by halves, ${refused} refused${words === '' ? '' : `; new: ${words}${more}`}`,
  );
}
process.exitCode = [...found.values()].some(({ halves, refused }) => halves + refused > 0) ? 1 : 0;
