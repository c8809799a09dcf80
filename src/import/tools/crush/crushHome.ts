import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { from, roots, type Machine, type ToolHome } from '../home.js';

/** How much of Crush's list of projects is read, in bytes: a longer one is none. */
const MAX_LIST = 1024 * 1024;

/** Crush: a database in a hidden folder of each project, which it notes in a list of its own. */
export const crushHome: ToolHome<'crush'> = {
  id: 'crush',
  formats: ['crush'],
  name: 'Crush',
  places: (machine, folders) =>
    roots([join(machine.home, '.crush'), dataOf(machine)], folders).flatMap((folder) => [
      { folder, names: [/^crush\.db$/], workspaceAt: undefined },
      { folder: join(folder, '.crush'), names: [/^crush\.db$/], workspaceAt: undefined },
    ]),
  async foldersNamed(machine) {
    const path = join(dataOf(machine), 'projects.json');
    const list = await readFile(path, 'utf8').catch(() => '');
    if (list === '' || list.length > MAX_LIST) return [];
    try {
      const { projects } = JSON.parse(list) as { readonly projects?: unknown };
      if (!Array.isArray(projects)) return [];
      return projects.flatMap((project: unknown) => {
        const { path: folder, data_dir: data } = (project ?? {}) as Readonly<Record<string, unknown>>;
        if (typeof folder !== 'string') return [];
        return [resolve(folder, typeof data === 'string' && data !== '' ? data : '.crush')];
      });
    } catch {
      // It is written to just now, or is no list: the usual places are looked at all the same.
      return [];
    }
  },
};

/** The folder of Crush's own data, which holds none of its sessions unless somebody put them there. */
function dataOf({ home, platform, env }: Machine): string {
  const named = from(env, 'CRUSH_GLOBAL_DATA');
  if (named !== undefined) return named;
  const shared =
    platform === 'win32'
      ? (from(env, 'LOCALAPPDATA') ?? join(home, 'AppData', 'Local'))
      : (from(env, 'XDG_DATA_HOME') ?? join(home, '.local', 'share'));
  return join(shared, 'crush');
}
