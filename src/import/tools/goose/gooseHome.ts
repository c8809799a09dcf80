import { join } from 'node:path';
import { from, JSON_LINES, roots, type ToolHome } from '../home.js';

/** Goose: a database, and files that older versions left. */
export const gooseHome: ToolHome<'goose'> = {
  id: 'goose',
  name: 'Goose',
  places({ home, platform, env }, folders) {
    const root = from(env, 'GOOSE_PATH_ROOT');
    const roaming = from(env, 'APPDATA') ?? join(home, 'AppData', 'Roaming');
    const shared = from(env, 'XDG_DATA_HOME') ?? join(home, '.local', 'share');
    const usual =
      root !== undefined
        ? join(root, 'data')
        : platform === 'win32'
          ? join(roaming, 'Block', 'goose', 'data')
          : join(shared, 'goose');
    return roots([join(usual, 'sessions')], folders).flatMap((folder) => [
      { folder, names: [/^sessions\.db$/], workspaceAt: undefined },
      { folder, names: [JSON_LINES], workspaceAt: undefined },
    ]);
  },
  // One may be in the database, and in a file that an older version left.
  sessionOf: (path) => path.replace(/^.*[\\/]/, '').replace(JSON_LINES, ''),
};
