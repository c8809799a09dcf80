import { describe, expect, test } from 'vitest';
import type { UnknownWhy } from '../../../../src/core/cost.js';
import { inDollars } from '../../../../src/core/money.js';
import type { Usage } from '../../../../src/core/usage.js';
import { anthropicUsage, openAiUsage } from '../../../../src/import/messages/usage.js';
import { loadPrices } from '../../../../src/query/pricing/loadPrices.js';

const prices = await loadPrices('');

/** A number of dollars, and a part of the row that it is by; or why there is none. */
type Told = number | UnknownWhy;
type Case = readonly [about: string, model: string, day: string, used: object, told: Told, row?: string];

function costOf(model: string, day: string, usage: Usage | undefined) {
  if (!usage) return { why: 'unrecorded' as const };
  return prices.costOf({ model, time: Date.parse(day), usage });
}

function holds(usageOf: (used: object) => Usage | undefined, cases: readonly Case[]): void {
  for (const [about, model, day, used, told, row = ''] of cases)
    test(about, () => {
      const cost = costOf(model, day, usageOf(used));
      if (typeof told === 'string') {
        expect(cost).not.toHaveProperty('amount');
        expect(cost.why).toBe(told);
        return;
      }
      expect('amount' in cost && cost.amount !== undefined ? inDollars(cost.amount) : cost).toBeCloseTo(
        told,
        9,
      );
      expect('row' in cost ? cost.row : '').toContain(row);
    });
}

const NOW = '2026-11-20';
const M = 1_000_000;
const use = (input: number, output: number, more: object = {}) => ({
  input_tokens: input,
  output_tokens: output,
  ...more,
});
const cache = (read: number, flat: number, split?: readonly [minutes: number, hour: number]) => ({
  cache_read_input_tokens: read,
  cache_creation_input_tokens: flat,
  ...(split && {
    cache_creation: { ephemeral_5m_input_tokens: split[0], ephemeral_1h_input_tokens: split[1] },
  }),
});

describe("Anthropic's rules, as its answers tell what was used", () => {
  holds(anthropicUsage, [
    ['plain', 'claude-opus-5', NOW, use(1000, 100), 0.0075, 'anthropic claude-opus-5'],
    [
      'standard words',
      'claude-opus-5',
      NOW,
      use(1000, 100, { speed: 'standard', inference_geo: 'global', service_tier: 'standard' }),
      0.0075,
    ],
    [
      'no words',
      'claude-opus-5',
      NOW,
      use(1000, 100, { speed: null, inference_geo: '', service_tier: null }),
      0.0075,
    ],
    ['not available', 'claude-opus-5', NOW, use(1000, 100, { inference_geo: 'not_available' }), 0.0075],
    ['read from the cache', 'claude-opus-5', NOW, use(0, 100, cache(1000, 0)), 0.003],
    ['written for five minutes', 'claude-opus-5', NOW, use(0, 100, cache(0, 1000, [1000, 0])), 0.00875],
    ['written for an hour', 'claude-opus-5', NOW, use(0, 100, cache(0, 1000, [0, 1000])), 0.0125],
    ['written for both', 'claude-opus-5', NOW, use(0, 100, cache(0, 1000, [600, 400])), 0.01025],
    ['written, untold for how long', 'claude-opus-5', NOW, use(0, 100, cache(0, 1000)), 0.00875],
    ['times alone', 'claude-opus-5', NOW, use(0, 100, cache(0, 0, [600, 400])), 0.01025],
    ['fast', 'claude-opus-5', NOW, use(1000, 100, { speed: 'fast' }), 0.015, 'fast × 2'],
    [
      'fast with caches',
      'claude-opus-5-5',
      NOW,
      use(0, 100, { speed: 'fast', ...cache(1000, 1000, [0, 1000]) }),
      0.0204,
    ],
    ['fast Opus 4.8', 'claude-opus-4-8', NOW, use(1000, 100, { speed: 'fast' }), 0.015],
    ['fast Opus 4.8, ended', 'claude-opus-4-8', '2026-12-01', use(1000, 100, { speed: 'fast' }), 'terms'],
    ['fast Opus 4.7', 'claude-opus-4-7', '2026-06-01', use(1000, 100, { speed: 'fast' }), 0.045],
    ['fast Opus 4.7, ended', 'claude-opus-4-7', '2026-08-01', use(1000, 100, { speed: 'fast' }), 'terms'],
    ['fast Opus 4.6', 'claude-opus-4-6', '2026-06-01', use(1000, 100, { speed: 'fast' }), 0.045],
    ['fast without a rule', 'claude-sonnet-5', NOW, use(1000, 100, { speed: 'fast' }), 'terms'],
    ['in the US', 'claude-opus-5', NOW, use(1000, 100, { inference_geo: 'us' }), 0.00825, 'us × 1.1'],
    ['in the US, Sonnet 4.6', 'claude-sonnet-4-6', NOW, use(1000, 100, { inference_geo: 'us' }), 0.00495],
    ['in the US, older', 'claude-sonnet-4-5-20250929', NOW, use(1000, 100, { inference_geo: 'us' }), 'terms'],
    ['in another place', 'claude-opus-5', NOW, use(1000, 100, { inference_geo: 'eu' }), 'terms'],
    ['fast in the US', 'claude-opus-5', NOW, use(1000, 100, { inference_geo: 'us', speed: 'fast' }), 0.0165],
    ['batch', 'claude-opus-5', NOW, use(1000, 100, { service_tier: 'batch' }), 0.00375, 'batch × 0.5'],
    [
      'batch in the US',
      'claude-opus-5',
      NOW,
      use(1000, 100, { service_tier: 'batch', inference_geo: 'us' }),
      0.004125,
    ],
    [
      'fast in a batch',
      'claude-opus-5',
      NOW,
      use(1000, 100, { service_tier: 'batch', speed: 'fast' }),
      'terms',
    ],
    ['priority has no price', 'claude-opus-5', NOW, use(1000, 100, { service_tier: 'priority' }), 'terms'],
    ['a tier that nobody knows', 'claude-opus-5', NOW, use(1000, 100, { service_tier: 'gold' }), 'terms'],
    ['a speed that nobody knows', 'claude-opus-5', NOW, use(1000, 100, { speed: 'warp' }), 'terms'],
    [
      'searches',
      'claude-opus-5',
      NOW,
      use(1000, 100, { server_tool_use: { web_search_requests: 3 } }),
      0.0375,
    ],
    [
      'searches cost the same fast',
      'claude-opus-5',
      NOW,
      use(1000, 100, { speed: 'fast', server_tool_use: { web_search_requests: 3 } }),
      0.045,
    ],
    [
      'fetches are free',
      'claude-opus-5',
      NOW,
      use(1000, 100, { server_tool_use: { web_fetch_requests: 9 } }),
      0.0075,
    ],
    ['200,000 of Sonnet 4.5', 'claude-sonnet-4-5-20250929', '2026-02-01', use(200_000, 1000), 0.615],
    [
      '200,001 of Sonnet 4.5',
      'claude-sonnet-4-5-20250929',
      '2026-02-01',
      use(200_001, 1000),
      1.222506,
      'long prompt',
    ],
    [
      '200,001 with the cache',
      'claude-sonnet-4-5-20250929',
      '2026-02-01',
      use(1, 1000, cache(200_000, 0)),
      0.142506,
    ],
    ['200,000 of Sonnet 4', 'claude-sonnet-4-20250514', '2025-10-01', use(200_000, 1000), 0.615],
    [
      '200,001 of Sonnet 4',
      'claude-sonnet-4-20250514',
      '2025-10-01',
      use(200_001, 1000),
      1.222506,
      'long prompt',
    ],
    [
      '200,001 of Sonnet 4, written',
      'claude-sonnet-4-20250514',
      '2025-10-01',
      use(1, 1000, cache(0, 200_000, [0, 200_000])),
      2.422506,
    ],
    [
      '200,001 of Sonnet 4, before the beta',
      'claude-sonnet-4-20250514',
      '2025-07-01',
      use(200_001, 1000),
      'window',
    ],
    ['200,001 of Sonnet 4, after it', 'claude-sonnet-4-20250514', '2026-05-02', use(200_001, 1000), 'window'],
    ['longer than the window of Opus 4.1', 'claude-opus-4-1', '2026-02-01', use(200_001, 1000), 'window'],
    [
      'long Opus 4.6 with its tier',
      'claude-opus-4-6',
      '2026-02-15',
      use(300_000, 1000),
      3.0375,
      'long prompt',
    ],
    ['long Opus 4.6 without', 'claude-opus-4-6', '2026-06-15', use(300_000, 1000), 1.525, 'since 2026-03-13'],
    ['long Opus 5 is flat', 'claude-opus-5', NOW, use(300_000, 1000), 1.525],
    ['one version newer', 'claude-sonnet-5-5', NOW, use(1000, 100), 'price'],
    ['one version newer, dated', 'claude-opus-5-6-20261101', NOW, use(1000, 100), 'price'],
    ['no name', '', NOW, use(1000, 100), 'model'],
    ['not a model', '<synthetic>', NOW, use(1000, 100), 'price'],
    ['negative', 'claude-opus-5', NOW, use(-1, 100), 'implausible'],
    ['negative cache', 'claude-opus-5', NOW, use(1000, 100, cache(-5, 0)), 'implausible'],
    ['text', 'claude-opus-5', NOW, { input_tokens: '1000', output_tokens: 100 }, 'implausible'],
    ['null', 'claude-opus-5', NOW, { input_tokens: 1000, output_tokens: null }, 'implausible'],
    ['infinite', 'claude-opus-5', NOW, use(Infinity, 100), 'implausible'],
    ['not a number', 'claude-opus-5', NOW, { input_tokens: 1000, output_tokens: 'NaN' }, 'implausible'],
    ['half', 'claude-opus-5', NOW, { output_tokens: 100 }, 'incomplete'],
    ['neither', 'claude-opus-5', NOW, { input_tokens: null, output_tokens: null }, 'unrecorded'],
    [
      'cache of null is none',
      'claude-opus-5',
      NOW,
      use(1000, 100, { cache_read_input_tokens: null, cache_creation_input_tokens: null }),
      0.0075,
    ],
    ['writes that disagree', 'claude-opus-5', NOW, use(1000, 100, cache(0, 1000, [300, 300])), 'implausible'],
    [
      'searches as text',
      'claude-opus-5',
      NOW,
      use(1000, 100, { server_tool_use: { web_search_requests: '3' } }),
      'implausible',
    ],
    ['more than money holds', 'claude-opus-5', NOW, use(1000, 1e15), 'implausible'],
  ]);
});

const chat = (input: number, output: number, more: object = {}) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  ...more,
});

describe("OpenAI's rules, as its answers and those made like them tell what was used", () => {
  holds(openAiUsage, [
    ['plain', 'gpt-5', NOW, chat(1000, 100), 0.00225, 'openai gpt-5'],
    ['cached', 'gpt-5', NOW, chat(1000, 100, { prompt_tokens_details: { cached_tokens: 1000 } }), 0.001125],
    ['default and auto', 'gpt-5', NOW, chat(1000, 100, { service_tier: 'default' }), 0.00225],
    ['flex', 'gpt-5', NOW, chat(1000, 100, { service_tier: 'flex' }), 0.001125],
    ['batch', 'gpt-5', NOW, chat(1000, 100, { service_tier: 'batch' }), 0.001125],
    ['priority', 'gpt-5', NOW, chat(1000, 100, { service_tier: 'priority' }), 0.0045, 'priority × 2'],
    ['priority GPT-5.5', 'gpt-5.5', NOW, chat(1000, 100, { service_tier: 'priority' }), 0.02],
    ['fast is priority', 'gpt-5.5', NOW, chat(1000, 100, { service_tier: 'fast' }), 0.02],
    ['priority without a rule', 'gpt-5-mini', NOW, chat(1000, 100, { service_tier: 'priority' }), 'terms'],
    ['scale', 'gpt-5', NOW, chat(1000, 100, { service_tier: 'scale' }), 'terms'],
    ['271,999', 'gpt-5.5', NOW, chat(271_999, 1000), 1.389995],
    ['272,000', 'gpt-5.5', NOW, chat(272_000, 1000), 2.765, 'long prompt'],
    ['priority at 272,000', 'gpt-5.5', NOW, chat(272_000, 1000, { service_tier: 'priority' }), 2.765],
    ['longer than the window', 'gpt-4o', NOW, chat(128_001, 1000), 'window'],
    [
      'cached above the prompt',
      'gpt-5',
      NOW,
      chat(1000, 100, { prompt_tokens_details: { cached_tokens: 1001 } }),
      'implausible',
    ],
    [
      'reasoning above the answer',
      'gpt-5',
      NOW,
      chat(1000, 100, { completion_tokens_details: { reasoning_tokens: 101 } }),
      'implausible',
    ],
    [
      'reasoning beside the answer',
      'gpt-5',
      NOW,
      { ...chat(1000, 100, { completion_tokens_details: { reasoning_tokens: 200 } }), total_tokens: 1300 },
      0.00425,
    ],
    ['a total that disagrees', 'gpt-5', NOW, { ...chat(1000, 100), total_tokens: 1234 }, 'implausible'],
    ['a total below', 'gpt-5', NOW, { ...chat(1000, 100), total_tokens: 100 }, 'implausible'],
    [
      'an embedding answers nothing, and is whole',
      'text-embedding-3-small',
      NOW,
      { prompt_tokens: 1000, total_tokens: 1000 },
      'price',
    ],
    ['an answer alone', 'gpt-5', NOW, { completion_tokens: 100 }, 'incomplete'],
    ['text', 'gpt-5', NOW, chat(1000, 100, { prompt_tokens_details: { cached_tokens: '5' } }), 'implausible'],
    ['with its provider', 'openai/gpt-5', NOW, chat(1000, 100), 0.00225],
    ['of Gemini, long', 'gemini-2.5-pro', NOW, chat(200_001, 1000), 0.5150025, 'long prompt'],
    ['of Gemini, flex', 'gemini-2.5-pro', NOW, chat(1000, 100, { service_tier: 'flex' }), 'terms'],
    ['what it cost is told', 'gpt-5', NOW, chat(1000, 100, { cost: 0.5 }), 0.5],
    [
      'what it cost is told, at any tier',
      'gpt-5',
      NOW,
      chat(1000, 100, { cost: 0.5, service_tier: 'gold' }),
      0.5,
    ],
    ['one version newer', 'gpt-6.1-sol', NOW, chat(1000, 100), 'price'],
    ['beyond any table', 'gpt-5', NOW, chat(5 * M, 100), 'window'],
  ]);
});
