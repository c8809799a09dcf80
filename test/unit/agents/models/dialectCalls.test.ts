import { expect, test } from 'vitest';
import { hearing } from '../../../support/modelAt.js';
import type { Heard } from '../../../support/readModel.js';
import { chunk, DONE, sse } from '../../../support/wireAnswers.js';

type Json = Readonly<Record<string, unknown>>;
type Case = readonly [fact: string, events: readonly (Json | string)[], heard: Partial<Heard>];

/** A call in a delta, with whatever the dialect puts into it. */
const calls = (...tool_calls: Json[]) => chunk({ tool_calls });
const args = (text: unknown) => ({ arguments: text });
const stop = chunk({}, 'stop');
const called = chunk({}, 'tool_calls');
const add = { id: 'a', name: 'add', arguments: '{"x":1}' };

const bottomless = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
const bottomlessCall = (rest: string) =>
  `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a",${rest}}]}}]}\n\n`;

test.each<Case>([
  [
    'OpenAI: id and name first, then fragments under the index alone',
    [
      calls({ index: 0, id: 'a', type: 'function', function: { name: 'add', arguments: '' } }),
      calls({ index: 0, function: args('{"x"') }),
      calls({ index: 0, function: args(':1}') }),
      called,
    ],
    { calls: [add] },
  ],
  [
    'Ollama: a whole call in one chunk',
    [calls({ index: 0, id: 'a', type: 'function', function: { name: 'add', arguments: '{"x":1}' } }), called],
    { calls: [add] },
  ],
  [
    'Ollama before indexes, Gemini: no index, each call whole, ended by stop',
    [
      calls({ id: 'a', type: 'function', function: { name: 'add', arguments: '{"x":1}' } }),
      calls({ id: 'b', type: 'function', function: { name: 'add', arguments: '{"x":2}' } }),
      stop,
    ],
    { calls: [add, { id: 'b', name: 'add', arguments: '{"x":2}' }], finish: 'stop' },
  ],
  [
    'Gemini behind proxies: the same index for calls that have ids',
    [
      calls({ index: 0, id: 'a', function: { name: 'add', arguments: '{"x":1}' } }),
      calls({ index: 0, id: 'b', function: { name: 'add', arguments: '{"x":2}' } }),
      called,
    ],
    { calls: [add, { id: 'b', name: 'add', arguments: '{"x":2}' }] },
  ],
  [
    'proxies: the same index and no ids, told apart by their names',
    [
      calls({ index: 0, function: { name: 'add', arguments: '{"x":1}' } }),
      calls({ index: 0, function: { name: 'sub', arguments: '{"x":2}' } }),
      called,
    ],
    {
      calls: [
        { ...add, id: '' },
        { id: '', name: 'sub', arguments: '{"x":2}' },
      ],
    },
  ],
  [
    'proxies: the same index, no ids and the same name, each whole',
    [
      calls({ index: 0, function: { name: 'add', arguments: '{"x":1}' } }),
      calls({ index: 0, function: { name: 'add', arguments: '{"x":2}' } }),
      called,
    ],
    {
      calls: [
        { ...add, id: '' },
        { id: '', name: 'add', arguments: '{"x":2}' },
      ],
    },
  ],
  [
    'the name again with every fragment, no ids',
    [
      calls({ index: 0, function: { name: 'add', arguments: '{"x"' } }),
      calls({ index: 0, function: { name: 'add', arguments: ':1}' } }),
      called,
    ],
    { calls: [{ ...add, id: '' }] },
  ],
  [
    'DashScope: an empty id, an empty name and null arguments in later fragments',
    [
      calls({ index: 0, id: 'a', function: { name: 'add', arguments: '' } }),
      calls({ index: 0, id: '', type: 'function', function: { name: '', arguments: '{"x":1}' } }),
      calls({ index: 0, id: '', function: { name: null, arguments: null } }),
      called,
    ],
    { calls: [add] },
  ],
  [
    'the id again with each fragment',
    [
      calls({ index: 0, id: 'a', function: { name: 'add', arguments: '{"x"' } }),
      calls({ index: 0, id: 'a', function: args(':1}') }),
      called,
    ],
    { calls: [add] },
  ],
  [
    'vLLM: another id in each fragment of a call',
    [
      calls({ index: 0, id: 'a', function: { name: 'add', arguments: '{"x"' } }),
      calls({ index: 0, id: 'other', function: args(':1}') }),
      called,
    ],
    { calls: [add] },
  ],
  [
    'a null index, and fragments that follow without one',
    [
      calls({ index: null, id: 'a', function: { name: 'add', arguments: '' } }),
      calls({ index: null, function: args('{"x":1}') }),
      called,
    ],
    { calls: [add] },
  ],
  [
    'fragments of two calls that take turns',
    [
      calls({ index: 0, id: 'a', function: { name: 'add', arguments: '{"x"' } }),
      calls({ index: 1, id: 'b', function: { name: 'sub', arguments: '{"y"' } }),
      calls({ index: 0, function: args(':1}') }, { index: 1, function: args(':2}') }),
      called,
    ],
    { calls: [add, { id: 'b', name: 'sub', arguments: '{"y":2}' }] },
  ],
  [
    'arguments as an object',
    [calls({ index: 0, id: 'a', function: { name: 'add', arguments: { x: 1 } } }), called],
    { calls: [add] },
  ],
  [
    'Anthropic: a first index that is not 0, beside a text',
    [
      chunk({ content: 'I add.' }),
      calls({ index: 1, id: 'a', function: { name: 'add', arguments: '{"x":1}' } }),
      called,
    ],
    { text: 'I add.', calls: [add] },
  ],
  [
    'OpenAI before tools: function_call in fragments',
    [
      chunk({ function_call: { name: 'add', arguments: '' } }),
      chunk({ function_call: { arguments: '{"x":1}' } }),
      chunk({}, 'function_call'),
    ],
    { calls: [{ ...add, id: '' }], finish: 'tool_calls' },
  ],
  [
    'an extra without bottom breaks nothing',
    [bottomlessCall(`"function":{"name":"add","arguments":"{}"},"extra_content":${bottomless}`), called],
    { calls: [{ ...add, arguments: '{}' }] },
  ],
  [
    'arguments without bottom are none that a tool could run with',
    [bottomlessCall(`"function":{"name":"add","arguments":${bottomless}}`), called],
    { calls: [{ ...add, arguments: '(arguments more than 100 levels deep)' }] },
  ],
])('%s', async (_, events, expected) => {
  const pieces = [...events.map((event) => (typeof event === 'string' ? event : sse(event))), DONE];
  const heard = await hearing({ pieces });
  expect(heard).toMatchObject(expected);
  expect(heard.calls).toEqual(expected.calls);
  expect(heard.error).toBeUndefined();
});
