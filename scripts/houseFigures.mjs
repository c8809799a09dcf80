/**
 * How large the house is and how it hangs together: `npm run house`, and the end of `npm run check`. Fails where a figure is
 * beyond its goal that holds today.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { layers, problemWith, roomOf } from '../layers.mjs';
import { importGraph } from './importGraph.mjs';
import { workerNames } from './workerBundles.mjs';

const root = join(import.meta.dirname, '..');
const graph = importGraph('src', 'webview');
const arrows = [...graph].flatMap(([file, imports]) =>
  imports.filter((to) => graph.has(to)).map((to) => /** @type {const} */ ([file, to])),
);

/** The room of a file. @param {string} file */
const room = (file) => roomOf(root, join(root, file))?.room ?? '';

const pairs = new Set(
  arrows
    .map(([from, to]) => /** @type {const} */ ([room(from), room(to)]))
    .filter(([from, to]) => from !== to && from !== '.' && from !== 'webview')
    .map(([from, to]) => `${from} > ${to}`),
);

/** Imports that the table of rooms and floors does not allow; the lint refuses each, too. */
const up = arrows.filter(([from, to]) => {
  const path = relative(dirname(from), to).replaceAll('\\', '/');
  return problemWith(root, join(root, from), path.startsWith('.') ? path : `./${path}`) !== undefined;
});

/** Folders of `src/` and `webview/` in which a way of imports leads back to a file that it came from. */
function circles() {
  /** @type {Map<string, 'open' | 'done'>} */
  const seen = new Map();
  const found = [];
  for (const start of graph.keys()) {
    const way = [{ file: start, next: 0 }];
    if (seen.has(start)) continue;
    seen.set(start, 'open');
    for (let last = way.at(-1); last; last = way.at(-1)) {
      const to = graph.get(last.file)?.[last.next++];
      if (to === undefined) {
        seen.set(last.file, 'done');
        way.pop();
      } else if (seen.get(to) === 'open') found.push(`${last.file} > ${to}`);
      else if (graph.has(to) && !seen.has(to)) {
        seen.set(to, 'open');
        way.push({ file: to, next: 0 });
      }
    }
  }
  return found;
}

/** Rooms whose folders have no order, though they have several. */
const unordered = Object.entries(layers).filter(([name, { floors }]) => {
  if (floors || name === '.') return false;
  const folder = join(root, name === 'webview' ? name : `src/${name}`);
  return readdirSync(folder, { withFileTypes: true }).some((entry) => entry.isDirectory());
});

const words = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split(/\s+/).length;
const rooms = Object.keys(layers).filter((name) => name !== '.' && name !== 'webview');

/** Each with its goal, at most. */
const figures = [
  { name: 'rooms', figure: rooms.length, goal: 15 },
  { name: 'pairs of rooms that import each other', figure: pairs.size, goal: 75 },
  { name: 'imports that run up, between rooms and inside them', figure: up.length, goal: 0 },
  { name: 'circles of files', figure: circles().length, goal: 0 },
  { name: 'rooms whose folders have no order', figure: unordered.length, goal: 0 },
  { name: 'files of src and webview', figure: graph.size, goal: 1380 },
  { name: 'words of ARCHITECTURE.md', figure: words, goal: 2000 },
  { name: 'bundles of threads', figure: workerNames().length, goal: 25 },
];

for (const { name, figure, goal } of figures) {
  console.log(`${String(figure).padStart(6)}  ${name}, at most ${goal}`);
  if (figure > goal) process.exitCode = 1;
}
for (const [from, to] of up) console.log(`${from} may not import ${to}`);
