import { describe, expect, test } from 'vitest';
import { expectSaid, query, usage } from './reading.js';

describe('Anthropic messages', () => {
  test('a request with its history', async () => {
    const request = {
      model: 'claude',
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'ls', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'document' }] },
            { type: 'text', text: 'and?' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', content: [] },
            { type: 'image', source: { type: 'url', url: 'https://a/b' } },
          ],
        },
        null,
      ],
    };
    await expectSaid([request], 'anthropic-messages', [
      'system: Be brief.',
      'user: hi',
      'assistant: null ls({})',
      'tool t1: [{"type":"document"}]',
      'user: and?',
      'tool: ',
      'user: [{"type":"image_url","image_url":{"url":"https://a/b"}}]',
    ]);
  });

  test('a response whose tools ran on the server', async () => {
    const content = [
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ title: 'T' }] },
      { type: 'text', text: 'Found.' },
    ];
    const result = await expectSaid(
      [{ id: 'msg_1', type: 'message', role: 'assistant', content, usage: usage(3, 2, 4) }],
      'anthropic-messages',
      ['assistant: null web_search({"query":"q"})', 'tool s1: [{"title":"T"}]', 'assistant: Found.'],
    );
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 7, outputTokens: 2 });
  });
});
