import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';

const folder = join(import.meta.dirname, '../../examples');

afterEach(() => {
  vi.restoreAllMocks();
});

/** What each example prints, or a part of it where it is long. */
const printed: Record<string, string> = {
  '01-ask-messages.mjs': `4 messages, 2 of them about read_file
read_file answered: const factor = serves / people;
The answer was: The factor is upside down.`,
  '02-run-a-team.mjs': `done: Bake them at 180 degrees.
Cookie said: 180 degrees.
8 messages of all agents`,
  '03-tools-and-approvals.mjs': `It is at 180 degrees.
It stays cold.`,
  '04-store-and-read-back.mjs': 'What is missing?: Butter.',
  '05-import-and-export.mjs': 'claude-code: 1 conversation, 0 problems',
};

test('every example is run here', () => {
  expect(readdirSync(folder).filter((name) => name.endsWith('.mjs'))).toEqual(Object.keys(printed));
});

test.each(Object.entries(printed))('%s prints what it says', async (name, expected) => {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  await import(join(folder, name));
  const all = lines.join('\n');
  expect(all.slice(0, expected.length)).toBe(expected);
  expect(all).not.toContain('9dWq3nVb7TzXc1LmK8sRfYhG2aJpQe5u');
});
