import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** All that lies in a folder: each path with its kind, its mode and, byte by byte, its content. Links are not followed. */
export async function treeSnapshot(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const visit = async (path: string): Promise<void> => {
    const stat = await lstat(path);
    const mode = (stat.mode & 0o7777).toString(8);
    const content = stat.isSymbolicLink()
      ? `link to ${await readlink(path)}`
      : stat.isDirectory()
        ? 'folder'
        : (await readFile(path)).toString('base64');
    found.set(relative(folder, path), `${mode} ${content}`);
    if (!stat.isDirectory()) return;
    for (const name of (await readdir(path)).sort()) await visit(join(path, name));
  };
  await visit(folder);
  return found;
}

/** What is different, as lines like `gone a.txt`. */
export function treeChanges(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const gone = [...before.keys()].filter((path) => !after.has(path)).map((path) => `gone ${path}`);
  const come = [...after.keys()].filter((path) => !before.has(path)).map((path) => `new ${path}`);
  const changed = [...before].filter(([path, was]) => after.has(path) && after.get(path) !== was);
  return [...gone, ...come, ...changed.map(([path]) => `changed ${path}`)].sort();
}
