import { t } from '../../src/core/l10n.js';
import type { TurnSummary } from '../../src/page/protocol/analysis.js';
import { plainWords } from '../../src/query/plainWords.js';
import { plainText } from '../content/plainText.js';
import { el, fill, type Child } from '../dom.js';
import { formatDuration } from '../../src/core/duration.js';
import { formatCount, formatNoun, formatTime } from '../format.js';

/** What the list of turns needs. */
export interface TurnListOptions {
  readonly onOpen: (turn: TurnSummary) => void;
  /** Told which turn the pointer or the focus is on. */
  readonly onLook: (turn: TurnSummary | undefined) => void;
  /** Asked for the turns from another one on. */
  readonly onPage: (first: number) => void;
}

/** The turns of a conversation, to be read from top to bottom. */
export class TurnList {
  readonly element = el('ol', { class: 'turns', attributes: { 'aria-label': t`Turns` } });
  readonly #options: TurnListOptions;

  constructor(options: TurnListOptions) {
    this.#options = options;
  }

  /** Lists a page of the turns that there are; so many make one. */
  update(turns: readonly TurnSummary[], total: number, page: number): void {
    const first = turns[0]?.index ?? 0;
    const end = first + turns.length;
    const isAnother = Number(this.element.dataset.first ?? 0) !== first;
    this.element.dataset.first = String(first);
    const held = this.element.querySelector<HTMLElement>(':focus')?.dataset.place;
    fill(
      this.element,
      first > 0 && this.#page('earlier', t`Earlier turns (${formatCount(first)})`, Math.max(0, first - page)),
      turns.map((turn) => this.#turn(turn)),
      end < total && this.#page('later', t`Later turns (${formatCount(total - end)})`, end),
      turns.length === 0 && el('li', { class: 'faint turns-more' }, t`No prompt was given yet.`),
    );
    if (isAnother) this.element.scrollTop = 0;
    if (held !== undefined) this.#focus(held, isAnother);
  }

  /** Gives the focus back to what stands where it was; on another page, or where nothing does, to the first turn. */
  #focus(place: string, isAnother: boolean): void {
    const isTurn = /^\d/.test(place);
    const same = this.element.querySelector<HTMLElement>(`[data-place="${place}"]`);
    const first = this.element.querySelector<HTMLElement>('.turn');
    (isAnother && !isTurn ? first : (same ?? first))?.focus({ preventScroll: true });
  }

  #page(place: 'earlier' | 'later', words: string, first: number): HTMLElement {
    const click = (): void => this.#options.onPage(first);
    const attributes = { type: 'button', 'data-place': place };
    const more = el('button', { class: 'more', attributes, on: { click } }, words);
    return el('li', { class: 'turns-more' }, more);
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
          attributes: { type: 'button', 'data-place': turn.index },
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
          turn.start > 0 && el('time', {}, formatTime(turn.start)),
        ),
        el(
          'span',
          { class: 'turn-prompt' },
          plainText(turn.prompt === '' ? t`An empty prompt` : plainWords(turn.prompt)),
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
