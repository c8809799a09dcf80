import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A file's imports of files of the project; both as paths like `src/core/text.ts`. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Who imports whom below folders of the project: types, re-exports and what is loaded late included. */
export function importGraph(...folders: readonly string[]): ImportGraph {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(folder, path).replaceAll('\\', '/')),
  );
  return new Map(files.map((file) => [file, importsIn(file)]));
}

function importsIn(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const specifiers = text.matchAll(/(?:\bfrom|\bimport\(|^import)\s*'(\.{1,2}\/[^']+)'/gm);
  const found = [...specifiers].map(([, specifier = '']) =>
    relative(root, join(root, dirname(file), specifier))
      .replaceAll('\\', '/')
      .replace(/\.js$/, '.ts'),
  );
  return [...new Set(found)];
}

/** The groups of files that import each other, directly or through others; each sorted. */
export function circlesIn(graph: ImportGraph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const enter = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.size - 1);
    open.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) enter(next);
      if (open.includes(next))
        lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(next) ?? 0, order.get(next) ?? 0));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1 || graph.get(file)?.includes(file)) circles.push(circle.sort());
  };
  for (const file of graph.keys()) if (!order.has(file)) enter(file);
  return circles;
}

/** Each arrow between files that leads against the order of shelves below a room, as `from -> to`. */
export function arrowsUp(graph: ImportGraph, room: string, shelves: readonly string[]): string[] {
  const heightOf = (file: string) => {
    const shelf = file.startsWith(`${room}/`) ? file.slice(room.length + 1).split('/') : [];
    if (shelf.length === 0) return undefined;
    return shelf.length === 1 ? shelves.length : shelves.indexOf(shelf[0] ?? '');
  };
  return [...graph].flatMap(([file, imports]) =>
    imports
      .filter((next) => {
        const [from, to] = [heightOf(file), heightOf(next)];
        return from !== undefined && to !== undefined && (from < to || from < 0 || to < 0);
      })
      .map((next) => `${file} -> ${next}`),
  );
}
