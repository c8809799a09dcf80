import { join } from 'node:path';
import { ANY, from, roots, userFolders, type Machine, type ToolFolder, type ToolHome } from '../home.js';

/** Cline: tasks of the extension in any editor, and sessions of its command line. */
export const clineHome: ToolHome<'cline'> = {
  id: 'cline',
  name: 'Cline',
  places: (machine, folders) => [
    ...tasksOf('saoudrizwan.claude-dev', machine, []),
    ...roots([join(from(machine.env, 'CLINE_DIR') ?? join(machine.home, '.cline'), 'data')], folders).flatMap(
      (folder) => [
        ...tasksIn([folder]),
        {
          folder: join(folder, 'sessions'),
          names: [ANY, /\.messages\.json$/],
          workspaceAt: undefined,
        },
      ],
    ),
  ],
};

/** Roo Code, which was made of Cline. */
export const rooCodeHome: ToolHome<'roo-code'> = {
  id: 'roo-code',
  name: 'Roo Code',
  places: (machine, folders) => tasksOf('rooveterinaryinc.roo-cline', machine, folders),
};

/** What Cline, or a tool that was made of it, keeps of its tasks as an extension of any editor. */
function tasksOf(extension: string, machine: Machine, folders: readonly string[]): readonly ToolFolder[] {
  return tasksIn(
    roots(
      userFolders(machine).map((folder) => join(folder, 'globalStorage', extension)),
      folders,
    ),
  );
}

function tasksIn(folders: readonly string[]): readonly ToolFolder[] {
  return folders.map((folder) => ({
    folder: join(folder, 'tasks'),
    names: [ANY, /^ui_messages\.json$/],
    workspaceAt: undefined,
  }));
}
