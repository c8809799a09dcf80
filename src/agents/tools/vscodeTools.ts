const names = (text: string) => new Set(text.split(' '));

/**
 * Tools of VS Code's own chat that make no sense outside of it: they ask its user, end its turn or change its
 * session. `runSubagent` would start agents past the rules of `subagent_dispatch`.
 */
const ofChatAlone = names(
  'inline_chat_exit task_complete manage_todo_list runSubagent vscode_askQuestions vscode_reviewPlan ' +
    'vscode_get_confirmation vscode_get_confirmation_with_options vscode_get_terminal_confirmation ' +
    'vscode_get_modified_files_confirmation',
);

/** Tools of VS Code and of its chat by which files are changed or programs run, past our rules for both. */
const farReaching = names(
  'run_in_terminal send_to_terminal kill_terminal run_task create_and_run_task run_build_task runTests ' +
    'run_vscode_command install_extension vscode_renameSymbol vscode_editFile setup_tools_createNewWorkspace ' +
    'copilot_createFile copilot_createDirectory copilot_insertEdit copilot_replaceString ' +
    'copilot_multiReplaceString copilot_applyPatch copilot_editFile copilot_editNotebook copilot_runNotebookCell ' +
    'copilot_createNewWorkspace copilot_createNewJupyterNotebook copilot_createAndRunTask copilot_runTask ' +
    'copilot_runInTerminal copilot_runVscodeCommand copilot_installExtension copilot_fetchWebPage ' +
    'copilot_openSimpleBrowser copilot_memory',
);

/** Whether agents are told of a tool that VS Code lists, by its name. */
export function isOffered(name: string): boolean {
  return !ofChatAlone.has(name) && !name.endsWith('_internal');
}

/** Why a tool of VS Code must be asked about even where everything is approved; undefined: no reason is known. */
export function reachReason(name: string): string | undefined {
  return farReaching.has(name)
    ? `The tool ${name} of VS Code can change files or run programs past the rules for agents.`
    : undefined;
}
