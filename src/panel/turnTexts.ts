import { BoundedMap } from '../core/boundedMap.js';
import { textOf } from '../core/message.js';
import { messageIn } from '../analysis/transcriptItem.js';
import { withTexts, shortText, type TurnSpan, type TurnSummary } from '../analysis/turns.js';
import type { Transcript } from '../ports/transcript.js';

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
    const texts = new Map<number, string>();
    for (const { position, answeredAt = position } of turns) {
      for (const at of [position, answeredAt]) if (!texts.has(at)) texts.set(at, await this.#text(at));
    }
    return withTexts(turns, (position) => texts.get(position) ?? '');
  }

  async #text(position: number): Promise<string> {
    const known = this.#texts.get(position);
    if (known !== undefined) return known;
    const [record] = await this.#transcript.read(position, position + 1);
    const text = shortText(textOf(messageIn(record)?.content));
    this.#texts.set(position, text);
    return text;
  }
}
