import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isFailedRecord } from '../../../src/query/numbers/failures.js';
import { importFile } from '../../../src/import/importFile.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, lines, nested, query, records, said } from './reading.js';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

describe('Qwen Code', () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
  const line = (uuid: string, type: string, beside: object) => ({
    uuid,
    parentUuid: null,
    sessionId: 'q1',
    timestamp: at(1),
    cwd: '/work',
    version: '0.21.0',
    type,
    ...beside,
  });
  const user = (...parts: object[]) => line('u', 'user', { message: { role: 'user', parts } });
  const answer = (parts: object[], beside: object = {}) =>
    line('a', 'assistant', { model: 'qwen3', message: { role: 'model', parts }, ...beside });
  const result = (id: string, response: object, beside: object = {}) =>
    line('t', 'tool_result', {
      message: { role: 'user', parts: [{ functionResponse: { id, name: 'ls', response } }] },
      toolCallResult: { callId: id, ...beside },
    });
  const call = (id: string, name: string, args: object) => ({ functionCall: { id, name, args } });

  const telemetry = line('s', 'system', {
    subtype: 'ui_telemetry',
    systemPayload: { uiEvent: { 'event.name': 'qwen-code.api_response', duration_ms: 1234 } },
  });

  test('messages, thoughts, pictures, calls and their results', async () => {
    const read = await expectSaid(
      [
        telemetry,
        user({ text: 'look' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
        answer([{ text: 'hm', thought: true }, { text: 'ok', thought: false }, call('c1', 'ls', { a: 1 })]),
        result('c1', { output: 'x.txt' }, { status: 'success', resultDisplay: 'shown to the person' }),
        answer([call('c2', 'ls', {}), call('c3', 'ls', {})]),
        result('c2', { error: 'gone' }),
        result('c3', { output: 'stopped' }, { status: 'cancelled' }),
      ],
      'qwen-code',
      [
        'user: [{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]',
        'assistant: ok ls({"a":1})',
        'tool c1: x.txt',
        'assistant: null ls({}) ls({})',
        'tool c2: gone',
        'tool c3: stopped',
      ],
    );
    expect(query(read).toolSummary()[0]).toMatchObject({
      toolName: 'ls',
      calls: [{ isError: false }, { isError: true }, { isError: false }],
    });
    expect(records(read)[2]).toMatchObject({ model: 'qwen3', message: { reasoning_content: 'hm' } });
    expect(records(read)[3]).toMatchObject({
      source: { toolCallResult: { resultDisplay: 'shown to the person' } },
    });
    expect(records(read)[0]).toMatchObject({ kind: 'ui_telemetry', value: telemetry });
  });

  test.each([
    ['of which the output contains the thoughts', 1050, 50],
    ['of which the thoughts are apart', 1070, 70],
  ])('tokens, %s', async (_, totalTokenCount, outputTokens) => {
    const usageMetadata = {
      promptTokenCount: 1000,
      candidatesTokenCount: 50,
      thoughtsTokenCount: 20,
      cachedContentTokenCount: 800,
      totalTokenCount,
    };
    const read = await importTranscript(lines(answer([{ text: 'ok' }], { usageMetadata })), 'q.jsonl');
    expect(query(read).stats().usage).toEqual({
      inputTokens: 1000,
      outputTokens,
      cachedInputTokens: 800,
      reasoningTokens: 20,
      estimated: false,
    });
  });

  test('the last title, and lines of kinds that are not known', async () => {
    const title = (customTitle: string) =>
      line('s', 'system', { subtype: 'custom_title', systemPayload: { customTitle } });
    const read = await importTranscript(
      lines(title('One'), user({ text: 'hi' }), title('Two'), line('n', 'new_kind', {})),
      'q.jsonl',
    );
    expect(read.conversations[0]).toMatchObject({ id: 'q1', title: 'Two' });
    expect(read.problems).toEqual([
      { severity: 'warning', message: 'Kept without being understood: lines of type new_kind (once).' },
    ]);
  });

  test('requests that failed and turns that ended so are failures; what a person stopped is none', async () => {
    const event = (beside: object) =>
      line('s', 'system', {
        subtype: 'ui_telemetry',
        systemPayload: { uiEvent: { 'event.name': 'qwen-code.api_error', model: 'qwen3', ...beside } },
      });
    const ended = { status: 'error', error: { message: 'Stream ended early', code: 'STREAM' } };
    const read = await expectSaid(
      [
        user({ text: 'hi' }),
        event({ error_message: '429 slow down', error_type: 'RateLimitError', status_code: 429 }),
        event({ error_message: 'aborted', error_type: 'APIUserAbortError' }),
        line('s', 'system', { subtype: 'turn_result', systemPayload: ended }),
        line('s', 'system', { subtype: 'turn_result', systemPayload: { status: 'completed' } }),
      ],
      'qwen-code',
      ['user: hi'],
    );
    expect(records(read).filter((record) => isFailedRecord(record as never))).toMatchObject([
      { type: 'request', model: 'qwen3', error: { message: '429 slow down', status: 429 } },
      { type: 'error', error: { message: 'Stream ended early', code: 'STREAM' } },
    ]);
  });

  test('lines about a session alone are Qwen Code’s', async () => {
    const read = await importTranscript(lines(telemetry, telemetry), 'q.jsonl');
    expect(read.format).toBe('qwen-code');
  });

  describe('subagents', () => {
    const start = answer([call('c1', 'task', { prompt: 'count', subagent_type: 'Explore' })]);
    const side = { isSidechain: true, agentId: 'e-1', agentName: 'explore' };
    const child = [
      { ...user({ text: 'count' }), ...side },
      { ...answer([{ text: 'three' }]), ...side },
    ];

    test('among the lines of the session', async () => {
      const read = await importTranscript(lines(user({ text: 'go' }), start, ...child), 'q.jsonl');
      expect(nested(query(read).timeline())).toEqual([['Qwen', ['Explore']]]);
    });

    test('in the folder subagents beside that of the sessions', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'qwen-'));
      folders.push(folder);
      const write = async (name: string, content: string) => {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), content);
      };
      await write('chats/q1.jsonl', lines(user({ text: 'go' }), start, result('c1', { output: 'done' })));
      await write('subagents/q1/agent-e-1.jsonl', lines(...child));
      await write(
        'subagents/q1/agent-e-1.meta.json',
        JSON.stringify({ agentId: 'e-1', agentType: 'Explore', toolUseId: 'c1' }),
      );
      const read = await importFile(join(folder, 'chats/q1.jsonl'));
      expect(read.readWith).toHaveLength(2);
      expect(said(read)).toEqual([
        'user: go',
        'assistant: null task({"prompt":"count","subagent_type":"Explore"})',
        'user: count',
        'assistant: three',
        'tool c1: done',
      ]);
      expect(records(read).find(({ type }) => type === 'dispatch')).toMatchObject({
        target: 'Explore',
        task: 'count',
        toolCallId: 'c1',
      });
    });

    test('on their own', async () => {
      const read = await importTranscript(lines(...child), 'agent-e-1.jsonl');
      expect(read.conversations[0]).toMatchObject({ id: 'agent-e-1' });
      expect(records(read)[1]).toMatchObject({ agent: 'explore', depth: 0 });
    });
  });
});
