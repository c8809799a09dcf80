import { expect, test } from 'vitest';
import type { ModelFailure } from '../../../../src/core/ports/model.js';
import { google, openAi, refused } from '../../../support/refusals.js';

const perMinute = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier' }],
};
const perDay = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
};
const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' };
const checkPlan = 'You exceeded your current quota, please check your plan and billing details.';

test.each([
  ['OpenAI', 429, openAi(checkPlan, 'insufficient_quota', 'insufficient_quota')],
  [
    'OpenAI',
    429,
    openAi(
      'Your account is not active, please check your billing details on our website.',
      'billing_not_active',
    ),
  ],
  [
    'Anthropic',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'Your credit balance is too low to access the Anthropic API.',
      },
    },
  ],
  [
    'Gemini',
    429,
    google(429, `${checkPlan} Please retry in 34.5s.`, 'RESOURCE_EXHAUSTED', perDay, retryInfo),
  ],
  ['DeepSeek', 402, openAi('Insufficient Balance', 'invalid_request_error', 'unknown_error')],
  ['OpenRouter', 402, { error: { code: 402, message: 'Insufficient credits. Add more.' } }],
  [
    'xAI',
    403,
    {
      code: 'The caller does not have permission',
      error: 'Your team has used all available credits or reached its monthly spending limit.',
    },
  ],
  [
    'Moonshot',
    429,
    openAi(
      'Your account is suspended due to insufficient balance, please recharge',
      null,
      'exceeded_current_quota_error',
    ),
  ],
  [
    'z.ai',
    429,
    { error: { code: '1113', message: 'Insufficient balance or no resource package. Please recharge.' } },
  ],
])('%s: a quota that is used up (%i) is not asked again', async (_, status, body) => {
  expect(await refused(status, body)).toMatchObject({ code: 'quota', retryable: false });
});

test.each([
  [
    'OpenAI',
    openAi(
      'Rate limit reached for gpt-4o on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s. You can increase your rate limit by adding a payment method to your account at https://platform.openai.com/account/billing.',
      'rate_limit_exceeded',
      'requests',
    ),
    20_000,
  ],
  ['OpenAI', openAi('Rate limit reached. Please try again in 6ms.', 'rate_limit_exceeded', 'tokens'), 6],
  [
    'Groq',
    openAi(
      'Rate limit reached for model `m`: Limit 6000, Used 5000, Requested 1766. Please try again in 1m7.66s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing',
      'rate_limit_exceeded',
      'tokens',
    ),
    67_660,
  ],
  [
    'Gemini',
    google(429, `${checkPlan} Please retry in 34.5s.`, 'RESOURCE_EXHAUSTED', perMinute, retryInfo),
    34_500,
  ],
  [
    'Azure',
    openAi(
      'Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current pricing tier. Please retry after 12 seconds. Please go here: https://aka.ms/oai/quotaincrease',
      '429',
    ),
    12_000,
  ],
  [
    'OpenRouter',
    {
      error: {
        code: 429,
        message: 'Provider returned error',
        metadata: {
          raw: 'm:free is temporarily rate-limited upstream. Please retry shortly.',
          provider_name: 'Chutes',
        },
      },
    },
    undefined,
  ],
  ['Bedrock', { message: 'Too many tokens, please wait before trying again.' }, undefined],
  [
    'Mistral',
    {
      object: 'error',
      message: 'Service tier capacity exceeded for this model.',
      type: 'service_tier_capacity_exceeded',
      code: '3505',
    },
    undefined,
  ],
])('%s: a rate that is too high is waited for as long as it says', async (_, body, wait) => {
  const failure = await refused(429, body);
  expect(failure).toMatchObject({ code: 'rateLimit', retryable: true });
  expect(failure.retryAfterMs).toBe(wait);
});

test.each<[string, Record<string, string>, Partial<ModelFailure>]>([
  ['seconds', { 'retry-after': '2.5' }, { retryAfterMs: 2500 }],
  [
    'milliseconds, which are more exact',
    { 'retry-after': '1', 'retry-after-ms': '150' },
    { retryAfterMs: 150 },
  ],
  ['a date that is over', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, { retryAfterMs: 0 }],
  ['what is no time', { 'retry-after': 'soon' }, { retryable: true }],
  ['that asking again is of no use', { 'x-should-retry': 'false' }, { retryable: false }],
])('a header that says %s is heeded', async (_, headers, expected) => {
  expect(await refused(503, openAi('busy'), headers)).toMatchObject(expected);
});

test('a header may ask to try again what is final otherwise, but no account is filled by that', async () => {
  const advice = { 'x-should-retry': 'true' };
  expect(await refused(400, openAi('try it'), advice)).toMatchObject({ retryable: true });
  expect(await refused(429, openAi(checkPlan, 'insufficient_quota'), advice)).toMatchObject({
    retryable: false,
  });
});
