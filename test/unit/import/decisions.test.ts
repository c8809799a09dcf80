import { describe, expect, test } from 'vitest';
import { readApprovalLog } from '../../../src/query/numbers/approvalLog.js';
import type { ReadRecord } from '../../../src/core/ports/transcript.js';
import { denialIn } from '../../../src/import/building/decisions.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';

const lines = (...values: readonly object[]) => values.map((value) => JSON.stringify(value)).join('\n');

async function approvalLogOf(text: string) {
  const { conversations } = await importTranscript(text, 'talk.jsonl');
  const records = (conversations[0]?.records ?? []) as readonly ReadRecord[];
  const { entries } = await readApprovalLog(new MemoryTranscript('c', records));
  return entries.map(({ isApproved, decidedBy, tool, subject, reason, rule, waitedMs, outcome }) => {
    return { isApproved, decidedBy, tool, subject, reason, rule, waitedMs, outcome };
  });
}

describe('a result that stands in place of one tells who denied the call', () => {
  test.each([
    [
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.",
      ['user', ''],
    ],
    [
      "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nuse the fixture",
      ['user', 'use the fixture'],
    ],
    ['Permission to use Bash with command rm a has been denied.', ['policy', '']],
    [
      "touch in '/etc/a' was blocked. For security, Claude Code may only create or modify files in the allowed folders.",
      ['policy', 'For security, Claude Code may only create or modify files in the allowed folders.'],
    ],
    ["Claude requested permissions to use Write, but you haven't granted it yet.", ['policy', '']],
    [
      "Error: Permission for this action was denied by the Claude Code auto mode classifier. Reason: [Destructive] it deletes v1.2 files. If you have other tasks that don't depend on this action, go on.",
      ['policy', '[Destructive] it deletes v1.2 files.'],
    ],
    ['PreToolUse:Bash hook error: no network here', ['hook', 'no network here']],
    ['exec command rejected by user', ['user', '']],
    ['The user rejected permission to use this specific tool call.', ['user', '']],
    ['[Operation Cancelled] Reason: User did not allow tool call', ['user', '']],
    ['[Operation Cancelled] Reason: User denied execution.', ['user', '']],
    ['The user rejected this tool call. User feedback: not now', ['user', 'not now']],
    ['rejected-by-user: nope', ['user', 'nope']],
    [
      'The user denied this operation and provided the following feedback:\n<feedback>\nnot that file\n</feedback>',
      ['user', 'not that file'],
    ],
  ])('%s', (text, [decidedBy, reason]) => {
    expect(denialIn(text)).toEqual({ decidedBy, reason });
  });

  test.each([
    ['a file that only quotes one: exec command rejected by user'],
    ['exec command rejected by user\nand more output'],
    [`The user denied this operation.${'x'.repeat(30_000)}`],
    [''],
  ])('and nothing else does', (text) => {
    expect(denialIn(text)).toBeUndefined();
  });

  test('and it takes no time to see that a long text is none', () => {
    const text = `Permission to use ${'a has been denie'.repeat(1_200)}`;
    expect(denialIn(text)).toBeUndefined();
  });
});

const uuid = (at: number) => `00000000-0000-4000-8000-00000000000${at}`;
const claude = (at: number, type: string, rest: object) => ({
  type,
  uuid: uuid(at),
  parentUuid: at > 0 ? uuid(at - 1) : null,
  sessionId: 's1',
  isSidechain: false,
  timestamp: `2026-03-01T10:00:0${at}.000Z`,
  cwd: '/work',
  version: '2.1.0',
  ...rest,
});
const asks = (at: number, id: string, command: string) =>
  claude(at, 'assistant', {
    message: {
      id: `m${at}`,
      role: 'assistant',
      model: 'claude-x',
      content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }],
    },
  });
const answers = (at: number, id: string, content: string, isError: boolean) =>
  claude(at, 'user', {
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }],
    },
  });

describe('the ledger of an imported session', () => {
  test('of Claude Code has what a person and what a hook decided', async () => {
    const denied = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    const attachment = {
      type: 'hook_permission_decision',
      decision: 'allow',
      toolUseID: 't2',
      hookEvent: 'PermissionRequest',
    };
    const text = lines(
      claude(0, 'user', { message: { role: 'user', content: 'Clean up.' } }),
      asks(1, 't1', 'rm a'),
      answers(2, 't1', denied, true),
      asks(3, 't2', 'ls'),
      claude(4, 'attachment', { attachment }),
      answers(5, 't2', 'a', false),
    );
    expect(await approvalLogOf(text)).toMatchObject([
      {
        isApproved: false,
        decidedBy: 'user',
        tool: 'Bash',
        subject: '{"command":"rm a"}',
        outcome: 'notRun',
      },
      { isApproved: true, decidedBy: 'hook', tool: 'Bash', rule: 'PermissionRequest', outcome: 'done' },
    ]);
  });

  test('of Claude Code has who denied a call where only a mark says so, and no decision for a tool that failed', async () => {
    const marked = (at: number, id: string, kind: string | undefined, words: string) => ({
      ...answers(at, id, words, true),
      ...(kind !== undefined && { toolDenialKind: kind }),
    });
    const text = lines(
      claude(0, 'user', { message: { role: 'user', content: 'Clean up.' } }),
      asks(1, 't1', 'rm a'),
      marked(2, 't1', 'user-rejected', 'No.'),
      asks(3, 't2', 'rm b'),
      marked(4, 't2', 'automode-blocked', 'Blocked.'),
      asks(5, 't3', 'rm c'),
      marked(6, 't3', 'permission-rule', 'PreToolUse:Bash hook error: never'),
      asks(7, 't4', 'rm d'),
      marked(8, 't4', undefined, 'No such file.'),
    );
    expect(await approvalLogOf(text)).toMatchObject([
      { isApproved: false, decidedBy: 'user', subject: '{"command":"rm a"}', outcome: 'notRun' },
      { isApproved: false, decidedBy: 'policy', rule: 'auto mode', subject: '{"command":"rm b"}' },
      { isApproved: false, decidedBy: 'hook', reason: 'never', subject: '{"command":"rm c"}' },
    ]);
  });

  test('of a program that drives Claude Code has what it was asked and answered, and how long that took', async () => {
    const control = (at: number, type: string, rest: object) => ({
      type,
      session_id: 's1',
      timestamp: `2026-03-01T10:00:0${at}.000Z`,
      ...rest,
    });
    const asked = (at: number, id: string, tool: string) =>
      control(at, 'control_request', {
        request_id: id,
        request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: tool },
      });
    const answered = (at: number, id: string, response: object) =>
      control(at, 'control_response', { response: { subtype: 'success', request_id: id, response } });
    const text = lines(
      claude(0, 'user', { message: { role: 'user', content: 'Clean up.' } }),
      asks(1, 't1', 'ls'),
      asked(1, 'r1', 't1'),
      answered(3, 'r1', { behavior: 'allow' }),
      answers(4, 't1', 'a', false),
      asks(5, 't2', 'rm a'),
      asked(5, 'r2', 't2'),
      answered(6, 'r2', { behavior: 'deny', message: 'keep it' }),
      answers(7, 't2', 'keep it', true),
    );
    expect(await approvalLogOf(text)).toMatchObject([
      { isApproved: true, decidedBy: 'user', tool: 'Bash', waitedMs: 2_000, outcome: 'done' },
      { isApproved: false, decidedBy: 'user', reason: 'keep it', waitedMs: 1_000, outcome: 'notRun' },
    ]);
  });

  test('of what Claude Code gives its hooks has the calls that were denied without a question', async () => {
    const hook = (name: string, rest: object) => ({ session_id: 's4', hook_event_name: name, ...rest });
    const bash = { tool_name: 'Bash', tool_input: { command: 'rm a' }, tool_use_id: 't1' };
    const text = lines(
      hook('UserPromptSubmit', { prompt: 'Clean up.' }),
      hook('PreToolUse', bash),
      hook('PermissionDenied', { ...bash, reason: 'it deletes' }),
      hook('Stop', { last_assistant_message: 'I may not.' }),
    );
    expect(await approvalLogOf(text)).toMatchObject([
      { isApproved: false, decidedBy: 'policy', rule: 'auto mode', reason: 'it deletes', tool: 'Bash' },
    ]);
  });

  test('of Codex has what its reviewer decided, once, and what it was asked about where that is no call', async () => {
    const line = (at: number, type: string, payload: object) => ({
      timestamp: `2026-03-01T10:00:0${at}.000Z`,
      type,
      payload,
    });
    const assessed = (at: number, rest: object) =>
      line(at, 'event_msg', { type: 'guardian_assessment', turn_id: 'u1', ...rest });
    const call = (at: number, id: string, cmd: string) =>
      line(at, 'response_item', {
        type: 'function_call',
        name: 'shell',
        call_id: id,
        arguments: JSON.stringify({ command: cmd }),
      });
    const output = (at: number, id: string, words: string) =>
      line(at, 'response_item', { type: 'function_call_output', call_id: id, output: words });
    const times = { started_at_ms: 1_000, completed_at_ms: 3_500 };
    const denied = 'This action was rejected due to unacceptable risk. It deletes.';
    const text = lines(
      line(0, 'session_meta', { id: 'th1', cwd: '/a', originator: 'codex_exec', cli_version: '1' }),
      line(0, 'response_item', {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'Go.' }],
      }),
      call(1, 'c1', 'ls'),
      assessed(1, { id: 'g1', target_item_id: 'c1', status: 'in_progress' }),
      assessed(2, { id: 'g1', target_item_id: 'c1', status: 'approved', rationale: 'harmless', ...times }),
      output(2, 'c1', 'a'),
      call(3, 'c2', 'rm -rf /'),
      assessed(3, { id: 'g2', target_item_id: 'c2', status: 'denied', decision_source: 'agent', ...times }),
      output(4, 'c2', denied),
      assessed(5, { id: 'g3', status: 'aborted', action: { type: 'command', command: 'sleep' } }),
      assessed(6, {
        id: 'g4',
        status: 'denied',
        action: { type: 'network_access', target: 'example.com:443' },
      }),
    );
    expect(await approvalLogOf(text)).toMatchObject([
      {
        isApproved: true,
        decidedBy: 'policy',
        rule: 'guardian',
        reason: 'harmless',
        tool: 'shell',
        waitedMs: 2_500,
        outcome: 'done',
      },
      { isApproved: false, decidedBy: 'policy', rule: 'agent', tool: 'shell', outcome: 'notRun' },
      { isApproved: false, tool: 'network_access', subject: 'example.com:443', outcome: 'notRun' },
    ]);
  });

  test('of what Claude Code streams has the calls that its last line says were denied, each once', async () => {
    const stream = (type: string, beside: object) => ({ type, session_id: 's3', ...beside });
    const use = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'rm a' } });
    const given = (tool_use_id: string, content: string) => ({
      type: 'tool_result',
      tool_use_id,
      content,
      is_error: true,
    });
    const refused = 'Permission to use Bash with command rm a has been denied.';
    const text = lines(
      stream('assistant', { message: { role: 'assistant', content: [use('t1'), use('t2')] } }),
      stream('user', {
        message: { role: 'user', content: [given('t1', refused), given('t2', 'not allowed')] },
      }),
      stream('result', {
        subtype: 'success',
        is_error: false,
        result: 'Done.',
        permission_denials: [
          { tool_name: 'Bash', tool_use_id: 't1' },
          { tool_name: 'Bash', tool_use_id: 't2' },
        ],
      }),
    );
    expect(await approvalLogOf(text)).toMatchObject([
      { isApproved: false, decidedBy: 'policy', tool: 'Bash' },
      { isApproved: false, decidedBy: 'policy', tool: 'Bash' },
    ]);
  });

  test("of OpenHands' SDK has what a person refused, of OpenAI's items what they decided, each as one call", async () => {
    const about = { timestamp: '2026-03-01T10:00:00', tool_name: 'terminal', tool_call_id: 'c1' };
    const called = { id: 'c1', name: 'terminal', arguments: '{"command":"rm a"}' };
    const openHands = [
      { kind: 'ActionEvent', id: '1', source: 'agent', ...about, thought: [], action: {}, tool_call: called },
      {
        kind: 'UserRejectObservation',
        id: '2',
        source: 'environment',
        ...about,
        rejection_reason: 'keep it',
      },
    ];
    expect(await approvalLogOf(lines(...openHands))).toMatchObject([
      { isApproved: false, decidedBy: 'user', reason: 'keep it', tool: 'terminal' },
    ]);
    const items = [
      { role: 'user', content: 'Clean up.' },
      { type: 'mcp_approval_request', id: 'a1', name: 'delete', server_label: 's', arguments: '{"x":1}' },
      { type: 'mcp_approval_response', approval_request_id: 'a1', approve: true },
      {
        type: 'mcp_call',
        id: 'm1',
        approval_request_id: 'a1',
        name: 'delete',
        arguments: '{"x":1}',
        output: 'gone',
      },
      { type: 'mcp_approval_request', id: 'a2', name: 'delete', server_label: 's', arguments: '{"x":2}' },
      { type: 'mcp_approval_response', approval_request_id: 'a2', approve: false, reason: 'not this' },
    ];
    const approvalLog = await approvalLogOf(JSON.stringify(items));
    expect(approvalLog).toMatchObject([
      { isApproved: true, decidedBy: 'user', tool: 'delete', subject: '{"x":1}', outcome: 'done' },
      { isApproved: false, decidedBy: 'user', tool: 'delete', reason: 'not this' },
    ]);
    expect(approvalLog).toHaveLength(2);
  });

  test('of Copilot has who was asked, and for how long', async () => {
    const event = (at: number, type: string, data: object) => ({
      type,
      id: `e${at}`,
      timestamp: `2026-03-01T10:00:0${at}.000Z`,
      parentId: null,
      data,
    });
    const text = lines(
      event(0, 'session.start', {
        sessionId: 's2',
        version: 1,
        producer: 'copilot-agent',
        copilotVersion: '1.0',
        startTime: '2026-03-01T10:00:00.000Z',
      }),
      event(1, 'user.message', { content: 'Clean up.' }),
      event(2, 'assistant.message', {
        content: '',
        toolRequests: [{ toolCallId: 'c1', name: 'bash', arguments: { command: 'rm a' } }],
      }),
      event(3, 'permission.requested', {
        requestId: 'p1',
        permissionRequest: { kind: 'shell', toolCallId: 'c1' },
      }),
      event(7, 'permission.completed', { requestId: 'p1', result: { kind: 'denied-interactively-by-user' } }),
    );
    expect(await approvalLogOf(text)).toMatchObject([
      { isApproved: false, decidedBy: 'user', tool: 'bash', waitedMs: 4_000, outcome: 'notRun' },
    ]);
  });

  test('is the same over an export that is imported again', async () => {
    const denied =
      'The user denied this operation and provided the following feedback:\n<feedback>\nno\n</feedback>';
    const text = lines(
      claude(0, 'user', { message: { role: 'user', content: 'Clean up.' } }),
      asks(1, 't1', 'rm a'),
      answers(2, 't1', denied, true),
    );
    const { conversations } = await importTranscript(text, 'talk.jsonl');
    const records = (conversations[0]?.records ?? []) as readonly ReadRecord[];
    const again = JSON.stringify(records.map((record, index) => ({ ...record, index, token_count: 1 })));
    const own = await approvalLogOf(text);
    expect(own).toHaveLength(1);
    expect(await approvalLogOf(again)).toEqual(own);
  });
});
