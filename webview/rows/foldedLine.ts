import { el, type Child } from '../dom.js';
import { icon } from '../icons.js';

/** A line that opens to show its body. */
export interface FoldedLine {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly head: readonly Child[];
  readonly meta?: Child;
  /** Called only while it is open. */
  readonly body: () => readonly Child[];
}

/** Creates a line that opens to show its body. */
export function foldedLine({ isOpen, onToggle, head, meta, body }: FoldedLine): HTMLElement {
  return el(
    'div',
    { class: 'fold' },
    el(
      'div',
      { class: 'fold-line' },
      el(
        'button',
        {
          class: 'fold-head',
          attributes: { type: 'button', 'aria-expanded': String(isOpen) },
          on: { click: onToggle },
        },
        icon(isOpen ? 'chevron-down' : 'chevron-right'),
        head,
      ),
      meta,
    ),
    isOpen && el('div', { class: 'fold-body' }, body()),
  );
}
