import type { DamagePosition, Transcript } from '../core/ports/transcript.js';
import { positionsIn } from './damageInTurn.js';

/**
 * What is wrong in a transcript of which no record tells, before the index of the exported record that it stands before.
 * `positions`: those of the records that are exported, ascending; undefined: all.
 */
export function damageByItem(
  transcript: Pick<Transcript, 'damagePositions'>,
  positions: readonly number[] | undefined,
): readonly DamagePosition[] {
  const places = positionsIn(transcript);
  if (!positions) return places;
  let index = 0;
  return places.map(({ position, line }) => {
    while (index < positions.length && (positions[index] ?? 0) < position) index++;
    return { position: index, line };
  });
}
