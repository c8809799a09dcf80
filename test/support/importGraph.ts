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
