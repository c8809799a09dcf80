import { expect, test } from 'vitest';
import { LEFT_OUT_KEY as gone, withoutKeys } from '../../../src/capture/proxy/withoutKeys.js';

const mcp = (more: object) => ({ tools: [{ type: 'mcp', server_label: 'x', ...more }] });

test.each([
  [
    { mcp_servers: [{ type: 'url', url: 'https://a.example/sse', authorization_token: 'SECRET' }] },
    { mcp_servers: [{ type: 'url', url: 'https://a.example/sse', authorization_token: gone }] },
    1,
  ],
  [mcp({ authorization: 'SECRET' }), mcp({ authorization: gone }), 1],
  [
    mcp({ headers: { Authorization: 'Bearer SECRET', 'X-Key': 'SECRET' } }),
    mcp({ headers: { Authorization: gone, 'X-Key': gone } }),
    2,
  ],
  [
    mcp({ server_url: 'https://me:SECRET@a.example/sse?key=SECRET' }),
    mcp({ server_url: `https://${gone}@a.example/sse?${gone}` }),
    2,
  ],
  [
    { data_sources: [{ parameters: { authentication: { type: 'api_key', key: 'SECRET' } } }] },
    { data_sources: [{ parameters: { authentication: { type: 'api_key', key: gone } } }] },
    1,
  ],
  [
    { network_policy: { domain_secrets: [{ domain: 'a.example', name: 'K', value: 'SECRET' }] } },
    { network_policy: { domain_secrets: [{ domain: 'a.example', name: 'K', value: gone }] } },
    1,
  ],
  [{ response: mcp({ authorization: 'SECRET' }) }, { response: mcp({ authorization: gone }) }, 1],
])('keys for other servers are left out, and their fields stay: %j', (body, value, count) => {
  expect(withoutKeys(body)).toEqual({ value, count });
});

test.each([
  { messages: [{ role: 'user', content: 'x', authorization: 'said' }], input: { headers: { a: 'said' } } },
  {
    tools: [
      {
        type: 'function',
        parameters: {
          type: 'object',
          properties: { password: { type: 'string' }, headers: { type: 'object', description: 'sent' } },
        },
      },
    ],
  },
  mcp({ server_url: 'https://a.example/sse', authorization: null, headers: {} }),
  { choices: [{ logprobs: { content: [{ token: 'Hello' }] } }] },
  {
    requests: [{ params: { messages: [{ role: 'user', content: [{ url: 'https://a.example/?q=said' }] }] } }],
  },
  { output: [{ annotations: [{ url: 'https://a.example/?q=said' }] }] },
  [1, 'two', null],
])('a body without any is the same: %j', (body) => {
  const { value, count } = withoutKeys(body);
  expect(value).toEqual(body);
  expect(count).toBe(0);
});

test.each([
  ['{"mcp_servers":[{"authorization_token": "SEC', `{"mcp_servers":[{"authorization_token": "${gone}`],
  ['{"tools":[{"authorization":"S\\"ECRET","a":1', `{"tools":[{"authorization":"${gone}","a":1`],
  ['{"tools":[{"headers":{"X":"SECRET"', `{"tools":[{"headers":{"headers":"${gone}"}`],
  [
    'data: {"delta":"{\\"authorization\\":\\"said\\"}"}',
    'data: {"delta":"{\\"authorization\\":\\"said\\"}"}',
  ],
])('nor are keys kept in JSON that is not whole: %s', (text, value) => {
  expect(withoutKeys(text).value).toBe(value);
});

test('what lies too deep for any API is left alone', () => {
  let deep: unknown = 'end';
  for (let at = 0; at < 100_000; at += 1) deep = [deep];
  expect(withoutKeys({ tools: deep }).count).toBe(0);
});
