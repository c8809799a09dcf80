import { describe, expect, test } from 'vitest';
import { expectSaid, query, records, usage } from './reading.js';

describe('OpenAI Responses', () => {
  test('a response with its request, built-in tools and what they answered', async () => {
    const response = {
      object: 'response',
      id: 'resp_1',
      created_at: 1_760_000_000,
      model: 'gpt-5',
      instructions: 'Be brief.',
      input: 'hi',
      output: [
        { type: 'code_interpreter_call', id: 'ci_1', code: '1+1', outputs: [{ type: 'logs', logs: '2' }] },
        {
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'Two', annotations: [{ a: 1 }], logprobs: [] },
            { type: 'refusal', refusal: 'no more' },
          ],
        },
        { type: 'new_kind' },
      ],
      usage: { ...usage(5, 2), input_tokens_details: { cached_tokens: 1 } },
    };
    const result = await expectSaid(
      [response],
      'openai-responses',
      [
        'system: Be brief.',
        'user: hi',
        'assistant: null code_interpreter({"code":"1+1"})',
        'tool ci_1: [{"type":"logs","logs":"2"}]',
        'assistant: [{"type":"text","text":"Two","annotations":[{"a":1}]},{"type":"text","text":"no more"}]',
      ],
      ['Kept without being understood: items of type new_kind (once).'],
    );
    expect(query(result).stats().usage).toMatchObject({
      inputTokens: 5,
      outputTokens: 2,
      cachedInputTokens: 1,
    });
    expect(records(result)[0]).toMatchObject({ time: 1_760_000_000_000 });
  });

  test('a bare list of items', async () => {
    await expectSaid(
      [
        [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'a' },
              { type: 'input_image', image_url: 'data:,' },
            ],
          },
          { type: 'function_call', call_id: '1', name: 'ls', arguments: '{}' },
        ],
      ],
      'openai-responses',
      [
        'user: [{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:,"}}]',
        'assistant: null ls({})',
      ],
    );
  });
});
