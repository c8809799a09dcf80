import { factsOf } from '../../src/query/numbers/facts.js';
import { TranscriptProjection } from '../../src/page/panel/projection/transcriptProjection.js';
import { FactColumns } from '../../src/store/read/factColumns.js';
import { largeStory } from '../../test/support/largeStory.js';
import { figures, markdownTable } from '../harness/markdown.js';

const MESSAGES = 100_000;
/** How many records the panel reads at a time. */
const SLICE = 1_600;

/** What is in use now, in megabytes, without garbage. */
function inUse(): { readonly objects: number; readonly columns: number } {
  global.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { objects: heapUsed / 1e6, columns: arrayBuffers / 1e6 };
}

/** Measures the memory of a team's transcript that was read to its end: its facts, and what its views keep of them. */
export function measureKeptMemory(): void {
  const rest = inUse();
  const columns = factsOfStory();
  const read = inUse();
  const projection = new TranscriptProjection();
  for (let at = 0; at < columns.length; at += SLICE) {
    projection.add(columns.slice(at, at + SLICE));
    projection.index.takeChanged();
  }
  const counted = inUse();
  const calls = projection.index.calls.all.length;
  const row = (what: string, from: typeof rest, to: typeof rest) => [
    what,
    `${figures(to.objects - from.objects)} MB`,
    `${figures(to.columns - from.columns)} MB`,
  ];
  const head = `${figures(columns.length)} records of ${figures(calls)} calls of agents`;
  const rows = [row('their facts', rest, read), row('what the views keep of them', read, counted)];
  console.log(`${markdownTable([head, 'objects', 'columns'], rows)}\n`);
}

/** In a function of its own, so that nothing holds the records. */
function factsOfStory(): FactColumns {
  const columns = new FactColumns();
  for (const record of largeStory(MESSAGES).records) columns.add(factsOf(record));
  return columns;
}
