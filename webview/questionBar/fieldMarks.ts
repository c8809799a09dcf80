import type { QueryProblem } from '../../src/query/language/syntax.js';
import { el, fill } from '../dom.js';

/**
 * The text of a field once more, behind it and out of sight: it draws the lines under what is wrong, and knows where on the
 * screen each character stands, which a field tells nobody.
 */
export class FieldMarks {
  readonly element = el('div', { class: 'question-marks', attributes: { 'aria-hidden': 'true' } });
  readonly #text = el('span');

  constructor() {
    this.element.append(this.#text);
  }

  /** Shows a text with its problems, scrolled as the field is. */
  show(text: string, problems: readonly QueryProblem[], scrollLeft: number): void {
    const pieces: (string | HTMLElement)[] = [];
    let at = 0;
    for (const { start, end } of problems) {
      // Of problems within each other, the first one's place is drawn.
      if (end <= at) continue;
      const from = Math.max(at, start);
      pieces.push(
        text.slice(at, from),
        el('span', { class: 'question-wrong' }, text.slice(from, end) || ' '),
      );
      at = Math.max(end, from);
    }
    fill(this.#text, [...pieces, text.slice(at)]);
    this.element.scrollLeft = scrollLeft;
  }

  /** The offset of the character at a place on the screen; undefined where none stands there. */
  offsetAt(x: number): number | undefined {
    let offset = 0;
    const walker = document.createTreeWalker(this.#text, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { length } = node as Text;
      const { left, right } = boxOf(node, 0, length);
      if (x >= left && x < right) return offset + characterAt(node, length, x);
      offset += length;
    }
    return undefined;
  }

  /** How far from the left edge of the screen a character begins. */
  leftOf(offset: number): number {
    let before = 0;
    const walker = document.createTreeWalker(this.#text, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { length } = node as Text;
      if (offset <= before + length) return boxOf(node, 0, offset - before).right;
      before += length;
    }
    return this.element.getBoundingClientRect().left;
  }
}

function characterAt(node: Node, length: number, x: number): number {
  let [low, high] = [0, length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (boxOf(node, 0, middle).right <= x) low = middle;
    else high = middle;
  }
  return low;
}

function boxOf(node: Node, start: number, end: number): DOMRect {
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, end);
  return range.getBoundingClientRect();
}
