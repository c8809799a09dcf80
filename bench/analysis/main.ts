import { readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { silentLog } from '../../src/core/ports/log.js';
import { pathsOf } from '../../src/store/files/storePaths.js';
import { ScanThreads } from '../../src/search/reader/scanThreads.js';
import { FactReader } from '../../src/store/read/factReader.js';
import { SharedSource } from '../../src/store/read/sharedSource.js';
import { sourceInPieces } from '../../src/store/read/sourceTable.js';
import type { ChatMessage } from '../../src/core/message.js';
import { timelineView } from '../../src/page/panel/projection/timelineView.js';
import { TranscriptProjection } from '../../src/page/panel/projection/transcriptProjection.js';
import { loadLibrary } from '../harness/library.js';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { sideBySide } from '../harness/sideBySide.js';
import { median, medianRatio } from '../harness/statistics.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import { measureKeptMemory } from './keptMemory.js';
import { makeTeamJournal } from './makeTeamJournal.js';
import { measurePricedRequests } from './pricedRequests.js';

const ROUNDS = 5;
const MESSAGES = 100_000;
/** How many records the panel reads at a time. */
const SLICE = 1_600;
/** As wide as the timeline is on a screen. */
const PIXELS = 1_200;
const NEWLINE = 0x0a;
/** How long all views may take without a cache, of the time of the limit. */
const GOAL = 0.5;

const { MessageQuery } = await loadLibrary();
const { root, conversation, file, bytes } = await makeTeamJournal(temporaryFolder(), MESSAGES);

/** What stands on each line of the journal but the first, its header. */
function* valuesOf(path: string): Generator {
  const whole = readFileSync(path);
  for (let start = whole.indexOf(NEWLINE) + 1; start < whole.length;) {
    const end = whole.indexOf(NEWLINE, start);
    yield JSON.parse(whole.toString('utf8', start, end));
    start = end + 1;
  }
}

/** Every view of a transcript, in one pass over the facts of its records. */
async function analyse(reader: FactReader): Promise<unknown[]> {
  const projection = new TranscriptProjection();
  for (let at = 0; ; at += SLICE) {
    const facts = await reader.read(at, at + SLICE);
    if (facts.length === 0) break;
    projection.add(facts);
    // The panel takes them with each batch.
    projection.index.takeChanged();
  }
  const { index, timeline, hues, tools, turns } = projection;
  const drawn = await timelineView(index.calls.all, timeline.moments, hues, { pixels: PIXELS }, false);
  return [projection.statistics(), tools.summary(), turns.slice(0, turns.length), drawn];
}

/** The same questions to plain arrays, as a script would ask them. */
function ask(messages: readonly ChatMessage[]): unknown[] {
  const query = new MessageQuery(messages);
  return [query.stats(), query.toolSummary(), query.timeline()];
}

/** The threads that read larger journals in the product. */
const scan = new ScanThreads({
  script: pathToFileURL('dist/workers/scan.js'),
  log: silentLog,
  leastBytes: 0,
});

/** Opens the journal and answers every view, with the help of the threads or without. */
async function openAndAnalyse(beside: ScanThreads | undefined): Promise<unknown[]> {
  const paths = pathsOf(root, conversation);
  const source = new SharedSource(await sourceInPieces(paths, silentLog, false, beside), silentLog);
  const reader = new FactReader({ paths, source, scan: beside, log: silentLog, readOnly: false });
  const answers = await analyse(reader);
  await reader.stored();
  source.dispose();
  return answers;
}

const FRESH = 'our panel: rows, statistics, tools, turns, timeline';
const BESIDE = 'the same, with the threads that read larger ones';
const REOPENED = 'the same, with the index and the columns that lie beside the journal';
const NAIVE = 'parse all, then each question of `MessageQuery`';
const LIMIT = '`JSON.parse` of every line';

const samples = await sideBySide(
  [
    ...[undefined, scan].map((beside) => ({
      name: beside ? BESIDE : FRESH,
      run: () => {
        for (const cache of ['index.bin', 'columns.bin']) rmSync(join(dirname(file), cache), { force: true });
        return openAndAnalyse(beside);
      },
    })),
    { name: REOPENED, run: () => openAndAnalyse(undefined) },
    { name: NAIVE, run: () => ask([...valuesOf(file)] as ChatMessage[]) },
    {
      name: LIMIT,
      run: () => {
        const values = valuesOf(file);
        while (values.next().done !== true);
      },
    },
  ],
  ROUNDS,
);

scan.dispose();
const limits = samples.get(LIMIT)!;
const rows = [...samples].map(([name, times]) => [
  name,
  duration(median(times)),
  figures(medianRatio(times, limits)),
  name === FRESH ? figures(GOAL) : '',
]);
const size = `${figures(bytes / 1e6)} MB, ${MESSAGES.toLocaleString('en-US')} messages`;
console.log(`## Analysis (${size}, all views)\n`);
console.log(`${markdownTable(['way', 'time', 'against the limit', 'goal'], rows)}\n`);
const stored = statSync(join(dirname(file), 'columns.bin')).size;
console.log(`The columns take ${figures(stored / MESSAGES)} bytes a message (at most 40).\n`);
measureKeptMemory();
await measurePricedRequests();
