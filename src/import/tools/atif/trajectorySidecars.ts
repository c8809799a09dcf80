import { lstat, readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { headOf, MAX_SIDECARS } from '../tool.js';

/** Within how many bytes a trajectory says its schema. */
const MAX_HEAD = 4096;

/** The longest trajectory that is searched for references, in bytes. */
const MAX_TRAJECTORY = 128 * 1024 * 1024;

/** The trajectories that one refers to by path, directly or indirectly, as far as they are files in its folder or below. */
export async function trajectorySidecars(path: string): Promise<readonly string[]> {
  if (!path.endsWith('.json')) return [];
  const folder = dirname(path);
  const found = [path];
  for (const each of found) {
    if (found.length > MAX_SIDECARS) break;
    for (const named of await trajectoryPaths(each)) {
      const candidates = [join(dirname(each), named), join(folder, named)];
      for (const candidate of candidates) {
        const isInside =
          !relative(folder, candidate).startsWith('..') && !isAbsolute(relative(folder, candidate));
        if (!isInside || found.includes(candidate)) continue;
        const info = await lstat(candidate).catch(() => undefined);
        if (info?.isFile()) found.push(candidate);
      }
    }
  }
  return found.slice(1);
}

/** The paths that a trajectory refers to; none for any other file, and for one that cannot be read. */
async function trajectoryPaths(path: string): Promise<readonly string[]> {
  if (!(await headOf(path, MAX_HEAD)).includes('"ATIF-v')) return [];
  try {
    if ((await stat(path)).size > MAX_TRAJECTORY) return [];
    const whole = await readFile(path, 'utf8');
    const references = whole.matchAll(/"(?:trajectory_path|continued_trajectory_ref)"\s*:\s*"([^"\\]+)"/g);
    return Array.from(references, ([, named = '']) => named);
  } catch {
    return []; // An unreadable file refers to nothing; importing it reports why.
  }
}
