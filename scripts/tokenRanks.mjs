import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { characterClasses } from './characterClasses.mjs';
import { ranksFile } from './ranksFile.mjs';

const root = join(import.meta.dirname, '..');
const made = join(root, 'out/tokens');
const encodings = {
  o200k_base: () => import('js-tiktoken/ranks/o200k_base'),
  cl100k_base: () => import('js-tiktoken/ranks/cl100k_base'),
};

/** What the files are made from; process.versions.unicode is the rest. */
const sources = [
  'node_modules/js-tiktoken/package.json',
  'scripts/characterClasses.mjs',
  'scripts/ranksFile.mjs',
];

/**
 * Makes `out/tokens/<encoding>.ranks` from the ranks of js-tiktoken and the Unicode tables of this JavaScript engine
 * (about a second), unless they are there already, made from the same. Gives the files.
 */
export async function makeTokenRanks() {
  const files = Object.keys(encodings).map((encoding) => join(made, `${encoding}.ranks`));
  const keyFile = join(made, 'ranks.key');
  const key = sourceKey();
  if (files.every(existsSync) && existsSync(keyFile) && readFileSync(keyFile, 'utf8') === key) return files;
  mkdirSync(made, { recursive: true });
  const classes = characterClasses();
  for (const [encoding, load] of Object.entries(encodings)) {
    const { default: ranks } = await load();
    replaceFile(join(made, `${encoding}.ranks`), ranksFile(ranks.bpe_ranks, classes));
  }
  replaceFile(keyFile, key);
  return files;
}

/** Puts the ranks of all encodings into a folder of what is shipped. @param {string} folder */
export async function copyTokenRanks(folder) {
  mkdirSync(folder, { recursive: true });
  for (const file of await makeTokenRanks()) copyFileSync(file, join(folder, basename(file)));
}

function sourceKey() {
  const hash = createHash('sha256').update(process.versions.unicode ?? '');
  for (const source of sources) hash.update(readFileSync(join(root, source)));
  return hash.digest('hex');
}

/**
 * Two processes may make them at once, and a reader must never see half a file.
 * @param {string} file
 * @param {string | Uint8Array} content
 */
function replaceFile(file, content) {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}
