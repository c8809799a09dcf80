import { expect, test } from 'vitest';
import { recordedEnvironment } from '../../../../src/app/capture/recordingOptions.js';

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
