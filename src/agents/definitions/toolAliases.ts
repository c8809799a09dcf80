/**
 * The names that VS Code's and Claude's agent files use for what the built-in tools do, in lower case.
 * From the tool reference of VS Code's custom agents and its mapping of Claude's tools.
 */
const served: Readonly<Record<string, string>> = {
  read_file: 'read read/readfile readfile view notebookread',
  list_files: 'read search search/listdirectory search/filesearch listdirectory filesearch glob ls',
  search_text: 'search search/textsearch search/codebase textsearch codebase grep',
  write_file: 'edit edit/createfile edit/createdirectory createfile write',
  edit_file: 'edit edit/editfiles editfiles multiedit',
  run_command: 'execute execute/runinterminal runinterminal runcommands runcommand shell powershell bash',
  subagent_dispatch: 'agent agent/runsubagent runsubagent custom-agent task',
};

/** Known names of tools that have no counterpart here. */
const unserved =
  'web web/fetch web/search fetch webfetch websearch todo todos todowrite notebookedit edit/editnotebook ' +
  'askuserquestion vscode/askquestions skill lsp mcpsearch';

/** Claude's own tools in their letter case: each is one tool, whereas VS Code's `read` and `edit` are sets. */
const claudeTools: ReadonlyMap<string, string> = new Map([
  ['Read', 'read_file'],
  ['LS', 'list_files'],
  ['Glob', 'list_files'],
  ['Grep', 'search_text'],
  ['Write', 'write_file'],
  ['Edit', 'edit_file'],
  ['MultiEdit', 'edit_file'],
  ['Bash', 'run_command'],
  ['Task', 'subagent_dispatch'],
  ['Agent', 'subagent_dispatch'],
]);

const toolsOf = new Map<string, string[]>(unserved.split(' ').map((alias) => [alias, []]));
for (const [tool, names] of Object.entries(served)) {
  for (const alias of names.split(' ')) toolsOf.set(alias, [...(toolsOf.get(alias) ?? []), tool]);
}

/** The names of the built-in tools. */
export const builtInToolNames: readonly string[] = Object.keys(served);

/** Every name that an agent file can use for a built-in tool. */
export const toolNames: readonly string[] = [
  ...builtInToolNames,
  ...Object.values(served).flatMap((names) => names.split(' ')),
];

/**
 * The tools that a name in an agent file stands for: built-in names for an alias (letter case matters for Claude's
 * tools only), none for an alias without a counterpart here, and the name itself for everything else.
 */
export function resolveToolName(name: string): readonly string[] {
  const claude = claudeTools.get(name);
  if (claude !== undefined) return [claude];
  return toolsOf.get(name.toLowerCase()) ?? [name];
}
