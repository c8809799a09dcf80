import { el } from '../dom.js';
import { LatePart } from '../latePart.js';
import type { QuestionChips } from './questionChips.js';

/** The parts of a question, see `QuestionChips`: loaded with the first question, for which no page has to wait. */
export class LateChips {
  /** Where they stand. */
  readonly element = el('div');
  readonly #part: LatePart<QuestionChips>;
  readonly #tellFailure: (error: unknown) => void;
  #text = '';

  /** `ask` and `onLast` are those of `QuestionChips`; what fails is told, and tried again with the next question. */
  constructor(ask: (text: string) => void, onLast: () => void, tellFailure: (error: unknown) => void) {
    this.#tellFailure = tellFailure;
    this.#part = new LatePart(async () => {
      const { QuestionChips } = await import('./questionChips.js');
      const chips = new QuestionChips(ask, onLast);
      this.element.append(chips.element);
      return chips;
    });
  }

  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    const { present } = this.#part;
    if (present) present.show(text);
    else this.#part.get().then((chips) => chips.show(this.#text), this.#tellFailure);
  }
}
