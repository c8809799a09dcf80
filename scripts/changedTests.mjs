/** @import { ImportGraph } from './importGraph.mjs' */

/** Of a test file of which nothing is known, and what each takes to load, in seconds. */
const USUAL = 2;
const LOADING = 0.7;

/** @param {string} file */
const isTest = (file) => file.startsWith('test/unit/') && file.endsWith('.test.ts');

/** @param {string} file */
const roomOf = (file) => /^(?:(?:src|test\/unit)\/)?([^/]+)\//.exec(file)?.[1];

/**
 * The unit tests that changed files may break, those most likely to first: the changed ones, those that import a changed
 * file, those of the changed rooms, and those that import a file that imports a changed one.
 * @param {readonly string[]} changed paths like `src/core/text.ts`
 * @param {ImportGraph} graph of `src`, `webview` and `test`
 */
export function testsOf(changed, graph) {
  const all = [...graph.keys()];
  /** @param {ReadonlySet<string>} files */
  const importersOf = (files) => all.filter((file) => graph.get(file)?.some((next) => files.has(next)));
  const near = new Set(changed);
  const importers = new Set(importersOf(near));
  const rooms = new Set(changed.filter((file) => graph.has(file)).map(roomOf));
  return [
    ...new Set([
      ...changed.filter((file) => graph.has(file) && isTest(file)),
      ...[...importers].filter(isTest),
      ...all.filter((file) => isTest(file) && rooms.has(roomOf(file))),
      ...importersOf(importers).filter(isTest),
    ]),
  ];
}

/**
 * Parts tests into those that there is time for, and the others.
 * @param {readonly string[]} tests the most important first
 * @param {Readonly<Record<string, number>>} durations how many seconds each took, as far as is known
 * @param {number} seconds
 */
export function inTime(tests, durations, seconds) {
  let left = seconds;
  /** @type {{ run: string[], leftOut: string[] }} */
  const parts = { run: [], leftOut: [] };
  for (const file of tests) {
    const takes = (durations[file] ?? USUAL) + LOADING;
    const fits = takes <= left;
    if (fits) left -= takes;
    parts[fits ? 'run' : 'leftOut'].push(file);
  }
  return parts;
}
