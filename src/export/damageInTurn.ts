import type { DamagePosition, Transcript } from '../core/ports/transcript.js';

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
