import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { said } from './reading.js';

test.each([
  [
    'SpecStory',
    '<!-- Generated -->\n\n# A greeting\n\n_**User (2025-01-01 10:00Z)**_\n\nhello there\n\n---\n\n_**Assistant (claude)**_\n\n## Hi\n\nwhat now?\n\n---\n',
  ],
  ['Cursor', '# A greeting\n\n---\n\n**User**\n\nhello there\n\n---\n\n**Cursor**\n\n## Hi\n\nwhat now?\n'],
  [
    'headings, with line ends of Windows',
    '# A greeting\r\n## 🧑 User:\r\nhello there\r\n## 🤖 Assistant\r\n## Hi\r\n\r\nwhat now?\r\n',
  ],
])('chats as Markdown are read: %s', async (_of, text) => {
  const result = await importTranscript(text, 'chat.md');
  expect(result.problems).toEqual([]);
  expect(result).toMatchObject({ format: 'text-chat', conversations: [{ title: 'A greeting' }] });
  expect(said(result)).toEqual(['user: hello there', 'assistant: ## Hi\n\nwhat now?']);
});

test('a speaker within a block of code speaks not', async () => {
  const text = '**User**\n\nsee:\n\n```\n**Assistant**\n```\n\n**Assistant**\n\nI see.\n';
  expect(said(await importTranscript(text, 'chat.md'))).toEqual([
    'user: see:\n\n```\n**Assistant**\n```',
    'assistant: I see.',
  ]);
});

test.each([
  ['a text', 'The user asked, the assistant answered.\n'],
  ['a manual', '# User\n\nThe user does this.\n\n# Administrator\n\nAnd this.\n'],
])('%s is no chat', async (_what, text) => {
  const { format, problems } = await importTranscript(text, 'text.md');
  expect(format).toBe('unknown');
  expect(problems).toMatchObject([
    { message: 'It is neither JSON nor lines of JSON. Name the file in which a tool keeps the session.' },
  ]);
});
