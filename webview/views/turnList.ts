import type { TurnSummary } from '../../src/protocol/analysis.js';
import { plainWords } from '../../src/query/plainWords.js';
import { plainText } from '../content/plainText.js';
import { el, fill, type Child } from '../dom.js';
import { formatCount, formatDuration, formatNoun, formatTime } from '../format.js';

export interface TurnListOptions {
  readonly onOpen: (turn: TurnSummary) => void;
  /** Told which turn the pointer or the focus is on. */
  readonly onLook: (turn: TurnSummary | undefined) => void;
  /** Asked for more turns than are listed. */
  readonly onMore: () => void;
}

/** The turns of a conversation, to be read from top to bottom. */
export class TurnList {
  readonly element = el('ol', { class: 'turns', attributes: { 'aria-label': 'Turns' } });
  readonly #options: TurnListOptions;

  constructor(options: TurnListOptions) {
    this.#options = options;
  }

  update(turns: readonly TurnSummary[], total: number): void {
    const more = total - turns.length;
    fill(
      this.element,
      turns.map((turn) => this.#turn(turn)),
      more > 0 && el('li', { class: 'turns-more' }, this.#more(more)),
      turns.length === 0 && el('li', { class: 'faint turns-more' }, 'No prompt was given yet.'),
    );
  }

  #more(count: number): HTMLElement {
    const { onMore } = this.#options;
    const words = `Show more of ${formatCount(count)} others`;
    return el('button', { class: 'more', attributes: { type: 'button' }, on: { click: onMore } }, words);
  }

  #turn(turn: TurnSummary): HTMLElement {
    const { onOpen, onLook } = this.#options;
    const took = turn.end - turn.start;
    const facts = [
      took > 0 && formatDuration(took),
      turn.toolCalls > 0 && formatNoun(turn.toolCalls, 'tool call'),
      turn.dispatches > 0 && formatNoun(turn.dispatches, 'dispatch', 'dispatches'),
    ].filter((fact) => fact !== false);
    const errors: Child = turn.errors > 0 && el('span', { class: 'bad' }, formatNoun(turn.errors, 'error'));
    return el(
      'li',
      {},
      el(
        'button',
        {
          class: `turn turn-${turn.state}`,
          attributes: { type: 'button' },
          on: {
            click: () => onOpen(turn),
            pointerenter: () => onLook(turn),
            pointerleave: () => onLook(undefined),
            focus: () => onLook(turn),
            blur: () => onLook(undefined),
          },
        },
        el(
          'span',
          { class: 'turn-head' },
          el('span', { class: 'turn-number' }, formatCount(turn.index + 1)),
          el('time', {}, formatTime(turn.start)),
        ),
        el(
          'span',
          { class: 'turn-prompt' },
          plainText(turn.prompt === '' ? 'An empty prompt' : plainWords(turn.prompt)),
        ),
        turn.answer !== '' && el('span', { class: 'turn-answer' }, plainText(plainWords(turn.answer))),
        el(
          'span',
          { class: 'turn-facts' },
          facts.map((fact) => el('span', {}, fact)),
          errors,
        ),
      ),
    );
  }
}
