import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { addToSummary, emptySummary } from '../../../../src/query/numbers/summary.js';
import { TranscriptProjection } from '../../../../src/page/panel/projection/transcriptProjection.js';
import { timelineView } from '../../../../src/page/panel/projection/timelineView.js';
import type { ReadRecord } from '../../../../src/core/ports/transcript.js';
import { runs } from '../../../support/fixedInputs.js';

const anyJson = fc.jsonValue({ maxDepth: 2 });
const anyId = fc.oneof(fc.constantFrom('a', 'b'), anyJson);
const callName = fc.constantFrom('k1', 'k2', '__proto__', '');
const agentName = fc.constantFrom('Pickle', '', 'constructor');

/** A message any field of which may hold any JSON value. */
const anyMessage = fc.record(
  {
    role: fc.oneof(fc.constantFrom('user', 'human', 'assistant', 'tool', 'system'), anyJson),
    content: anyJson,
    tool_calls: fc.oneof(
      anyJson,
      fc.array(fc.record({ id: anyId, function: fc.oneof(fc.constant({ name: 'ls' }), anyJson) })),
    ),
    tool_call_id: anyId,
    name: anyJson,
    reasoning_content: anyJson,
    refusal: anyJson,
  },
  { requiredKeys: [] },
);

/** A call and its result, so that what is calculated of both is reached too. */
const asks = fc.constant({ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'ls' } }] });
const answers = fc.constant({ role: 'tool', tool_call_id: 'a' });

/** Records whose header is as a journal's reader gives it; everything else may be any JSON value. */
const anyRecords = fc
  .array(
    fc.record(
      {
        call: callName,
        parentCall: callName,
        agent: agentName,
        time: fc.constantFrom(0, 1, 5_000, -1, 8e15),
        depth: fc.nat(3),
        type: fc.constantFrom(
          'message',
          'callStart',
          'callEnd',
          'dispatch',
          'request',
          'approval',
          'error',
          'title',
          'imported',
          'unreadable',
          'fromTheFuture',
        ),
        message: fc.oneof(asks, answers, anyMessage, anyJson),
        usage: anyJson,
        ownUsage: anyJson,
        durationMs: anyJson,
        waitedMs: anyJson,
        model: anyJson,
        toolCallId: anyId,
        childCall: fc.oneof(callName, anyJson),
        refused: anyJson,
        error: anyJson,
        outcome: anyJson,
        decision: anyJson,
        title: anyJson,
        task: anyJson,
        toolName: anyJson,
        isError: anyJson,
        partial: anyJson,
      },
      { requiredKeys: ['call', 'agent', 'time', 'depth', 'type'] },
    ),
    { maxLength: 20 },
  )
  .map((drafts): ReadRecord[] =>
    drafts.map((draft, at) => ({ seq: at + 1, id: `m${at}`, conversation: 'c', run: 'r', ...draft })),
  );

/** What views calculate with and draw; everything else of an answer is a word. */
const NUMBERS: ReadonlySet<string> = new Set([
  'durationMs',
  'waitedMs',
  'p50',
  'p95',
  'total',
  'start',
  'end',
  'startedAt',
  'endedAt',
  'input',
  'output',
  'messages',
  'calls',
  'toolCalls',
  'errors',
  'failures',
  'unanswered',
  'requests',
  'position',
  'depth',
]);

/** The values in some answers that should be numbers and are none. */
function wrongNumbers(answers: unknown): unknown[] {
  const wrong: unknown[] = [];
  JSON.stringify(answers, (key, value: unknown) => {
    if (NUMBERS.has(key) && !Number.isFinite(value)) wrong.push([key, value]);
    return value;
  });
  return wrong;
}

test('no value in any field of a record stops the analysis, and every number can be shown', async () => {
  await fc.assert(
    fc.asyncProperty(anyRecords, async (records) => {
      const projection = new TranscriptProjection();
      projection.add(records.map(factsOf));
      const summary = emptySummary();
      for (const record of records) addToSummary(summary, record);
      const { index, timeline, hues, tools, turns } = projection;
      const calls = index.calls.all;
      const drawn = await timelineView(calls, timeline.moments, hues, { pixels: 100 }, false);
      const shown = [
        projection.statistics(),
        projection.facts(),
        tools.summary(),
        turns.slice(0, 99),
        drawn,
        summary,
      ];
      expect(wrongNumbers(shown)).toEqual([]);
      expect(summary.messages).toBe(index.messages);
      expect(projection.statistics().messages).toBe(index.messages);
    }),
    { numRuns: runs(500) },
  );
});
