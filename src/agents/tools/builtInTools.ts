import { checkOptions } from '../../core/checkOptions.js';
import type { Tool } from '../../core/ports/tool.js';
import { editFileTool } from './files/editFile.js';
import { listFilesTool } from './files/listFiles.js';
import { readFileTool } from './files/readFile.js';
import { commandOptionKinds, runCommandTool, type CommandOptions } from './runCommand.js';
import { searchTextTool } from './files/searchText.js';
import { writeFileTool } from './files/writeFile.js';
import type { Workspace } from './paths/workspace.js';

/** The built-in tools that work on a workspace; `subagent_dispatch` is made per agent by `subagentDispatch`. */
export function builtInTools(workspace: Workspace, commands: CommandOptions): readonly Tool[] {
  checkOptions(commands, commandOptionKinds, 'builtInTools');
  return [
    readFileTool(workspace),
    listFilesTool(workspace),
    searchTextTool(workspace),
    writeFileTool(workspace),
    editFileTool(workspace),
    runCommandTool(workspace, commands),
  ];
}
