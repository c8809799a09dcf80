import { el, fill, type Child } from '../dom.js';

let lastId = 0;

/** A box that belongs to a button: opens below it, closes on Escape and on a click elsewhere. */
export class Popover {
  readonly element: HTMLElement;
  readonly #anchor: HTMLElement;
  readonly #content: () => readonly Child[];

  /** `content` is called each time the box opens. */
  constructor(anchor: HTMLElement, label: string, content: () => readonly Child[]) {
    this.#anchor = anchor;
    this.#content = content;
    this.element = el('div', {
      class: 'popover',
      id: `popover-${++lastId}`,
      role: 'dialog',
      attributes: { popover: 'auto', 'aria-label': label },
    });
    anchor.setAttribute('aria-haspopup', 'dialog');
    anchor.setAttribute('aria-expanded', 'false');
    anchor.addEventListener('click', () => this.toggle());
    this.element.addEventListener('toggle', (event) => {
      const isOpen = event.newState === 'open';
      anchor.setAttribute('aria-expanded', String(isOpen));
      if (isOpen) return;
      this.element.replaceChildren();
      // Opened by a key of the page, there was nothing to give the focus back to.
      if (document.activeElement === document.body) anchor.focus();
    });
    document.body.append(this.element);
  }

  get isOpen(): boolean {
    return this.element.matches(':popover-open');
  }

  toggle(): void {
    if (this.isOpen) this.close();
    else this.open();
  }

  open(): void {
    this.refresh();
    this.element.showPopover();
    this.#place();
    const first = this.element.querySelector<HTMLElement>(
      'vscode-text-field, vscode-checkbox, vscode-button, button',
    );
    first?.focus();
  }

  close(): void {
    this.element.hidePopover();
    this.#anchor.focus();
  }

  /** Makes the content anew, as when what it shows has changed. */
  refresh(): void {
    fill(this.element, this.#content());
  }

  #place(): void {
    const anchor = this.#anchor.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.element;
    const margin = 8;
    const left = Math.max(margin, Math.min(anchor.left, innerWidth - offsetWidth - margin));
    const below = anchor.bottom + 4;
    const top =
      below + offsetHeight + margin > innerHeight ? Math.max(margin, anchor.top - offsetHeight - 4) : below;
    this.element.style.left = `${left}px`;
    this.element.style.top = `${top}px`;
  }
}
