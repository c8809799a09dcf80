import { expect, test } from 'vitest';
import { formats } from '../../../src/import/tools.js';
import { namedFormats, toolWords } from '../../../src/import/toolWords.js';

test('every format has words for its tool, and no other has', () => {
  expect([...namedFormats].sort()).toEqual(formats.map(({ name }) => name).sort());
  expect(toolWords('a-tool')).toBe('a-tool');
});

test('an archive of several formats names the tool of each once', () => {
  expect(toolWords('codex, codex-events, inspect')).toBe('Codex, Inspect');
});
