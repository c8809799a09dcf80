import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import { iconButton } from '../controls.js';
import { el } from '../dom.js';

const KEYS: readonly (readonly [Message, readonly (readonly [string, Message])[]])[] = [
  [
    message`Messages`,
    [
      ['↓ ↑ or J K', message`Next or previous row`],
      ['→ ←', message`Show or hide what a dispatch began`],
      ['PageDown PageUp', message`A page further or back`],
      ['Home End', message`First or last row`],
      ['Enter', message`Open or close a card`],
      ['B or F2', message`Into its buttons, Escape back`],
      ['P Shift+P', message`Next or previous prompt`],
      ['F Shift+F', message`Next or previous error`],
      ['A Shift+A', message`Next or previous row of the same agent`],
      ['C Shift+C', message`Copy as text or as Markdown`],
      ['L', message`Copy a link to it`],
      ['E', message`Open in an editor`],
      ['O', message`Open the file that a tool names`],
      ['M', message`Bookmark, or take it away`],
      ['N Ctrl+Z', message`Write a note, undo a change of one`],
    ],
  ],
  [
    message`Question`,
    [
      ['/ or Ctrl+F', message`Go to the question`],
      ['Enter ↓', message`In it: next match, to the list`],
      ['F3 Shift+F3', message`Next or previous match`],
      ['Ctrl+Space', message`What may stand here; ↓ ↑ and Enter choose it`],
      ['↑ ↓', message`In it: questions asked before`],
      ['Escape', message`Clear the question`],
    ],
  ],
  [
    message`Views`,
    [
      ['1 to 6', message`Messages, Timeline, Statistics, Tools, Approvals, Context`],
      ['+ - 0', message`Zoom the timeline, or all of it`],
      [', . Enter', message`Step through it or through requests, go to the message`],
      ['X', message`Export`],
      ['T', message`Type to the agent`],
      ['?', message`This list`],
    ],
  ],
];

/** The overlay with the list of keys. */
export class KeysHelp {
  readonly element: HTMLDialogElement;

  constructor() {
    const close = iconButton('close', t`Close`, () => this.element.close());
    this.element = el(
      'dialog',
      { class: 'keys', attributes: { 'aria-label': t`Keys` } },
      el('div', { class: 'keys-head' }, el('h2', {}, t`Keys`), close),
      el(
        'div',
        { class: 'keys-groups' },
        KEYS.map(([name, keys]) => group(name, keys)),
      ),
    );
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) this.element.close();
    });
  }

  show(): void {
    if (!this.element.open) this.element.showModal();
  }
}

function group(name: Message, keys: readonly (readonly [string, Message])[]): HTMLElement {
  return el(
    'section',
    {},
    el('h3', {}, inLanguage(name)),
    el(
      'dl',
      {},
      keys.flatMap(([key, words]) => [
        el('dt', {}, key.split(' ').map(keyCap)),
        el('dd', {}, inLanguage(words)),
      ]),
    ),
  );
}

function keyCap(key: string): HTMLElement {
  return key === 'or' ? el('span', { class: 'faint' }, 'or') : el('kbd', {}, key);
}
