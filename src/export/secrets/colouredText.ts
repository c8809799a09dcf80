import type { Span } from './redacted.js';

/** The escape that begins what steers a terminal: as a character, or as JSON writes it, also within JSON. */
const ESCAPE = '(?:\\u001b|\\\\{1,16}u001[bB])';

/**
 * What programs write to steer a terminal (ECMA-48): colours and the cursor; titles and links, up to their end; character
 * sets; single controls. What stands behind an escape alone is not taken for a part of it, because it may begin a key.
 */
const SEQUENCES = new RegExp(
  `${ESCAPE}(?:\\[[0-?]{0,64}[ -/]{0,8}[@-~]|\\][^\\u0007\\u001b\\\\]{0,4096}(?:\\u0007|\\\\{1,16}u0007|${ESCAPE}\\\\{1,16})|[ -/]{1,4}[0-~]|[=>78])?`,
  'g',
);

/** Whether a text may hold sequences that steer a terminal; most hold none, so this must cost next to nothing. */
export function hasSequences(text: string): boolean {
  return text.includes('\u001b') || text.includes('u001b') || text.includes('u001B');
}

/** A text as a terminal shows it: without what sets colours. */
export function withoutSequences(text: string): string {
  return hasSequences(text) ? text.replace(SEQUENCES, '') : text;
}

/** What is written in the place of a part of a text. */
export interface Edit extends Span {
  readonly by: string;
}

/** A sequence, and before which character of the plain text it stands. */
interface Sequence {
  readonly at: number;
  readonly text: string;
}

/** A text with colours, of which the plain text is edited: what is left of it keeps its colours. */
export class ColouredText {
  /** The text as it was, without its sequences. */
  readonly plain: string;
  #sequences: Sequence[] = [];
  #edits: Edit[] = [];

  constructor(text: string) {
    let [plain, from] = ['', 0];
    for (const { index, 0: sequence } of text.matchAll(SEQUENCES)) {
      plain += text.slice(from, index);
      from = index + sequence.length;
      this.#sequences.push({ at: plain.length, text: sequence });
    }
    this.plain = plain + text.slice(from);
  }

  /** Takes note of an edit of the plain text as it is at the moment; those of one round stand in order. */
  note(edit: Edit): void {
    this.#edits.push(edit);
  }

  /** Ends a round of edits: from here on positions are those of the edited text. */
  settle(): void {
    const edits = this.#edits;
    if (edits.length === 0) return;
    this.#edits = [];
    let [next, moved] = [0, 0];
    this.#sequences = this.#sequences.map(({ at, text }) => {
      for (let edit = edits[next]; edit && edit.end <= at; edit = edits[++next])
        moved += edit.by.length - (edit.end - edit.start);
      const around = edits[next];
      // What stood within a secret is written behind what replaces it, so that a colour still ends.
      const own = around && around.start < at ? around.start + around.by.length : at;
      return { at: own + moved, text };
    });
  }

  /** The edited plain text with its sequences, in which `clean` replaces what they carry, such as the address of a link. */
  withSequences(plain: string, clean: (text: string) => string): string {
    let [text, from] = ['', 0];
    for (const { at, text: sequence } of this.#sequences) {
      text += plain.slice(from, at) + sequence.replace(CARRIED, clean);
      from = at;
    }
    return text + plain.slice(from);
  }
}

/** A part of a sequence that is long enough to tell something. */
const CARRIED = /[^\u0007\u001b\\]{8,}/g;
