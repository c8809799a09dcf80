import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
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

describe('a reader of a tool', () => {
  const line = (message: object, more: object = {}) => ({
    uuid: `u${JSON.stringify(message).length}`,
    parentUuid: null,
    sessionId: 's1',
    cwd: '/srv/bakery',
    timestamp: '2026-09-01T10:00:00Z',
    type: (message as { role: string }).role,
    message,
    ...more,
  });
  const prompt = line({ role: 'user', content: 'Bake two loaves of rye bread.' });
  const answer = {
    id: 'm1',
    role: 'assistant',
    content: [{ type: 'text', text: 'They are in the oven now.' }],
  };
  const unread = { afterthought: { words: 'The oven was too cold, so I gave them ten more minutes.' } };

  test.each([
    ['within', line({ ...answer, ...unread })],
    ['beside', line(answer, unread)],
  ])(
    'says so where what was said stands %s a message under a name that it does not know',
    async (_, said) => {
      const problems = [
        /^Read as Claude Code; 50 % of its text was not understood \((?:message\.)?afterthought\.words\)\. It is kept as it was\.$/,
      ].map((words) => expect.stringMatching(words) as string);
      const read = await importTranscript(lines(prompt, said), 's.jsonl');
      expect(read.problems.map(({ message }) => message)).toEqual(problems);
      const folder = await mkdtemp(join(tmpdir(), 'half-read-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const path = join(folder, 's.jsonl');
      await writeFile(path, lines(prompt, said));
      expect((await importFile(path)).problems.map(({ message }) => message)).toEqual(problems);
    },
  );

  test('says so of what a tool gave where it was read as nothing', async () => {
    const call = { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'rye.md' } };
    const result = {
      type: 'tool_result',
      tool_use_id: 't1',
      given: 'Rye needs a hot oven and a lot of time.',
    };
    const values = [prompt, line({ ...answer, content: [call] }), line({ role: 'user', content: [result] })];
    const { problems } = await importTranscript(lines(...values), 's.jsonl');
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Read as Claude Code; \d+ % of its text was not understood \(.*given\)/),
    ]);
  });

  test('says nothing of what is little, stands in a message too, or tells of a call', async () => {
    const long = line({ role: 'user', content: 'Bake two loaves of rye bread. '.repeat(40) });
    const same = line(answer, { shown: 'They are in the oven now.' });
    const call = { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'rye.md' } };
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'Rye' };
    const read = line({ role: 'user', content: [result] }, { toolUseResult: { file: unread } });
    for (const values of [
      [long, line(answer, unread)],
      [prompt, same],
      [prompt, line({ ...answer, content: [call] }), read],
    ]) {
      const { problems } = await importTranscript(lines(...values), 's.jsonl');
      expect(problems).toEqual([]);
    }
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
