import { expect, test } from 'vitest';
import type { ChatMessage } from '../../../../src/core/message.js';
import { hearing, modelAt } from '../../../support/modelAt.js';
import { hear } from '../../../support/readModel.js';

/** A recording as it goes over the wire: events in lines, an empty line between them. */
const recording = (...events: string[]) => ({ pieces: events.map((event) => `${event}\n\n`) });

test('a router: comments, reasoning twice, a role in every chunk, usage beside the last choice', async () => {
  const head =
    '"id":"gen-1","provider":"Somebody","model":"a/b","object":"chat.completion.chunk","created":1';
  const heard = await hearing(
    recording(
      ': OPENROUTER PROCESSING',
      `data: {${head},"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Look ","reasoning_details":[{"type":"reasoning.summary","summary":"Look ","index":0}]},"finish_reason":null,"native_finish_reason":null,"logprobs":null}]}`,
      `data: {${head},"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"here.","reasoning_details":[{"type":"reasoning.encrypted","data":"gAAA","index":1}]},"finish_reason":null}]}`,
      ': OPENROUTER PROCESSING',
      `data: {${head},"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_A","type":"function","function":{"name":"add","arguments":""}}]},"finish_reason":null}]}`,
      `data: {${head},"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"type":"function","function":{"arguments":"{\\"a\\":2,"}}]},"finish_reason":null}]}`,
      `data: {${head},"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"type":"function","function":{"arguments":"\\"b\\":3}"}}]},"finish_reason":null}]}`,
      `data: {${head},"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"tool_calls","native_finish_reason":"completed"}],"usage":{"prompt_tokens":90,"completion_tokens":30,"total_tokens":120,"cost":0.001,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":null},"completion_tokens_details":{"reasoning_tokens":12}}}`,
      'data: [DONE]',
    ),
  );
  expect(heard).toMatchObject({
    text: '',
    reasoning: 'Look here.',
    calls: [{ id: 'call_A', name: 'add', arguments: '{"a":2,"b":3}' }],
    finish: 'tool_calls',
    usage: { inputTokens: 90, outputTokens: 30, reasoningTokens: 12, estimated: false },
  });
});

test('a router that fails in the middle says so in a choice of a whole stream', async () => {
  const heard = await hearing(
    recording(
      'data: {"id":"gen-1","choices":[{"index":0,"delta":{"content":"So far"},"finish_reason":null}]}',
      'data: {"id":"gen-1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"Provider disconnected"}}]}',
      'data: [DONE]',
    ),
  );
  expect(heard).toMatchObject({ text: 'So far', error: { status: 502, retryable: true } });
  expect(heard.finish).toBeUndefined();
});

test('a reasoner: null content while it thinks, its own words for the cache', async () => {
  const heard = await hearing(
    recording(
      ': keep-alive',
      'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"reasoner","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":""},"logprobs":null,"finish_reason":null}]}',
      'data: {"id":"1","choices":[{"index":0,"delta":{"content":null,"reasoning_content":"Cucumbers "},"finish_reason":null}]}',
      'data: {"id":"1","choices":[{"index":0,"delta":{"content":null,"reasoning_content":"are green."},"finish_reason":null}]}',
      'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Green","reasoning_content":null},"finish_reason":null}]}',
      'data: {"id":"1","choices":[{"index":0,"delta":{"content":"","reasoning_content":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":18,"completion_tokens":60,"total_tokens":78,"prompt_cache_hit_tokens":16,"prompt_cache_miss_tokens":2,"completion_tokens_details":{"reasoning_tokens":50}}}',
      'data: [DONE]',
    ),
  );
  expect(heard).toMatchObject({
    text: 'Green',
    reasoning: 'Cucumbers are green.',
    finish: 'stop',
    usage: { inputTokens: 18, outputTokens: 60, cachedInputTokens: 16, reasoningTokens: 50 },
  });
});

test('a reasoner without room left is a failure that may pass', async () => {
  const heard = await hearing(
    recording(
      'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Gre"},"finish_reason":null}]}',
      'data: {"id":"1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"insufficient_system_resource"}]}',
      'data: [DONE]',
    ),
  );
  expect(heard).toMatchObject({ text: 'Gre', error: { code: 'provider', retryable: true } });
});

const signed =
  'data: {"choices":[{"delta":{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"c2ln"}},"function":{"arguments":"{\\"path\\":\\"a.md\\"}","name":"read"},"id":"function-call-1","type":"function"}]},"index":0}],"model":"g","object":"chat.completion.chunk","usage":{"completion_tokens":9,"prompt_tokens":50,"total_tokens":59}}';

test('calls without an index, each whole, ended by stop, with something to give back', async () => {
  const heard = await hearing(
    recording(
      signed,
      'data: {"choices":[{"delta":{"role":"assistant","tool_calls":[{"function":{"arguments":"{\\"path\\":","name":"read"},"id":"function-call-2","type":"function"}]},"index":0}]}',
      'data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"\\"b.md\\"}"}}]},"index":0}]}',
      'data: {"choices":[{"delta":{"role":"assistant"},"finish_reason":"stop","index":0}],"usage":{"completion_tokens":20,"prompt_tokens":50,"total_tokens":70}}',
      'data: [DONE]',
    ),
  );
  expect(heard.calls).toEqual([
    { id: 'function-call-1', name: 'read', arguments: '{"path":"a.md"}' },
    { id: 'function-call-2', name: 'read', arguments: '{"path":"b.md"}' },
  ]);
  expect(heard).toMatchObject({ finish: 'stop', usage: { inputTokens: 50, outputTokens: 20 } });
});

test('what came with a call goes back to the endpoint that gave it, and to no other', async () => {
  const call = {
    id: 'c',
    type: 'function',
    function: { name: 'read', arguments: '{}' },
    extra_content: { s: 1 },
  } as const;
  const messages: readonly ChatMessage[] = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: 'text' },
  ];
  const end = 'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}';
  const signing = await modelAt([recording(signed, end), recording(end)]);
  const plain = await modelAt([recording(end)]);
  await hear(signing.model);
  await hear(signing.model, { messages });
  await hear(plain.model, { messages });
  expect(JSON.stringify(signing.server.requests[1]?.body)).toContain('"extra_content":{"s":1}');
  expect(JSON.stringify(plain.server.requests[0]?.body)).not.toContain('extra_content');
});

test('calls that all have the index 0 are told apart by their ids', async () => {
  const heard = await hearing(
    recording(
      'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"a","index":0,"type":"function","function":{"name":"one","arguments":"{}"}}]},"finish_reason":null}]}',
      'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"b","index":0,"type":"function","function":{"name":"two","arguments":"{\\"x\\":1}"}}]},"finish_reason":null}]}',
      'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"tool_calls"}]}',
      'data: [DONE]',
    ),
  );
  expect(heard.calls.map(({ id, name, arguments: text }) => `${id} ${name} ${text}`)).toEqual([
    'a one {}',
    'b two {"x":1}',
  ]);
});

test('an id and a name that are said again with every fragment are one call', async () => {
  const part = (text: string) =>
    `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"id":"a","index":0,"type":"function","function":{"name":"one","arguments":${JSON.stringify(text)}}}]},"finish_reason":null}]}`;
  const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}';
  const heard = await hearing(recording(part('{"x"'), part(':1}'), end));
  expect(heard.calls).toEqual([{ id: 'a', name: 'one', arguments: '{"x":1}' }]);
});

test('content in parts, thoughts among them', async () => {
  const heard = await hearing(
    recording(
      'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]},"finish_reason":null}]}',
      'data: {"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"Yes."}]},"finish_reason":null}]}',
      'data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"model_length"}]}',
      'data: [DONE]',
    ),
  );
  expect(heard).toMatchObject({ text: 'Yes.', reasoning: 'Hm.', finish: 'length' });
});

test('a first chunk about filters, empty choices, and a refusal', async () => {
  const heard = await hearing(
    recording(
      'data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0}]}',
      'data: {"choices":[{"content_filter_results":{},"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0}]}',
      'data: {"choices":[{"delta":{"refusal":"I cannot."},"finish_reason":null,"index":0}],"usage":null}',
      'data: {"choices":[{"delta":{},"finish_reason":"content_filter","index":0}]}',
      'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}',
      'data: [DONE]',
    ),
  );
  expect(heard).toMatchObject({ text: 'I cannot.', finish: 'content_filter', usage: { inputTokens: 3 } });
});

test('a local server: null content, a call in one piece, arguments of none, and not a word of usage', async () => {
  const heard = await hearing(
    recording(
      'data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1,"id":"chatcmpl-x","model":"m","system_fingerprint":"b1","object":"chat.completion.chunk"}',
      'data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"id":"Zx9","type":"function","function":{"name":"now","arguments":"{"}}]}}],"created":1,"id":"chatcmpl-x"}',
      'data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}}],"created":1,"id":"chatcmpl-x"}',
      'data: {"choices":[{"finish_reason":"tool_calls","index":0,"delta":{}}],"created":1,"id":"chatcmpl-x"}',
      'data: [DONE]',
    ),
  );
  expect(heard).toMatchObject({
    text: '',
    calls: [{ id: 'Zx9', name: 'now', arguments: '{}' }],
    finish: 'tool_calls',
  });
  expect(heard.usage).toBeUndefined();
  expect(heard.error).toBeUndefined();
});

test('a server that says its error as an object of a stream', async () => {
  const heard = await hearing(
    recording(
      'data: {"object":"error","message":"engine died","type":"InternalServerError","code":500}',
      'data: [DONE]',
    ),
  );
  expect(heard.error).toMatchObject({ status: 500, retryable: true });
  expect(heard.error?.message).toContain('engine died');
});

test('an old call of a function, arguments as an object, and a lone choice of another index', async () => {
  const heard = await hearing(
    recording(
      'data: {"choices":[{"index":1,"delta":{"function_call":{"name":"old","arguments":{"a":1}}},"finish_reason":null}]}',
      'data: {"choices":[{"index":1,"delta":{},"finish_reason":"function_call"}]}',
    ),
  );
  expect(heard).toMatchObject({ calls: [{ name: 'old', arguments: '{"a":1}' }], finish: 'tool_calls' });
});

test.each([
  'null',
  '[]',
  '5',
  '"text"',
  '{"choices":5}',
  '{"choices":[null,5]}',
  '{"choices":[{"delta":null}]}',
  '{"choices":[{"delta":{"tool_calls":[null,5,{"function":5},{"index":-1e99,"function":{"name":5,"arguments":5}}]}}]}',
  '{"choices":[{"delta":{"content":[null,5,{"type":"text"}],"reasoning_content":5}}]}',
  '{"usage":{"prompt_tokens":-1,"completion_tokens":"many"}}',
  '{"usage":{"prompt_tokens":1e400}}',
  '{"__proto__":{"choices":[{"delta":{"content":"x"}}]}}',
])('the odd chunk %s says nothing and breaks nothing', async (odd) => {
  const heard = await hearing(
    recording(`data: ${odd}`, 'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}'),
  );
  expect(heard).toMatchObject({ text: 'ok', finish: 'stop' });
  expect(heard.usage).toBeUndefined();
});
