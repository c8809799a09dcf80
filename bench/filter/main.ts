import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { factsOf } from '../../src/query/numbers/facts.js';
import type { ReadRecord } from '../../src/core/ports/transcript.js';
import { pathsOf } from '../../src/store/files/storePaths.js';
import { parseSearchFile } from '../../src/search/stored/columns/searchFile.js';
import { figures, markdownTable } from '../harness/markdown.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import { makeTeamJournal } from '../analysis/makeTeamJournal.js';
import { makeStore } from '../search/makeStore.js';
import { ourSearch, timed } from '../search/ours.js';

/** How many sessions there are, of sizes as they are spread among people who use such tools every day. */
const SESSIONS = 200;
const MESSAGES = 100_000;
/** How much the filters may take, of the texts. */
const GOAL = 0.05;

interface Sizes {
  readonly sessions: number;
  /** Of all texts of messages, in UTF-16 code units. */
  texts: number;
  /** Of the filters of their grams, in bytes. */
  filters: number;
}

/** How large the filters of the sessions of a store are, once the search has made them, and their texts. */
async function sizesIn(root: string): Promise<Sizes> {
  const search = ourSearch(root, false);
  await timed(search, 'is:error');
  search.dispose();
  const folder = join(root, 'conversations');
  const names = readdirSync(folder);
  const sizes: Sizes = { sessions: names.length, texts: 0, filters: 0 };
  for (const name of names) {
    const kept = parseSearchFile(readFileSync(join(folder, name, 'search.bin')));
    for (const { bits } of kept?.columns.blocks ?? []) sizes.filters += bits.length;
    const [, ...lines] = readFileSync(pathsOf(root, name).segment(0), 'utf8').split('\n');
    for (const line of lines) if (line !== '') sizes.texts += textOf(JSON.parse(line) as ReadRecord);
  }
  return sizes;
}

function textOf(record: ReadRecord): number {
  const { characters, reasoning } = factsOf(record);
  return characters + reasoning;
}

const store = temporaryFolder();
makeStore(store, SESSIONS);
const { root } = await makeTeamJournal(temporaryFolder(), MESSAGES);
const rows: string[][] = [];
for (const [what, where] of [
  ['sessions as they are spread', store],
  ['one session of 100,000 messages', root],
] as const) {
  const { sessions, texts, filters } = await sizesIn(where);
  const share = `${figures((100 * filters) / texts)} %`;
  rows.push([
    what,
    figures(sessions),
    `${figures(texts / 1e6)} MB`,
    `${figures(filters / 1e6)} MB`,
    share,
    `${100 * GOAL} %`,
  ]);
}
console.log(
  markdownTable(['the filter of grams', 'sessions', 'texts', 'filters', 'of the texts', 'at most'], rows),
);
