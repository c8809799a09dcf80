import { ownTextOf } from '../../../src/core/injected.js';
import { speakerIn } from '../../../src/query/numbers/transcriptItem.js';
import { describe, expect, test } from 'vitest';
import { importTranscript, type SidecarSource } from '../../../src/import/importTranscript.js';
import { expectSaid, lines, nested, query, records, said, usage } from './reading.js';

describe('Claude Code', () => {
  const line = (uuid: string, message: object, more = {}) => ({
    type: 'role' in message ? message.role : 'user',
    uuid,
    sessionId: 's1',
    timestamp: '2026-01-01T00:00:00Z',
    message,
    ...more,
  });
  const task = {
    type: 'tool_use',
    id: 't1',
    name: 'Task',
    input: { prompt: 'look', subagent_type: 'Finder' },
  };

  test('a call and a result of one stamp tell no duration', async () => {
    const call = { type: 'tool_use', id: 't1', name: 'ls', input: {} };
    const answer = [{ type: 'tool_result', tool_use_id: 't1', content: 'a' }];
    const resultAt = async (timestamp: string) => {
      const talk = [
        line('u1', { role: 'user', content: 'hi' }),
        line('u2', { role: 'assistant', id: 'm1', content: [{ type: 'text', text: 'Let me see.' }] }),
        line('u3', { role: 'assistant', id: 'm1', content: [call] }),
        line('u4', { role: 'user', content: answer }, { timestamp }),
      ];
      return records(await importTranscript(lines(talk), 'session.jsonl')).at(-1);
    };
    expect(await resultAt('2026-01-01T00:00:02Z')).toMatchObject({ durationMs: 2_000 });
    expect(await resultAt('2026-01-01T00:00:00Z')).not.toHaveProperty('durationMs');
  });

  test('lines of one message are one message, and its cost is counted once', async () => {
    const answer = (uuid: string, content: object[], out: number) =>
      line(uuid, { role: 'assistant', id: 'm1', model: 'claude', content, usage: usage(10, out, 5) });
    const result = await expectSaid(
      [
        { type: 'summary', summary: 'A talk' },
        line('u1', { role: 'user', content: 'hi' }),
        answer('u2', [{ type: 'thinking', thinking: 'hm' }], 1),
        answer('u3', [{ type: 'text', text: 'Let me see.' }], 2),
        answer('u4', [{ type: 'tool_use', id: 't1', name: 'ls', input: { a: 1 } }], 9),
        line('u5', {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              content: [
                { type: 'text', text: 'a' },
                { type: 'text', text: 'b' },
              ],
              is_error: true,
            },
          ],
        }),
        line('u6', {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
            'bare',
          ],
        }),
        { type: 'brand-new', sessionId: 's1' },
      ],
      'claude-code',
      [
        'user: hi',
        'assistant: Let me see. ls({"a":1})',
        'tool t1: [{"type":"text","text":"a"},{"type":"text","text":"b"}]',
        'user: [{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}},{"type":"text","text":"bare"}]',
      ],
      ['Kept without being understood: lines of type brand-new (once).'],
    );
    expect(result.conversations[0]).toMatchObject({ id: 's1', title: 'A talk' });
    expect(query(result).stats().usage).toEqual({
      inputTokens: 15,
      outputTokens: 9,
      cachedInputTokens: 5,
      estimated: false,
    });
    expect(query(result).toolSummary()).toMatchObject([{ toolName: 'ls', calls: [{ isError: true }] }]);
    expect(records(result)[2]).toMatchObject({ model: 'claude', message: { reasoning_content: 'hm' } });
  });

  test('a line that a fork repeats is there once, one with the same id and other words twice', async () => {
    const first = line('u1', { role: 'user', content: 'a' });
    await expectSaid(
      [first, first, line('u1', { role: 'user', content: 'b' })],
      'claude-code',
      ['user: a', 'user: b'],
      [
        'This line stood here before; it was left out.',
        'This line has the id of another and says something else; both are kept.',
      ],
    );
  });

  test('that files of subagents are missing is told once', async () => {
    const begins = (id: string, agentId: string) => [
      line(`${id}a`, { role: 'assistant', content: [{ ...task, id }] }),
      line(
        `${id}b`,
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] },
        { toolUseResult: { agentId } },
      ),
    ];
    const agents = ['x1', 'x2', 'x3', 'x4', 'x5'];
    const main = agents.flatMap((agentId, at) => begins(`t${at}`, agentId));
    const sidecars = [sidecar('subagents/agent-x1.jsonl', ...child)];
    const { problems } = await importTranscript(lines(...main), 's1.jsonl', { sidecars });
    expect(problems.map(({ message }) => message)).toEqual([
      'What subagents said is missing: 4 of their files are not beside this one (agent-x2.jsonl, agent-x3.jsonl, agent-x4.jsonl, …).',
    ]);
  });

  test('what very many lines have is told of the first of them, and of the others how many they are', async () => {
    const first = line('u1', { role: 'user', content: 'a' });
    const words = 'This line stood here before; it was left out.';
    await expectSaid(
      Array.from({ length: 1_500 }, () => first),
      'claude-code',
      ['user: a'],
      [...Array.from({ length: 3 }, () => words), `1,496 more lines: ${words}`],
    );
  });

  const sidecar = (name: string, ...values: unknown[]): SidecarSource => ({ name, source: lines(...values) });
  const child = [
    line('c1', { role: 'user', content: 'look' }, { isSidechain: true, agentId: 'x1' }),
    line(
      'c2',
      { role: 'assistant', content: [{ type: 'text', text: 'found' }] },
      { isSidechain: true, agentId: 'x1' },
    ),
  ];

  test.each([
    ['by the result that names it', { agentId: 'x1' }, 'other words'],
    ['by its prompt', {}, 'look'],
    ['as the only one there is', {}, 'other words'],
  ])(
    'a subagent in a file of its own stands inside the call that started it: %s',
    async (_, toolUseResult, prompt) => {
      const main = [
        line('u1', { role: 'user', content: 'go' }),
        line('u2', { role: 'assistant', content: [{ ...task, input: { ...task.input, prompt } }] }),
        line(
          'u3',
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'done' }] },
          { toolUseResult },
        ),
      ];
      const sidecars = [
        sidecar('subagents/agent-x1.jsonl', ...child, 42),
        sidecar('subagents/agent-x1.meta.json', { agentType: 'Scout' }),
      ];
      const result = await importTranscript(lines(...main), 'x.jsonl', { sidecars });
      expect(nested(query(result).timeline())).toEqual([['Claude', ['Scout']]]);
      expect(records(result).map(({ seq }) => seq)).toEqual(records(result).map((_each, index) => index + 1));
      expect(said(result)).toEqual([
        'user: go',
        `assistant: null Task(${JSON.stringify({ prompt, subagent_type: 'Finder' })})`,
        'user: look',
        'assistant: found',
        'tool t1: done',
      ]);
    },
  );

  test('a subagent among the lines of the session stands inside its call too', async () => {
    const result = await importTranscript(
      lines(
        line('u1', { role: 'assistant', content: [task] }),
        ...child,
        line('c3', { role: 'assistant', content: 'more' }, { isSidechain: true, parentUuid: 'c2' }),
      ),
      'x.jsonl',
    );
    expect(nested(query(result).timeline())).toEqual([['Claude', ['Finder'], ['Finder']]]);
  });

  test('a file of a subagent alone is a conversation of its own', async () => {
    const result = await expectSaid(child, 'claude-code', ['user: look', 'assistant: found']);
    expect(result.conversations[0]?.id).toBe('agent-x1');
  });

  test('what a person says while the agent works stands where the agent was given it; what programs queue is none of it', async () => {
    const queued = (uuid: string, attachment: object) => ({
      type: 'attachment',
      uuid,
      sessionId: 's1',
      timestamp: '2026-01-01T00:00:09.000Z',
      attachment: { type: 'queued_command', ...attachment },
    });
    const result = await importTranscript(
      lines(
        line('u1', { role: 'user', content: 'go' }),
        queued('q1', { prompt: 'and the tests', commandMode: 'prompt' }),
        queued('q2', {
          prompt: '<task-notification>done</task-notification>',
          commandMode: 'task-notification',
        }),
        queued('q3', { prompt: [{ type: 'text', text: 'and the docs' }] }),
      ),
      'x.jsonl',
    );
    const records = result.conversations.flatMap((conversation) => conversation.records);
    const prompts = records.filter((record) => speakerIn(record) === 'user').map(ownTextOf);
    expect(prompts).toEqual(['go', 'and the tests', 'and the docs']);
    expect(said(result)).toContain('user: <task-notification>done</task-notification>');
  });

  test('a subagent that nobody started is not lost', async () => {
    const result = await importTranscript(lines(line('u1', { role: 'user', content: 'go' })), 'x.jsonl', {
      sidecars: [sidecar('subagents/agent-x1.jsonl', ...child)],
    });
    expect(said(result)).toEqual(['user: go', 'user: look', 'assistant: found']);
  });

  test('the export of the web interface holds the same lines', async () => {
    await expectSaid(
      [{ loglines: [{ type: 'user', message: { role: 'user', content: 'hi' } }, 7] }],
      'claude-code',
      ['user: hi'],
      ['Kept without being understood: values that are no objects (once).'],
    );
  });
});
