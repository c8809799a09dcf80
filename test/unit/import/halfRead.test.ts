import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, lines, said } from './reading.js';

const asked = { role: 'user', content: 'Find out why this is here.' };
const answered = { role: 'assistant', content: 'I looked at it.' };

describe('a file that is read by halves says so', () => {
  test('of lines, in whatever way they are read', async () => {
    const aside = { kind: 'aside', note: 'Nobody knows what this program told itself here.' };
    await expectSaid(
      [asked, answered, aside],
      'chat-messages',
      ['user: Find out why this is here.', 'assistant: I looked at it.'],
      [
        'This line is no message.',
        'Read as plain messages; 65 % of its text was not understood (note). It is kept as it was.',
      ],
    );
  });

  test('of what stands beside a message, or within it', async () => {
    for (const more of [
      { verdict: { why: 'It was here since the first commit of all.' } },
      { trail: [{ seen: 'It was here since the first commit of all.' }] },
      { inner: '{"why":"It was here since the first commit of all."}' },
    ]) {
      const { problems, conversations } = await importTranscript(
        lines([asked, { ...answered, ...more }]),
        'a.json',
      );
      expect(problems.map(({ message }) => message).join()).toMatch(
        /^Read as plain messages; \d+ % of its text was not understood \(/,
      );
      expect(JSON.stringify(conversations)).toContain('since the first commit');
    }
  });

  test('of spans whose words stand under names that no convention has', async () => {
    const span = {
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      name: 'chat gpt-5',
      startTimeUnixNano: '1788256800000000000',
      endTimeUnixNano: '1788256801000000000',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'acme.question': 'How is the weather in the town of Rome?',
        'acme.answer': 'It is sunny in all of Rome today.',
      },
    };
    const { problems } = await importTranscript(lines({ spans: [span] }), 'a.json');
    expect(problems.map(({ message }) => message).join('\n')).toContain(
      'Read as spans; 100 % of its text was not understood',
    );
  });
});

test('instructions about tools, ids and short words are nothing that anybody said', async () => {
  const tools = [
    { type: 'function', function: { name: 'look', description: 'Looks at whatever it is told to look at.' } },
  ];
  const request = {
    model: 'gpt-5',
    messages: [asked, answered],
    tools,
    path: '/home/somebody/projects/bakery/readme.md',
  };
  const result = await importTranscript(lines(request), 'a.json');
  expect(said(result)).toHaveLength(2);
  expect(result.problems).toEqual([]);
});
