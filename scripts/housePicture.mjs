/** Draws docs/internals/house.svg, the picture of ARCHITECTURE.md, from the table of rooms: `npm run docs:house`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { layers, mayImport } from '../layers.mjs';

export const picture = join(import.meta.dirname, '../docs/internals/house.svg');

/** What each room holds, in the few words that fit beside its name, and the colour that it has in the picture. */
const meanings = /** @type {Record<string, [words: string, kind: string]>} */ ({
  core: ['words and contracts of all others', 'base'],
  node: ['Node without a domain', 'base'],
  query: ['what is counted and asked', 'base'],
  agents: ['who works: loop, models, tools', 'in'],
  import: ['files of other tools become records', 'in'],
  store: ['records on the disk', 'kept'],
  export: ['records in other forms', 'out'],
  page: ['what a page asks and is told', 'out'],
  search: ['many are asked, on threads', 'out'],
  compare: ['runs side by side', 'out'],
  provenance: ['who wrote which line', 'out'],
  archive: ['records of a team, in PostgreSQL', 'out'],
  capture: ['sessions followed, requests recorded', 'in'],
  app: ['what a person can do', 'person'],
  surfaces: ['VS Code, command line, MCP', 'person'],
  webview: ['the pages themselves', 'person'],
});

const legend = /** @type {[kind: string, words: string, x: number][]} */ ([
  ['base', 'what all need', 20],
  ['in', 'where records come from', 160],
  ['kept', 'where they stay', 366],
  ['out', 'where they go', 520],
  ['person', 'what a person uses', 664],
]);

const ROW = 30;
const TOP = 44;
const LEFT = 400;
const WIDTH = 860;

/** The picture: a floor for each room, the first at the bottom, and in it a dot below each room that it may import. */
export function housePicture() {
  const rooms = Object.keys(layers).filter((room) => room !== '.');
  const missing = rooms.filter((room) => !(room in meanings));
  if (missing.length > 0) throw new Error(`scripts/housePicture.mjs says no word about: ${missing}`);
  const yOf = (/** @type {number} */ index) => TOP + (rooms.length - 1 - index) * ROW;
  const xOf = (/** @type {number} */ index) => LEFT + 30 + index * ROW;
  const bottom = TOP + rooms.length * ROW;
  const floors = rooms.flatMap((room, index) => {
    const [words, kind] = meanings[room] ?? ['', ''];
    const middle = yOf(index) + ROW / 2;
    const dots = rooms.slice(0, index).map((other, at) => {
      const may = mayImport(room, other);
      return `<circle class="${may ? meanings[other]?.[1] : 'not'}" cx="${xOf(at)}" cy="${middle}" r="${may ? 5 : 2}"/>`;
    });
    const own = `<rect class="${kind}" x="${xOf(index) - 9}" y="${middle - 9}" width="18" height="18" rx="4"/>`;
    const page = layers[room]?.pure ? `<tspan class="page"> · pure</tspan>` : '';
    return [
      `<rect class="floor" x="20" y="${yOf(index) + 2}" width="${WIDTH - 40}" height="${ROW - 4}" rx="5"/>`,
      `<rect class="${kind}" x="20" y="${yOf(index) + 2}" width="6" height="${ROW - 4}" rx="3"/>`,
      `<text class="room" x="38" y="${middle + 5}">${room}</text>`,
      `<text x="124" y="${middle + 5}">${words}${page}</text>`,
      ...dots,
      own,
    ];
  });
  const names = legend.map(
    ([kind, words, x]) =>
      `<rect class="${kind}" x="${x}" y="${bottom + 20}" width="12" height="12" rx="3"/>` +
      `<text x="${x + 18}" y="${bottom + 31}">${words}</text>`,
  );
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 76}" role="img">`,
    '<title>The rooms in the order of the data, and which of those before it each may import</title>',
    `<style>
svg { --paper: #ffffff; --floor: #f3f4f6; --ink: #1f2328; --soft: #59636e; --dot: #818b98; }
svg { --base: #6e7781; --in: #1a7f37; --kept: #9a6700; --out: #0969da; --person: #8250df; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #0d1117; --floor: #1b222c; --ink: #f0f6fc; --soft: #9da7b3; --dot: #7d8590; }
  svg { --base: #9198a1; --in: #3fb950; --kept: #d29922; --out: #4493f8; --person: #ab7df8; }
}
text { font: 13px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--soft); }
.room { font-weight: 600; font-size: 14px; fill: var(--ink); }
.page { font-style: italic; }
.paper { fill: var(--paper); }
.floor { fill: var(--floor); }
.not { fill: var(--dot); opacity: 0.6; }
.base { fill: var(--base); } .in { fill: var(--in); } .kept { fill: var(--kept); }
.out { fill: var(--out); } .person { fill: var(--person); }
</style>`,
    `<rect class="paper" width="${WIDTH}" height="${bottom + 76}" rx="10"/>`,
    '<text x="20" y="28">Each room imports only what stands below it: a dot for each, in the column of that room.</text>',
    ...floors,
    ...names,
    `<text x="20" y="${bottom + 60}">Pure: it knows no Node and may run in a page. A small dot: a room below, which it does without.</text>`,
    '</svg>',
  ].join('\n')}\n`;
}

if (import.meta.filename === process.argv[1]) await writeFile(picture, housePicture());
