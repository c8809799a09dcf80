import { expect, test } from 'vitest';
import { resolveToolName } from '../../../../src/agents/definitions/toolAliases.js';

const READING = 'read_file list_files';
const SEARCHING = 'list_files search_text';
const EDITING = 'write_file edit_file';

/** Each alias of VS Code's agent files, as its reference of tools names them, and what it stands for here. */
const vscode: readonly (readonly [string, string])[] = [
  ['read', READING],
  ['read/readFile', 'read_file'],
  ['search', SEARCHING],
  ['search/listDirectory', 'list_files'],
  ['search/fileSearch', 'list_files'],
  ['search/textSearch', 'search_text'],
  ['search/codebase', 'search_text'],
  ['edit', EDITING],
  ['edit/createFile', 'write_file'],
  ['edit/createDirectory', 'write_file'],
  ['edit/editFiles', 'edit_file'],
  ['execute', 'run_command'],
  ['execute/runInTerminal', 'run_command'],
  ['agent', 'subagent_dispatch'],
  ['agent/runSubagent', 'subagent_dispatch'],
];

/** The names of versions before those. */
const older: readonly (readonly [string, string])[] = [
  ['codebase', 'search_text'],
  ['textSearch', 'search_text'],
  ['fileSearch', 'list_files'],
  ['listDirectory', 'list_files'],
  ['readFile', 'read_file'],
  ['createFile', 'write_file'],
  ['editFiles', 'edit_file'],
  ['runCommands', 'run_command'],
  ['runInTerminal', 'run_command'],
  ['runSubagent', 'subagent_dispatch'],
  ['shell', 'run_command'],
  ['custom-agent', 'subagent_dispatch'],
];

/** Each tool of Claude's agent files that VS Code reads, and those of older ones. */
const claude: readonly (readonly [string, string])[] = [
  ['Read', 'read_file'],
  ['NotebookRead', 'read_file'],
  ['LS', 'list_files'],
  ['Glob', 'list_files'],
  ['Grep', 'search_text'],
  ['Write', 'write_file'],
  ['Edit', 'edit_file'],
  ['MultiEdit', 'edit_file'],
  ['Bash', 'run_command'],
  ['Task', 'subagent_dispatch'],
  ['Agent', 'subagent_dispatch'],
];

/** What nothing here does. */
const unserved = [
  'web',
  'web/fetch',
  'fetch',
  'todo',
  'todos',
  'edit/editNotebook',
  'vscode/askQuestions',
  'WebFetch',
  'WebSearch',
  'TodoWrite',
  'NotebookEdit',
  'AskUserQuestion',
  'Skill',
  'LSP',
  'MCPSearch',
];

const own = 'read_file list_files search_text write_file edit_file run_command subagent_dispatch'.split(' ');

test.each([
  ...vscode,
  ...older,
  ...claude,
  ...unserved.map((name) => [name, ''] as const),
  ...own.map((name) => [name, name] as const),
  ...['kitchen/weigh', 'kitchen/*', '*', 'mcp__kitchen__weigh', 'constructor'].map(
    (name) => [name, name] as const,
  ),
])('%s stands for: %s', (name, tools) => {
  expect(resolveToolName(name).join(' ')).toBe(tools);
});

test('the names of VS Code may be written in any letter case; a set stays a set', () => {
  for (const [name, tools] of vscode) {
    expect(`${name} ${resolveToolName(name.toUpperCase()).join(' ')}`).toBe(`${name} ${tools}`);
  }
});
