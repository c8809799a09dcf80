import { t } from '../../src/core/l10n.js';
import { isUnasked } from '../../src/page/protocol/question.js';
import type { Writing } from '../../src/page/protocol/panelState.js';
import { plainText } from '../content/plainText.js';
import { el, fill, place, setWords } from '../dom.js';
import { formatNoun } from '../format.js';
import { icon } from '../icons.js';
import { DEEPEST } from '../rows/rowElement.js';
import type { State } from '../state.js';

/** How long a text that is final waits for its message to come into the list, in milliseconds. */
const MESSAGE_MS = 250;

type LiveText = Writing['texts'][number];

/** What one agent is writing, as the message will look that it becomes; its Markdown is read only then. */
class Writer {
  readonly element: HTMLElement;
  readonly #name = el('span', { class: 'agent' });
  readonly #does = el('span', { class: 'to' });
  readonly #thought = el('div', { class: 'fold-body faint writing-text', hidden: true });
  readonly #fold = el('div', { class: 'fold', hidden: true });
  readonly #head: HTMLElement;
  readonly #cut = el(
    'div',
    { class: 'faint', hidden: true },
    t`The beginning is shown with the whole message.`,
  );
  readonly #text = el('div', { class: 'text writing-text' });
  #shown: LiveText | undefined;
  /** How many rows the list had when the text became final; undefined while it is being written. */
  #rowsThen: number | undefined;

  constructor() {
    this.#head = el(
      'button',
      {
        class: 'fold-head',
        attributes: { type: 'button', 'aria-expanded': 'false' },
        on: { click: () => this.#toggle() },
      },
      icon('lightbulb'),
      el('span', { class: 'fold-name' }, t`Reasoning`),
    );
    this.#fold.append(el('div', { class: 'fold-line' }, this.#head), this.#thought);
    this.element = el(
      'article',
      { class: 'writer' },
      el(
        'div',
        { class: 'row-main' },
        el(
          'div',
          { class: 'message message-assistant' },
          el('span', { class: 'gutter' }, icon('hubot')),
          el(
            'div',
            { class: 'content' },
            el('div', { class: 'head' }, this.#name, ' ', this.#does),
            this.#fold,
            this.#cut,
            this.#text,
          ),
        ),
      ),
    );
  }

  /** Who does what, like `planner is writing`. */
  get words(): string {
    return `${this.#shown?.agent ?? ''} ${this.#verb}`;
  }

  get isFinal(): boolean {
    return this.#rowsThen !== undefined;
  }

  show(text: LiveText): void {
    const before = this.#shown;
    this.#shown = text;
    this.#rowsThen = undefined;
    this.element.className = `writer hue-${text.hue}`;
    this.element.style.setProperty('--depth', String(Math.min(text.depth, DEEPEST)));
    setWords(this.element, 'aria-label', this.words);
    if (text.agent !== before?.agent) fill(this.#name, plainText(text.agent));
    const does = `${this.#verb}…`;
    if (this.#does.textContent !== does) this.#does.textContent = does;
    this.#cut.hidden = !text.isCut;
    if (text.text !== before?.text) fill(this.#text, plainText(text.text));
    this.#fold.hidden = text.reasoning === '';
    if (text.reasoning !== before?.reasoning) this.#drawThought();
  }

  /** The text is final or void: its message may come into a list of so many rows. */
  end(rows: number): void {
    this.#rowsThen ??= rows;
  }

  /** Whether the list has grown since the text became final, and its new end can be read. */
  isReplaced({ list, rows }: State): boolean {
    return this.#rowsThen !== undefined && list.rows > this.#rowsThen && rows.has(list.rows - 1);
  }

  get #verb(): string {
    return this.#shown?.text === '' ? t`is thinking` : t`is writing`;
  }

  #toggle(): void {
    this.#thought.hidden = !this.#thought.hidden;
    this.#head.setAttribute('aria-expanded', String(!this.#thought.hidden));
    this.#drawThought();
  }

  #drawThought(): void {
    if (!this.#thought.hidden) fill(this.#thought, plainText(this.#shown?.reasoning ?? ''));
  }
}

/** What agents are writing, below the last message: each text stands there until its message is in the list. */
export class WritingView {
  readonly element = el('div', { class: 'writing', hidden: true });
  /** Tells a screen reader who began to write; the pieces are not read out, the message is when it is there. */
  readonly announcer = el('div', { class: 'sr', attributes: { 'aria-live': 'polite' } });
  readonly #writers = new Map<string, Writer>();
  readonly #more = el('div', { class: 'faint writing-more' });
  readonly #stateOf: () => State;
  #moreCount = 0;

  constructor(stateOf: () => State) {
    this.#stateOf = stateOf;
  }

  /** Shows what is written now; what is no longer among it is final or void. */
  hear({ texts, more }: Writing): void {
    const began: string[] = [];
    for (const text of texts) {
      let writer = this.#writers.get(text.call);
      const isNew = !writer || writer.isFinal;
      if (!writer) this.#writers.set(text.call, (writer = new Writer()));
      writer.show(text);
      if (isNew) began.push(writer.words);
    }
    const calls = new Set(texts.map(({ call }) => call));
    for (const [call, writer] of this.#writers) if (!calls.has(call)) this.#end(call, writer);
    this.#moreCount = more;
    this.#more.textContent = more === 0 ? '' : t`${formatNoun(more, 'more agent')} writing…`;
    this.update();
    if (began.length > 0 && !this.element.hidden) this.announcer.textContent = began.join(', ');
  }

  /** To be called when the list or the filter is another one. */
  update(): void {
    const state = this.#stateOf();
    for (const [call, writer] of this.#writers) if (writer.isReplaced(state)) this.#writers.delete(call);
    const elements = [...this.#writers.values()].map(({ element }) => element);
    place(this.element, this.#moreCount > 0 ? [...elements, this.#more] : elements);
    this.element.hidden = elements.length === 0 || !isUnasked(state.asked);
  }

  #end(call: string, writer: Writer): void {
    if (writer.isFinal) return;
    writer.end(this.#stateOf().list.rows);
    window.setTimeout(() => {
      if (!writer.isFinal || this.#writers.get(call) !== writer) return;
      this.#writers.delete(call);
      this.update();
    }, MESSAGE_MS);
  }
}
