import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import type { ReadRecord } from '../../../src/core/ports/transcript.js';
import { EditReader, type RecordedEdit } from '../../../src/provenance/recordedEdits.js';

const TIME = '2026-03-01T10:00:00.000Z';
const BASE = { sessionId: 's1', cwd: '/home/a/project', version: '2.1.0', timestamp: TIME };

/** A session of Claude Code in which one tool is called; `result`: what it tells of that besides. */
function claudeSession(name: string, input: object, result: object, isError = false): string {
  return [
    { ...BASE, type: 'user', uuid: 'u1', message: { role: 'user', content: 'Add a version field' } },
    {
      ...BASE,
      type: 'assistant',
      uuid: 'u2',
      parentUuid: 'u1',
      message: { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name, input }] },
    },
    {
      ...BASE,
      type: 'user',
      uuid: 'u3',
      parentUuid: 'u2',
      toolUseResult: result,
      message: {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'ok', ...(isError && { is_error: true }) },
        ],
      },
    },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n');
}

async function editsIn(text: string, name = 'session.jsonl'): Promise<readonly RecordedEdit[]> {
  const { conversations } = await importTranscript(new TextEncoder().encode(text), name);
  const reader = new EditReader();
  const records = conversations.flatMap(({ records }) => records as readonly ReadRecord[]);
  return [...records.flatMap((record) => reader.add(record)), ...reader.finish()];
}

const EDIT = { file_path: '/home/a/project/a.ts', old_string: 'one', new_string: 'two' };
const PATCH = [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: ['-one', '+three', ' end'] }];

test('an edit of Claude Code is what the person took of it, with prompt, folder and the file before', async () => {
  const result = {
    filePath: EDIT.file_path,
    originalFile: 'one\nend\n',
    structuredPatch: PATCH,
    userModified: true,
  };
  expect(await editsIn(claudeSession('Edit', EDIT, result))).toMatchObject([
    {
      path: '/home/a/project/a.ts',
      folder: '/home/a/project',
      time: Date.parse(TIME),
      tool: 'Edit',
      callId: 't1',
      prompt: 0,
      position: 1,
      isDone: true,
      change: {
        kind: 'replace',
        before: 'one\nend\n',
        places: [{ old: 'one\nend\n', now: 'three\nend\n', line: 1 }],
      },
    },
  ]);
});

test('a patch that does not fit the file that is told gives way to the texts that were asked for', async () => {
  const result = { filePath: EDIT.file_path, originalFile: '\tone\n', oldString: 'one', newString: 'two' };
  const told = { ...result, structuredPatch: [{ ...PATCH[0], lines: ['-    one', '+    two'] }] };
  expect((await editsIn(claudeSession('Edit', EDIT, told)))[0]?.change).toEqual({
    kind: 'replace',
    before: '\tone\n',
    places: [{ old: 'one', now: 'two' }],
  });
  expect(await editsIn(claudeSession('Edit', EDIT, { ...told, userModified: true }))).toEqual([]);
});

test('a call that failed is no edit, and one without a result is not done', async () => {
  expect(await editsIn(claudeSession('Edit', EDIT, {}, true))).toEqual([]);
  const open = claudeSession('Edit', EDIT, {}).split('\n').slice(0, 2).join('\n');
  const [edit] = await editsIn(open);
  expect(edit).toMatchObject({ change: { kind: 'replace', places: [{ old: 'one', now: 'two' }] } });
  expect(edit?.isDone).toBeUndefined();
});

test('a file that is written whole, and one that is read whole', async () => {
  const path = '/home/a/project/b.ts';
  const written = { type: 'create', filePath: path, content: 'a\n', structuredPatch: [], originalFile: null };
  expect(
    (await editsIn(claudeSession('Write', { file_path: path, content: 'a\n' }, written)))[0]?.change,
  ).toEqual({
    kind: 'write',
    before: '',
    after: 'a\n',
  });
  const file = { filePath: path, content: 'a\n', numLines: 1, startLine: 1, totalLines: 1 };
  expect(
    (await editsIn(claudeSession('Read', { file_path: path }, { type: 'text', file })))[0]?.change,
  ).toEqual({
    kind: 'seen',
    after: 'a\n',
  });
  expect(
    await editsIn(claudeSession('Read', { file_path: path }, { file: { ...file, totalLines: 9 } })),
  ).toEqual([]);
});

test('Codex tells what a patch did; one that failed did nothing, whatever changes it tells', async () => {
  const line = (type: string, payload: object) => JSON.stringify({ timestamp: TIME, type, payload });
  const changes = {
    '/p/a.ts': { type: 'update', unified_diff: '@@ -1,2 +1,2 @@\n-one\n+two\n end\n' },
    '/p/new.ts': { type: 'add', content: 'first\n' },
  };
  const ended = (id: string, success: boolean) =>
    line('event_msg', { type: 'patch_apply_end', call_id: id, success, stdout: '', changes });
  const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-one\n+TWO\n*** End Patch';
  const text = [
    line('session_meta', { id: 'c1', cwd: '/p', originator: 'codex_cli', timestamp: TIME }),
    line('response_item', { type: 'custom_tool_call', call_id: 'k1', name: 'apply_patch', input: patch }),
    ended('k1', true),
    line('response_item', { type: 'custom_tool_call_output', call_id: 'k1', output: 'Success.' }),
    ended('k2', false),
  ].join('\n');
  expect(await editsIn(text, 'rollout-c1.jsonl')).toMatchObject([
    {
      path: '/p/a.ts',
      callId: 'k1',
      change: { places: [{ old: 'one\nend\n', now: 'two\nend\n', line: 1 }] },
    },
    { path: '/p/new.ts', callId: 'k1', change: { kind: 'write', before: '', after: 'first\n' } },
  ]);
});
