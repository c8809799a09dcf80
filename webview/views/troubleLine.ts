import { t } from '../../src/core/l10n.js';
import { plainText } from '../content/plainText.js';
import { el, fill, setWords } from '../dom.js';
import { icon } from '../icons.js';
import type { State } from '../state.js';

type Trouble = NonNullable<State['facts']['trouble']>;

/**
 * One sentence that names the first thing that went wrong in the last run, and leads to its row; hidden while a run goes on,
 * and for one that did not fail.
 */
export class TroubleLine {
  readonly element: HTMLElement;
  readonly #words = el('span', { class: 'trouble-words' });
  readonly #more = el('span', { class: 'faint trouble-more' });
  #trouble: Trouble | undefined;

  constructor(onOpen: (position: number) => void) {
    const click = (): void => {
      if (this.#trouble) onOpen(this.#trouble.position);
    };
    this.element = el(
      'button',
      { class: 'trouble', hidden: true, attributes: { type: 'button' }, on: { click } },
      icon('error'),
      this.#words,
      this.#more,
    );
  }

  update({ facts: { trouble }, live }: Pick<State, 'facts' | 'live'>): void {
    const isOver = live.state !== 'running' && live.state !== 'waiting';
    this.#trouble = isOver ? trouble : undefined;
    this.element.hidden = this.#trouble === undefined;
    if (!this.#trouble) return;
    const words = sentenceOf(this.#trouble);
    fill(this.#words, plainText(words));
    this.#more.textContent = moreWords(this.#trouble.more);
    setWords(this.element, 'title', t`${words} Go to it`);
  }
}

function moreWords(more: number): string {
  if (more === 0) return '';
  return more === 1 ? t`1 more error after it.` : t`${more} more errors after it.`;
}

/** The sentence about a trouble, with the names that the record gives. */
export function sentenceOf({ kind, agent, askedBy, what }: Trouble): string {
  const who = askedBy === undefined ? agent : t`${agent}, asked by ${askedBy}`;
  switch (kind) {
    case 'tool':
      return what === '' ? t`First error: a tool failed (${who}).` : t`First error: ${what} failed (${who}).`;
    case 'approval':
      return t`First error: ${what} was not allowed (${who}).`;
    case 'provider':
      return what === ''
        ? t`First error: a request to the model failed (${who}).`
        : t`First error: a request to ${what} failed (${who}).`;
    case 'dispatch':
      return t`First error: asking another agent was refused (${who}).`;
    case 'limit':
      return t`First error: a limit was reached (${who}).`;
    case 'other':
      return t`First error: something else failed (${who}).`;
  }
}
