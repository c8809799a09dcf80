import { t } from '../../src/core/l10n.js';
import type { RequestClient } from '../../src/page/protocol/requestClient.js';
import { MAX_QUOTED, type ContextCompaction, type DroppedMessage } from '../../src/page/protocol/context.js';
import { plainText } from '../content/plainText.js';
import { button, checkbox, type Button, type Checkbox } from '../controls.js';
import { el, fill, setWords } from '../dom.js';
import { formatCount, formatNoun } from '../format.js';
import { icon } from '../icons.js';

/** What a list of dropped messages needs. */
export interface DroppedListOptions {
  readonly client: RequestClient;
  readonly onOpen: (position: number) => void;
  /** Whether there is a chat box that texts can be put into. */
  readonly canSay: () => boolean;
  /** Puts a text into the chat box or, where there is none, on the clipboard. */
  readonly onQuote: (text: string, rest: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/** What a compaction took out of a window, message by message, to be chosen from and said again. */
export class DroppedList {
  readonly element = el('div', { class: 'dropped' });
  readonly #options: DroppedListOptions;
  readonly #window: number;
  readonly #compaction: ContextCompaction;
  readonly #list = el('ul', { class: 'dropped-list' });
  readonly #words = el('span', { class: 'dropped-words', role: 'status' });
  readonly #more: Button;
  readonly #quote: Button;
  readonly #messages: DroppedMessage[] = [];
  readonly #boxes: Checkbox[] = [];
  readonly #chosen = new Set<number>();
  #total = 0;
  #isAsking = false;

  constructor(options: DroppedListOptions, window: number, compaction: ContextCompaction) {
    this.#options = options;
    this.#window = window;
    this.#compaction = compaction;
    this.#more = button({ hidden: true, on: { click: () => void this.#ask() } });
    const words = options.canSay() ? t`Copy into the chat box` : t`Copy`;
    this.#quote = button(
      { appearance: 'primary', disabled: true, on: { click: () => void this.#say() } },
      icon(options.canSay() ? 'comment-discussion' : 'copy'),
      words,
    );
    const all = checkbox(false, (checked) => this.#chooseAll(checked), t`All that are listed`);
    setWords(this.#list, 'aria-label', t`Messages that were taken out`);
    fill(
      this.element,
      el('div', { class: 'dropped-bar' }, all, this.#words, this.#quote),
      this.#list,
      this.#more,
    );
    void this.#ask();
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const start = this.#messages.length;
    try {
      const page = await this.#options.client.ask('dropped', {
        window: this.#window,
        compaction: this.#compaction.compaction,
        start,
      });
      this.#total = page.total;
      for (const message of page.messages) this.#add(message);
      const left = page.total - this.#messages.length;
      this.#more.hidden = left <= 0;
      fill(this.#more, t`Show more (${formatCount(left)} left)`);
      this.#tell();
    } catch (error) {
      this.#options.onFailure(error);
    }
    this.#isAsking = false;
  }

  #add(message: DroppedMessage): void {
    const { position, role, tool, preview, tokens } = message;
    const who = tool === '' ? role : `${role}: ${tool}`;
    const box = checkbox(
      false,
      (checked) => this.#choose(message, checked),
      el(
        'span',
        { class: 'dropped-text' },
        el('span', { class: 'dropped-who' }, plainText(who)),
        ' ',
        el('span', { class: 'dropped-preview' }, preview === '' ? t`(no words)` : plainText(preview)),
      ),
    );
    this.#messages.push(message);
    this.#boxes.push(box);
    const open = el(
      'button',
      {
        class: 'link',
        title: t`Show this message in the list`,
        attributes: { type: 'button' },
        on: { click: () => this.#options.onOpen(position) },
      },
      `≈ ${formatCount(tokens)}`,
    );
    this.#list.append(el('li', {}, box, open));
  }

  #choose({ position }: DroppedMessage, checked: boolean): void {
    if (checked) this.#chosen.add(position);
    else this.#chosen.delete(position);
    this.#tell();
  }

  #chooseAll(checked: boolean): void {
    this.#messages.forEach(({ position }, at) => {
      const box = this.#boxes[at];
      if (box) box.checked = checked;
      if (checked) this.#chosen.add(position);
      else this.#chosen.delete(position);
    });
    this.#tell();
  }

  #tell(): void {
    const chosen = this.#messages.filter(({ position }) => this.#chosen.has(position));
    const tokens = chosen.reduce((sum, each) => sum + each.tokens, 0);
    this.#quote.disabled = chosen.length === 0 || chosen.length > MAX_QUOTED;
    this.#words.textContent =
      chosen.length > MAX_QUOTED
        ? t`No more than ${MAX_QUOTED} messages at once`
        : t`${formatCount(chosen.length)} of ${formatNoun(this.#total, 'message')} chosen, ≈ ${formatCount(tokens)} tokens`;
  }

  async #say(): Promise<void> {
    const positions = this.#messages
      .map(({ position }) => position)
      .filter((position) => this.#chosen.has(position));
    try {
      const { text, rest } = await this.#options.client.ask('quote', { positions });
      this.#options.onQuote(text, rest);
    } catch (error) {
      this.#options.onFailure(error);
    }
  }
}
