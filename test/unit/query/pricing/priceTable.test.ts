import { readFile } from 'node:fs/promises';
import { calcPrice, waitForUpdate } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { addCosts, costOf, knownAmount, NO_COST } from '../../../../src/core/cost.js';
import { inDollars } from '../../../../src/core/money.js';
import type { Usage } from '../../../../src/core/usage.js';
import { loadPrices, TABLE_VERSION } from '../../../../src/query/pricing/loadPrices.js';
import { PriceTable } from '../../../../src/query/pricing/priceTable.js';
import { priceOf } from '../../../../src/query/pricing/tokenRates.js';

const MARCH_2026 = Date.UTC(2026, 2, 1);
const prices = await loadPrices('');

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  'claude-sonnet-5-5',
  'claude-sonnet-5-5-20261007',
  'claude-opus-4-6-fast',
  'anthropic/claude-sonnet-5-7',
])('%s is not priced as the model whose name it goes on from', (model) => {
  expect(prices.costOf({ model, time: Date.UTC(2026, 9, 20), usage: usageOf(1000, 10) })).toMatchObject({
    provenance: 'unknown',
  });
});

test.each([
  'claude-sonnet-5',
  'claude-sonnet-5-20260301',
  'claude-sonnet-4-5-20250929',
  'claude-sonnet-4-20250514',
  'claude-3-7-sonnet-latest',
  'gemini-2.5-pro-preview-06-05',
])('%s is priced as what it names', (model) => {
  expect(prices.costOf({ model, time: Date.UTC(2026, 9, 20), usage: usageOf(1000, 10) }).provenance).toBe(
    'priced',
  );
});

describe('the table of prices', () => {
  test('gives what its package calculates, for every model that is priced by tokens', async () => {
    const models = await allModels();
    let compared = 0;
    for (const { provider, id } of models) {
      const usage = { input_tokens: 250_000, output_tokens: 900, cache_read_tokens: 1000 };
      const told = calcPrice(usage, id, { provider, timestamp: new Date(MARCH_2026) });
      const own = new PriceTable((_usage, _name, options) => calcPrice({}, id, { ...options, provider }));
      const rates = own.ratesOf(id, MARCH_2026);
      // Our own rule for long prompts says more than the table does, see premiums.test.ts.
      if (typeof rates === 'string' || !told || /sonnet-4(?:-0|-20250514)?$|4-sonnet/.test(id)) continue;
      const price = priceOf(rates, usageOf(250_000, 900, { cachedInputTokens: 1000 }));
      if (typeof price === 'string') continue;
      compared++;
      expect(inDollars(price.amount), `${provider.id} ${id}`).toBeCloseTo(told.total_price, 8);
    }
    expect(compared).toBeGreaterThan(1000);
  });

  test.each([
    ['claude-sonnet-4-5-20250929', 3],
    ['claude-opus-4-5@20251101', 5],
    ['anthropic/claude-sonnet-4.5', 3],
    ['openrouter/anthropic/claude-sonnet-4.5', 3],
    ['z-ai/glm-4.6', 0.43],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 3.3],
    ['anthropic.claude-3-5-sonnet-20241022-v2:0', 3],
    ['bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0', 3],
    ['arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-20250514-v1:0', 3],
    ['vertex_ai/gemini-2.5-flash', 0.3],
    ['gemini/gemini-2.5-flash', 0.3],
    ['models/gemini-2.5-flash', 0.3],
    ['azure/gpt-4o', 2.5],
    ['openai/gpt-4o-2024-08-06', 2.5],
    ['gpt-5-codex', 1.25],
  ])('knows %s', (model, dollarsPerMillion) => {
    const ten = { provenance: 'priced', amount: Math.round(dollarsPerMillion * 1e9) };
    expect(sumOf(Array.from({ length: 100 }, () => priced(model, usageOf(10_000, 0))))).toBe(ten.amount);
  });

  test.each([
    '',
    'unknown',
    'claude-new-9',
    'my-gpt-4o',
    'gpt-99',
    'llama3.1:8b',
    '<synthetic>',
    'mock-model',
    'proxy/claude',
    'constructor',
    '__proto__',
    '/',
    'auto',
  ])('guesses no price for %s', (model) => {
    expect(priced(model, usageOf(1000, 10))).toMatchObject({ provenance: 'unknown' });
  });

  test('is dated: o3 cost five times as much in May 2025 as since June 2025', () => {
    const before = at('o3', Date.UTC(2025, 4, 1));
    expect(before).toBe(5 * at('o3', MARCH_2026));
  });

  test('has no price for a model whose price has changed, where the time is unknown', () => {
    const request = { model: 'o3', time: 0, usage: usageOf(1000, 0) };
    expect(prices.costOf(request)).toMatchObject({ provenance: 'unknown' });
    expect(prices.costOf({ ...request, model: 'gpt-4o' }).provenance).toBe('priced');
  });

  test('charges a tier for the whole request', () => {
    expect(dollarsOf(priced('claude-sonnet-4-5', usageOf(200_000, 0)))).toBe(0.6);
    expect(dollarsOf(priced('claude-sonnet-4-5', usageOf(300_000, 0)))).toBe(1.8);
  });

  test('charges no tier for several requests in one number, and is then not sure', () => {
    const many = { ...usageOf(300_000, 0), requests: 5 };
    expect(prices.costOf({ model: 'claude-sonnet-4-5', time: MARCH_2026, usage: many })).toMatchObject({
      provenance: 'estimated',
      amount: 900_000_000,
    });
    expect(priced('claude-sonnet-4-5', { ...many, inputTokens: 200_000 }).provenance).toBe('priced');
  });

  test('tells what was read from a cache, written for five minutes and written for an hour', () => {
    const cached = (parts: Partial<Usage>) =>
      dollarsOf(priced('claude-sonnet-4-5', usageOf(100_000, 0, parts)));
    expect(cached({})).toBe(0.3);
    expect(cached({ cachedInputTokens: 100_000 })).toBe(0.03);
    expect(cached({ cacheWriteTokens: 100_000 })).toBe(0.375);
    expect(cached({ cacheWriteTokens: 100_000, cacheWrite1hTokens: 100_000 })).toBe(0.6);
  });

  test('charges a search of the web besides the tokens, and knows no cost where it has no price for one', () => {
    const searched = usageOf(1000, 0, { webSearches: 3 });
    expect(dollarsOf(priced('claude-sonnet-4-5', searched))).toBe(0.033);
    expect(priced('gemini-2.5-flash', usageOf(1000, 0)).provenance).toBe('priced');
    expect(priced('gemini-2.5-flash', searched)).toMatchObject({ provenance: 'unknown' });
  });

  test('counts 100,000 requests of four cached tokens', () => {
    const one = priced('gpt-4.1-nano', usageOf(4, 0, { cachedInputTokens: 4 }));
    const all = sumOf(Array.from({ length: 100_000 }, () => one));
    expect(all / 1e9).toBeCloseTo((100_000 * 4 * 0.025) / 1e6, 9);
  });

  test('says nothing where the numbers of a usage contradict each other', () => {
    const usage = usageOf(10, 5, { cachedInputTokens: 11 });
    expect(priced('gpt-4o', usage)).toMatchObject({ provenance: 'unknown' });
  });

  test('takes what the source recorded for what it is', () => {
    const usage = { ...usageOf(1000, 10), cost: 42 } as Usage;
    expect(priced('nobody-knows-it', usage)).toEqual({ provenance: 'exact', amount: 42 });
  });

  test('is estimated where the tokens are', () => {
    expect(priced('gpt-4o', { ...usageOf(1000, 10), estimated: true }).provenance).toBe('estimated');
  });

  test('never throws, whatever the name, the time and the numbers are', () => {
    const number = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(fc.string(), fc.double(), number, number, number, (model, time, input, output, cached) => {
        const usage = usageOf(input, output, { cachedInputTokens: cached });
        const { provenance, amount = 1 } = prices.costOf({ model, time, usage });
        expect(provenance === 'unknown' || Number.isSafeInteger(amount)).toBe(true);
      }),
    );
  });

  test('asks nobody: it works where nothing can be fetched', async () => {
    const fetched = vi.fn(() => Promise.reject(new Error('There is no network here.')));
    vi.stubGlobal('fetch', fetched);
    vi.resetModules();
    const { loadPrices: anew } = await import('../../../../src/query/pricing/loadPrices.js');
    const loaded = await anew('');
    const usage = usageOf(1000, 10);
    expect(loaded.costOf({ model: 'gpt-4o', time: MARCH_2026, usage }).provenance).toBe('priced');
    expect(fetched).not.toHaveBeenCalled();
  });

  test('says its version, that of the package', async () => {
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    expect(TABLE_VERSION).toBe(manifest.devDependencies['@pydantic/genai-prices']);
    expect(prices.version).toBe(`genai-prices ${TABLE_VERSION}`);
  });
});

/** Every model of the table, with its provider. */
async function allModels() {
  const providers = (await waitForUpdate()) ?? [];
  return providers.flatMap((provider) => provider.models.map(({ id }) => ({ provider, id })));
}

function priced(model: string, usage: Usage) {
  return prices.costOf({ model, time: MARCH_2026, usage });
}

function at(model: string, time: number): number {
  return dollarsOf(prices.costOf({ model, time, usage: usageOf(1000, 0) }));
}

function dollarsOf({ amount }: ReturnType<typeof priced>): number {
  return amount === undefined ? Number.NaN : inDollars(amount);
}

function sumOf(requests: readonly ReturnType<typeof priced>[]): number {
  return knownAmount(requests.reduce((sum, each) => addCosts(sum, costOf(each)), NO_COST));
}

function usageOf(inputTokens: number, outputTokens: number, parts: Partial<Usage> = {}): Usage {
  return { inputTokens, outputTokens, estimated: false, ...parts };
}
