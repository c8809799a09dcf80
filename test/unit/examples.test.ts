import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { examplePrints } from '../support/examplePrints.js';

const folder = join(import.meta.dirname, '../../examples');

afterEach(() => {
  vi.restoreAllMocks();
});

test('every example is run here', () => {
  expect(readdirSync(folder).filter((name) => /^\d.*\.mjs$/.test(name))).toEqual(Object.keys(examplePrints));
});

test.each(Object.entries(examplePrints))('%s prints what it says', async (name, expected) => {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  await import(join(folder, name));
  const all = lines.join('\n');
  expect(all.slice(0, expected.length)).toBe(expected);
  expect(all).not.toContain('9dWq3nVb7TzXc1LmK8sRfYhG2aJpQe5u');
});
