import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, query, records, said } from './reading.js';

async function read(...values: unknown[]) {
  const result = await importTranscript(lines(...values), 'pairs.json');
  expect(result.problems).toEqual([]);
  expect(result.format).toBe('prompt-pairs');
  return result;
}

test('rows of a data set are conversations of one question each', async () => {
  const result = await read(
    { instruction: 'Name two colours.', input: 'Warm ones only.', output: 'Red and orange.' },
    { instruction: 'Name one colour.', input: '', output: 'It is green.' },
  );
  expect(result.conversations.map(({ title }) => title)).toEqual([
    'Name two colours. Warm ones only.',
    'Name one colour.',
  ]);
  expect(said(result)).toEqual([
    'user: Name two colours.\n\nWarm ones only.',
    'assistant: Red and orange.',
    'user: Name one colour.',
    'assistant: It is green.',
  ]);
});

test('rows that name one session are one conversation', async () => {
  const row = (query: string, answer: string) => ({
    conversation_id: 'c',
    query,
    answer,
    created_at: 1_750_000_000,
  });
  const result = await read([row('how are you', 'very well'), row('and why so', 'no idea')]);
  expect(result.conversations).toHaveLength(1);
  expect(records(result)[0]).toMatchObject({ time: 1_750_000_000_000 });
});

test("Amazon Q's history: what stands within its envelopes, calls of tools and their results", async () => {
  const result = await read({
    conversation_id: 'q',
    history: [
      {
        user: { content: { Prompt: { prompt: 'where are the cats?' } } },
        assistant: {
          ToolUse: { content: 'I look.', tool_uses: [{ id: 't', name: 'fs_read', args: { path: '/roof' } }] },
        },
      },
      {
        user: {
          content: {
            ToolUseResults: { tool_use_results: [{ tool_use_id: 't', content: [{ Text: 'two of them' }] }] },
          },
        },
        assistant: { Response: { content: 'On the roof.' } },
      },
    ],
  });
  expect(said(result)).toEqual([
    'user: where are the cats?',
    'assistant: I look. fs_read({"path":"/roof"})',
    'tool t: two of them',
    'assistant: On the roof.',
  ]);
});

test("promptfoo's results: prompts, answers, usage, and what was made of them", async () => {
  const result = await read({
    evalId: 'eval',
    results: {
      results: [
        {
          prompt: { raw: 'Praise the cats.', label: 'praise' },
          response: { output: 'Good cats.', tokenUsage: { prompt: 10, completion: 4 } },
          gradingResult: { pass: true, reason: 'all have passed' },
        },
      ],
    },
  });
  expect(said(result)).toEqual(['user: Praise the cats.', 'assistant: Good cats.']);
  expect(query(result).stats().usage).toMatchObject({ inputTokens: 10, outputTokens: 4 });
  expect(JSON.stringify(records(result))).toContain('all have passed');
});

test('answers that are calls, as JSON in a text, are calls', async () => {
  const answers = '[{"name": "find_bank", "arguments": {"near": "here"}}]';
  const result = await read([{ id: 0, query: 'where is a bank', answers, tools: '[]' }]);
  expect(said(result)).toEqual(['user: where is a bank', 'assistant: null find_bank({"near":"here"})']);
});

test.each([
  ['paths', [{ input: 'src/a.ts', output: 'dist/a.js' }]],
  ['a schema', { input: { type: 'object' }, output: { type: 'string' } }],
])('%s are no questions with answers', async (_what, value) => {
  expect((await importTranscript(JSON.stringify(value), 'x.json')).format).toBe('unknown');
});
