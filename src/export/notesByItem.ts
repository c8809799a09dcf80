import type { LocatedNote } from '../core/note.js';
import type { ExportNote } from './exportNote.js';

/**
 * Notes by the index of the exported record that they are about. `positions`: those of the records that are exported,
 * ascending; undefined: all. Notes about others are left out.
 */
export function notesByItem(
  notes: readonly LocatedNote[],
  positions: readonly number[] | undefined,
): ReadonlyMap<number, readonly ExportNote[]> {
  const byItem = new Map<number, ExportNote[]>();
  const indexes = positions && new Map(positions.map((position, index) => [position, index]));
  for (const { position, call, text } of notes) {
    const index = indexes ? indexes.get(position) : position;
    if (index === undefined) continue;
    byItem.set(index, [...(byItem.get(index) ?? []), { text, ...(call !== undefined && { call }) }]);
  }
  return byItem;
}
