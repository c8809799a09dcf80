import { basename, join } from 'node:path';
import { ANY, from, roots, type ToolHome } from '../home.js';

/** OpenCode: a database, or folders of files. */
export const openCodeHome: ToolHome<'opencode'> = {
  id: 'opencode',
  name: 'OpenCode',
  // One may be in its database, and in a file that an older version left.
  sessionOf: (path) => basename(path, '.json'),
  places({ home, env }, folders) {
    const data = join(from(env, 'XDG_DATA_HOME') ?? join(home, '.local', 'share'), 'opencode');
    return roots([data], folders).flatMap((folder) => [
      // Newer versions keep all sessions in a database, and leave the files of older ones where they were.
      { folder, names: [/^opencode(?:-[\w.-]+)?\.db$/], workspaceAt: undefined },
      {
        folder: join(folder, 'storage', 'session'),
        names: [ANY, /^ses_.*\.json$/],
        workspaceAt: 0,
      },
    ]);
  },
};
