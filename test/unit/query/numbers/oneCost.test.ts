import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CostSum } from '../../../../src/query/numbers/costSum.js';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { escapeHtml } from '../../../../src/core/escapeHtml.js';
import { costShape } from '../../../../src/export/costShape.js';
import { costLine, tellsCost } from '../../../../src/export/costWords.js';
import { exportMessages } from '../../../../src/export/exportMessages.js';
import {
  addCosts,
  costOf,
  knownAmount,
  NO_COST,
  PROVENANCES,
  provenanceOf,
  type Cost,
} from '../../../../src/core/cost.js';
import { inDollars } from '../../../../src/core/money.js';
import { TranscriptProjection } from '../../../../src/page/panel/projection/transcriptProjection.js';
import { loadPrices } from '../../../../src/query/pricing/loadPrices.js';
import { sessionFacts } from '../../../../src/query/language/sessionFactsBuilder.js';
import { FactColumns } from '../../../../src/store/read/factColumns.js';
import { costlyRecords } from '../../../support/costlyRecords.js';
import { isDeep, runs } from '../../../support/fixedInputs.js';
import { hasRealTranscripts, realTranscripts } from '../../../support/realTranscripts.js';
import { teamStory } from '../../../support/teamStory.js';

const prices = await loadPrices();
const sum = (costs: Iterable<Cost | undefined>): Cost =>
  [...costs].reduce<Cost>((all, cost) => addCosts(all, cost ?? NO_COST), NO_COST);

/** What a transcript cost, as each view says it. */
function costsOf(records: readonly unknown[]) {
  const projection = new TranscriptProjection(prices);
  projection.add(records.map(factsOf));
  const statistics = projection.statistics();
  const list = new CostSum(prices);
  for (const record of records) list.add(record);
  const columns = new FactColumns();
  for (const record of records) columns.add(factsOf(record));
  const reopened = new CostSum(prices);
  for (const facts of columns.slice(0, records.length)) reopened.addFacts(facts);
  const search = sessionFacts(records, { session: 's' }, prices);
  return {
    header: projection.facts().cost,
    statistics: statistics.cost,
    byAgent: sum(statistics.byAgent.map(({ cost }) => cost)),
    byModel: sum(statistics.byModel.map(({ cost }) => cost)),
    list: list.total,
    reopened: reopened.total,
    session: search.whole.cost ?? NO_COST,
    records: sum([...search.records].map(({ spent }) => spent && costOf(spent.cost, spent.requests))),
    runs: sum([...search.runs].map(({ cost }) => cost)),
    calls: sum(search.agentCalls.map(({ cost }) => cost)),
    entries: sum(
      search.agentCalls.filter(({ parent }) => parent === undefined).map((call) => call.totalCost),
    ),
  };
}

function expectOne(records: readonly unknown[]): Cost {
  const { header, ...others } = costsOf(records);
  for (const [view, cost] of Object.entries(others)) expect({ view, cost }).toEqual({ view, cost: header });
  expectExported(records, header);
  return header;
}

/**
 * What an export says at its end is that number, in the panel's words; and the elements of one as JSON, and the rows of one as
 * CSV, add up to it: what is known of it, and the worst way in which that is.
 */
function expectExported(records: readonly unknown[], header: Cost): void {
  const known = inDollars(knownAmount(header));
  for (const cells of [jsonCosts(records), csvCosts(records)]) {
    expect(cells.reduce((all, { cost }) => all + cost, 0)).toBeCloseTo(known, 8);
    const worst = PROVENANCES.findLast((each) => cells.some(({ provenance }) => provenance === each));
    expect(worst).toBe(provenanceOf(header));
  }
  const list = new CostSum(prices);
  for (const record of records) list.add(record);
  const told = { total: header, version: list.version };
  const text = exportMessages(records, 'html', { full: true, includeMetadata: true, prices });
  const [ending] = (JSON.parse(exportMessages(records, 'json', OPTIONS)) as { cost?: object }[]).slice(-1);
  if (!tellsCost(told)) return;
  expect(text).toContain(`<footer class="note">${escapeHtml(costLine(told))}</footer>`);
  expect(ending?.cost).toEqual({ ...costShape(header), prices: list.version });
}

/** What a field of an export says of money. */
interface ExportedCost {
  readonly cost: number;
  readonly provenance: string | undefined;
}

const OPTIONS = { full: true, includeMetadata: true, prices, redact: false } as const;

function jsonCosts(records: readonly unknown[]): ExportedCost[] {
  const elements = JSON.parse(exportMessages(records, 'json', OPTIONS)) as Record<string, unknown>[];
  return elements.map((element) => {
    // A message that has such a key itself has what is added beside it.
    const apart = Object.entries(element).find(([key]) => /^_+(?:export_)?metadata$/.test(key))?.[1];
    const { cost_usd, cost_provenance } = (apart ?? element) as Record<string, unknown>;
    return { cost: Number(cost_usd ?? 0), provenance: cost_provenance as string | undefined };
  });
}

function csvCosts(records: readonly unknown[]): ExportedCost[] {
  // The two columns are the last, and hold neither a comma nor a quote.
  const text = exportMessages(records, 'csv', OPTIONS);
  return [...text.matchAll(/,([\d.]*),(exact|priced|estimated|unknown|)\r\n/g)].map(
    ([, cost, provenance]) => ({
      cost: Number(cost),
      provenance: provenance === '' ? undefined : provenance,
    }),
  );
}

describe('what a transcript cost is the same number in every view, and the sum of its parts', () => {
  test('whatever is recorded', () => {
    fc.assert(
      fc.property(costlyRecords, (each) => void expectOne(each)),
      { numRuns: runs(200) },
    );
  });

  test('of a team', () => {
    expect(provenanceOf(expectOne(teamStory().records))).toBeDefined();
  });

  test.skipIf(!hasRealTranscripts)(
    'in real transcripts',
    async () => {
      let known = 0;
      for await (const each of realTranscripts(isDeep ? 1 : 8)) {
        const { exact, priced } = expectOne(each);
        known += exact.requests + priced.requests;
      }
      expect(known).toBeGreaterThan(25);
    },
    120_000,
  );
});

test('how a transcript’s cost is known never improves by what is added to it, of calls whose records do not change', () => {
  const rank = (cost: Cost) => PROVENANCES.indexOf(provenanceOf(cost) ?? 'exact');
  fc.assert(
    fc.property(costlyRecords, costlyRecords, (first, more) => {
      const later = more.map((record) => ({
        ...record,
        call: `${record.call}'`,
        parentCall: undefined,
        depth: 0,
      }));
      const [before, after] = [expectOne(first), expectOne([...first, ...later])];
      expect(rank(after)).toBeGreaterThanOrEqual(rank(before));
    }),
    { numRuns: runs(80) },
  );
});
