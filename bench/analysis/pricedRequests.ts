import { factsOf, type Facts } from '../../src/query/numbers/facts.js';
import { TranscriptReader } from '../../src/query/numbers/transcriptReader.js';
import { UsageTotals } from '../../src/query/numbers/usageTotals.js';
import { ContextUse } from '../../src/query/numbers/context/contextUse.js';
import { contextView } from '../../src/page/panel/projection/contextView.js';
import { AgentHues } from '../../src/page/panel/rows/agentHues.js';
import type { Prices } from '../../src/core/ports/prices.js';
import { loadPrices } from '../../src/query/pricing/loadPrices.js';
import { FactColumns } from '../../src/store/read/factColumns.js';
import { duration, markdownTable } from '../harness/markdown.js';
import { sideBySide } from '../harness/sideBySide.js';
import { median } from '../harness/statistics.js';

const ROUNDS = 5;
const REQUESTS = 100_000;
/** As many as a chart has on a screen. */
const COLUMNS = 240;
const MODELS = ['claude-sonnet-4-5', 'gpt-5-mini', 'claude-opus-4-5'];
const BEGUN = Date.UTC(2026, 9, 1);

/** A long session of one agent: answers of several models, each with what it read from a cache and wrote to it. */
function recordsOf(requests: number): unknown[] {
  return Array.from({ length: requests }, (_, at) => ({
    seq: at + 1,
    id: `m_${at}`,
    time: BEGUN + at * 1_000,
    conversation: 'c',
    run: 'r',
    call: 'k',
    agent: 'Baker',
    depth: 0,
    type: 'message',
    model: MODELS[at % MODELS.length],
    usage: {
      inputTokens: 20_000 + (at % 997),
      outputTokens: 300 + (at % 13),
      estimated: false,
      cachedInputTokens: 15_000,
      cacheWriteTokens: 900,
    },
    message: { role: 'assistant', content: `Step ${at}` },
  }));
}

/** What all requests cost, by agent and model. */
function price(facts: readonly Facts[], prices: Prices): unknown {
  const reader = new TranscriptReader();
  const totals = new UsageTotals(prices);
  for (const each of facts) totals.add(reader.next(each));
  return totals.statistics(reader.calls.all);
}

/** What filled the window of each request, as a chart of a screen's width shows it. */
function chart(facts: readonly Facts[]): unknown {
  const use = new ContextUse();
  for (const each of facts) use.addFacts(each, () => undefined);
  return contextView(use.windows(), new AgentHues(), { by: 'each', columns: COLUMNS });
}

/** Measures the pricing and the charts of a session with very many requests; prints a table. */
export async function measurePricedRequests(): Promise<void> {
  const records = recordsOf(REQUESTS);
  const columns = new FactColumns();
  for (const record of records) columns.add(factsOf(record));
  const prices = await loadPrices();
  const samples = await sideBySide(
    [
      { name: 'priced, from the columns', run: () => price(columns.slice(0, REQUESTS), prices) },
      {
        name: 'the chart of what filled the window, from the columns',
        run: () => chart(columns.slice(0, REQUESTS)),
      },
      {
        name: 'both',
        run: () => {
          const facts = columns.slice(0, REQUESTS);
          return [price(facts, prices), chart(facts)];
        },
      },
    ],
    ROUNDS,
  );
  const rows = [...samples].map(([name, times]) => [name, duration(median(times))]);
  console.log(`Cost and context of ${REQUESTS.toLocaleString('en-US')} requests:\n`);
  console.log(`${markdownTable(['what', 'time'], rows)}\n`);
}
