import { describe, expect, test } from 'vitest';
import { inDollars } from '../../../../src/core/money.js';
import { addUsage, type Usage, type UsageTerm } from '../../../../src/core/usage.js';
import { anthropicUsage } from '../../../../src/import/messages/usage.js';
import { loadPrices } from '../../../../src/query/pricing/loadPrices.js';

const NOVEMBER = Date.UTC(2026, 10, 20);
const JUNE = Date.UTC(2026, 5, 1);
const prices = await loadPrices('');

function costOf(model: string, terms: readonly UsageTerm[], { time = NOVEMBER, input = 100_000 } = {}) {
  const plain: Usage = { inputTokens: input, outputTokens: 1000, estimated: false };
  const usage = terms.length === 0 ? plain : { ...plain, terms };
  const { amount } = prices.costOf({ model, time, usage });
  return amount === undefined ? undefined : inDollars(amount);
}

describe('what the terms of a request make of its price', () => {
  test.each<[string, readonly UsageTerm[], number, { readonly time?: number; readonly input?: number }?]>([
    ['claude-opus-5', ['fast'], 2],
    ['claude-opus-5-5', ['fast'], 2],
    ['claude-opus-4-8', ['fast'], 2],
    ['claude-opus-4-6', ['fast'], 6, { time: JUNE }],
    ['claude-opus-4-7', ['fast'], 6, { time: JUNE }],
    ['claude-opus-5', ['us'], 1.1],
    ['claude-sonnet-5', ['us'], 1.1],
    ['claude-opus-5', ['fast', 'us'], 2.2],
    ['claude-opus-5', ['us', 'batch'], 0.55],
    ['claude-sonnet-4-5-20250929', ['batch'], 0.5],
    ['gpt-5.5', ['priority'], 2.5],
    ['gpt-5.4', ['priority'], 2],
    ['gpt-5', ['priority'], 2],
    ['gpt-5', ['flex'], 0.5],
    ['gpt-5', ['batch'], 0.5],
    ['gpt-5.5', ['priority'], 1, { input: 300_000 }],
  ])('%s %j: %d times as much', (model, terms, factor, at) => {
    expect(costOf(model, terms, at)).toBeCloseTo((costOf(model, [], at) ?? Number.NaN) * factor, 9);
  });

  test.each<[string, readonly UsageTerm[], number?]>([
    ['claude-sonnet-5', ['fast']],
    ['claude-haiku-4-5', ['us']],
    ['claude-opus-4-6', ['fast']],
    ['claude-opus-5', ['fast', 'batch']],
    ['claude-opus-5', ['priority']],
    ['claude-opus-5', ['other']],
    ['claude-opus-5', ['implausible']],
    ['claude-opus-5', ['mixed']],
    ['gpt-5-mini', ['priority']],
    ['gemini-2.5-pro', ['flex']],
  ])('%s %j has no rule: unknown, and not the plain price', (model, terms) => {
    expect(costOf(model, [])).toBeGreaterThan(0);
    expect(costOf(model, terms)).toBeUndefined();
  });
});

test('the terms are those at which a request was served', () => {
  const usage = { input_tokens: 1, output_tokens: 2 };
  const termsOf = (more: object) => anthropicUsage({ ...usage, ...more })?.terms;
  expect(termsOf({ speed: 'standard', inference_geo: 'global', service_tier: 'standard' })).toBeUndefined();
  expect(termsOf({ speed: null, inference_geo: '', service_tier: null })).toBeUndefined();
  expect(termsOf({ inference_geo: 'us', speed: 'fast' })).toEqual(['fast', 'us']);
  expect(termsOf({ service_tier: 'batch' })).toEqual(['batch']);
  expect(termsOf({ speed: 'warp', inference_geo: 'mars' })).toEqual(['other']);
});

test('a sum of requests at different terms has no price of its own', () => {
  const plain: Usage = { inputTokens: 1, outputTokens: 2, estimated: false };
  const fast: Usage = { ...plain, terms: ['fast'] };
  expect(addUsage(plain, fast).terms).toEqual(['mixed']);
  expect(addUsage(fast, fast).terms).toEqual(['fast']);
  expect(addUsage({ inputTokens: 0, outputTokens: 0, estimated: false }, fast).terms).toEqual(['fast']);
});
