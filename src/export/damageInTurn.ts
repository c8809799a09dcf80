import type { DamagePosition, Transcript } from '../core/ports/transcript.js';
import type { LocatedNote } from '../core/note.js';
import type { ExportNote } from './exportNote.js';

/** What is wrong in a transcript of which no record tells, where it stands, in order. */
export function positionsIn(transcript: Pick<Transcript, 'damagePositions'>): readonly DamagePosition[] {
  return transcript.damagePositions?.() ?? [];
}

/** Places that are wrong, given once each, as whoever goes through the records comes to them. */
export class DamageInTurn {
  /** All that there are; of a transcript that has grown, there may be more behind them. */
  places: readonly DamagePosition[];
  #given: number;

  /** `from`: the position of the first record that is gone through. Those before are left out. */
  constructor(positions: readonly DamagePosition[], from = 0) {
    this.places = positions;
    this.#given = positions.filter(({ position }) => position < from).length;
  }

  /** Those that stand before the record at a position and were not given yet. */
  upTo(position: number): readonly DamagePosition[] {
    const begun = this.#given;
    for (let next; (next = this.places[this.#given]) && next.position <= position;) this.#given++;
    return this.places.slice(begun, this.#given);
  }
}

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
