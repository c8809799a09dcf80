import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { costOf, formatCost, knownAmount, requestsOf, type Cost } from '../../src/core/cost.js';
import type { Spent } from '../../src/query/numbers/spentByRecord.js';
import { SpentByTime } from '../../src/query/numbers/spentByTime.js';
import { inDollars } from '../../src/core/money.js';
import { bridgeChunks } from '../../src/export/bridges/bridgeChunks.js';
import { exportMessages } from '../../src/export/exportMessages.js';
import { exportTables } from '../../src/export/tables/exportTables.js';
import type { Prices } from '../../src/core/ports/prices.js';
import type { ReadRecord } from '../../src/core/ports/transcript.js';
import { readTotals } from '../../src/query/numbers/sessionTotals.js';
import { sessionFacts } from '../../src/query/language/sessionFactsBuilder.js';
import { MemoryTranscript } from './memoryTranscript.js';
import { temporaryFolder } from './storeFixture.js';

/** What a form says that sessions cost together; what it says nothing of is left out. */
export interface SpentInForm {
  readonly requests?: number;
  readonly dollars?: number;
  readonly input?: number;
  readonly output?: number;
  /** The sum as people read it. */
  readonly words?: string;
}

/** The cells of CSV, line by line. */
export function cellsOf(csv: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
    if (end === '') break;
  }
  return rows.filter((row) => row.length > 1);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** What each form says that the records of a session cost. */
export async function formsOf(
  records: readonly ReadRecord[],
  prices: Prices,
): Promise<Readonly<Record<string, SpentInForm>>> {
  const options = { full: true, includeMetadata: true, redact: false, prices } as const;
  const times = new SpentByTime();
  const { statistics } = await readTotals(
    new MemoryTranscript('c', records),
    prices,
    new AbortController().signal,
    (reading, cost) => times.add(reading, cost),
  );
  const html = exportMessages(records, 'html', options);
  const markdown = exportMessages(records, 'markdown', options);
  const byTime: Spent[] = [];
  times.each((_, spent) => byTime.push(spent));
  const facts = sessionFacts(records, { session: 'c' }, prices);
  return {
    statistics: {
      requests: requestsOf(statistics.cost),
      dollars: inDollars(knownAmount(statistics.cost)),
      ...(statistics.tokens.estimated
        ? {}
        : { input: statistics.tokens.input, output: statistics.tokens.output }),
      words: formatCost(statistics.cost),
    },
    'by model': shares(statistics.byModel),
    'by agent': shares(statistics.byAgent),
    'by time': {
      dollars: sum(byTime.map(({ cost, requests }) => inDollars(knownAmount(costOf(cost, requests))))),
      requests: sum(byTime.map(({ requests }) => requests)),
    },
    html: inWords(/<footer class="note">Cost: (.*?)\. /.exec(html)?.[1]),
    markdown: inWords(/_Cost: (.*?)\. [^_]*_\s*$/.exec(markdown)?.[1]),
    search: facts.whole.cost
      ? { requests: requestsOf(facts.whole.cost), dollars: inDollars(knownAmount(facts.whole.cost)) }
      : { requests: 0, dollars: 0 },
    csv: inCsv(exportMessages(records, 'csv', options)),
    json: inJson(exportMessages(records, 'json', options)),
    'end of json': atEnd(exportMessages(records, 'json', options)),
    parquet: await inParquet(records, prices),
    'otlp-json': await inSpans(records, prices),
  };
}

const shares = (all: readonly { readonly cost: Cost }[]): SpentInForm => ({
  dollars: sum(all.map(({ cost }) => inDollars(knownAmount(cost)))),
  requests: sum(all.map(({ cost }) => requestsOf(cost))),
});

/** A sum as an export for people ends with it; one that tells none says nothing. */
const inWords = (told: string | undefined): SpentInForm =>
  told === undefined ? {} : { words: told.replaceAll('&gt;', '>').replaceAll(/\\(?=[$.<>≈≥])/g, '') };

/** What the last element of JSON says that all cost. */
function atEnd(json: string): SpentInForm {
  const { cost } = ((JSON.parse(json) as unknown[]).at(-1) ?? {}) as { readonly cost?: unknown };
  const told = cost as Partial<Record<'dollars' | 'requests', number>> | undefined;
  return typeof told === 'object' && typeof told.requests === 'number' ? told : {};
}

function inCsv(csv: string): SpentInForm {
  const [head = [], ...rows] = cellsOf(csv);
  const of = (name: string) => sum(rows.map((row) => Number(row[head.indexOf(name)])));
  return {
    dollars: of('cost_usd'),
    requests: of('requests'),
    input: of('input_tokens'),
    output: of('output_tokens'),
  };
}

function inJson(json: string): SpentInForm {
  const elements = JSON.parse(json) as Readonly<Record<string, unknown>>[];
  const of = (name: string) =>
    sum(
      elements.map((each) => {
        const about = (each._metadata ?? each) as Readonly<Record<string, unknown>>;
        return 'cost' in each && !('role' in each) ? 0 : Number(about[name] ?? 0);
      }),
    );
  return { dollars: of('cost_usd') };
}

async function inParquet(records: readonly ReadRecord[], prices: Prices): Promise<SpentInForm> {
  const folder = join(await temporaryFolder(), 'tables');
  await exportTables([{ session: 's', records }], folder, { prices, redact: false });
  const bytes = await readFile(join(folder, 'requests.parquet'));
  const rows: Record<string, unknown>[] = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
  const of = (name: string) => sum(rows.map((row) => Number(row[name] ?? 0)));
  return {
    dollars: of('cost_usd'),
    requests: of('requests'),
    input: of('input_tokens'),
    output: of('output_tokens'),
  };
}

interface Span {
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

async function inSpans(records: readonly ReadRecord[], prices: Prices): Promise<SpentInForm> {
  let text = '';
  for await (const chunk of bridgeChunks(records, 'otlp-json', { redact: false, prices })) text += chunk;
  const spans = text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap(
      (line) => (JSON.parse(line) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans,
    )
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  const of = (name: string) =>
    sum(
      spans.map(({ attributes }) => {
        const value = attributes.find(({ key }) => key === name)?.value ?? {};
        return Number(value.intValue ?? value.doubleValue ?? 0);
      }),
    );
  return {
    dollars: of('agent_logbook.cost.usd'),
    input: of('gen_ai.usage.input_tokens') + of('agent_logbook.usage.input_tokens'),
    output: of('gen_ai.usage.output_tokens') + of('agent_logbook.usage.output_tokens'),
  };
}
