import { t } from '../../src/core/l10n.js';
import { visibleLine } from '../../src/core/visibleText.js';
import { loosened } from '../../src/query/language/refine.js';
import { plainText } from '../content/plainText.js';
import { el, fill } from '../dom.js';
import { icon } from '../icons.js';

/** A text without anything that the language gives a meaning. */
const BARE_WORD = /^[\p{L}\p{N}]+$/u;

/**
 * The parts of the question, each of which can be taken out: of an order its left side, and the rest as one. Nothing is shown
 * for a question of one part, which the field clears, and for one of nothing but words.
 */
export class QuestionChips {
  readonly element = el('div', {
    class: 'question-chips',
    role: 'group',
    hidden: true,
    attributes: { 'aria-label': t`Parts of the question` },
  });
  readonly #ask: (text: string) => void;
  readonly #onLast: () => void;
  #shown: string | undefined;

  /**
   * `ask` is given the question that is left. `onLast` is called where the part that had the keyboard's focus is gone and
   * no other is left to take it.
   */
  constructor(ask: (text: string) => void, onLast: () => void) {
    this.#ask = ask;
    this.#onLast = onLast;
  }

  /** Shows the parts of a question; of one with problems, none. */
  show(text: string): void {
    if (text === this.#shown) return;
    this.#shown = text;
    const held = [...this.element.children].indexOf(document.activeElement as HTMLElement);
    const parts = loosened(text).toReversed();
    this.element.hidden = parts.every(({ without }) => BARE_WORD.test(without));
    fill(
      this.element,
      this.element.hidden ? [] : parts.map((part) => this.#chip(part.without, part.question)),
    );
    const next = this.element.children[Math.min(held, this.element.childElementCount - 1)];
    if (held < 0) return;
    if (next instanceof HTMLElement) next.focus();
    else this.#onLast();
  }

  #chip(part: string, question: string): HTMLElement {
    const words = visibleLine(part);
    return el(
      'button',
      {
        class: 'question-chip',
        title: t`Ask without ${words}`,
        attributes: { type: 'button', 'aria-label': t`Ask without ${words}` },
        on: { click: () => this.#ask(question) },
      },
      el('span', {}, plainText(words)),
      icon('close'),
    );
  }
}
