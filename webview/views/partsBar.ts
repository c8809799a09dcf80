import { t } from '../../src/core/l10n.js';
import { button } from '../controls.js';
import { el } from '../dom.js';
import { formatCount } from '../format.js';
import type { ListPart } from '../virtualListOptions.js';

/** Tells which part of a very long list is shown, and switches to the previous or next part. */
export class PartsBar {
  readonly element: HTMLElement;
  readonly #words = el('span', { class: 'faint' });
  readonly #before: HTMLElement;
  readonly #after: HTMLElement;
  #part: ListPart = { first: 0, end: 0, of: 0 };

  /** `onShow` is told a row of the part that is asked for. */
  constructor(onShow: (index: number) => void) {
    this.#before = button({ on: { click: () => onShow(this.#part.first - 1) } }, t`Earlier part`);
    this.#after = button({ on: { click: () => onShow(this.#part.end) } }, t`Later part`);
    this.element = el('div', { class: 'parts', hidden: true }, this.#before, this.#words, this.#after);
  }

  update(part: ListPart): void {
    const { first, end, of } = part;
    this.#part = part;
    this.element.hidden = end - first >= of;
    this.#before.hidden = first === 0;
    this.#after.hidden = end >= of;
    this.#words.textContent = t`Rows ${formatCount(first + 1)} to ${formatCount(end)} of ${formatCount(of)}`;
  }
}
