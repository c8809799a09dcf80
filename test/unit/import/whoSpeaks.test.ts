import { expect, test } from 'vitest';
import { injectedWords, ownTextOf, withoutInjected } from '../../../src/core/injected.js';
import { textOf } from '../../../src/core/message.js';
import { wordForRole } from '../../../src/import/reading/roleWords.js';
import { whoSpeaks, type SpeakerMarks } from '../../../src/import/building/whoSpeaks.js';

/** What a person says in a message, and what a tool put there. */
function heard(content: unknown, marks?: SpeakerMarks) {
  const spans = whoSpeaks({ role: 'user', content }, marks);
  const text = textOf(content);
  const put = injectedWords(text, spans).map(({ kind, by, text: words }) =>
    [kind, by, words].filter(Boolean),
  );
  return [withoutInjected(text, spans), ...put];
}

test.each<[string, unknown[]]>([
  ['Bake <system-reminder>quoted</system-reminder>', []],
  ['<my-element>pasted</my-element> and why?', []],
  ['<context>an API user wrote this</context>', []],
  ['<system-reminder>never ends', []],
  ['', []],
])('%j is all the person’s', (text) => {
  expect(heard(text)).toEqual([text]);
});

test.each<[string, unknown[]]>([
  [
    '<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>\nBake',
    ['Bake', ['reminder', 'a'], ['reminder', 'b']],
  ],
  [
    '<command-name>/bake</command-name>\n  <command-message>bake</command-message>\n <command-args>two loaves</command-args>',
    ['/bake two loaves'],
  ],
  ['<command-message>bake</command-message>\n<command-name>/bake</command-name>', ['/bake']],
  [
    '<command-name>/bake</command-name><command-args>rye</command-args><command-message>It bakes.</command-message><command-contents>{"text":"<b>"}</command-contents>',
    ['/bake rye'],
  ],
  [
    '[Function Response: read_many_files]--- /srv/rye.md ---\n\nRye',
    ['', ['output', '[Function Response: read_many_files]--- /srv/rye.md ---\n\nRye']],
  ],
  [
    '<command-message>bake</command-message>\n<command-args>rye</command-args>\n<command-name>/bake</command-name>',
    ['rye /bake'],
  ],
  ['<function_results>no oven</function_results>\nWhy?', ['Why?', ['output', 'no oven']]],
  [
    'exitcode: 1 (execution failed)\nCode output: no oven',
    ['', ['output', expect.stringContaining('no oven')]],
  ],
  [
    '<returncode>0</returncode>\n<output>\nrye.py\n</output>',
    ['', ['output', expect.stringContaining('rye.py')]],
  ],
  [
    '<skill>\n<name>bake</name>\nHow to bake\n</skill>',
    ['', ['instructions', expect.stringContaining('How to bake')]],
  ],
  ['[Mon 2026-09-07 10:00 UTC] Bake', ['Bake', ['environment', '[Mon 2026-09-07 10:00 UTC]']]],
  [
    'Warning: apply_patch was requested via exec_command. Use the tool.',
    ['', ['reminder', expect.stringContaining('apply_patch')]],
  ],
  ['<bash-input>ls | wc</bash-input>', ['ls | wc']],
  [
    '<bash-stdout>a=1&amp;b=2\n   1\tx</bash-stdout><bash-stderr></bash-stderr>',
    ['', ['output', 'a=1&b=2\n   1\tx']],
  ],
  [
    '<teammate-message teammate_id="rye" color="blue">All green</teammate-message>',
    ['', ['agent', 'rye', 'All green']],
  ],
  [
    'Another Claude session sent a message:\n<cross-session-message from-name="tester">\nAll green\n</cross-session-message>',
    ['', ['agent', 'tester', expect.stringContaining('All green')]],
  ],
  ['<ide_opened_file>a.ts</ide_opened_file>Fix it', ['Fix it', ['context', 'a.ts']]],
  [
    '# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\nBe brief\n</INSTRUCTIONS>',
    ['', ['instructions', expect.stringContaining('Be brief')]],
  ],
  [
    '<task>\nBake\n</task>\n<environment_details>\nfiles\n</environment_details>',
    ['Bake', ['environment', 'files']],
  ],
  ['<timestamp>now</timestamp>\n<user_query>\nWhy?\n</user_query>', ['Why?', ['environment', 'now']]],
  [
    '[Request interrupted by user for tool use]',
    ['', ['interruption', '[Request interrupted by user for tool use]']],
  ],
  [
    'Message Type: NEW_TASK\nTask name: /root/check\nSender: /root\nPayload:\n\nVerify it.',
    ['', ['agent', '/root', expect.stringContaining('Verify it.')]],
  ],
  ['[CONTEXT COMPACTION – REFERENCE ONLY] all of it', ['', ['summary', expect.any(String)]]],
])('%j: a tool put it there', (text, expected) => {
  expect(heard(text)).toEqual(expected);
});

test('each text of a content is looked at by itself, and pictures are a person’s', () => {
  const content = [
    { type: 'text', text: '<environment_context>\n<cwd>/work</cwd>\n</environment_context>' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { type: 'text', text: '<user_instructions>terse</user_instructions>' },
    { type: 'text', text: 'Bake' },
  ];
  expect(heard(content)).toEqual(['Bake', ['environment', '<cwd>/work</cwd>'], ['instructions', 'terse']]);
});

test('a tool’s own mark decides, and a tag only says more', () => {
  expect(heard('Bake', { kind: 'summary' })).toEqual(['', ['summary', 'Bake']]);
  expect(heard('Bake', { kind: 'agent', by: 'tester' })).toEqual(['', ['agent', 'tester', 'Bake']]);
  const reminder = '<system-reminder>quoted by a person</system-reminder>';
  expect(heard(reminder, { kind: 'person' })).toEqual([reminder]);
  expect(heard(`${reminder} Why?`, { kind: 'person' })).toEqual(['Why?', ['reminder', 'quoted by a person']]);
  expect(
    heard(
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      [undefined, { kind: 'reminder' }],
    ),
  ).toEqual(['a', ['reminder', 'b']]);
});

test('only what is sent in a person’s name is looked at', () => {
  expect(whoSpeaks({ role: 'assistant', content: '<system-reminder>a</system-reminder>' })).toEqual([]);
  expect(whoSpeaks('no message')).toEqual([]);
});

test('what Cline says that a tool gave is nobody’s words, but what a person says in it is', () => {
  const part = (text: string) => ({ type: 'text', text });
  const content = [
    part("[read_file for 'rye.md'] Result:"),
    part('Rye takes an hour.'),
    part('<feedback>More salt</feedback>'),
  ];
  expect(heard(content)[0]).toBe('More salt');
  expect(heard([part('Look at this Result:'), part('Rye takes an hour.')])[0]).toContain('an hour');
});

test('parts that were sent apart are read apart, with what a tool put among them left out', () => {
  const part = (text: string) => ({ type: 'text', text });
  const content = [
    part('Bake it'),
    part('<system-reminder>hush</system-reminder>'),
    part('and well,'),
    part(' please'),
  ];
  const injected = whoSpeaks({ role: 'user', content });
  expect(ownTextOf({ message: { role: 'user', content }, injected })).toBe('Bake it\n\nand well, please');
  expect(ownTextOf({ message: { role: 'user', content: [part('Bake it'), part('well')] } })).toBe(
    'Bake it\nwell',
  );
});

test.each([
  ['ROLE_USER', 'user'],
  ['MessageRole.USER', 'user'],
  ['Role.human', 'user'],
  ['human_user', 'user'],
  ['ＵＳＥＲ', 'user'],
  ['User:', 'user'],
  ['me', 'user'],
  ['client', 'user'],
  ['ChatRole.Ai', 'assistant'],
  ['bot ', 'assistant'],
  ['RoleType.System', 'system'],
  // Names of agents, and events.
  ['Claude Bot', undefined],
  ['agent.response', undefined],
  ['user.prompt', undefined],
  ['role', undefined],
  ['', undefined],
])('the word %j is the role %j', (word, role) => {
  expect(wordForRole(word)).toBe(role);
});
