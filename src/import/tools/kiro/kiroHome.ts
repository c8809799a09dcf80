import { join } from 'node:path';
import { from, JSON_LINES, roots, type Machine, type ToolHome } from '../home.js';
import { chatLogHint } from '../hint.js';

/** The command line of Kiro: a database, and files that newer versions write. */
export const kiroHome: ToolHome<'kiro'> = {
  id: 'kiro',
  name: 'Kiro CLI',
  hintOf: chatLogHint,
  places: (machine, folders) =>
    roots([dataOf(machine, 'kiro-cli'), join(machine.home, '.kiro', 'sessions', 'cli')], folders).flatMap(
      (folder) => [
        { folder, names: [JSON_LINES], workspaceAt: undefined },
        { folder, names: [DATABASE], workspaceAt: undefined },
      ],
    ),
  // One may stand in a file and in the database.
  sessionOf: (path) => path.replace(/^.*[\\/]/, '').replace(JSON_LINES, ''),
};

/** The command line of Amazon Q, of which Kiro's was made. */
export const amazonQHome: ToolHome<'amazon-q'> = {
  id: 'amazon-q',
  name: 'Amazon Q CLI',
  formats: ['amazon-q'],
  places: (machine, folders) =>
    roots([dataOf(machine, 'amazon-q')], folders).map((folder) => ({
      folder,
      names: [DATABASE],
      workspaceAt: undefined,
    })),
};

const DATABASE = /^data\.sqlite3$/;

/** The folder of a program's own data. */
function dataOf({ home, platform, env }: Machine, program: string): string {
  if (platform === 'win32') return join(from(env, 'LOCALAPPDATA') ?? join(home, 'AppData', 'Local'), program);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', program);
  return join(from(env, 'XDG_DATA_HOME') ?? join(home, '.local', 'share'), program);
}
