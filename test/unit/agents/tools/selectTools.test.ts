import { expect, test } from 'vitest';
import { agentTools } from '../../../../src/agents/tools/agentTools.js';
import { missingTools, selectTools } from '../../../../src/agents/tools/selectTools.js';

const all = ['read_file', 'run_command', 'mcp_git_hub_get_issue', 'mcp_git_hub_list', 'weather'].map(
  (name) => ({ name }),
);

test.each([
  [
    'no list: all',
    undefined,
    [],
    ['read_file', 'run_command', 'mcp_git_hub_get_issue', 'mcp_git_hub_list', 'weather'],
  ],
  ['an empty list: none', [], [], []],
  ['a list: these', ['weather', 'read_file'], [], ['read_file', 'weather']],
  ['forbidden beats allowed', ['weather', 'read_file'], ['read_file'], ['weather']],
  ['forbidden from all', undefined, ['run_command', 'git.hub/*'], ['read_file', 'weather']],
  ['a whole server', ['git.hub/*'], [], ['mcp_git_hub_get_issue', 'mcp_git_hub_list']],
  ['one tool of a server', ['git.hub/list'], [], ['mcp_git_hub_list']],
  ["Claude's way to say it", ['mcp__git.hub__list'], [], ['mcp_git_hub_list']],
  ["Claude's whole server", ['mcp__git.hub'], [], ['mcp_git_hub_get_issue', 'mcp_git_hub_list']],
  ['a part of a name is not the name', ['read', 'git.hub/l', 'run_comm*'], [], []],
])('%s', (_, tools, disallowedTools, expected) => {
  expect(selectTools(all, { tools, disallowedTools }).map(({ name }) => name)).toEqual(expected);
});

/** As VS Code names the tools of servers whose names are long, or begin like another one's. */
const ofServers = [
  { name: 'mcp_chrome-devtoo_click', provider: 'chrome-devtools' },
  { name: 'mcp_chrome-devto2_click', provider: 'chrome-devtoys' },
  { name: 'mcp_my_server_bake' },
  { name: 'mcp_io_github_ove_bake', provider: 'io.github.oven' },
  { name: `mcp_kitchen_${'weigh_'.repeat(20)}`.slice(0, 64), provider: 'kitchen' },
];

test.each([
  ['chrome-devtools/*', ['mcp_chrome-devtoo_click']],
  ['chrome-devtools/click', ['mcp_chrome-devtoo_click']],
  ['mcp__chrome-devtools__click', ['mcp_chrome-devtoo_click']],
  ['chrome-devtoys/*', []],
  ['My (Server)/*', []],
  ['My Server/bake', ['mcp_my_server_bake']],
  ['My  Server/bake', ['mcp_my_server_bake']],
  ['io.github.oven/bake', ['mcp_io_github_ove_bake']],
  [`kitchen/${'weigh_'.repeat(20)}`, [ofServers[4]?.name]],
  ['kitchen/weigh', []],
])('%s means the tools that VS Code names %j', (pattern, expected) => {
  const allowed = selectTools(ofServers, { tools: [pattern], disallowedTools: [] });
  expect(allowed.map(({ name }) => name)).toEqual(expected);
  const left = selectTools(ofServers, { tools: undefined, disallowedTools: [pattern] });
  expect(left).toHaveLength(ofServers.length - expected.length);
});

test('who may not use the tool that asks others has nobody to ask', () => {
  const callable = [{ name: 'Cookie', description: '' }];
  const names = (tools: string[] | undefined, who: typeof callable) =>
    agentTools([], { tools, disallowedTools: [] }, who).map(({ name }) => name);
  expect(names(undefined, callable)).toEqual(['subagent_dispatch']);
  expect(names(['subagent_dispatch'], callable)).toEqual(['subagent_dispatch']);
  expect(names(['read_file'], callable)).toEqual([]);
  expect(names(undefined, [])).toEqual([]);
});

test('names that no tool has are told', () => {
  expect(missingTools(all, { tools: ['read_file', 'oven', 'git.hub/bake'] })).toEqual([
    'oven',
    'git.hub/bake',
  ]);
});
