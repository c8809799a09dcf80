import { expect, test } from 'vitest';
import { fileReportText } from '../../../src/app/transcripts/fileReportText.js';

const facts = {
  path: '/home/me/session.jsonl',
  format: 'claude-code',
  problems: [],
  readWith: ['/home/me/session/subagents/agent-a.jsonl'],
  problemCount: 0,
  records: 12,
  conversations: 1,
  readAt: Date.UTC(2026, 0, 1),
};

test('a report tells the file, who wrote it, what was read with it, and that all was understood', () => {
  const text = fileReportText(facts);
  expect(text).toContain('File: /home/me/session.jsonl\n');
  expect(text).toContain('Written by: Claude Code (format claude-code)\n');
  expect(text).toMatch(/Read: 1 conversation, 12 records, .*2026/);
  expect(text).toContain('Read with it: /home/me/session/subagents/agent-a.jsonl\n');
  expect(text).toContain('All of it was understood.');
});

test('a report lists each place with its line, a thousand of them, and counts the others', () => {
  const problems = Array.from({ length: 1_201 }, (_, at) => ({
    severity: at === 0 ? ('error' as const) : ('warning' as const),
    message: `Something\nnew ${at}`,
    ...(at !== 1 && { line: at + 1 }),
  }));
  const text = fileReportText({
    ...facts,
    problems,
    problemCount: 1_201,
    failure: 'The file is not there any more.',
  });
  expect(text).toContain('It cannot be read again: The file is not there any more.');
  expect(text).toContain('- line 1, error: Something new 0\n- warning: Something new 1\n- line 3, warning:');
  expect(text.match(/^- /gm)).toHaveLength(1_000);
  expect(text).toContain('201 more are not listed.');
});
