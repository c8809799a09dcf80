import { expect, test } from 'vitest';
import { buildCatalog } from '../../../src/agents/catalog.js';
import { readAgentFile } from '../../../src/agents/readAgentFile.js';
import type { AgentOrigin } from '../../../src/core/agent.js';
import { callableAgents, findAgent } from '../../../src/core/agentLookup.js';

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
