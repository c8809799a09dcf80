import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import { expectSaid, lines, nested, query, records, said } from './reading.js';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

describe('Kimi Code', () => {
  const input = (words: string) => [{ type: 'text', text: words }];
  const prompt = (words: string, type = 'turn.prompt') => ({ type, input: input(words), time: 1e12 });
  const sent = (words: string) => ({
    type: 'context.append_message',
    message: { role: 'user', content: input(words), toolCalls: [] },
    time: 1e12,
  });
  const event = (type: string, beside: object = {}) => ({
    type: 'context.append_loop_event',
    event: { type, turnId: '0', step: 1, stepUuid: 's', ...beside },
    time: 1e12 + 1,
  });
  const part = (type: 'think' | 'text', words: string) =>
    event('content.part', { part: { type, [type]: words } });
  const call = (toolCallId: string, name: string, args: object) =>
    event('tool.call', { toolCallId, name, args });
  const result = (toolCallId: string, output: string, isError = false) =>
    event('tool.result', { toolCallId, result: { output, ...(isError && { isError }) } });
  const tokens = { inputOther: 100, output: 20, inputCacheRead: 300, inputCacheCreation: 7 };
  const usage = {
    inputTokens: 407,
    outputTokens: 20,
    cachedInputTokens: 300,
    cacheWriteTokens: 7,
    estimated: false,
  };
  const total = { type: 'usage.record', model: 'k2', usage: tokens, usageScope: 'turn', time: 1e12 + 2 };

  test('a step is one message, its tokens count once, a prompt is not said twice', async () => {
    const read = await expectSaid(
      [
        { type: 'metadata', protocol_version: '1.4', created_at: 1e12 },
        { type: 'config.update', systemPrompt: 'Be brief.', time: 1e12 },
        prompt('look'),
        sent('look'),
        event('step.begin'),
        { type: 'llm.request', model: 'k2', time: 1e12 },
        part('think', 'hm'),
        part('text', 'ok'),
        call('c1', 'Bash', { command: 'ls' }),
        result('c1', 'gone', true),
        call('c2', 'Bash', {}),
        result('c2', 'x'),
        event('step.end', { usage: tokens }),
        total,
        prompt('stop', 'turn.steer'),
      ],
      'kimi',
      [
        'system: Be brief.',
        'user: look',
        'assistant: ok Bash({"command":"ls"}) Bash({})',
        'tool c1: gone',
        'tool c2: x',
        'user: stop',
      ],
    );
    expect(read.conversations[0]).toMatchObject({ id: 'kimi-1000000000000', title: 'look' });
    expect(query(read).stats().usage).toEqual(usage);
    expect(query(read).toolSummary()[0]).toMatchObject({ calls: [{ isError: true }, { isError: false }] });
    const answer = records(read).find((record) => 'usage' in record);
    expect(answer).toMatchObject({ model: 'k2', message: { reasoning_content: 'hm' } });
  });

  test('tokens of a step that said nothing are a request', async () => {
    const read = await expectSaid(
      [
        prompt('hi'),
        event('step.begin'),
        part('text', 'ok'),
        event('step.begin'),
        event('step.end', { usage: tokens }),
      ],
      'kimi',
      ['user: hi', 'assistant: ok'],
    );
    expect(records(read).find(({ type }) => type === 'request')).toMatchObject({ usage });
  });

  test('what is not known is kept and reported', async () => {
    const kept = { type: 'brand_new', words: 'nobody knows this', time: 1e12 };
    const read = await expectSaid(
      [prompt('hi'), kept],
      'kimi',
      ['user: hi'],
      ['Kept without being understood: lines of type brand_new (once).'],
    );
    expect(records(read)[1]).toMatchObject({ kind: 'brand_new', value: kept });
  });

  test('subagents are in the folders beside that of the main agent', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kimi-'));
    folders.push(folder);
    const write = async (agent: string, ...values: unknown[]) => {
      await mkdir(join(folder, 'agents', agent), { recursive: true });
      await writeFile(join(folder, 'agents', agent, 'wire.jsonl'), lines(...values));
    };
    await write(
      'main',
      prompt('go'),
      event('step.begin'),
      call('c1', 'Agent', { prompt: 'count', subagent_type: 'explore' }),
      result('c1', 'agent_id: agent-0\nstatus: completed\n\nthree'),
      event('step.end'),
    );
    await write('agent-0', prompt('count'), event('step.begin'), part('text', 'three'));
    const read = await importFile(join(folder, 'agents/main/wire.jsonl'));
    expect(nested(query(read).timeline())).toEqual([['Kimi', ['explore']]]);
    expect(said(read).slice(2, 4)).toEqual(['user: count', 'assistant: three']);
  });
});

describe('Kimi CLI', () => {
  const wire = (type: string, payload: object, second = 1) => ({
    timestamp: 1e9 + second,
    message: { type, payload },
  });
  const call = (id: string, name: string, args: string) =>
    wire('ToolCall', { type: 'function', id, function: { name, arguments: args } });
  const result = (id: string, returned: object) =>
    wire('ToolResult', { tool_call_id: id, return_value: { is_error: false, ...returned } });

  test('pieces of texts and of arguments are put together', async () => {
    await expectSaid(
      [
        wire('TurnBegin', { user_input: 'look' }),
        wire('StepBegin', { n: 1 }),
        wire('ContentPart', { type: 'text', text: 'Run' }),
        wire('ContentPart', { type: 'text', text: 'ning' }),
        call('c1', 'Shell', '{"a":'),
        wire('ToolCallPart', { arguments_part: '1}' }),
        result('c1', { output: '', message: 'It gave nothing.' }),
        wire('StepBegin', { n: 2 }),
        wire('ContentPart', { type: 'text', text: 'Done' }),
      ],
      'kimi',
      ['user: look', 'assistant: Running Shell({"a":1})', 'tool c1: It gave nothing.', 'assistant: Done'],
    );
  });

  test('where no line says that a step began, an answer begins after a result', async () => {
    await expectSaid(
      [
        wire('TurnBegin', { user_input: 'look' }),
        call('c1', 'Shell', '{}'),
        call('c2', 'Shell', '{}'),
        result('c1', { output: 'one', is_error: true }),
        result('c2', { output: [{ type: 'text', text: 'two' }] }),
        wire('ContentPart', { type: 'text', text: 'Done' }),
      ],
      'kimi',
      [
        'user: look',
        'assistant: null Shell({}) Shell({})',
        'tool c1: one',
        'tool c2: two',
        'assistant: Done',
      ],
    );
  });

  test('events of subagents, and tokens', async () => {
    const inside = (type: string, payload: object) =>
      wire('SubagentEvent', { parent_tool_call_id: 'c1', agent_id: 'a', event: { type, payload } });
    const read = await expectSaid(
      [
        wire('TurnBegin', { user_input: 'go' }),
        wire('StepBegin', { n: 1 }),
        call('c1', 'Agent', '{"prompt":"count","subagent_type":"coder"}'),
        wire('StatusUpdate', { token_usage: { input_other: 10, output: 2, input_cache_read: 5 } }),
        inside('StepBegin', { n: 1 }),
        inside('ContentPart', { type: 'text', text: 'three' }),
        result('c1', { output: 'three' }),
      ],
      'kimi',
      [
        'user: go',
        'assistant: null Agent({"prompt":"count","subagent_type":"coder"})',
        'assistant: three',
        'tool c1: three',
      ],
    );
    expect(nested(query(read).timeline())).toEqual([['Kimi', ['coder']]]);
    expect(query(read).stats().usage).toMatchObject({ inputTokens: 15, cachedInputTokens: 5 });
  });

  test('what a person decided, and how long they thought; a version before called the answer otherwise', async () => {
    const wire = (type: string, payload: object, seconds: number) => ({
      timestamp: 1e9 + seconds,
      message: { type, payload },
    });
    const called = (id: string) => wire('ToolCall', { id, function: { name: 'Shell', arguments: '{}' } }, 1);
    const asked = (id: string) => wire('ApprovalRequest', { id: `ask ${id}`, tool_call_id: id }, 2);
    const given = (id: string, message: string, is_error: boolean) =>
      wire('ToolResult', { tool_call_id: id, return_value: { is_error, output: '', message } }, 9);
    const read = await expectSaid(
      [
        wire('TurnBegin', { user_input: 'zip it' }, 0),
        wire('StepBegin', { n: 1 }, 0),
        called('a'),
        asked('a'),
        wire('ApprovalResponse', { request_id: 'ask a', response: 'reject', feedback: 'not yet' }, 6),
        given('a', 'Rejected', true),
        wire('StepBegin', { n: 2 }, 1),
        called('b'),
        asked('b'),
        wire('ApprovalRequestResolved', { request_id: 'ask b', response: 'approve_for_session' }, 3),
        given('b', 'Done', false),
      ],
      'kimi',
      [
        'user: zip it',
        'assistant: null Shell({})',
        'tool a: Rejected',
        'assistant: null Shell({})',
        'tool b: Done',
      ],
    );
    expect(records(read).filter(({ type }) => type === 'approval')).toMatchObject([
      { toolCallId: 'a', decision: 'denied', decidedBy: 'user', reason: 'not yet', waitedMs: 4000 },
      { toolCallId: 'b', decision: 'approved', decidedBy: 'user', waitedMs: 1000 },
    ]);
  });

  test('what is sent to the model', async () => {
    const read = await expectSaid(
      [
        { role: '_system_prompt', content: 'Be brief.' },
        { role: '_checkpoint', id: 0 },
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'think', think: 'hm' },
            { type: 'text', text: 'ok' },
          ],
          tool_calls: [{ type: 'function', id: 'c1', function: { name: 'Glob', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'x' }] },
        { role: '_usage', token_count: 10_863 },
      ],
      'kimi',
      ['system: Be brief.', 'user: hi', 'assistant: ok Glob({})', 'tool c1: x'],
    );
    expect(records(read)[3]).toMatchObject({ message: { reasoning_content: 'hm' } });
    expect(records(read).at(-1)).toMatchObject({ kind: 'usage', value: { token_count: 10_863 } });
  });
});
