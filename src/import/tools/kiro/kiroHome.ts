import { join } from 'node:path';
import { from, JSON_LINES, roots, type ToolHome } from '../home.js';

/** The command line of Kiro: a database, and files that newer versions write. */
export const kiroHome: ToolHome<'kiro'> = {
  id: 'kiro',
  name: 'Kiro CLI',
  places({ home, platform, env }, folders) {
    const data = {
      win32: join(from(env, 'LOCALAPPDATA') ?? join(home, 'AppData', 'Local'), 'kiro-cli'),
      darwin: join(home, 'Library', 'Application Support', 'kiro-cli'),
      other: join(from(env, 'XDG_DATA_HOME') ?? join(home, '.local', 'share'), 'kiro-cli'),
    }[platform === 'win32' || platform === 'darwin' ? platform : 'other'];
    return roots([data, join(home, '.kiro', 'sessions', 'cli')], folders).flatMap((folder) => [
      { folder, names: [JSON_LINES], workspaceAt: undefined },
      { folder, names: [/^data\.sqlite3$/], workspaceAt: undefined },
    ]);
  },
  // One may stand in a file and in the database.
  sessionOf: (path) => path.replace(/^.*[\\/]/, '').replace(JSON_LINES, ''),
};
