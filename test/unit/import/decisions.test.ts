import { describe, expect, test } from 'vitest';
import { readLedger } from '../../../src/analysis/ledger.js';
import type { ReadRecord } from '../../../src/ports/transcript.js';
import { denialIn } from '../../../src/import/decisions.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';

const lines = (...values: readonly object[]) => values.map((value) => JSON.stringify(value)).join('\n');

async function ledgerOf(text: string) {
  const { conversations } = await importTranscript(text, 'talk.jsonl');
  const records = (conversations[0]?.records ?? []) as readonly ReadRecord[];
  const { entries } = await readLedger(new MemoryTranscript('c', records));
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
    ["Claude requested permissions to use Write, but you haven't granted it yet.", ['policy', '']],
    ['PreToolUse:Bash hook error: no network here', ['hook', 'no network here']],
    ['exec command rejected by user', ['user', '']],
    ['The user rejected permission to use this specific tool call.', ['user', '']],
    ['[Operation Cancelled] Reason: User did not allow tool call', ['user', '']],
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
  ...{ type, uuid: uuid(at), parentUuid: at > 0 ? uuid(at - 1) : null, sessionId: 's1', isSidechain: false },
  ...{ timestamp: `2026-03-01T10:00:0${at}.000Z`, cwd: '/work', version: '2.1.0', ...rest },
});
const asks = (at: number, id: string, command: string) =>
  claude(at, 'assistant', {
    message: {
      ...{ id: `m${at}`, role: 'assistant', model: 'claude-x' },
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
      ...[asks(1, 't1', 'rm a'), answers(2, 't1', denied, true), asks(3, 't2', 'ls')],
      ...[claude(4, 'attachment', { attachment }), answers(5, 't2', 'a', false)],
    );
    expect(await ledgerOf(text)).toMatchObject([
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

  test('of Copilot has who was asked, and for how long', async () => {
    const event = (at: number, type: string, data: object) => ({
      ...{ type, id: `e${at}`, timestamp: `2026-03-01T10:00:0${at}.000Z`, parentId: null, data },
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
    expect(await ledgerOf(text)).toMatchObject([
      { isApproved: false, decidedBy: 'user', tool: 'bash', waitedMs: 4_000, outcome: 'notRun' },
    ]);
  });

  test('is the same over an export that is imported again', async () => {
    const denied =
      'The user denied this operation and provided the following feedback:\n<feedback>\nno\n</feedback>';
    const text = lines(
      claude(0, 'user', { message: { role: 'user', content: 'Clean up.' } }),
      ...[asks(1, 't1', 'rm a'), answers(2, 't1', denied, true)],
    );
    const { conversations } = await importTranscript(text, 'talk.jsonl');
    const records = (conversations[0]?.records ?? []) as readonly ReadRecord[];
    const again = JSON.stringify(records.map((record, index) => ({ ...record, index, token_count: 1 })));
    const own = await ledgerOf(text);
    expect(own).toHaveLength(1);
    expect(await ledgerOf(again)).toEqual(own);
  });
});
