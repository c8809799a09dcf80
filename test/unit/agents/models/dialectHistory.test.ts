import { expect, test } from 'vitest';
import type { ChatMessage } from '../../../../src/core/message.js';
import { AssistantDraft } from '../../../../src/agents/loop/assistantDraft.js';
import { Dialect } from '../../../../src/agents/models/dialect.js';
import type { OpenAiModel } from '../../../../src/agents/models/openaiModel.js';
import { modelAt } from '../../../support/modelAt.js';
import { hear } from '../../../support/readModel.js';
import type { Answering } from '../../../support/strictServer.js';
import { chunk, DONE, refusing, saying, sse, type WireAnswer } from '../../../support/wireAnswers.js';

type Assistant = Partial<ChatMessage> | undefined;

const called = (id: string, more: Partial<ChatMessage> = {}): readonly ChatMessage[] => [
  { role: 'user', content: 'go' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }],
    ...more,
  },
  { role: 'tool', tool_call_id: id, content: 'text' },
];

/** An endpoint that refuses answers of a history in its words, and what it was sent in the end. */
async function endpoint(refusal: (answer: Assistant) => string | undefined, status = 400) {
  const answering: Answering = ({ messages }) => {
    const words = refusal(messages.find(({ role }) => role === 'assistant'));
    return words === undefined ? saying('ok') : refusing(status, words);
  };
  const taken = ['reasoning_content', 'reasoning_details'];
  const { server, model } = await modelAt(answering, {}, undefined, undefined, taken);
  const ask = async (messages: readonly ChatMessage[]) => {
    const { text, error } = await hear(model, { messages });
    return { text, error: error?.message, sent: server.requests.at(-1)?.messages ?? [] };
  };
  return { ask, server };
}

const thinking = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
const missing =
  'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1';

test.each([
  ['DeepSeek', thinking],
  ['Moonshot', missing],
])('%s demands the thoughts of its model back: it gets them, from then on', async (_, words) => {
  const { ask, server } = await endpoint((answer) =>
    answer && !('reasoning_content' in answer) ? words : undefined,
  );
  const { text, sent } = await ask(called('a', { reasoning_content: 'Hm.' }));
  expect([text, sent[1]?.reasoning_content]).toEqual(['ok', 'Hm.']);
  await ask(called('b', { reasoning_content: 'Hm, hm.' }));
  expect(server.requests).toHaveLength(3);
});

test('what refuses in the middle of an answer is not asked again: nothing is said twice', async () => {
  const { server, model } = await modelAt(() => ({
    pieces: [
      'data: {"choices":[{"delta":{"content":"So far"}}]}\n\n',
      `data: {"error":{"code":400,"message":"${thinking}"}}\n\n`,
    ],
  }));
  const heard = await hear(model, { messages: called('a', { reasoning_content: 'Hm.' }) });
  expect(heard).toMatchObject({ text: 'So far', error: { status: 400 } });
  expect(server.requests).toHaveLength(1);
});

test('agents who ask at the same time learn what is demanded from the first refusal', async () => {
  let count = 0;
  let bothAsked = (): void => undefined;
  const both = new Promise<void>((resolve) => (bothAsked = resolve));
  const { server, model } = await modelAt(
    async ({ messages }) => {
      if (messages[1] && 'reasoning_content' in messages[1]) return saying('ok');
      if (++count === 2) bothAsked();
      await both;
      return refusing(400, thinking);
    },
    {},
    undefined,
    undefined,
    ['reasoning_content'],
  );
  const messages = called('a', { reasoning_content: 'Hm.' });
  const heard = await Promise.all([hear(model, { messages }), hear(model, { messages: [...messages] })]);
  expect(heard.map(({ text }) => text)).toEqual(['ok', 'ok']);
  expect(server.requests).toHaveLength(4);
});

test('an answer without thoughts says so to who demands them', async () => {
  const { ask } = await endpoint((answer) =>
    answer?.reasoning_content === undefined ? thinking : undefined,
  );
  expect((await ask(called('a'))).sent[1]?.reasoning_content).toBe('');
});

test('an endpoint behind a router is understood by its own words', async () => {
  const raw = JSON.stringify({ error: { message: missing } });
  const error = {
    code: 400,
    message: 'Provider returned error',
    metadata: { raw, provider_name: 'Moonshot' },
  };
  const refusal: WireAnswer = { status: 400, pieces: [JSON.stringify({ error })] };
  const { server, model } = await modelAt([refusal, saying('ok')], {}, undefined, undefined, [
    'reasoning_content',
  ]);
  expect((await hear(model, { messages: called('a', { reasoning_content: 'Hm.' }) })).text).toBe('ok');
  expect(server.requests[1]?.messages[1]?.reasoning_content).toBe('Hm.');
});

test('nobody else gets thoughts: Groq and Mistral refuse keys that they do not know', async () => {
  const { ask, server } = await endpoint((answer) =>
    answer && 'reasoning_content' in answer ? "property 'reasoning_content' is unsupported" : undefined,
  );
  expect((await ask(called('a', { reasoning_content: 'Hm.' }))).text).toBe('ok');
  expect(server.requests).toHaveLength(1);
});

test('an endpoint that refuses thoughts and their lack is asked for both ways once, then no more', async () => {
  const { ask, server } = await endpoint(() => thinking);
  expect((await ask(called('a'))).error).toContain('must be passed back');
  expect(server.requests).toHaveLength(3);
  await ask(called('a'));
  expect(server.requests).toHaveLength(4);
});

test('Mistral wants ids of nine letters and digits: calls and answers get them, the same for the same', async () => {
  const { ask, server } = await endpoint((answer) => {
    const id = answer?.tool_calls?.[0]?.id ?? 'abcdefghi';
    return /^[a-zA-Z0-9]{9}$/.test(id)
      ? undefined
      : `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
  });
  const { text, sent } = await ask(called('call_PTLP8xhu3uwZk4l3nlnrrJha'));
  expect(text).toBe('ok');
  expect(sent[2]?.tool_call_id).toBe(sent[1]?.tool_calls?.[0]?.id);
  expect((await ask(called('abcdefgh9'))).sent[2]?.tool_call_id).toBe('abcdefgh9');
  expect((await ask(called('call_PTLP8xhu3uwZk4l3nlnrrJha'))).sent).toEqual(sent);
  expect(server.requests).toHaveLength(4);
});

test.each([
  ['Anthropic', 400, "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"],
  [
    'Bedrock',
    400,
    "Value at 'messages.1.toolUse.toolUseId' failed to satisfy constraint: regular expression pattern: [a-zA-Z0-9_-]+",
  ],
  ['a local server', 500, 'Tool call id was functions.read:0 but must be a-z, A-Z, 0-9, with a length of 9'],
])('%s does not take ids of another vendor (%i): it gets its own', async (_, status, words) => {
  const { ask } = await endpoint(
    (answer) => (answer?.tool_calls?.[0]?.id.includes('.') ? words : undefined),
    status,
  );
  expect((await ask(called('functions.read:0'))).text).toBe('ok');
});

test('Google behind a proxy demands signatures: what was kept of an earlier run goes back', async () => {
  const words = 'Function call is missing a thought_signature in functionCall parts.';
  const { ask } = await endpoint((answer) =>
    answer?.tool_calls?.some(({ extra_content: extra }) => extra === undefined) ? words : undefined,
  );
  const extra = { google: { thought_signature: 'c2ln' } };
  const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } } as const;
  const { text, sent } = await ask(called('a', { tool_calls: [{ ...call, extra_content: extra }] }));
  expect([text, sent[1]?.tool_calls?.[0]?.extra_content]).toEqual(['ok', extra]);
});

test('a signature that is refused is left out', async () => {
  const first = {
    ...saying('x'),
    pieces: [
      sse(chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'gA' }] })),
      ...(saying('x').pieces ?? []),
    ],
  };
  const answering: Answering = ({ messages }, index) =>
    index === 0
      ? first
      : messages.some((message) => 'reasoning_details' in message)
        ? refusing(400, 'Corrupted thought signature.')
        : saying('ok');
  const { server, model } = await modelAt(answering, {}, undefined, undefined, ['reasoning_details']);
  await hear(model);
  const details = [{ type: 'reasoning.encrypted', data: 'gA' }];
  expect((await hear(model, { messages: called('a', { reasoning_details: details }) })).text).toBe('ok');
  expect(server.requests).toHaveLength(3);
});

/** The message that an answer comes to. */
async function messageOf(model: OpenAiModel): Promise<ChatMessage> {
  const draft = new AssistantDraft();
  const signal = new AbortController().signal;
  const messages: readonly ChatMessage[] = [{ role: 'user', content: 'go' }];
  for await (const event of model.stream({ messages, tools: [], agent: 'P', signal })) draft.add(event);
  return draft.toMessage(new Set());
}

test('OpenRouter: pieces of thoughts are joined and go back as they were, in their order', async () => {
  const piece = (...details: object[]) => sse(chunk({ reasoning_details: details }));
  const answer: WireAnswer = {
    pieces: [
      piece({ type: 'reasoning.text', text: 'Look ', index: 0, format: 'anthropic-claude-v1' }),
      piece({ type: 'reasoning.text', text: 'here.', index: 0, signature: null }),
      piece({ type: 'reasoning.text', text: '', index: 0, signature: 'c2ln' }),
      piece({ type: 'reasoning.encrypted', data: 'gAAA', id: 'a', index: 1 }),
      piece({ type: 'reasoning.encrypted', data: 'gBBB', id: 'b', index: 1 }),
      sse(chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '{}' } }] })),
      sse(chunk({}, 'tool_calls')),
      DONE,
    ],
  };
  const { server, model } = await modelAt([answer, saying('ok')], {}, undefined, undefined, [
    'reasoning_details',
  ]);
  const message = await messageOf(model);
  const details = [
    {
      type: 'reasoning.text',
      text: 'Look here.',
      index: 0,
      format: 'anthropic-claude-v1',
      signature: 'c2ln',
    },
    { type: 'reasoning.encrypted', data: 'gAAA', id: 'a', index: 1 },
    { type: 'reasoning.encrypted', data: 'gBBB', id: 'b', index: 1 },
  ];
  expect(message).toMatchObject({ reasoning_content: 'Look here.', reasoning_details: details });
  const [user] = called('a');
  const result: ChatMessage = { role: 'tool', tool_call_id: 'a', content: 'text' };
  await hear(model, { messages: [user ?? message, message, result] });
  expect(server.requests[1]?.messages[1]).toMatchObject({ reasoning_details: details });
  expect(server.requests[1]?.messages[1]).not.toHaveProperty('reasoning_content');
});

test('an answer that broke off has no pieces to go back', async () => {
  const pieces = [sse(chunk({ reasoning_details: [{ type: 'reasoning.text', text: 'Look' }] }))];
  const { model } = await modelAt([{ pieces }]);
  expect(await messageOf(model)).toEqual({ role: 'assistant', content: '', reasoning_content: 'Look' });
});

test.each([
  ['OpenAI', 'Unrecognized request argument supplied: reasoning_effort', 'reasoning_effort'],
  ['xAI', 'Model grok-4 does not support parameter reasoningEffort.', 'reasoning_effort'],
  ['Azure', 'Unrecognized request argument supplied: stream_options', 'stream_options'],
])('%s refuses a key (%s): it is asked without', async (_, words, key) => {
  const { server, model } = await modelAt(({ body }) => (key in body ? refusing(400, words) : saying('ok')));
  expect((await hear(model, { effort: 'high' })).text).toBe('ok');
  expect(server.requests).toHaveLength(2);
});

test.each([
  ['api.deepseek.com', { withReasoning: true, withExtra: false }],
  ['api.moonshot.ai', { withReasoning: true, withExtra: false }],
  ['generativelanguage.googleapis.com', { withReasoning: false, withExtra: true }],
  ['openrouter.ai', { withReasoning: false, withExtra: true }],
  ['api.openai.com', { withReasoning: false, withExtra: false }],
  ['googleapis.com.example', { withReasoning: false, withExtra: false }],
])('%s is known from the first request on', (host, history) => {
  expect(new Dialect(host).history).toEqual({ ...history, withPlainIds: false });
});
