import type { ImportGraph } from '../../scripts/importGraph.mjs';

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
