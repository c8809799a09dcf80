import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finishReasonOf } from '../../../src/query/numbers/finishReason.js';
import { loadPrices } from '../../../src/query/pricing/loadPrices.js';
import type { ReadRecord } from '../../../src/core/ports/transcript.js';
import { anyTeamTranscript } from '../../support/anyTeamTranscript.js';
import { isDeep, runs } from '../../support/fixedInputs.js';
import { formsOf, type SpentInForm } from '../../support/formsOfCost.js';
import { hasRealTranscripts, realTranscripts } from '../../support/realTranscripts.js';

const prices = await loadPrices();
const NUMBERS = ['requests', 'dollars', 'input', 'output'] as const;

/** How often each form has told a sum in words. */
const inWords = new Map<string, number>();

/** Where a form says another number than the statistics. */
async function disagreements(records: readonly ReadRecord[]): Promise<readonly string[]> {
  const { statistics = {}, ...others } = await formsOf(records, prices);
  const differ = (told: SpentInForm, name: (typeof NUMBERS)[number]): boolean => {
    const [here, there] = [told[name], statistics[name]];
    if (here === undefined || there === undefined) return false;
    return !(Math.abs(here - there) <= 1e-6);
  };
  for (const [form, { words }] of Object.entries(others))
    if (words !== undefined) inWords.set(form, (inWords.get(form) ?? 0) + 1);
  return Object.entries(others).flatMap(([form, told]) => [
    ...(told.words !== undefined && told.words !== statistics.words
      ? [`${form} says ${told.words}, statistics: ${statistics.words}`]
      : []),
    ...NUMBERS.filter((name) => differ(told, name)).map(
      (name) => `${name} in ${form}: ${told[name]}, statistics: ${statistics[name]}`,
    ),
  ]);
}

describe.runIf(hasRealTranscripts)('of real transcripts', () => {
  test('requests, tokens and dollars are the same in every form', { timeout: 600_000 }, async () => {
    const found: string[] = [];
    let conversations = 0;
    for await (const records of realTranscripts(isDeep ? 1 : 7)) {
      conversations++;
      for (const each of await disagreements(records)) found.push(`${records[0]?.conversation}: ${each}`);
    }
    expect(found).toEqual([]);
    expect(conversations).toBeGreaterThan(5);
  });
});

test('so they are of made-up teams', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(anyTeamTranscript, async (records) => {
      expect(await disagreements(records)).toEqual([]);
    }),
    { numRuns: runs(300) },
  );
  expect(Math.min(...['html', 'markdown'].map((form) => inWords.get(form) ?? 0))).toBeGreaterThan(5);
});

test('the reason for which a model stopped is the one that its file tells, in whatever place', () => {
  const told = [
    { finishReason: 'length' },
    { source: { message: { stop_reason: 'tool_use' } } },
    { source: { finish_reason: 'stop' } },
    { source: { response: { finishReason: 'STOP' } } },
  ];
  expect(told.map((record) => finishReasonOf(record))).toEqual(['length', 'tool_use', 'stop', 'STOP']);
  expect(finishReasonOf(undefined, { message: { content: 'x' } })).toBeUndefined();
});
