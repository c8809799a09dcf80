import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changesIn } from '../../../../src/query/numbers/deedEdits.js';
import {
  deedLine,
  deedOf,
  MAX_HEADLINE,
  outcomeOf,
  restOfArguments,
  type Deed,
} from '../../../../src/query/numbers/deed.js';
import { importTranscript } from '../../../../src/import/importTranscript.js';
import { callsOf } from '../../../../src/query/numbers/toolCalls.js';
import { messageIn } from '../../../../src/query/numbers/transcriptItem.js';
import { shownTextOf, shownTextOfCall } from '../../../../src/query/restOfText.js';
import { visibleText } from '../../../../src/core/visibleText.js';
import { runs } from '../../../support/fixedInputs.js';
import { records } from '../../import/reading.js';

/** Calls as the tools named make them: the kind and the line that a person reads. */
const CALLS: readonly [of: string, tool: string, input: unknown, line: string][] = [
  ['Claude Code', 'Bash', { command: 'npm test', description: 'Run the tests' }, 'command Bash npm test'],
  ['Codex', 'shell', { command: ['bash', '-lc', 'ls -la'] }, 'command shell ls -la'],
  ['Codex', 'exec_command', { cmd: 'pwd', workdir: '/w' }, 'command exec_command pwd'],
  ['Windsurf', 'run_command', { CommandLine: 'make', Cwd: '/w' }, 'command run_command make'],
  ['OpenHands', 'execute_bash', { command: 'cd a &&\n ls' }, 'command execute_bash cd a && ls'],
  [
    'Claude Code',
    'Edit',
    { file_path: 'a.ts', old_string: 'a\nb', new_string: 'a\nc\nd' },
    'edit Edit a.ts +2 −1',
  ],
  ['Claude Code', 'Write', { file_path: 'a.ts', content: 'a\nb' }, 'edit Write a.ts +2'],
  ['Claude Code', 'Write', { file_path: 'a.ts', content: 'a\n\nb\n' }, 'edit Write a.ts +3'],
  [
    'Claude Code',
    'MultiEdit',
    {
      file_path: 'a.ts',
      edits: [
        { old_string: 'a', new_string: 'b' },
        { old_string: 'c', new_string: '' },
      ],
    },
    'edit MultiEdit a.ts +1 −2',
  ],
  [
    'VS Code',
    'multi_replace_string_in_file',
    {
      replacements: [
        { filePath: 'a.ts', oldString: 'x', newString: 'y' },
        { filePath: 'b.ts', oldString: 'x', newString: 'y' },
      ],
    },
    'edit multi_replace_string_in_file a.ts, b.ts +2 −2',
  ],
  [
    'Codex',
    'apply_patch',
    '*** Begin Patch\n*** Update File: src/a.ts\n@@\n x\n-old\n+new\n+more\n*** End Patch',
    'edit apply_patch src/a.ts +2 −1',
  ],
  [
    'Codex',
    'shell',
    { command: ['apply_patch', '*** Begin Patch\n*** Add File: n.md\n+hello\n*** End Patch'] },
    'edit shell n.md +1 −0',
  ],
  [
    'Cline',
    'replace_in_file',
    { path: 'a.ts', diff: '------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE\n' },
    'edit replace_in_file a.ts +1 −1',
  ],
  [
    'a tool nobody knows',
    'change_it',
    { diff: 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n' },
    'edit change_it x +1 −1',
  ],
  [
    'SWE-agent',
    'str_replace_editor',
    { command: 'view', path: '/a', view_range: [1, 9] },
    'read str_replace_editor /a:1–9',
  ],
  [
    'SWE-agent',
    'str_replace_editor',
    { command: 'create', path: '/a', file_text: 'x' },
    'edit str_replace_editor /a +1',
  ],
  ['Claude Code', 'Read', { file_path: 'a.ts', offset: 10, limit: 5 }, 'read Read a.ts:10–14'],
  ['Antigravity', 'view_file', { AbsolutePath: '/a/b.ts' }, 'read view_file /a/b.ts'],
  ['Claude Code', 'Grep', { pattern: 'foo', path: 'src', output_mode: 'content' }, 'search Grep foo in src'],
  ['Gemini CLI', 'glob', { pattern: '**/*.ts' }, 'search glob **/*.ts'],
  [
    'Claude Code',
    'TodoWrite',
    {
      todos: [
        { content: 'one', status: 'completed' },
        { content: 'two', status: 'in_progress' },
        { content: 'three', status: 'pending' },
      ],
    },
    'plan TodoWrite 1 of 3 done, now: two',
  ],
  ['Codex', 'update_plan', { plan: [{ step: 'one', status: 'completed' }] }, 'plan update_plan 1 of 1 done'],
  [
    'Roo',
    'update_todo_list',
    { todos: '[x] one\n- [x] two\n- [ ] three' },
    'plan update_todo_list 1 of 2 done',
  ],
  [
    'Claude Code',
    'Task',
    { subagent_type: 'tester', description: 'Run it', prompt: 'long' },
    'dispatch Task tester: Run it',
  ],
  [
    'Agent Logbook',
    'subagent_dispatch',
    { agent: 'Crumb', task: 'Read.' },
    'dispatch subagent_dispatch Crumb: Read.',
  ],
  ['Claude Code', 'WebSearch', { query: 'rust docs' }, 'web WebSearch rust docs'],
  [
    'Claude Code',
    'WebFetch',
    { url: 'https://u:p@a.org/x?token=secret', prompt: 'p' },
    'web WebFetch a.org/x',
  ],
  [
    'Claude Code',
    'mcp__github__get_issue',
    { owner: 'o', repository: 'a-long-name', number: 7 },
    'mcp github › get_issue owner: o, number: 7',
  ],
  ['Cline', 'use_mcp_tool', { server_name: 's', tool_name: 't', arguments: '{"a":1}' }, 'mcp s › t a: 1'],
  [
    'a tool nobody knows',
    'get_order',
    { order_id: '#1', item: { a: [1, 'x'] } },
    'other get_order order_id: #1, item: a: (1, x)',
  ],
  ['no arguments', 'submit', '{}', 'other submit'],
];

test.each(CALLS)('of %s, %s is told as what it does', (_, tool, input, line) => {
  for (const given of typeof input === 'string' ? [input] : [input, JSON.stringify(input)]) {
    const deed = deedOf(tool, given);
    expect(`${deed.kind} ${deedLine(deed)}`).toBe(line);
  }
});

test('arguments whose end is missing or that are very long are told by their beginning, never as JSON', () => {
  const cut = `{"file_path":"a/b.ts","content":"${'x'.repeat(30)}`;
  expect(deedLine(deedOf('Write', cut))).toBe('Write a/b.ts');
  expect(deedOf('Bash', '{"command":"echo \\"hi\\" and mo').headline).toBe('echo "hi" and mo');
  const long = JSON.stringify({ query: 'cats', rest: 'y'.repeat(1_100_000) });
  expect(deedOf('lookup', long).headline).toMatch(/^query: cats, rest: y+/);
});

test('a change is told whole or not at all', () => {
  const list = {
    args: { edits: [{ old_string: 'a', new_string: 'b' }, 7] },
    raw: '',
    path: 'a',
    isWriter: true,
    line: '',
  };
  expect(changesIn(list)).toBeUndefined();
  const { edits } = deedOf('apply_patch', {
    input: '*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n@@ x\n+three\n*** End Patch',
  });
  expect(edits).toEqual([{ path: 'a', before: 'one\ntwo\n⋯', after: 'one\n⋯\nthree' }]);
});

test('what stands behind the end of a patch is none of it', () => {
  const patch = '*** Begin Patch\n*** Update File: a\n-two\n+three\n*** End Patch\nEOF\n-rm a\n';
  expect(deedOf('apply_patch', { input: patch }).edits).toEqual([
    { path: 'a', before: 'two', after: 'three' },
  ]);
});

test('a file that a diff takes away has its name', () => {
  const diff = '--- a/old.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n';
  expect(deedOf('apply_patch', { patch: diff }).edits).toEqual([
    { path: 'old.md', before: 'gone', after: '', file: 'deleted' },
  ]);
});

test('what a deed does not tell to its end is among the rest', () => {
  const about = `Because ${'it is long '.repeat(30)}`;
  const input = {
    plan: [
      { step: 'Bake', status: 'completed', note: 'with plums', owner: 'Ann' },
      { step: 'Eat', status: 'pending' },
    ],
    explanation: about,
  };
  const deed = deedOf('update_plan', input);
  expect(deed.plan).toHaveLength(2);
  expect(restOfArguments(deed, input)).toEqual(input);
  const changed = { file_path: 'a.ts', old_string: 'a', new_string: 'b', replace_all: true };
  expect(restOfArguments(deedOf('Edit', changed), changed)).toEqual({ replace_all: true });
  const short = { command: 'ls', description: 'Looks' };
  expect(restOfArguments(deedOf('Bash', short), short)).toEqual({});
});

test.each([
  ['Exit code 2\nno', 'exit 2'],
  ['Chunk ID: a1\nWall time: 1.0 seconds\nProcess exited with code 1\nOutput:\nx', 'exit 1'],
  ['{"output":"x","metadata":{"exit_code":3,"duration_seconds":0.1}}', 'exit 3'],
  ['done\n<exited with exit code 4>', 'exit 4'],
  ['Process exited with code 0\nfine', ''],
  ['the exit code 7 is in the middle of it\nof a text', ''],
])('of a command that answered %j is said %j', (result, words) => {
  expect(outcomeOf('command', result)).toBe(words);
});

test('of a look is said how much came', () => {
  expect(['', 'a', 'a\nb\n'].map((result) => outcomeOf('read', result))).toEqual([
    'nothing',
    '1 line',
    '2 lines',
  ]);
  expect(outcomeOf('read', 'a', { bytes: 4_000_000 })).toBe('4000 kB');
  expect(outcomeOf('read', 'No such file', { wentWell: false })).toBe('');
  expect(outcomeOf('command', 'Exit code 2', { wentWell: false })).toBe('exit 2');
  expect(outcomeOf('other', 'a')).toBe('');
});

/** What is wrong with how a call is told; commands and what is asked for are said as they were written. */
function problemsOf(tool: string, input: unknown): string[] {
  const deed = deedOf(tool, input);
  const line = deedLine(deed);
  const said = [deed.name, deed.headline, deed.about ?? ''];
  return [
    ...(line.trim() === '' && tool.trim() !== '' ? ['empty'] : []),
    ...(said.some((each) => Array.from(each).length > MAX_HEADLINE) ? ['too long'] : []),
    ...(said.some((each) => visibleText(each) !== each || /[\n\r\t]/.test(each)) ? ['hidden'] : []),
    ...(isJson(deed) ? ['JSON'] : []),
  ];
}

function isJson({ kind, headline }: Deed): boolean {
  return kind !== 'command' && /^\s*(?:\{\s*"|\[\s*[{"])/.test(headline);
}

test('whatever a tool is called and given, its line is short, visible, and no JSON', () => {
  const hostile = fc.constantFrom(
    '\u202e',
    '\u0000',
    '\u001b[31m',
    '\n',
    '\u200b',
    '\ud800',
    'a',
    ' ',
    '"',
    '{',
    '/',
    'x'.repeat(300),
  );
  const text = fc.array(hostile, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
  const tool = fc.oneof(
    fc.constantFrom(...CALLS.map(([, name]) => name)),
    text,
    text.map((name) => `mcp__${name}__${name}`),
  );
  const names = CALLS.flatMap(([, , input]) =>
    typeof input === 'object' && input !== null ? Object.keys(input) : [],
  );
  const value = fc.oneof(text, fc.jsonValue(), fc.constant({ a: [{ b: 'c' }] }));
  const args = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 });
  const input = fc.oneof(
    args,
    args.map((given) => JSON.stringify(given)),
    args.map((given) => JSON.stringify(given).slice(0, -3)),
    text,
  );
  fc.assert(
    fc.property(tool, input, (name, given) => {
      expect(problemsOf(name, given)).toEqual([]);
    }),
    { numRuns: runs(3_000) },
  );
});

test('what a tool put into a prompt is shown behind the words of the person, without its tags', () => {
  const content = '<system-reminder>\nUse the scale.\n</system-reminder>\nBake <b>two</b> cakes.';
  const to = content.indexOf('</system-reminder>') + '</system-reminder>'.length;
  const record = {
    seq: 1,
    message: { role: 'user', content },
    injected: [{ from: 0, to, kind: 'reminder' }],
  };
  expect(shownTextOf(record)).toBe('Bake <b>two</b> cakes.\nUse the scale.');
  expect(shownTextOf(record.message)).toBe(content);
});

test.each([
  [
    'subagent_dispatch',
    { agent: 'Crumb', task: 'Which (temperature)?' },
    'subagent_dispatch Crumb: Which (temperature)?',
  ],
  ['Grep', { pattern: 'foo', path: 'src', mode: 'content' }, 'Grep foo in src\nmode: content'],
  ['Read', { file_path: 'area.ts', kind: 'a' }, 'Read area.ts\nkind: a'],
  ['shell', 'ls -la', 'shell ls -la'],
  // An argument that happens to be a word of the line about the call is shown all the same.
  [
    'Edit',
    { file_path: '/w/main.py', old_string: 'main', new_string: 'py' },
    'Edit /w/main.py +1 −1\nold_string: main, new_string: py',
  ],
  ['Write', { file_path: '/w/todo.txt', content: 'todo' }, 'Write /w/todo.txt +1\ncontent: todo'],
  ['Read', { file_path: 'src/a.ts', mode: 'ts' }, 'Read src/a.ts\nmode: ts'],
  ['Grep', { pattern: 'foo', path: 'src/foo', glob: 'foo' }, 'Grep foo in src/foo\nglob: foo'],
  ['Grep', { pattern: 'foo', path: 'foo' }, 'Grep foo\npath: foo'],
  ['look_up', { a: 'one', b: 'two' }, 'look_up a: one, b: two'],
])('of a call of %s that was found, nothing is said twice', (name, args, said) => {
  const input = typeof args === 'string' ? args : JSON.stringify(args);
  const call = { id: 'c', type: 'function', function: { name, arguments: input } };
  expect(shownTextOf({ role: 'assistant', content: '', tool_calls: [call] })).toBe(said);
  expect(shownTextOfCall(name, input, undefined)).toBe(said);
});

const FOLDER = join(import.meta.dirname, '../../../../../shared/transcripts');

describe.runIf(existsSync(FOLDER))('of real transcripts', () => {
  const files = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? files(path) : statSync(path).size < 2_000_000 ? [path] : [];
    });

  test('each call has a deed, and nothing that is shown of it is raw JSON', async () => {
    const kinds = new Map<string, number>();
    for (const path of files(FOLDER)) {
      const result = await importTranscript(readFileSync(path), path).catch(() => undefined);
      for (const record of result ? records(result) : [])
        for (const { name, input } of callsOf(messageIn(record) ?? {})) {
          expect([path, name, problemsOf(name, input)]).toEqual([path, name, []]);
          expect(shownTextOf(record)).not.toMatch(/\{\s*"(?:command|file_path|pattern|todos|order_id)"\s*:/);
          const { kind } = deedOf(name, input);
          kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        }
    }
    expect([...kinds.keys()].sort()).toEqual([
      'command',
      'dispatch',
      'edit',
      'mcp',
      'other',
      'plan',
      'read',
      'search',
      'web',
    ]);
  });
});
