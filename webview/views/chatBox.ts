import { t } from '../../src/core/l10n.js';
import { button, textArea, writeText, type Button, type TextArea } from '../controls.js';
import { el } from '../dom.js';
import { icon } from '../icons.js';
import type { PageActions } from '../rows/pageActions.js';
import type { State } from '../state.js';

/** Tells what happens to a message while an agent is running. */
function waitingWords({ canStop, queued = 0 }: State['live']): string {
  if (!canStop) return '';
  if (queued === 0) return t`At work; what you say now waits its turn. `;
  return queued === 1 ? t`1 message waits its turn. ` : t`${queued} messages wait their turn. `;
}

/** How long typing must pause before the text is saved for the next page, in milliseconds. */
const KEEP_MS = 250;

/** The field at the bottom for messages to the entry agent. */
export class ChatBox {
  readonly element: HTMLElement;
  readonly #field: TextArea;
  readonly #send: Button;
  readonly #actions: PageActions;
  readonly #line: HTMLElement;
  /** Stands in for the box where nothing can be said. */
  readonly #hint = el('p', { class: 'chat-hint' });
  readonly #closed: HTMLElement;
  readonly #elsewhere: HTMLElement;
  #text = '';
  #keepTimer: number | undefined;

  constructor(actions: PageActions) {
    this.#actions = actions;
    this.#field = textArea({
      class: 'chat-text',
      label: t`Continue the conversation`,
      rows: 1,
      onInput: (text) => {
        this.#type(text);
        this.#keepSoon();
      },
    });
    this.#field.addEventListener('keydown', (event) => this.#onKey(event));
    // A person who leaves the field may close the page next.
    this.#field.addEventListener('focusout', () => this.#keepNow());
    this.#send = button(
      {
        appearance: 'primary',
        class: 'send',
        title: t`Send (Enter)`,
        disabled: true,
        on: { click: () => void this.#say() },
      },
      icon('send'),
      t`Send`,
    );
    this.#line = el('div', { class: 'chat-line' }, this.#field, this.#send);
    this.#elsewhere = button(
      { title: t`Go on with it in another tool`, on: { click: actions.handOver } },
      t`Hand Over To…`,
    );
    this.#closed = el('div', { class: 'chat-closed', hidden: true }, this.#hint, this.#elsewhere);
    this.element = el(
      'form',
      { class: 'chat', on: { submit: (event) => event.preventDefault() } },
      this.#line,
      this.#closed,
    );
  }

  focus(): void {
    this.#field.focus();
  }

  /** Appends a text to what is in the box. */
  add(text: string): void {
    if (text === '') return;
    const before = this.#text.trim();
    writeText(this.#field, before === '' ? text : `${before}\n\n${text}`);
    this.#type(this.#field.value);
    this.#keepSoon();
  }

  update({ live, facets, ready, tab, list }: State): void {
    const isOffered = live.canContinue || live.whyNot !== undefined;
    this.element.hidden = !ready || !isOffered || tab !== 'messages';
    this.#line.hidden = !live.canContinue;
    this.#closed.hidden = live.canContinue;
    this.#elsewhere.hidden = live.canStop || list.messages === 0;
    this.#hint.textContent = live.whyNot ?? '';
    this.element.classList.toggle('is-closed', !live.canContinue);
    this.#field.disabled = !live.canContinue;
    const entry = facets.agents[0]?.name;
    this.#field.placeholder = t`${waitingWords(live)}Say something to ${entry ?? t`the agent`}…`;
    this.#send.disabled = !live.canContinue || this.#text.trim() === '';
  }

  #type(text: string): void {
    this.#text = text;
    this.#send.disabled = this.#field.disabled || text.trim() === '';
    const lines = Math.min(8, text.split('\n').length);
    this.#field.rows = lines;
  }

  #keepSoon(): void {
    window.clearTimeout(this.#keepTimer);
    this.#keepTimer = window.setTimeout(() => this.#keepNow(), KEEP_MS);
  }

  #keepNow(): void {
    if (this.#keepTimer === undefined) return;
    window.clearTimeout(this.#keepTimer);
    this.#keepTimer = undefined;
    this.#actions.keepDraft(this.#text);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void this.#say();
  }

  async #say(): Promise<void> {
    const text = this.#text.trim();
    if (text === '' || this.#field.disabled) return;
    window.clearTimeout(this.#keepTimer);
    this.#keepTimer = undefined;
    // At once: it may take a while until it is begun, and what is typed meanwhile is the next message.
    writeText(this.#field, '');
    this.#type('');
    if (!(await this.#actions.say(text))) this.add(text);
  }
}
