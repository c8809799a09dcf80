import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { query, said } from './reading.js';

async function read(text: string) {
  const result = await importTranscript(text, '.aider.chat.history.md');
  expect(result.problems).toEqual([]);
  expect(result.format).toBe('aider');
  return result;
}

const CHATS = `
# aider chat started at 2025-01-01 10:00:00

> Aider v0.80.0
> Model: gpt-4o with diff edit format

#### add a greeting
#### and test it

Here it is:

\`\`\`
#### no prompt
> no notice
\`\`\`

> Tokens: 2.1k sent, 120 received. Cost: $0.01 message, $0.01 session.
> Applied edit to a.py

# aider chat started at 2025-01-02 11:00:00

#### thanks
`;

test("Aider's chats: prompts, answers, and the tokens and notices between them; each start is a conversation", async () => {
  const result = await read(CHATS);
  expect(said(result)).toEqual([
    'user: add a greeting\nand test it',
    'assistant: Here it is:\n\n```\n#### no prompt\n> no notice\n```',
    'user: thanks',
  ]);
  expect(result.conversations).toHaveLength(2);
  expect(query(result).filter({ role: 'assistant' })).toMatchObject([{ model: 'gpt-4o' }]);
  expect(query(result).stats().usage).toMatchObject({
    inputTokens: 2100,
    outputTokens: 120,
    estimated: true,
  });
});

test('what Aider sent to the model: every message once, however often it was sent', async () => {
  const first = 'SYSTEM Be brief.\nSYSTEM Be kind.\n-------\nUSER hello\n';
  const result = await read(
    `TO LLM 2025-01-01T10:00:00\n-------\n${first}LLM RESPONSE 2025-01-01T10:00:05\nASSISTANT Hello!\n` +
      `TO LLM 2025-01-01T10:01:00\n-------\n${first}-------\nASSISTANT Hello!\n-------\nUSER bye\nLLM RESPONSE 2025-01-01T10:01:05\nASSISTANT Bye!\n`,
  );
  expect(said(result)).toEqual([
    'system: Be brief.\nBe kind.',
    'user: hello',
    'assistant: Hello!',
    'user: bye',
    'assistant: Bye!',
  ]);
});
