import { iconButton } from '../controls.js';
import { el } from '../dom.js';

const KEYS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Messages',
    [
      ['↓ ↑ or J K', 'Next or previous row'],
      ['→ ←', 'Show or hide what a dispatch began'],
      ['PageDown PageUp', 'A page further or back'],
      ['Home End', 'First or last row'],
      ['Enter', 'Open or close a card'],
      ['B or F2', 'Into its buttons, Escape back'],
      ['P Shift+P', 'Next or previous prompt'],
      ['C Shift+C', 'Copy as text or as Markdown'],
      ['E', 'Open in an editor'],
      ['O', 'Open the file that a tool names'],
    ],
  ],
  [
    'Filter',
    [
      ['/ or Ctrl+F', 'Go to the filter'],
      ['Enter ↓', 'In it: next match, to the list'],
      ['F3 Shift+F3', 'Next or previous match'],
      ['Alt+C Alt+W Alt+R', 'Match case, whole words, regular expression'],
      ['Escape', 'Clear the filter'],
    ],
  ],
  [
    'Views',
    [
      ['1 2 3 4', 'Messages, Timeline, Statistics, Tools'],
      ['+ - 0', 'Zoom the timeline, or all of it'],
      [', . Enter', 'Step through it, go to the message'],
      ['X', 'Export'],
      ['T', 'Type to the agent'],
      ['?', 'This list'],
    ],
  ],
];

/** The overlay with the list of keys. */
export class KeysHelp {
  readonly element: HTMLDialogElement;

  constructor() {
    const close = iconButton('close', 'Close', () => this.element.close());
    this.element = el(
      'dialog',
      { class: 'keys', attributes: { 'aria-label': 'Keys' } },
      el('div', { class: 'keys-head' }, el('h2', {}, 'Keys'), close),
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

function group(name: string, keys: readonly (readonly [string, string])[]): HTMLElement {
  return el(
    'section',
    {},
    el('h3', {}, name),
    el(
      'dl',
      {},
      keys.flatMap(([key, words]) => [el('dt', {}, key.split(' ').map(keyCap)), el('dd', {}, words)]),
    ),
  );
}

function keyCap(key: string): HTMLElement {
  return key === 'or' ? el('span', { class: 'faint' }, 'or') : el('kbd', {}, key);
}
