import type { DamagedLine, DamagePlace } from '../../core/ports/transcript.js';
import { segmentOf } from '../files/storePaths.js';
import type { LineIndex } from './lineIndex.js';

/** What of a source is wrong, and where its records stand. */
interface Damaged {
  readonly index: LineIndex;
  readonly damaged: readonly DamagedLine[];
}

/**
 * What is wrong in journal files where it stands among their records, in order. What is in no file of the journal stands
 * before all of them.
 */
export function damagePlaces({ index, damaged }: Damaged): readonly DamagePlace[] {
  const lines = damaged.map((line) => ({ line, segment: segmentOf(line.file) ?? -1 }));
  // From the end, because a record that was written once more has moved there: what stands before it does not follow it.
  lines.sort((a, b) => b.segment - a.segment || b.line.offset - a.line.offset);
  const places: DamagePlace[] = [];
  let position = index.size;
  for (const { line, segment } of lines) {
    for (; position > 0; position--) {
      const record = index.span(position - 1);
      if (record.segment < segment || (record.segment === segment && record.start < line.offset)) break;
    }
    places.push({ position, line });
  }
  return places.reverse();
}
