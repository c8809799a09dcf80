import { DamageInTurn, positionsIn } from '../../export/damageInTurn.js';
import { damageNote, damageRecord } from '../../export/recordNotes.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { shownName } from './shown.js';

/** How many places that cannot be read are told between two messages, where there is room. */
const MAX_PLACES = 10;

/** What cannot be read between the messages of a transcript. */
export class DamageBetween {
  readonly #damages: DamageInTurn;
  /** What records told since the last message. */
  #told: string[] = [];

  /** `from`: the position of the first record that is looked at. */
  constructor(transcript: Transcript, from: number) {
    this.#damages = new DamageInTurn(positionsIn(transcript), from);
  }

  /** Looks at a record that is no message, without its secrets. */
  look(record: ReadRecord): void {
    const note = damageNote(record as Readonly<Record<string, unknown>>);
    if (note) this.#told.push([note.line, note.text ?? ''].filter((part) => part !== '').join(': '));
  }

  /** What cannot be read since the last message, up to that at a position: as a field, for a size as in `fitted`. */
  before(position: number): (field: string, size: number) => Readonly<Record<string, string>> {
    const told = this.#told;
    this.#told = [];
    for (const { line } of this.#damages.upTo(position))
      told.push(damageNote(damageRecord(line))?.line ?? '');
    return (field, size) => {
      if (told.length === 0) return {};
      const most = Math.max(1, Math.floor(MAX_PLACES * size));
      const more = told.length - most;
      const shown = told.slice(0, most).map((line) => shownName(line, size));
      return { [field]: [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n') };
    };
  }
}
