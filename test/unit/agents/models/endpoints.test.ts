import { expect, test } from 'vitest';
import { parseEndpoints } from '../../../../src/agents/models/endpoints.js';
import { parseEndpointUrl } from '../../../../src/agents/models/endpoint.js';

const good = { name: 'Mine', url: 'https://models.example.com/v1/' };

test('an endpoint is taken as it is written', () => {
  const rest = {
    headers: { 'X-Team': 'green' },
    keyHeader: 'api-key',
    extraBody: { temperature: 0 },
    models: ['a'],
  };
  const { endpoints, problems } = parseEndpoints([{ ...good, ...rest, limits: { idleMs: 5 } }]);
  expect(problems).toEqual([]);
  expect(endpoints).toEqual([
    {
      name: 'Mine',
      url: { base: 'https://models.example.com/v1', query: {} },
      ...rest,
      limits: { idleMs: 5 },
    },
  ]);
});

test.each<[string, unknown, string]>([
  ['is no object', 5, 'Endpoint 1: '],
  ['has no name', { url: good.url }, 'Endpoint 1: name is missing.'],
  ['has an unknown key', { ...good, apiKey: 'sk' }, 'Endpoint 1: apiKey is not known.'],
  ['has a name like a path', { ...good, name: '../x' }, 'Endpoint 1: name must be 1 to 64'],
  ['has no URL', { ...good, url: 'nowhere' }, "Endpoint 1: url is wrong: 'nowhere' is not a URL"],
  ['is plain http elsewhere', { ...good, url: 'http://example.com' }, 'plain http to another machine'],
  ['keeps its key in the settings', { ...good, headers: { Authorization: 'Bearer x' } }, 'holds the key'],
  ['smuggles a header', { ...good, headers: { a: 'b\r\nc: d' } }, 'characters that a header cannot hold'],
  ['has a limit of nothing', { ...good, limits: { totalMs: 0 } }, 'limits.totalMs must be positive'],
])('an endpoint that %s is left out and said', (_, entry, problem) => {
  const { endpoints, problems } = parseEndpoints([entry, { ...good, name: 'Other' }]);
  expect(endpoints.map(({ name }) => name)).toEqual(['Other']);
  expect(problems.join('\n')).toContain(problem);
});

test('of two endpoints of one name the first counts', () => {
  const { endpoints, problems } = parseEndpoints([good, { ...good, name: 'mine' }]);
  expect(endpoints).toHaveLength(1);
  expect(problems).toEqual(["Endpoint 2: there are two named 'mine'."]);
});

test('what is no list is said', () => {
  expect(parseEndpoints({ a: 1 })).toEqual({ endpoints: [], problems: ['The endpoints are not a list.'] });
});

test.each([
  ['http://localhost:11434', 'http://localhost:11434/v1'],
  ['http://127.0.0.1:8080/v1/', 'http://127.0.0.1:8080/v1'],
  ['http://[::1]:1234/api', 'http://[::1]:1234/api'],
  ['https://example.com/openai/v1?api-version=1', 'https://example.com/openai/v1'],
])('%s is taken', (text, base) => {
  expect(parseEndpointUrl(text)).toMatchObject({ base });
});

test.each([
  'http://example.com/v1',
  'http://127.0.0.1.evil.example/v1',
  'http://localhost.evil.example/v1',
  'http://169.254.169.254/v1',
  'http://0.0.0.0:8080/v1',
  'https://user:key@example.com/v1',
  'https://example.com/v1#x',
  'ftp://example.com',
  'file:///etc/passwd',
  'localhost:8080',
  '',
])('%s is refused', (text) => {
  expect(parseEndpointUrl(text)).toBeTypeOf('string');
});
