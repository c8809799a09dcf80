import { expect, test } from 'vitest';
import { hearing } from '../../../support/modelAt.js';
import type { Heard } from '../../../support/readModel.js';
import { chunk, DONE, sse } from '../../../support/wireAnswers.js';

type Json = Readonly<Record<string, unknown>>;
type Case = readonly [fact: string, events: readonly (Json | string)[], heard: Partial<Heard>];

const stop = chunk({}, 'stop');
const bill = (usage: Json) => ({ ...chunk({ content: '' }, 'stop'), usage });

const words: readonly Case[] = [
  ['DeepSeek, vLLM: reasoning_content', [chunk({ reasoning_content: 'Hm.' }), stop], { reasoning: 'Hm.' }],
  ['vLLM, Groq, Ollama: reasoning', [chunk({ reasoning: 'Hm.' }), stop], { reasoning: 'Hm.' }],
  [
    'both names, one of them empty',
    [chunk({ reasoning_content: '', reasoning: 'Hm.' }), stop],
    { reasoning: 'Hm.' },
  ],
  [
    'MiniMax: reasoning_details alone',
    [chunk({ reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }), stop],
    { reasoning: 'Hm.' },
  ],
  [
    'OpenRouter: reasoning and the same in reasoning_details',
    [chunk({ reasoning: 'Hm.', reasoning_details: [{ type: 'reasoning.summary', summary: 'Hm.' }] }), stop],
    { reasoning: 'Hm.' },
  ],
  [
    'Mistral: content in parts, thoughts among them',
    [
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
      chunk({ content: [{ type: 'text', text: 'Yes.' }] }),
      stop,
    ],
    { text: 'Yes.', reasoning: 'Hm.' },
  ],
  ['OpenAI: a refusal', [chunk({ refusal: 'No.' }), stop], { text: 'No.' }],
];

const ends: readonly Case[] = [
  [
    'Groq: usage under its own name',
    [{ ...stop, x_groq: { id: 'r', usage: { prompt_tokens: 3, completion_tokens: 2 } } }],
    { usage: { inputTokens: 3, outputTokens: 2, estimated: false } },
  ],
  [
    'Moonshot: usage inside of the choice',
    [
      {
        choices: [
          {
            index: 0,
            delta: {},
            finish_reason: 'stop',
            usage: { prompt_tokens: 3, completion_tokens: 2, cached_tokens: 1 },
          },
        ],
      },
    ],
    { usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1, estimated: false } },
  ],
  [
    'vLLM, xAI: usage that grows with every chunk',
    [
      { ...chunk({ content: 'a' }), usage: { prompt_tokens: 3, completion_tokens: 1 } },
      bill({ prompt_tokens: 3, completion_tokens: 2 }),
    ],
    { usage: { inputTokens: 3, outputTokens: 2, estimated: false } },
  ],
  [
    'OpenAI: usage null but for a chunk of its own',
    [
      { ...chunk({ content: 'a' }), usage: null },
      { ...stop, usage: null },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
    ],
    { text: 'a', usage: { inputTokens: 3, outputTokens: 2, estimated: false } },
  ],
  [
    'DeepSeek: its own words for the cache',
    [bill({ prompt_tokens: 3, completion_tokens: 2, prompt_cache_hit_tokens: 2 })],
    { usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 2, estimated: false } },
  ],
  [
    "LiteLLM: Anthropic's searches of the web",
    [bill({ prompt_tokens: 3, completion_tokens: 2, server_tool_use: { web_search_requests: 2 } })],
    { usage: { inputTokens: 3, outputTokens: 2, webSearches: 2, estimated: false } },
  ],
  ['TGI: eos_token', [chunk({ content: 'a' }, 'eos_token')], { finish: 'stop' }],
  ['Anthropic: end_turn', [chunk({ content: 'a' }, 'end_turn')], { finish: 'stop' }],
  ['Gemini: STOP', [chunk({ content: 'a' }, 'STOP')], { finish: 'stop' }],
  ['Gemini: MAX_TOKENS', [chunk({ content: 'a' }, 'MAX_TOKENS')], { finish: 'length' }],
  ['Mistral: model_length', [chunk({ content: 'a' }, 'model_length')], { finish: 'length' }],
  [
    'z.ai: model_context_window_exceeded',
    [chunk({ content: 'a' }, 'model_context_window_exceeded')],
    { finish: 'length' },
  ],
  [
    'Gemini: what is withheld, behind a colon',
    [chunk({}, 'content_filter: RECITATION')],
    { finish: 'content_filter' },
  ],
  ['z.ai: sensitive', [chunk({}, 'sensitive')], { finish: 'content_filter' }],
  ['[DONE] without a reason', [chunk({ content: 'a' })], { text: 'a', finish: 'unknown' }],
];

test.each([...words, ...ends])('%s', async (_, events, expected) => {
  const pieces = [...events.map((event) => (typeof event === 'string' ? event : sse(event))), DONE];
  const heard = await hearing({ pieces });
  expect(heard).toMatchObject(expected);
  expect(heard.error).toBeUndefined();
});

const said = sse(chunk({ content: 'Ja 🥒' }));

test.each([
  ['a byte order mark', [`\uFEFF${said}${sse(stop)}`]],
  [
    'line ends of Windows, each in a write of its own',
    Array.from(`${said}${sse(stop)}`.replaceAll('\n', '\r\n')),
  ],
  [
    'a character that is cut between writes',
    [Buffer.from(said).subarray(0, -9), Buffer.from(said).subarray(-9), sse(stop)],
  ],
  [
    'comments and pings',
    [
      ': OPENROUTER PROCESSING\n\n',
      said,
      ': ping - 2026\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
      sse(stop),
    ],
  ],
  ['no [DONE]', [said, sse(stop)]],
  ['no empty line after the last event', [said, sse(stop).trimEnd()]],
  ['events with names and ids', [said.replace('data:', 'event: chunk\nid: 1\ndata:'), sse(stop)]],
])('a stream with %s is read', async (_, pieces) => {
  expect(await hearing({ pieces })).toMatchObject({ text: 'Ja 🥒', finish: 'stop' });
});

test('a stream that is called JSON is read as the stream that it is', async () => {
  const headers = { 'content-type': 'application/json' };
  expect(await hearing({ headers, pieces: [said, sse(stop), DONE] })).toMatchObject({
    text: 'Ja 🥒',
    finish: 'stop',
  });
});

test('a web page under the address is no answer, and asking again would not make it one', async () => {
  const page = '<!doctype html><html><head><title>Open WebUI</title></head><body>…</body></html>';
  const { error } = await hearing({
    headers: { 'content-type': 'text/html; charset=utf-8' },
    pieces: [page],
  });
  expect(error).toEqual({
    code: 'badResponse',
    message: "The endpoint answered with a web page ('Open WebUI'): is its address right?",
    retryable: false,
  });
});

test.each([
  ['OpenRouter, Mistral', 'error'],
  ['DeepSeek', 'insufficient_system_resource'],
  ['z.ai', 'network_error'],
  ['vLLM', 'abort'],
  ['Gemini', 'function_call_filter: MALFORMED_FUNCTION_CALL'],
  ['Gemini', 'UNEXPECTED_TOOL_CALL'],
])('%s: an end that is none (%s) is a failure that may pass', async (_, word) => {
  const heard = await hearing({ pieces: [sse(chunk({ content: 'So' })), sse(chunk({}, word)), DONE] });
  expect(heard).toMatchObject({ text: 'So', error: { code: 'provider', retryable: true } });
});
