import { BoundedMap } from '../../core/boundedMap.js';
import { textOf } from '../../core/message.js';
import { messageIn } from '../../query/numbers/transcriptItem.js';
import type { TurnSpan, TurnSummary } from '../../query/numbers/turn.js';
import { withTexts, shortText } from '../../query/numbers/turns.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { recordsAt } from './recordsAt.js';

/** For how many turns the texts are remembered: more than one answer has. */
const REMEMBERED = 2_000;

/** Reads the beginnings of prompts and answers, for the turns that a page asks for and no others. */
export class TurnTexts {
  readonly #transcript: Transcript;
  readonly #texts = new BoundedMap<number, string>(REMEMBERED);

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  /** Turns with their texts. Rejects with errors of the file system. */
  async of(turns: readonly TurnSpan[]): Promise<TurnSummary[]> {
    const positions = turns.flatMap(({ position, answeredAt = position }) => [position, answeredAt]);
    const texts = new Map(positions.map((position) => [position, this.#texts.get(position)]));
    const unknown = positions.filter((position) => texts.get(position) === undefined);
    for (const [position, record] of await recordsAt(this.#transcript, unknown)) {
      const text = shortText(textOf(messageIn(record)?.content));
      texts.set(position, text);
      this.#texts.set(position, text);
    }
    return withTexts(turns, (position) => texts.get(position) ?? '');
  }
}
