import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { apportion } from '../../../../../src/query/numbers/context/contextWindow.js';
import { importFile } from '../../../../../src/import/importFile.js';
import { runs } from '../../../../support/fixedInputs.js';
import { teamStory } from '../../../../support/teamStory.js';
import { disagreements, windowsOf } from './windows.js';

const tokens = fc.oneof(fc.nat(2_000), fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER));
const usage = fc.option(
  fc.record({
    inputTokens: tokens,
    outputTokens: fc.nat(500),
    estimated: fc.boolean(),
    cachedInputTokens: tokens,
    cacheWriteTokens: tokens,
  }),
  { nil: undefined },
);
const message = fc.record({
  role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'developer', 'planner'),
  content: fc.oneof(
    fc.string({ maxLength: 400 }),
    fc.constant(null),
    fc.constant([{ type: 'image_url', image_url: { url: 'x' } }]),
  ),
  tool_call_id: fc.constantFrom('t1', 't2'),
  reasoning_content: fc.option(fc.string({ maxLength: 200 }), { nil: undefined }),
  tool_calls: fc.option(
    fc.constant([
      { id: 't1', type: 'function', function: { name: 'mcp__x__read', arguments: '{"path":"a.ts"}' } },
    ]),
    { nil: undefined },
  ),
});
const source = fc.constantFrom<unknown[]>(
  undefined,
  { uuid: 'u1' },
  { uuid: 'u2', isCompactSummary: true },
  { info: { summary: true } },
);
const event = fc.constantFrom<object[]>(
  { type: 'imported', kind: 'system', value: { subtype: 'compact_boundary' } },
  {
    type: 'imported',
    kind: 'system',
    value: { subtype: 'microcompact_boundary', microcompactMetadata: { compactedToolIds: ['t1'] } },
  },
  { type: 'imported', kind: 'compaction', value: { summary: 'so far', firstKeptEntryId: 'u1' } },
  { type: 'imported', kind: 'session.truncation', value: { data: { messagesRemovedDuringTruncation: 2 } } },
  { type: 'imported', kind: 'tools', value: { tools: [{ name: 'read', parameters: { type: 'object' } }] } },
  {
    type: 'error',
    where: 'model',
    error: { code: 'compacted', message: 'it is no longer sent 2 earlier messages.' },
  },
  { type: 'callStart', task: '', model: 'm', tools: ['a'], toolTokens: [40] },
);
const record = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ type: fc.constant('message'), message, usage, source }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('request'), model: fc.constant('m'), usage }) },
      { weight: 1, arbitrary: event },
    ),
    fc.constantFrom('k1', 'k2'),
    fc.nat(8_000_000),
  )
  .map(([body, call, time]) => ({
    seq: 1,
    id: 'm',
    time,
    conversation: 'c',
    run: 'r',
    call,
    agent: call,
    depth: 0,
    ...body,
  }));

describe('parts add up to the whole', () => {
  it('of anything that is shared in proportion, and each is less than one off', () => {
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 20 }), fc.nat(), (weights, total) => {
        const parts = apportion(weights, total);
        const sum = weights.reduce((all, each) => all + each, 0);
        if (sum === 0) return parts.every((part) => part === 0);
        const isNear = parts.every(
          (part, at) => Math.abs(part - ((weights[at] ?? 0) / sum) * total) <= 1.001,
        );
        return isNear && parts.reduce((all, each) => all + each, 0) === total;
      }),
    );
  });

  it('in every request of any records, whatever they say', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 60 }), (records) => {
        expect(disagreements(windowsOf(records))).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  it('in every request of a team', () => {
    const { records } = teamStory();
    const windows = windowsOf(records);
    expect(windows.length).toBeGreaterThan(1);
    expect(disagreements(windows)).toEqual([]);
  });
});

const folder = fileURLToPath(new URL('../../../../../shared/transcripts/', import.meta.url));
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(folder, name)).isFile(),
    )
  : [];

test.skipIf(files.length === 0)('parts add up to the whole in every request of real sessions', async () => {
  let requests = 0;
  for (const name of files) {
    const { conversations } = await importFile(join(folder, name)).catch(() => ({ conversations: [] }));
    for (const { records } of conversations) {
      const windows = windowsOf(records);
      expect([name, disagreements(windows)]).toEqual([name, []]);
      requests += windows.reduce((sum, { window }) => sum + window.requests.length, 0);
    }
  }
  expect(requests).toBeGreaterThan(500);
});
