import { t } from '../../core/l10n.js';
import { openFenceOf } from '../../export/harmlessMarkdown.js';
import type { RuntimeEvent } from '../../agents/loop/runtimeEvent.js';

/**
 * What the entry agent says, written while it says it. Nothing that is written can be taken back: an attempt that broke
 * off stays, with a line below it, and every message ends so that what follows it is read by itself.
 */
export class StreamedAnswer {
  readonly #sink: Pick<AnswerSink, 'answer' | 'quote' | 'progress'>;
  /** What has come of the message that is being said. */
  #message = '';
  /** Half a character, whose other half is in the next piece. */
  #half = '';
  /** The last message that was said to its end. */
  #last = '';

  constructor(sink: Pick<AnswerSink, 'answer' | 'quote' | 'progress'>) {
    this.#sink = sink;
  }

  /** Follows a run by its events. */
  hear(event: RuntimeEvent): void {
    if (event.place.depth > 0) return;
    switch (event.type) {
      case 'textDelta':
        this.#add(event.text);
        break;
      case 'said':
        if (this.#message !== '') this.#last = this.#message;
        this.#close();
        break;
      case 'retry':
        if (this.#message === '') this.#sink.progress(t`${event.place.agent} tries again: ${event.reason}`);
        else {
          this.#close();
          this.#sink.quote(t`The answer broke off and begins again: ${event.reason}`);
        }
        break;
      default:
    }
  }

  /** To be called when the run has ended with `text`, which is written unless it was. */
  end(text: string): void {
    if (this.#message !== '') this.#last = this.#message;
    this.#close();
    if (text !== this.#last) this.#add(text);
    this.#close();
  }

  #add(piece: string): void {
    this.#message += piece;
    const text = this.#half + piece;
    // A pair of surrogates, or a line break of two characters, that a piece ends within would be shown as two.
    const [half = ''] = /[\ud800-\udbff\r]$/.exec(text) ?? [];
    this.#half = half;
    this.#sink.answer(text.slice(0, text.length - half.length));
  }

  #close(): void {
    if (this.#message === '') return;
    const fence = openFenceOf(this.#message);
    this.#sink.answer(`${this.#half}${fence === undefined ? '' : `\n${fence}`}\n\n`);
    this.#message = '';
    this.#half = '';
  }
}

/** A button in an answer, as VS Code's Chat view takes it. */
export interface AnswerButton {
  readonly title: string;
  readonly command: string;
  arguments?: unknown[];
}

/** Where an answer of the Chat view is written; every text but the answer itself reads literally. */
export interface AnswerSink {
  /** Adds a quoted line. */
  quote(line: string): void;
  /** Adds what a model has answered, as its Markdown. */
  answer(text: string): void;
  /** Shows what is going on, until something else is added. */
  progress(text: string): void;
  /** Adds a button; its title is a constant of the code. */
  button(button: AnswerButton): void;
}
