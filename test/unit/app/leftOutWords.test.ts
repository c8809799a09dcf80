import { expect, test } from 'vitest';
import { leftOutLines } from '../../../src/app/transcripts/leftOutWords.js';

test('what an export leaves out is told in words of people, each once, and by no name of a field', () => {
  const lines = leftOutLines({
    'message.reasoning_content': 1,
    'message.tool_calls[].function.arguments': 2,
    'usage.cacheWriteTokens': 3,
    usage: 4,
    durationMs: 5,
    time: 1,
    'approval records': 1,
    'someNewField.of.a.tool': 1,
    stop_reason: 1,
    'ends of long texts': 9,
    reasoning: 1,
    refusals: 1,
    notes: 1,
  });
  expect(lines).toEqual([
    'ends of long texts (9)',
    'tokens (7)',
    'times (6)',
    'reasoning (2)',
    'arguments of tool calls (2)',
    'further details (2)',
    'events and boundaries (1)',
    'refusals (1)',
    'notes (1)',
  ]);
});
