import { join } from 'node:path';
import { from, roots, type ToolHome } from '../home.js';

/** Zed: a database of the threads of its agents. */
export const zedHome: ToolHome<'zed'> = {
  id: 'zed',
  formats: ['zed', 'zed-text'],
  name: 'Zed',
  places({ home, platform, env }, folders) {
    const data = {
      win32: join(from(env, 'LOCALAPPDATA') ?? join(home, 'AppData', 'Local'), 'Zed'),
      darwin: join(home, 'Library', 'Application Support', 'Zed'),
      other: join(from(env, 'XDG_DATA_HOME') ?? join(home, '.local', 'share'), 'zed'),
    }[platform === 'win32' || platform === 'darwin' ? platform : 'other'];
    // The one that is installed as a Flatpak has a home of its own.
    const packed = join(home, '.var', 'app', 'dev.zed.Zed', 'data', 'zed');
    return roots([data, packed], folders).map((folder) => ({
      folder: join(folder, 'threads'),
      names: [/^threads\.db$/],
      workspaceAt: undefined,
    }));
  },
};
