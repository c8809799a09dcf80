import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  calls,
  CLAUDE,
  homeOf,
  MINUTE,
  REGISTRY,
  registered,
  result,
  SECOND,
  T0,
  user,
  words,
} from '../../support/livingSession.js';
import { BEGUN, OPEN_CODE_SCHEMA, OpenCodeWriter, writtenDatabase } from '../../support/sessionDatabases.js';

describe('the life of a session of', () => {
  test('Claude Code: its file', async () => {
    const { say, brief, after, state } = await homeOf('claude-code', CLAUDE);
    await say(user('Bake a cake'));
    expect(await brief()).toBe('working record');
    after(SECOND);
    await say(calls('t1', 'Bash', { command: 'bake' }));
    after(SECOND);
    expect(await state()).toMatchObject({ state: 'working', tool: 'Bash', command: 'bake', since: T0 });
    await say(result('t1'));
    expect(await state()).not.toHaveProperty('tool');
    after(SECOND);
    await say(words('Baked.'));
    expect(await state()).toMatchObject({ state: 'finished', source: 'record', since: T0 + 3 * SECOND });
    await say({ type: 'system', subtype: 'turn_duration', durationMs: 3000 });
    expect(await brief()).toBe('finished record');
    await say(user('And another'), calls('t2', 'AskUserQuestion', { questions: [{ question: 'Which?' }] }));
    expect(await state()).toMatchObject({ state: 'waiting', reason: 'question', words: 'Which?' });
    await say(result('t2'));
    expect(await brief()).toBe('working record');
    await say(user('[Request interrupted by user]'));
    expect(await brief()).toBe('broken interrupted record');
    await say(
      user('<command-name>/model</command-name>'),
      user('<local-command-stdout>Set</local-command-stdout>'),
    );
    expect(await brief()).toBe('broken interrupted record');
    await say(user('Go on'), {
      type: 'system',
      subtype: 'api_error',
      retryInMs: 30_000,
      retryAttempt: 3,
      timestamp: new Date(T0 + MINUTE).toISOString(),
    });
    expect(await state()).toMatchObject({
      state: 'limited',
      reason: 'retrying',
      until: T0 + 90 * SECOND,
      marks: [{ kind: 'stalled', source: 'record' }],
    });
    await say(
      words("You've hit your session limit · resets 4pm (UTC)", 'stop_sequence', { isApiErrorMessage: true }),
    );
    expect(await brief()).toBe('limited record');
    await say(user('Now?'), words('API Error: 500', 'stop_sequence', { isApiErrorMessage: true }));
    expect(await brief()).toBe('broken failed record');
  });

  test('Claude Code: its list of open sessions', async () => {
    const { say, put, brief, after, now, state, remove } = await homeOf('claude-code', CLAUDE);
    await say(user('Bake a cake'));
    await put(REGISTRY, registered('busy', now()));
    expect(await state()).toMatchObject({ state: 'working', source: 'registry', pid: process.pid });
    after(SECOND);
    // The line of the call that waits is not written.
    await put(REGISTRY, registered('waiting', now(), { waitingFor: 'permission' }));
    expect(await brief()).toBe('waiting approval registry');
    after(SECOND);
    await put(REGISTRY, registered('busy', now()));
    expect(await brief()).toBe('working registry');
    // Escape, before anything is written.
    after(SECOND);
    await put(REGISTRY, registered('idle', now()));
    expect(await brief()).toBe('broken interrupted registry');
    await say(user('Again'), words('Baked.'));
    await put(REGISTRY, registered('idle', now()));
    expect(await state()).toMatchObject({ state: 'finished', isLive: true });
    await put(REGISTRY, registered('shell', now()));
    expect(await brief()).toBe('idle shell registry');
    // Of sessions of its kit it does not say what they do: then the file does.
    await put(REGISTRY, registered(undefined, now()));
    expect(await brief()).toBe('finished record');
    // A question that the list calls idle is one all the same.
    await say(user('Which?'), calls('t2', 'AskUserQuestion'));
    await put(REGISTRY, registered('idle', now()));
    expect(await brief()).toBe('waiting question record');
    await remove(REGISTRY);
    expect(await brief()).toBe('waiting question record');
  });

  test('Codex', async () => {
    const id = '22222222-2222-2222-2222-222222222222';
    const path = `.codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-${id}.jsonl`;
    const { say, brief, after, state } = await homeOf('codex', path);
    const event = (payload: object) => ({ type: 'event_msg', payload });
    const item = (payload: object) => ({ type: 'response_item', payload });
    await say(
      { type: 'session_meta', payload: { id, cwd: '/w' } },
      event({ type: 'task_started', turn_id: '1' }),
    );
    expect(await brief()).toBe('working record');
    after(SECOND);
    await say(
      item({ type: 'function_call', call_id: 'c1', name: 'exec', arguments: '{"cmd":"rm"}' }),
      event({
        type: 'token_count',
        info: { last_token_usage: { total_tokens: 90 }, model_context_window: 100 },
        rate_limits: {
          limit_id: 'codex',
          primary: { used_percent: 68, window_minutes: 10080, resets_at: 1_790_000_000 },
          secondary: null,
        },
      }),
    );
    // It never writes that it waits for an approval: nothing is claimed.
    after(4 * MINUTE);
    expect(await state()).toMatchObject({
      state: 'working',
      tool: 'exec',
      quiet: 4 * MINUTE,
      marks: [{ kind: 'context', source: 'record' }],
    });
    await say(item({ type: 'function_call_output', call_id: 'c1', output: '' }));
    await say(
      item({ type: 'custom_tool_call', call_id: 'c2', name: 'exec', input: 'request_user_input({})' }),
    );
    expect(await brief()).toBe('waiting question record');
    await say(item({ type: 'custom_tool_call_output', call_id: 'c2', output: 'yes' }));
    await say(item({ type: 'message', role: 'assistant', content: [] }), event({ type: 'task_complete' }));
    expect(await brief()).toBe('finished record');
    await say(event({ type: 'task_started' }), event({ type: 'turn_aborted', reason: 'interrupted' }));
    expect(await brief()).toBe('broken interrupted record');
  });

  test('Copilot CLI', async () => {
    const { say, brief, state } = await homeOf('copilot-cli', '.copilot/session-state/333/events.jsonl');
    const event = (type: string, data: object = {}) => ({ type, data });
    await say(event('session.start', { sessionId: '333' }), event('user.message', { content: 'Bake' }));
    expect(await brief()).toBe('working record');
    const call = { toolCallId: 'a', name: 'bash', arguments: { command: 'bake' } };
    await say(
      event('assistant.turn_start', { turnId: '0' }),
      event('assistant.message', { content: '', toolRequests: [call] }),
      event('tool.execution_start', { toolCallId: 'a' }),
      event('permission.requested', {
        requestId: 'p1',
        permissionRequest: { kind: 'shell', toolCallId: 'a', fullCommandText: 'bake' },
      }),
    );
    expect(await state()).toMatchObject({
      state: 'waiting',
      reason: 'approval',
      words: 'bake',
      source: 'record',
    });
    await say(event('permission.completed', { requestId: 'p1' }));
    expect(await brief()).toBe('working record');
    await say(
      event('tool.execution_complete', { toolCallId: 'a' }),
      event('assistant.turn_end', { turnId: '0' }),
    );
    expect(await brief()).toBe('working record');
    await say(event('assistant.message', { content: 'Baked.', toolRequests: [] }));
    expect(await brief()).toBe('working record');
    await say(event('assistant.turn_end', { turnId: '1' }));
    expect(await brief()).toBe('finished record');
    await say(event('user.message', { content: 'More' }), event('permission.requested', { requestId: 'p2' }));
    // The process ended; whoever was asked is asked no more.
    await say(event('session.shutdown'));
    expect(await brief()).toBe('broken ended record');
  });

  test('VS Code', async () => {
    const path = '.config/Code/User/workspaceStorage/abc/chatSessions/4.json';
    const { put, brief } = await homeOf('vscode-chat', path);
    const chat = (value: number) => ({
      sessionId: '4',
      requests: [
        { requestId: 'r', timestamp: T0, message: { text: 'Bake' }, response: [], modelState: { value } },
      ],
    });
    const told: string[] = [];
    for (const value of [0, 1, 2, 3, 4]) {
      await put(path, { ...chat(value), pad: 'x'.repeat(value) });
      told.push(await brief());
    }
    expect(told).toEqual([
      'working record',
      'finished record',
      'broken interrupted record',
      'broken failed record',
      'waiting approval record',
    ]);
  });

  test('Gemini CLI, which tells neither its approvals nor its end', async () => {
    const path = '.gemini/tmp/field/chats/session-5.json';
    const { put, brief, after } = await homeOf('gemini-cli', path);
    const said = [{ id: 'a', type: 'user', content: 'Sow' }];
    await put(path, { sessionId: '5', messages: said });
    expect(await brief()).toBe('working record');
    const all = [...said, { id: 'b', type: 'gemini', content: 'Sown.', model: 'gemini-3-pro' }];
    await put(path, { sessionId: '5', messages: all });
    expect(await brief()).toBe('working record');
    after(31 * SECOND);
    expect(await brief()).toBe('finished silence');
  });

  test('Pi, which asks for no approvals', async () => {
    const { say, brief } = await homeOf('pi', '.pi/agent/sessions/--w--/1.jsonl');
    const message = (value: object) => ({ type: 'message', message: value });
    await say({ type: 'session', id: '7', cwd: '/w' }, message({ role: 'user', content: 'Draw' }));
    expect(await brief()).toBe('working record');
    await say(
      message({
        role: 'assistant',
        stopReason: 'toolUse',
        content: [{ type: 'toolCall', id: 'c', name: 'bash' }],
      }),
    );
    expect(await brief()).toBe('working record');
    await say(message({ role: 'toolResult', toolCallId: 'c', content: [] }));
    await say(
      message({ role: 'assistant', stopReason: 'stop', content: [{ type: 'text', text: 'Drawn.' }] }),
    );
    expect(await brief()).toBe('finished record');
    await say(
      message({ role: 'user', content: 'More' }),
      message({ role: 'assistant', stopReason: 'aborted', content: [] }),
    );
    expect(await brief()).toBe('broken interrupted record');
  });

  test('Cursor, whose file says nothing of its end', async () => {
    const { say, brief, after } = await homeOf('cursor', '.cursor/projects/w/agent-transcripts/1/1.jsonl');
    await say({ role: 'user', message: { content: [{ type: 'text', text: 'Bake' }] } });
    expect(await brief()).toBe('working record');
    await say({ role: 'assistant', message: { content: [{ type: 'text', text: 'Baked.' }] } });
    expect(await brief()).toBe('working record');
    after(MINUTE);
    expect(await brief()).toBe('finished silence');
  });

  test('Cline', async () => {
    const path = '.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/ui_messages.json';
    const { put, brief } = await homeOf('cline', path);
    const said: object[] = [{ ts: T0, type: 'say', say: 'task', text: 'Bake' }];
    const more = async (...values: readonly object[]) => {
      said.push(...values);
      await put(path, said);
      return brief();
    };
    expect(await more()).toBe('working record');
    expect(await more({ ts: T0 + 1, type: 'ask', ask: 'command', text: 'bake' })).toBe(
      'waiting approval record',
    );
    expect(await more({ ts: T0 + 2, type: 'say', say: 'text', text: 'Baking.' })).toBe('working record');
    expect(await more({ ts: T0 + 3, type: 'ask', ask: 'followup', text: 'Which?' })).toBe(
      'waiting question record',
    );
    expect(await more({ ts: T0 + 4, type: 'say', say: 'user_feedback', text: 'That.' })).toBe(
      'working record',
    );
    expect(await more({ ts: T0 + 5, type: 'ask', ask: 'completion_result', text: '' })).toBe(
      'finished record',
    );
  });

  test('OpenCode', async () => {
    const path = '.local/share/opencode/opencode.db';
    const { home, brief, after } = await homeOf('opencode', `${path}/ses_1`);
    await mkdir(dirname(join(home, path)), { recursive: true });
    const writer = new OpenCodeWriter(writtenDatabase(join(home, path), OPEN_CODE_SCHEMA));
    after(BEGUN - T0);
    writer.session('ses_1', 'Clean the barn').message('ses_1', { role: 'user', agent: 'build' });
    expect(await brief()).toBe('working record');
    writer.message('ses_1', { role: 'assistant', mode: 'build', modelID: 'big', providerID: 'p' });
    expect(await brief()).toBe('working record');
    // A process that was killed leaves exactly this.
    after(11 * MINUTE);
    expect(await brief()).toBe('broken silent silence');
    after(-11 * MINUTE);
    writer.exchange('ses_1', 'Clean it', 'It is clean.');
    expect(await brief()).toBe('finished record');
  });
});
