import { expect, test } from 'vitest';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { ContextGrowth } from '../../../../src/query/numbers/contextGrowth.js';
import { TranscriptReader } from '../../../../src/query/numbers/transcriptReader.js';

/** How the context of one call grew that made so many requests, each with its number as its size. */
function growthOf(requests: number) {
  const reader = new TranscriptReader();
  const growth = new ContextGrowth();
  for (let request = 1; request <= requests; request++) {
    const usage = { inputTokens: request, outputTokens: 1, estimated: false };
    const message = { role: 'assistant', content: 'x' };
    growth.add(
      reader.next(factsOf({ seq: request, type: 'message', call: 'k', agent: 'a', usage, message })),
    );
  }
  return growth.lines().contextGrowth[0]?.points ?? [];
}

test('however many requests a call makes, a chart gets the first, the last, and some at equal distances', () => {
  for (const requests of [2, 199, 200, 201, 5_000, 12_345]) {
    const points = growthOf(requests);
    expect(points.length).toBeLessThanOrEqual(201);
    expect(points.length).toBeGreaterThanOrEqual(Math.min(requests, 100));
    expect([points[0]?.request, points.at(-1)?.request]).toEqual([1, requests]);
    expect(
      points.every(({ request, tokens, position }) => request === tokens && position === request - 1),
    ).toBe(true);
    const distances = points.slice(1, -1).map(({ request }, at) => request - (points[at]?.request ?? 0));
    expect(new Set(distances).size).toBeLessThanOrEqual(1);
  }
});

test('a chart that was drawn is not changed by what comes later', () => {
  const reader = new TranscriptReader();
  const growth = new ContextGrowth();
  const add = (seq: number) =>
    growth.add(
      reader.next(
        factsOf({
          seq,
          type: 'message',
          call: 'k',
          agent: 'a',
          message: { role: 'assistant' },
          usage: { inputTokens: seq, outputTokens: 1 },
        }),
      ),
    );
  [1, 2].forEach(add);
  const drawn = growth.lines().contextGrowth[0]!.points;
  [3, 4].forEach(add);
  expect(drawn.map(({ request }) => request)).toEqual([1, 2]);
});

test('a source that does not count what its models read has no growth, not one of nothing', () => {
  const reader = new TranscriptReader();
  const growth = new ContextGrowth();
  for (const seq of [1, 2, 3]) {
    const usage = { inputTokens: 0, outputTokens: 12, estimated: false };
    const message = { role: 'assistant', content: 'x' };
    growth.add(reader.next(factsOf({ seq, type: 'message', call: 'k', agent: 'a', usage, message })));
  }
  expect(growth.lines().contextGrowth).toEqual([]);
});
