import { textOf } from '../../../src/core/message.js';
import { RecordNotes } from '../../../src/export/recordNotes.js';
import { fields } from '../../../src/import/reading/fields.js';
import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, query, records, said } from './reading.js';

/** Reads a file of which nothing may be left over. */
async function read(text: string) {
  const result = await importTranscript(text, 'file.json');
  expect(result.problems).toEqual([]);
  return result;
}

const sources = (result: Awaited<ReturnType<typeof read>>) => JSON.stringify(records(result));

test('of a message on several lines of Claude Code each line keeps its id, parent and time, signature and usage', async () => {
  const line = (uuid: string, parentUuid: string, timestamp: string, content: object, more: object = {}) => ({
    type: 'assistant',
    uuid,
    parentUuid,
    sessionId: 's',
    timestamp,
    message: { id: 'm1', role: 'assistant', model: 'claude', content: [content], ...more },
  });
  const usage = {
    input_tokens: 1,
    output_tokens: 2,
    cache_creation_input_tokens: 148,
    service_tier: 'standard',
  };
  const result = await read(
    lines(
      {
        type: 'user',
        uuid: 'u0',
        sessionId: 's',
        timestamp: '2025-01-01T00:00:00Z',
        message: { role: 'user', content: 'go on' },
      },
      line('line-one', 'u0', '2025-01-01T00:00:01.000Z', {
        type: 'thinking',
        thinking: 'hm',
        signature: 'SIGNED-IT',
      }),
      line(
        'line-two',
        'line-one',
        '2025-01-01T00:00:31.000Z',
        { type: 'tool_use', id: 't', name: 'read', input: {} },
        { stop_reason: 'tool_use', usage },
      ),
    ),
  );
  const [, answer] = records(result) as unknown as { source: object; usage: object }[];
  expect(JSON.stringify(answer?.source)).toMatch(
    /SIGNED-IT.*line-two.*line-one.*2025-01-01T00:00:31.*tool_use.*standard/,
  );
  expect(answer?.usage).toMatchObject({ inputTokens: 149, cacheWriteTokens: 148, outputTokens: 2 });
});

test('what Gemini CLI shows of a call and why it was made are kept beside it', async () => {
  const call = {
    id: 'c1',
    name: 'replace',
    args: { file: 'a.ts' },
    status: 'error',
    description: 'the intention behind it',
    resultDisplay: { fileDiff: '- what stood there\n+ what stands there' },
    result: [{ functionResponse: { id: 'c1', name: 'replace', response: { error: 'no such text' } } }],
  };
  const messages = [
    {
      id: 'm1',
      type: 'user',
      content: [{ text: 'change it' }],
      displayContent: [{ text: 'what the person saw of it' }],
    },
    { id: 'm2', type: 'gemini', content: 'I change it.', toolCalls: [call] },
  ];
  const result = await read(JSON.stringify({ sessionId: 's', startTime: '2025-01-01T00:00:00Z', messages }));
  expect(result.format).toBe('gemini-cli');
  for (const text of ['the intention behind it', 'what the person saw of it', 'what stands there'])
    expect(sources(result)).toContain(text);
  expect(query(result).filter({ role: 'tool' })).toMatchObject([{ isError: true }]);
});

describe("VS Code's export of a chat", () => {
  const chat = {
    responderUsername: 'GitHub Copilot',
    requests: [
      {
        requestId: 'q',
        timestamp: 1_771_415_837_000,
        message: { text: 'where is it?' },
        response: [
          { kind: 'thinking', value: [] },
          {
            kind: 'toolInvocationSerialized',
            toolId: 'copilot_readFile',
            toolCallId: 'shown',
            invocationMessage: 'Reading a.ts',
          },
          { value: 'It is in ' },
          { kind: 'inlineReference', inlineReference: { path: '/w/a.ts', scheme: 'file' } },
        ],
        result: {
          metadata: {
            toolCallRounds: [
              {
                response: '',
                toolCalls: [{ id: 'c1', name: 'read_file', arguments: '{"path":"a.ts"}' }],
                timestamp: 1_771_415_923_524,
              },
            ],
            toolCallResults: { c1: { content: [{ value: 'what the file says' }] } },
          },
        },
      },
    ],
  };

  test('calls have the names, arguments and times of their rounds, and their results; empty thinking is none', async () => {
    const result = await read(JSON.stringify(chat));
    expect(said(result).slice(0, 3)).toEqual([
      'user: where is it?',
      'assistant: null read_file({"path":"a.ts"})',
      'tool shown: what the file says',
    ]);
    const [calling] = query(result).filter({ role: 'assistant' }) as unknown as {
      time: number;
      message: object;
    }[];
    expect(calling).toMatchObject({ time: 1_771_415_923_524 });
    expect(calling?.message).not.toHaveProperty('reasoning_content');
  });

  test('a reference within the words is one of them', async () => {
    expect(said(await read(JSON.stringify(chat))).at(-1)).toMatch(/^assistant: It is in .*a\.ts/);
  });
});

test('of Cline, reasoning that stayed partial belongs to the next message, and what a call writes is not its result', async () => {
  const at = (ts: number, more: object) => ({ ts: 1_750_000_000_000 + ts, ...more });
  const result = await read(
    JSON.stringify([
      at(0, { type: 'say', say: 'task', text: 'change it' }),
      at(1, { type: 'say', say: 'reasoning', text: 'because of that', partial: true }),
      at(2, { type: 'say', say: 'text', text: 'I change it.' }),
      at(3, {
        type: 'ask',
        ask: 'tool',
        text: JSON.stringify({ tool: 'newFileCreated', path: 'a.ts', content: 'what it writes' }),
      }),
    ]),
  );
  expect(query(result).filter({ role: 'assistant' })[0]).toMatchObject({
    message: { content: 'I change it.', reasoning_content: 'because of that' },
  });
  expect(query(result).filter({ role: 'tool' })).toEqual([]);
});

/** What is told between the messages of a file: the lines of notes, with their words. */
async function notesIn(values: readonly object[], name: string) {
  const text = values.map((value) => JSON.stringify(value)).join('\n');
  const { conversations, problems } = await importTranscript(Buffer.from(text), name);
  const notes = new RecordNotes();
  const records = (conversations[0]?.records ?? []) as unknown as Record<string, unknown>[];
  const told = records.flatMap((record) => (record.message === undefined ? (notes.of(record) ?? []) : []));
  const said = records.flatMap(({ message }) =>
    message === undefined ? [] : [textOf(fields(message).content)],
  );
  return {
    notes: [...told, ...notes.rest()].map(({ line, text: words }) => [line, words ?? '']),
    said,
    problems,
  };
}

test('what agents were told, and what only the steps observed, is shown beside the messages', async () => {
  const talk = {
    question: 'How long does a rye loaf take in this oven?',
    system_prompt: { Baker: 'You are the baker of this village and know every loaf.' },
    trajectory: [{ action: 'submit', observation: 'The loaf was handed in, brown and whole.' }],
    history: [
      { role: 'user', content: 'Bake a loaf' },
      { role: 'assistant', content: 'It is baked', thought: 'done', action: 'submit' },
    ],
  };
  expect(await notesIn([talk], 'talk.json')).toEqual({
    said: ['Bake a loaf', 'It is baked'],
    notes: [
      ['system prompt of Baker', 'You are the baker of this village and know every loaf.'],
      ['observation', 'The loaf was handed in, brown and whole.'],
      ['question', 'How long does a rye loaf take in this oven?'],
    ],
    problems: [],
  });
});

test('of a stream to a page the input of a run, recaps, interrupts and errors are shown, each once', async () => {
  const given = [{ id: 'u1', role: 'user', content: 'Bake a loaf for the village' }];
  const state = { type: 'STATE_SNAPSHOT', snapshot: { recap: 'Kneading is done, and rising comes next.' } };
  const { said, notes } = await notesIn(
    [
      { type: 'RUN_STARTED', threadId: 't', runId: 'r1', input: { messages: given } },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'It is in' },
      { type: 'CUSTOM', name: 'on_interrupt', value: 'Shall I add caraway to the next loaf?' },
      state,
      state,
      {
        type: 'RUN_FINISHED',
        outcome: { type: 'interrupt', interrupts: [{ message: 'May I open the second sack?' }] },
      },
      {
        type: 'RUN_STARTED',
        threadId: 't',
        runId: 'r2',
        input: { messages: [...given, { id: 'm1', role: 'assistant', content: 'It is in' }] },
      },
      { type: 'RUN_ERROR', message: 'The oven broke', code: 'oven' },
    ],
    'stream.jsonl',
  );
  expect(said).toEqual(['Bake a loaf for the village', 'It is in']);
  expect(notes).toEqual([
    ['CUSTOM', 'Shall I add caraway to the next loaf?'],
    ['STATE_SNAPSHOT', 'Kneading is done, and rising comes next.'],
    ['RUN_FINISHED', 'May I open the second sack?'],
    ['Error (model): The oven broke (oven)', ''],
  ]);
});
