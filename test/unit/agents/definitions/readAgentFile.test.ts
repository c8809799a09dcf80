import { describe, expect, test } from 'vitest';
import { readAgentFile } from '../../../../src/agents/definitions/readAgentFile.js';
import type { AgentDefinition } from '../../../../src/core/agent.js';

const vscodePath = '/ws/.github/agents/cookie.agent.md';
const claudePath = '/ws/.claude/agents/crumb.md';

const read = (header: string, body = 'Be kind.', path = vscodePath) =>
  readAgentFile(path, `---\n${header}\n---\n${body}\n`, 'workspace');

/** What a header says about one key of the agent, and the warnings that it gives. */
function expectAgent(
  header: string,
  expected: Partial<AgentDefinition>,
  warnings: string[] = [],
  path?: string,
) {
  const { agent, problems } = read(header, 'Be kind.', path);
  expect(agent).toMatchObject(expected);
  expect(problems.map(({ line, message }) => `${line}: ${message}`)).toEqual(warnings);
}

test('a whole VS Code file is read', () => {
  const header = `name: Cookie
description: Reads files.
tools: ['read', 'search/textSearch', 'weather/*']
agents: [Crumb]
model: ['GPT-5 (copilot)', 'Claude Sonnet 4.5 (copilot)']
user-invocable: false
disable-model-invocation: true
reasoning-effort: high`;
  expect(read(header)).toEqual({
    path: vscodePath,
    origin: 'workspace',
    keyLines: expect.any(Map) as unknown,
    problems: [
      expect.objectContaining({ line: 5, message: "'agents' has no effect: 'tools' does not hold 'agent'." }),
    ],
    agent: {
      name: 'Cookie',
      path: vscodePath,
      format: 'vscode',
      origin: 'workspace',
      description: 'Reads files.',
      instructions: 'Be kind.',
      models: ['GPT-5 (copilot)', 'Claude Sonnet 4.5 (copilot)'],
      tools: ['read_file', 'list_files', 'search_text', 'weather/*'],
      disallowedTools: [],
      agents: ['Crumb'],
      userInvocable: false,
      modelInvocable: false,
      effort: 'high',
      unknownKeys: [],
    },
  });
});

test('a whole Claude file is read', () => {
  expectAgent(
    `name: crumb
description: Runs things.
tools: Read, Grep, Bash, Agent(cookie, pickle)
disallowedTools: [Write]
model: inherit
maxTurns: 7
color: green`,
    {
      name: 'crumb',
      format: 'claude',
      tools: ['read_file', 'search_text', 'run_command', 'subagent_dispatch'],
      disallowedTools: ['write_file'],
      agents: ['cookie', 'pickle'],
      models: [],
      maxTurns: 7,
      unknownKeys: ['color'],
    },
    [],
    claudePath,
  );
});

test.each([
  ['model: GPT-5', ['GPT-5']],
  ['model: [GPT-5 (copilot), sonnet]', ['GPT-5 (copilot)', 'sonnet']],
  ['model: [dream-9, inherit]', ['dream-9', 'inherit']],
  ['model: Inherit', []],
  ['model: [inherit, dream-9]', []],
  ['model:', []],
])('%s names the models %j', (header, models) => {
  expect(read(header).agent?.models).toEqual(models);
});

test.each([
  ['a list', 'tools: [read, execute]', ['read_file', 'list_files', 'run_command']],
  ['a text with commas', 'tools: read, execute', ['read_file', 'list_files', 'run_command']],
  [
    'the old map',
    'tools: {read: true, edit: false, execute: true}',
    ['read_file', 'list_files', 'run_command'],
  ],
  ['one name', 'tools: agent', ['subagent_dispatch']],
  ['nothing at all', 'tools: []', []],
  ["Claude's Edit is one tool", 'tools: [Edit]', ['edit_file']],
  ["VS Code's edit is a set", 'tools: [edit]', ['write_file', 'edit_file']],
  ['letter case does not count', 'tools: [READ, runInTerminal]', ['read_file', 'list_files', 'run_command']],
  ['an unknown name stays', 'tools: [github/get_issue]', ['github/get_issue']],
])('tools as %s', (_, header, tools) => expectAgent(header, { tools }));

test('without tools an agent has the default set and may ask everybody', () => {
  expectAgent('name: A', { tools: undefined, agents: '*', userInvocable: true, modelInvocable: true });
});

test.each([
  ["agents: '*'", '*'],
  ['agents: []', []],
  ['agents: Cookie, Crumb', ['Cookie', 'Crumb']],
  ['tools: [Task(cookie)]', ['cookie']],
  ['tools: [Task]', '*'],
  ['tools: ["Agent(*)"]', '*'],
] as const)('%s', (header, agents) => expectAgent(header, { agents }));

describe('what is wrong is said with its line', () => {
  test.each([
    ['tools: [web, read]', ["2: No tool here does what 'web' stands for."]],
    ['tools: ["Bash(git *)"]', ["2: 'Bash(git *)' is left out: a tool can be allowed as a whole only."]],
    ['infer: false', ["2: 'infer' is replaced by 'user-invocable' and 'disable-model-invocation'."]],
    [
      'permissionMode: bypassPermissions',
      ["2: 'permissionMode' has no effect: approvals are decided in the settings, never by an agent file."],
    ],
    ['name: A\nfavourite: salt', ["3: 'favourite' is not a known key and has no effect."]],
    ['maxTurns: many', ["2: 'maxTurns' must be a whole number of at least 1."]],
    ['user-invocable: perhaps', ["2: 'user-invocable' must be true or false."]],
    ['tools:', ["2: 'tools' has no value and counts as missing."]],
    ['tools: 7', ["2: 'tools' must be a list of names."]],
    ['tools: [read, {a: b}]', ["2: 'tools' holds an entry that is no name."]],
    ['effort: heroic', ["2: The effort 'heroic' is none of low, medium, high, xhigh, max."]],
  ])('%s', (header, warnings) => expectAgent(header, {}, warnings));
});

test('narrowing that cannot be obeyed allows nothing, and forbids all', () => {
  expect(read('tools: ["Bash(git *)"]').agent?.tools).toEqual([]);
  expect(read('disallowedTools: ["Bash(rm *)"]').agent?.disallowedTools).toEqual(['run_command']);
});

test('broken YAML is an error with its place, and no agent', () => {
  const { agent, problems } = read('name: Cookie\ntools: [read');
  expect(agent).toBeUndefined();
  expect(problems[0]).toMatchObject({ severity: 'error', line: 3 });
});

test('a key given twice is an error, because one of both rights would be lost', () => {
  expect(read('tools: [read]\ntools: [execute]')).toMatchObject({
    problems: [{ severity: 'error', line: 3 }],
  });
});

test('prose with a colon is read as it stands, with a warning', () => {
  expectAgent('description: Use when: the jar is empty', { description: 'Use when: the jar is empty' }, [
    "2: The value of 'description' is no plain YAML text; it was read as it stands. Put it in quotes.",
  ]);
});

test('without an end all of the file is header', () => {
  const { agent, problems } = readAgentFile(vscodePath, '---\nname: Cookie\n', 'user');
  expect(agent).toMatchObject({ name: 'Cookie', instructions: '' });
  expect(problems.map(({ message }) => message)).toEqual([
    'The front matter has no closing `---`, so all of the file is header and the agent has no instructions.',
    'The agent has no instructions.',
  ]);
});

test.each([
  ['/ws/.github/agents/cookie.agent.md', 'cookie'],
  ['/ws/.github/agents/cookie.md', 'cookie'],
  ['/ws/.github/chatmodes/cookie.chatmode.md', 'cookie'],
  ['C:\\ws\\.claude\\agents\\cookie.md', 'cookie'],
])('%s without a header is named %s', (path, name) => {
  expect(readAgentFile(path, 'Just instructions.', 'workspace').agent).toMatchObject({
    name,
    instructions: 'Just instructions.',
  });
});

test('a BOM and Windows line ends change nothing', () => {
  expect(
    readAgentFile(vscodePath, '\uFEFF---\r\nname: Cookie\r\n---\r\nHello\r\n', 'user').agent,
  ).toMatchObject({
    name: 'Cookie',
    instructions: 'Hello',
  });
});

describe('hostile headers end in a problem or an agent, never in an exception', () => {
  const bomb = Array.from({ length: 12 }, (_, index) =>
    index === 0 ? 'k0: &k0 [x, x]' : `k${index}: &k${index} [*k${index - 1}, *k${index - 1}, *k${index - 1}]`,
  ).join('\n');
  test.each([
    ['a hundred thousand brackets', `tools: ${'['.repeat(30_000)}`],
    ['a header without end', `tools: ${'['.repeat(200_000)}`],
    ['aliases of aliases', `${bomb}\ntools: *k11`],
    ['an alias of itself', 'tools: &a [*a]'],
    ['an alias of nobody', 'tools: *nobody'],
    ['a key from every object', '__proto__: {tools: [read]}\nconstructor: 1\ntoString: 2'],
    ['a list instead of keys', '- read\n- write'],
    ['a tag', 'tools: !!js/function "x"'],
    ['two documents', 'a: 1\n...\nb: 2'],
    ['control characters', 'name: "a\\u0000\\u202eb"'],
  ])('%s', (_, header) => {
    const file = read(header);
    expect(file.agent !== undefined || file.problems.length > 0).toBe(true);
    expect(({} as { tools?: unknown }).tools).toBeUndefined();
  });
});
