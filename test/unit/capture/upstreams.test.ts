import { expect, test } from 'vitest';
import { routeOf, upstreamsOf } from '../../../src/capture/proxy/upstreams.js';

test("requests go where the person's environment said, else to the setting, else to the provider", () => {
  const of = (environment: Record<string, string>, settings = {}) =>
    upstreamsOf(environment, settings).openai.href;
  expect(of({ OPENAI_BASE_URL: 'http://localhost:11434/v1' }, { openai: 'http://other' })).toBe(
    'http://localhost:11434/v1',
  );
  expect(of({ OPENAI_BASE_URL: ' ' }, { openai: 'http://other/v1' })).toBe('http://other/v1');
  expect(of({})).toBe('https://api.openai.com/v1');
  for (const wrong of ['file:///etc/passwd', 'nonsense'])
    expect(() => of({ OPENAI_BASE_URL: wrong })).toThrow('in OPENAI_BASE_URL is no address of a model API');
  for (const wrong of ['https://user:secret@host/', 'https://:secret@host/', 'nonsense user:secret@host'])
    expect(() => of({ OPENAI_BASE_URL: wrong })).toThrow(/^(?!.*secret).*OPENAI_BASE_URL holds a user name/);
});

test.each([
  ['', 'http://127.0.0.1:11434/'],
  ['0.0.0.0', 'http://127.0.0.1:11434/'],
  [':12000', 'http://127.0.0.1:12000/'],
  ['oven.local', 'http://oven.local:11434/'],
  ['[::1]:12000', 'http://[::1]:12000/'],
  ['https://oven.local/models', 'https://oven.local/models'],
  ['ollama.com', 'https://ollama.com/'],
])(
  'requests to Ollama go where its variable or the setting says, which may say less than an address: %j',
  (said, expected) => {
    const { ollama } = upstreamsOf({ OLLAMA_HOST: said }, {});
    expect(ollama.href).toBe(expected);
    expect(upstreamsOf({}, { ollama: said }).ollama.href).toBe(expected);
    expect(routeOf('/ollama/api/chat', { ...upstreamsOf({}, {}), ollama }).target.href).toBe(
      `${expected.replace(/\/$/, '')}/api/chat`,
    );
  },
);

test('what an address asks after its question mark is asked of each request, unless the request asks it otherwise', () => {
  const upstreams = upstreamsOf({ OPENAI_BASE_URL: 'https://models.example/openai/v1?api-version=7' }, {});
  const to = (path: string) => routeOf(path, upstreams).target.href;
  expect(to('/openai/responses')).toBe('https://models.example/openai/v1/responses?api-version=7');
  expect(to('/openai/responses?a=b')).toBe('https://models.example/openai/v1/responses?a=b&api-version=7');
  expect(to('/openai/responses?api-version=8')).toBe(
    'https://models.example/openai/v1/responses?api-version=8',
  );
});
