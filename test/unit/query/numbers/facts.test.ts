import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsOf, plainFacts } from '../../../../src/query/numbers/facts.js';
import { timelineOf } from '../../../../src/query/numbers/timeline.js';
import { toolSummaryOf } from '../../../../src/query/numbers/toolSummary.js';
import { runs } from '../../../support/fixedInputs.js';

const ofTitle = fc.record({ seq: fc.nat(), type: fc.constant('title'), id: fc.jsonValue() });

test('every value has facts, whatever it is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.jsonValue(), ofTitle), (item) => {
      const { calls, ...facts } = plainFacts(factsOf(item));
      expect(Object.keys(facts)).toContain('role');
      expect(calls.flatMap(({ names }) => names).every((name) => typeof name === 'string')).toBe(true);
    }),
    { numRuns: runs(2_000) },
  );
});

/** A value that contains itself, and one that nests deeper than the engine can write. */
function strangeContents(): object[] {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  let deep: object = {};
  for (let level = 0; level < 50_000; level++) deep = { deep };
  return [circle, deep, { big: 10n }];
}

test('a content that no JSON can be made of stops no question', () => {
  const messages = strangeContents().map((content) => ({ role: 'user', content }));
  expect(timelineOf(messages)).toHaveLength(messages.length);
  expect(toolSummaryOf(messages)).toEqual([]);
});
