import { expect, test } from 'vitest';
import { logLine } from '../../../src/app/logLine.js';
import { plants } from '../../support/plantedSecrets.js';

test('a message stands in the log as it is, with the stack of its error', () => {
  expect(logLine('Cookie bakes.')).toBe('Cookie bakes.');
  expect(logLine('It failed', new Error('no salt'))).toMatch(/^It failed: Error: no salt\n +at /);
  expect(logLine('It failed', 'no salt')).toBe('It failed: no salt');
});

test('none of sixty planted secrets gets into the log, as a message or with an error', () => {
  // Arguments hide theirs behind escapes, which no line of the log takes apart.
  const inTexts = plants.filter(({ way }) => way !== 'argumentJson');
  expect(inTexts.length).toBeGreaterThan(50);
  for (const { text, secret } of inTexts) {
    expect(logLine(text)).not.toContain(secret);
    expect(logLine('It failed', new Error(text))).not.toContain(secret);
  }
});
