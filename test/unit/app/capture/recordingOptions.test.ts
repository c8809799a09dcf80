import { expect, test } from 'vitest';
import { recordedEnvironment, recordingOptions } from '../../../../src/app/capture/recordingOptions.js';
import { upstreamsOf } from '../../../../src/capture/proxy/upstreams.js';
import type { Settings } from '../../../../src/app/ports/settings.js';

const HERE = '127.0.0.1,localhost,::1';

test.each([
  [{}, HERE, HERE],
  [{ NO_PROXY: 'corp.example' }, `corp.example,${HERE}`, `corp.example,${HERE}`],
  [{ NO_PROXY: 'a', no_proxy: 'b, localhost' }, `a,${HERE}`, 'b, localhost,127.0.0.1,::1'],
])('a program that is recorded asks no proxy for this machine: %j', (environment, upper, lower) => {
  const variables = recordedEnvironment('http://127.0.0.1:1', 'http://127.0.0.1:2', environment);
  expect(variables).toMatchObject({
    NO_PROXY: upper,
    no_proxy: lower,
    OPENAI_BASE_URL: 'http://127.0.0.1:1/openai',
  });
});

test('each wire format has a setting for where its requests go on to, and the environment comes first', () => {
  const settings = { get: (id: string) => `http://${id.toLowerCase()}/` } as unknown as Settings;
  const of = (environment: Record<string, string>) => {
    const { environment: own, addresses } = recordingOptions('/recordings', environment, settings);
    return Object.values(upstreamsOf(own, addresses)).map(({ href }) => href);
  };
  expect(of({})).toEqual([
    'http://capture.openaiaddress/',
    'http://capture.anthropicaddress/',
    'http://capture.ollamaaddress/',
  ]);
  expect(of({ OLLAMA_HOST: 'oven.local' })[2]).toBe('http://oven.local:11434/');
});
