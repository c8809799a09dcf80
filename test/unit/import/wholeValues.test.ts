import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, lines, records, said } from './reading.js';

const user = (content: unknown, more = {}) => ({
  type: 'user',
  uuid: 'u',
  sessionId: 's',
  timestamp: '2025-01-01T00:00:00Z',
  message: { role: 'user', content },
  ...more,
});
const task = (id: string, prompt: string) => ({
  type: 'assistant',
  uuid: `a-${id}`,
  sessionId: 's',
  message: {
    id: `m-${id}`,
    role: 'assistant',
    content: [{ type: 'tool_use', id, name: 'Task', input: { prompt, subagent_type: 'reviewer' } }],
  },
});

describe('a content of a shape that nobody expects', () => {
  test.each([
    ['an object', { stdout: 'OUT' }, '{"stdout":"OUT"}'],
    ['a list of other things', [{ rows: 2 }, [1]], '[{"rows":2},[1]]'],
    ['an empty list', [], ''],
    ['a number', 7, '7'],
    ['null', null, ''],
    [
      'a list of texts',
      ['a', { type: 'text', text: 'b' }],
      '[{"type":"text","text":"a"},{"type":"text","text":"b"}]',
    ],
  ])('of a tool result, %s, is what the tool answered', async (_, content, expected) => {
    const result = await importTranscript(
      lines(user([{ type: 'tool_result', tool_use_id: 't', content }])),
      's.jsonl',
    );
    expect(said(result)).toEqual([`tool t: ${expected}`]);
  });

  test('of a message, an object that is a part on its own, is its content', async () => {
    expect(said(await importTranscript(lines(user({ type: 'text', text: 'hi' })), 's.jsonl'))).toEqual([
      'user: hi',
    ]);
    const item = { type: 'message', role: 'user', content: { type: 'input_text', text: 'hi' } };
    const answer = { type: 'reasoning', summary: [] };
    expect(said(await importTranscript(JSON.stringify([item, answer]), 'items.json'))).toEqual(['user: hi']);
  });
});

describe('subagents of Claude Code', () => {
  const prompt = 'REVIEW';
  const answered = user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' }], {
    uuid: 'r',
    toolUseResult: { agentId: 'bbb' },
  });
  const side = (agentId: string, words: string) =>
    user(words, { uuid: `x-${agentId}`, isSidechain: true, agentId });
  const dispatched = async (main: unknown[], sidecars: Record<string, unknown>) => {
    const result = await importTranscript(lines(...main), 's.jsonl', {
      sidecars: Object.entries(sidecars).map(([id, line]) => ({
        name: `agent-${id}.jsonl`,
        source: lines(line),
      })),
    });
    return records(result).flatMap((record) =>
      record.type === 'dispatch' ? [[record.target, record.toolCallId]] : [],
    );
  };

  test('have the call whose result names them, however early another one stands', async () => {
    const files = { aaa: side('aaa', 'Warmup'), bbb: side('bbb', prompt) };
    const found = await dispatched([user('go'), task('toolu_1', prompt), answered], files);
    expect(new Set(found.map(String))).toEqual(new Set(['reviewer,toolu_1', 'agent-aaa,']));
  });

  test('among the lines of the session too, where the result comes after them', async () => {
    const main = [
      user('go'),
      task('toolu_1', prompt),
      side('aaa', 'Warmup'),
      side('bbb', 'review!'),
      answered,
    ];
    expect(await dispatched(main, {})).toEqual([
      ['subagent', ''],
      ['reviewer', 'toolu_1'],
    ]);
  });
});

describe('a request of a provider is read with everything that was sent', () => {
  test('system prompts of the Messages API, as text or blocks', async () => {
    for (const system of ['BE KIND', [{ type: 'text', text: 'BE KIND' }]]) {
      const value = { model: 'm', max_tokens: 1, system, messages: [{ role: 'user', content: 'hi' }] };
      await expectSaid([value], 'anthropic-messages', ['system: BE KIND', 'user: hi']);
    }
  });

  test('instructions of the Responses API, where nothing but messages was sent', async () => {
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }];
    for (const value of [
      { model: 'm', instructions: 'BE KIND', input },
      { model: 'm', instructions: 'BE KIND', input: 'hi' },
    ])
      await expectSaid([value], 'openai-responses', ['system: BE KIND', 'user: hi']);
  });
});

test('messages have the time that they tell, under whatever name', async () => {
  const at = 1_758_742_986_010;
  const named = [{ ts: at }, { extra: { timestamp: '2025-09-24T19:43:06.010Z' } }, { created_at: at / 1000 }];
  for (const more of named) {
    const result = await importTranscript(lines({ role: 'user', content: 'hi', ...more }), 'a.jsonl');
    expect(records(result)[0]?.time).toBe(at);
  }
});

test('what a search for tools found is its result', async () => {
  const item = (payload: object) => ({ timestamp: '2025-12-18T10:00:00Z', type: 'response_item', payload });
  await expectSaid(
    [
      { timestamp: '2025-12-18T10:00:00Z', type: 'session_meta', payload: { id: 'x' } },
      item({ type: 'tool_search_call', call_id: 'c', arguments: { query: 'q' } }),
      item({ type: 'tool_search_output', call_id: 'c', tools: [{ name: 'FOUND' }] }),
    ],
    'codex',
    ['assistant: null tool_search({"query":"q"})', 'tool c: {"tools":[{"name":"FOUND"}]}'],
  );
});

test('a session of Pi from before sessions had versions is read with the model of its header', async () => {
  const result = await expectSaid(
    [
      { type: 'session', id: 'p', timestamp: '2025-12-09T00:53:29.825Z', cwd: '/w', modelId: 'claude' },
      { type: 'message', message: { role: 'assistant', content: [{ type: 'text', text: 'hi' }] } },
      { type: 'model_change', provider: 'openai', modelId: 'gpt' },
      { type: 'message', message: { role: 'assistant', content: [{ type: 'text', text: 'ho' }] } },
    ],
    'pi',
    ['assistant: hi', 'assistant: ho'],
  );
  const models = records(result).flatMap((record) => (record.type === 'message' ? [record.model] : []));
  expect(models).toEqual(['claude', 'gpt']);
});
