import type { Usage } from '../../../../src/core/usage.js';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inDollars } from '../../../../src/core/money.js';
import { loadUsablePrices } from '../../../../src/query/pricing/loadPrices.js';
import { parseOwnPrices } from '../../../../src/query/pricing/ownPrices.js';

const MAY = Date.UTC(2026, 4, 1);

const GOOD = `
prices: 1
currencies:
  EUR: 1.1
models:
  - model: our-model
    from: 2026-01-01
    currency: EUR
    input: 2
    output: 10
    cacheRead: 0.2
    webSearches: 10
  - model: our-model
    input: 4
    output: 20
  - model: "local/*"
    input: 0
    output: 0
  - model: gpt-4o
    input: 1
    output: 1
`;

describe('own prices', () => {
  test('hold for the models that they name, from their day on, in their currency', async () => {
    expect(await dollarsOf(GOOD, 'our-model', MAY)).toBeCloseTo(2.2);
    expect(await dollarsOf(GOOD, 'our-model', Date.UTC(2025, 11, 31))).toBe(4);
    expect(await dollarsOf(GOOD, 'local/llama', 0)).toBe(0);
  });

  test('name what a thousand searches of the web cost, or else leave what has searched unknown', async () => {
    const own = await load(GOOD);
    const usage = { inputTokens: 0, outputTokens: 0, webSearches: 500, estimated: false };
    const cost = (model: string) => own.costOf({ model, time: MAY, usage });
    expect(cost('our-model')).toMatchObject({ provenance: 'priced', amount: 5.5e9 });
    expect(cost('local/llama')).toEqual({ provenance: 'unknown', why: 'parts' });
  });

  test('come before those of the table, which hold for all other models', async () => {
    expect(await dollarsOf(GOOD, 'gpt-4o', MAY)).toBe(1);
    expect(await dollarsOf(GOOD, 'gpt-4.1-nano', MAY)).toBeCloseTo(0.1);
  });

  test('say what terms and long prompts make of them, and which of them counted', async () => {
    const models = '{ model: m, input: 1, output: 2, times: { fast: 3 }, long: { over: 100, input: 4 } }';
    const own = await load(`prices: 1\nmodels: [${models}]`);
    const cost = (inputTokens: number, more: Partial<Usage> = {}) =>
      own.costOf({
        model: 'm',
        time: MAY,
        usage: { inputTokens, outputTokens: 10, estimated: false, ...more },
      });
    expect(cost(100)).toMatchObject({ amount: 120_000, row: 'own m' });
    expect(cost(101)).toMatchObject({ amount: 424_000, row: 'own m (long prompt)' });
    expect(cost(100, { terms: ['fast'] })).toMatchObject({ amount: 360_000, row: 'own m (fast × 3)' });
    expect(cost(100, { terms: ['us'] })).toMatchObject({ why: 'terms' });
    const why = async (more: string) =>
      (await load(`prices: 1\nmodels: [{ model: m, input: 1, output: 2, ${more} }]`)).version;
    expect(await why('times: { warp: 3 }')).toContain('must be one of fast, us, batch, flex, priority');
    expect(await why('long: { over: 9, cacheRead: 3 }')).toContain(
      'long.cacheRead needs a price of shorter prompts',
    );
  });

  test('are named where the version of the prices is', async () => {
    expect((await load(GOOD)).version).toContain('and own prices');
  });

  test('of a model whose price has changed are none where the time is unknown', async () => {
    expect(await dollarsOf(GOOD, 'our-model', 0)).toBeUndefined();
  });

  test('may be JSON', async () => {
    const text = JSON.stringify({ prices: 1, models: [{ model: 'm', input: 1, output: 2 }] });
    expect(await dollarsOf(text, 'm', MAY)).toBe(1);
  });

  test.each([
    ['', 1, "A file of prices must be a map with 'prices: 1' and 'models'."],
    ['prices: 2\nmodels: []', 1, 'prices must be 1, the version of the format'],
    ['prices: 1', 1, 'models is missing.'],
    ['prices: 1\nmodels:\n  - model: m\n    input: 1', 3, 'models.0.output is missing.'],
    [
      'prices: 1\nmodels:\n  - model: m\n    input: cheap\n    output: 1',
      4,
      'models.0.input must be a number',
    ],
    [
      'prices: 1\nmodels:\n  - model: m\n    input: -1\n    output: 1',
      4,
      'models.0.input must not be less than 0',
    ],
    [
      'prices: 1\nmodels:\n  - model: m\n    input: 1\n    output: 1\n    inptu: 3',
      6,
      'models.0.inptu is no field of a price.',
    ],
    [
      'prices: 1\nmodels:\n  - model: m\n    from: 2026-02-30\n    input: 1\n    output: 1',
      4,
      'models.0.from must be a date like 2026-01-31',
    ],
    [
      'prices: 1\nmodels:\n  - model: m\n    currency: EUR\n    input: 1\n    output: 1',
      3,
      'currencies has no EUR: say how many dollars one is worth.',
    ],
    [
      'prices: 1\nmodels:\n  - {model: m, input: 1, output: 1}\n  - {model: m, input: 2, output: 1}',
      4,
      'm has two prices from the same day on.',
    ],
  ])('that are wrong are refused, with line and field: %s', (text, line, message) => {
    expect(parseOwnPrices(text, 'prices.yaml')).toEqual({ problems: [{ line, message }] });
  });

  test('that are no YAML are refused with their line', () => {
    expect(parseOwnPrices('prices: 1\nmodels: [', 'prices.yaml').problems[0]?.line).toBe(2);
  });

  test('that are refused leave the table as it is, and a person is told the file', async () => {
    const { version } = await load('prices: 1\nmodels: 3');
    expect(version).toMatch(
      /^genai-prices [\d.]+; own prices are not used: prices\.yaml, line 2: models must be a list of models$/,
    );
  });

  test.each([join(tmpdir(), 'there', 'is', 'no.yaml'), 'relative/prices.yaml'])(
    'whose file cannot be read are told of: %s',
    async (path) => {
      expect((await loadUsablePrices(path)).version).toContain('own prices are not used');
    },
  );
});

async function load(text: string) {
  const ownFile = join(await mkdtemp(join(tmpdir(), 'prices-')), 'prices.yaml');
  await writeFile(ownFile, text);
  return loadUsablePrices(ownFile);
}

/** What a million tokens of a model's prompt cost; undefined where that is unknown. */
async function dollarsOf(text: string, model: string, time: number): Promise<number | undefined> {
  const prices = await load(text);
  const usage = { inputTokens: 1e6, outputTokens: 0, estimated: false };
  const { amount } = prices.costOf({ model, time, usage });
  return amount === undefined ? undefined : inDollars(amount);
}
