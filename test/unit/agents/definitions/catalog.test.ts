import { expect, test } from 'vitest';
import { buildCatalog, type KnownTools } from '../../../../src/agents/definitions/catalog.js';
import { readAgentFile } from '../../../../src/agents/definitions/readAgentFile.js';
import type { AgentOrigin } from '../../../../src/core/agent.js';
import { callableAgents, findAgent } from '../../../../src/core/agentLookup.js';

const file = (name: string, header = '', origin: AgentOrigin = 'workspace', folder = '.github') =>
  readAgentFile(`/${origin}/${folder}/agents/${name}.md`, `---\nname: ${name}\n${header}\n---\nHi.`, origin);

/** The names that `caller` may dispatch to in a team of these files. */
function expectCallable(caller: string, files: ReturnType<typeof file>[], names: string[]) {
  const { agents } = buildCatalog(files);
  const found = findAgent(agents, caller);
  expect(found && callableAgents(found, agents).map(({ name }) => name)).toEqual(names);
}

test('an agent may ask all others, never itself', () => {
  expectCallable('Pickle', [file('Pickle'), file('Cookie'), file('Crumb')], ['Cookie', 'Crumb']);
});

test('an agent may ask those on its list, whatever their letter case', () => {
  expectCallable(
    'Pickle',
    [file('Pickle', 'agents: [cookie, Pickle]'), file('Cookie'), file('Crumb')],
    ['Cookie'],
  );
});

test('nobody may ask an agent that is for people only', () => {
  const shy = file('Cookie', 'disable-model-invocation: true');
  expectCallable('Pickle', [file('Pickle', 'agents: [Cookie]'), shy], []);
});

test('an agent with an empty list may ask nobody', () => {
  expectCallable('Pickle', [file('Pickle', 'agents: []'), file('Cookie')], []);
});

test("the workspace's agent beats the user's, and the loser says so", () => {
  const { agents, files } = buildCatalog([file('Cookie', '', 'user'), file('Cookie')]);
  expect(agents.map(({ path }) => path)).toEqual(['/workspace/.github/agents/Cookie.md']);
  expect(files[0]).toMatchObject({
    problems: [
      {
        severity: 'error',
        line: 2,
        message: "Another agent is already named 'Cookie': /workspace/.github/agents/Cookie.md",
      },
    ],
  });
  expect(files[0]).not.toHaveProperty('agent');
});

test('of two agents of the workspace the first wins', () => {
  const { agents } = buildCatalog([file('Cookie'), file('cookie', '', 'workspace', '.claude')]);
  expect(agents.map(({ format }) => format)).toEqual(['vscode']);
});

test('an unknown name in the list is a warning at its line', () => {
  const { files } = buildCatalog([file('Pickle', 'agents: [Cookie, Ghost]'), file('Cookie')]);
  expect(files[0]?.problems).toEqual([
    { severity: 'warning', message: "There is no agent named 'Ghost'.", line: 3, column: 1 },
  ]);
});

/** The tools that these tests know, besides the built-in ones. */
const tools: KnownTools = {
  names: ['read_file', 'weather_report'],
  missing: ({ tools: named }) => (named ?? []).filter((name) => !/^(read_file|weather_report)$/.test(name)),
};

test('a tool that nobody has is a warning at its line, with what was probably meant', () => {
  const { files } = buildCatalog(
    [file('Pickle', 'tools: [read_file, wether_report, raed_file, teleport]')],
    tools,
  );
  expect(files[0]?.problems).toEqual(
    [
      "No tool named 'wether_report' is known here now. Did you mean 'weather_report'?",
      "No tool named 'raed_file' is known here now. Did you mean 'read_file' or 'readfile'?",
      "No tool named 'teleport' is known here now.",
    ].map((message) => ({ severity: 'warning', message, line: 3, column: 1 })),
  );
});

test('a name that looks like another is a warning in both files, with the letters that differ', () => {
  const { agents, files } = buildCatalog([file('reviewer'), file('r\u0435viewer'), file('Cookie')]);
  expect(agents).toHaveLength(3);
  expect(files.map(({ problems }) => problems.map(({ message }) => message))).toEqual([
    [expect.stringContaining("'reviewer' looks like that of another agent, 'r\u0435⟨U+0435⟩viewer': /")],
    [expect.stringContaining("'r\u0435⟨U+0435⟩viewer' looks like that of another agent, 'reviewer': /")],
    [],
  ]);
});

test('one problem is listed once, however often a file has its reason', () => {
  const { files } = buildCatalog(
    [file('Pickle', 'agents: [Ghost, Ghost]\ntools: [agent, teleport, teleport]')],
    tools,
  );
  const messages = files[0]?.problems.map(({ message }) => message) ?? [];
  expect(messages.filter((message) => message.includes('teleport'))).toHaveLength(1);
  expect(new Set(messages).size).toBe(messages.length);
});

test('a name of more than 100 characters gives no agent, and says so at its line', () => {
  expect(file('x'.repeat(100)).agent?.name).toHaveLength(100);
  const { agent, problems } = file('x'.repeat(5_000));
  expect(agent).toBeUndefined();
  expect(problems).toMatchObject([
    {
      severity: 'error',
      line: 2,
      message: 'The name has 5,000 characters; more than 100 are not allowed. Shorten it.',
    },
  ]);
});
