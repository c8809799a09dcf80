import { t } from '../../src/core/l10n.js';
import { preview, singleLine } from '../../src/core/text.js';
import { isUnasked, NO_QUESTION } from '../../src/page/protocol/question.js';
import { button } from '../controls.js';
import { el, fill, type Child } from '../dom.js';
import { formatCount, formatNoun } from '../format.js';
import { icon } from '../icons.js';
import type { Writing } from '../../src/page/protocol/panelState.js';
import type { PageActions } from '../rows/pageActions.js';
import { RowElements } from '../rows/rowElements.js';
import { RowFocus } from '../rows/rowFocus.js';
import { RowToolbar } from '../rows/rowToolbar.js';
import { isRunning, NOWHERE, type State } from '../state.js';
import { VirtualList, type ListPart } from '../rows/virtualList.js';
import { parseQuery } from '../../src/query/language/parse.js';
import { foundWords } from '../questionBar/foundWords.js';
import { withDescriptions } from '../questionBar/questionBar.js';
import { FilterBar } from './filterBar.js';
import { WritingView } from './writingView.js';

/** Tells which part of a very long list is shown, and switches to the previous or next part. */
class PartsBar {
  readonly element: HTMLElement;
  readonly #words = el('span', { class: 'faint' });
  readonly #before: HTMLElement;
  readonly #after: HTMLElement;
  #part: ListPart = { first: 0, end: 0, of: 0 };

  /** `onShow` is told a row of the part that is asked for. */
  constructor(onShow: (index: number) => void) {
    this.#before = button({ on: { click: () => onShow(this.#part.first - 1) } }, t`Earlier part`);
    this.#after = button({ on: { click: () => onShow(this.#part.end) } }, t`Later part`);
    this.element = el('div', { class: 'parts', hidden: true }, this.#before, this.#words, this.#after);
  }

  update(part: ListPart): void {
    const { first, end, of } = part;
    this.#part = part;
    this.element.hidden = end - first >= of;
    this.#before.hidden = first === 0;
    this.#after.hidden = end >= of;
    this.#words.textContent = t`Rows ${formatCount(first + 1)} to ${formatCount(end)} of ${formatCount(of)}`;
  }
}

/** How long after a person's wheel, key or finger a movement of the list is taken for theirs, in milliseconds. */
const TOUCH_MS = 600;

/** What the messages tab needs. */
export interface MessagesViewOptions {
  readonly actions: PageActions;
  readonly stateOf: () => State;
  /** Called with the rows in view, so that they can be fetched. */
  readonly onRange: (first: number, last: number) => void;
  /** Called when the end comes into view or leaves it. */
  readonly onFollow: (following: boolean) => void;
}

/** The list of messages with the filter above it. */
export class MessagesView {
  readonly element: HTMLElement;
  readonly filterBar: FilterBar;
  readonly list: VirtualList;
  readonly #options: MessagesViewOptions;
  readonly #elements: RowElements;
  readonly #toolbar: RowToolbar;
  readonly #focus: RowFocus;
  readonly #pill: HTMLElement;
  readonly #parts: PartsBar;
  readonly #writing: WritingView;
  readonly #empty = el('div', { class: 'empty', hidden: true });
  readonly #damage = el('div', { class: 'banner warning damage', hidden: true });
  readonly #announcer = el('div', { class: 'sr', attributes: { 'aria-live': 'polite' } });
  #hovered: HTMLElement | undefined;
  /** How many messages a screen reader was told of. */
  #announced = 0;
  /** When the person last moved the list by hand. */
  #touchedAt = -Infinity;

  constructor(options: MessagesViewOptions) {
    const { actions, stateOf } = options;
    this.#options = options;
    this.#elements = new RowElements(actions);
    this.#toolbar = new RowToolbar(actions);
    this.filterBar = new FilterBar(actions, stateOf, () => this.#goToList());
    this.#writing = new WritingView(stateOf);
    this.list = new VirtualList({
      label: t`Messages`,
      below: this.#writing.element,
      render: (index) => this.#elements.at(index, stateOf()),
      onRange: (first, last, isAtEnd) => this.#onRange(first, last, isAtEnd),
    });
    this.#focus = new RowFocus(this.list);
    this.#parts = new PartsBar((index) => this.list.showPart(index));
    this.#pill = button({ appearance: 'primary', class: 'pill', hidden: true, on: { click: actions.toEnd } });
    this.element = el(
      'section',
      {
        class: 'view view-messages',
        id: 'view-messages',
        role: 'tabpanel',
        attributes: { 'aria-labelledby': 'tab-messages' },
      },
      this.filterBar.element,
      this.#damage,
      this.#parts.element,
      el('div', { class: 'list-frame' }, this.list.element, this.#empty, this.#pill),
      this.#announcer,
      this.#writing.announcer,
    );
    // Rows that are scrolled under a pointer at rest are not pointed at.
    this.list.element.addEventListener('pointermove', (event) => this.#hover(event.target), {
      passive: true,
    });
    this.list.element.addEventListener('pointerleave', () => this.#hover(null));
    this.list.element.addEventListener('focusin', (event) => this.#onFocus(event.target));
    for (const name of ['wheel', 'pointerdown', 'keydown', 'touchmove'] as const) {
      this.list.element.addEventListener(name, () => (this.#touchedAt = performance.now()), {
        passive: true,
      });
    }
    // Before the list itself hears of it, which then draws and may go on following.
    this.list.element.addEventListener('scroll', () => this.#onScroll(), true);
  }

  /** Whether the person has moved the list. */
  get isTouched(): boolean {
    return this.#touchedAt > 0;
  }

  update(state: State, before: State): void {
    this.filterBar.update(state, before);
    this.#updateEmpty(state);
    this.#updatePill(state);
    this.#announce(state, before);
    if (state.damagedTotal !== before.damagedTotal || !before.ready) this.#updateDamage(state);
    if (state.selected !== before.selected) this.#hovered = undefined;
    this.#writing.update();
    if (state.tab === 'messages') this.list.draw();
    if (state.open !== before.open) this.#keepHead(state, before);
    this.#attachToolbar();
  }

  /** Shows what agents are writing, below the last message. */
  showWriting(writing: Writing): void {
    this.#writing.hear(writing);
    if (this.#options.stateOf().following) this.list.toEnd();
  }

  /** The head of a card that was opened stays in sight, so that it can be closed where it was opened. */
  #keepHead({ open, rows }: State, before: State): void {
    const opened = [...open].find((id) => !before.open.has(id));
    const index = opened === undefined ? undefined : [...rows].find(([, row]) => row.id === opened)?.[0];
    if (index !== undefined && this.list.span(index).start < 0) this.list.reveal(index, 'start');
  }

  /** Moves the keyboard's focus to a row, now or as soon as it is drawn. */
  focusRow(index: number): void {
    this.#focus.want(index);
  }

  /** Moves the keyboard's focus to the first button of a row; false where it has none. */
  focusButtons(index: number): boolean {
    return this.#focus.goInto(index);
  }

  /** From the filter into the list: to the selected row, or to the first in sight. */
  #goToList(): void {
    const { selected } = this.#options.stateOf();
    const isKnown = selected !== undefined && selected.index !== NOWHERE;
    const index = isKnown ? selected.index : (this.list.top?.index ?? 0);
    this.list.reveal(index);
    this.focusRow(index);
  }

  #onRange(first: number, last: number, isAtEnd: boolean): void {
    this.#elements.trim();
    this.#parts.update(this.list.part);
    this.#focus.update(this.#options.stateOf());
    this.#options.onRange(first, last);
    const { following } = this.#options.stateOf();
    if (following && !isAtEnd) this.list.toEnd();
  }

  /**
   * Only a person's hand begins and ends the following. Rows that turn out higher than thought scroll the list too; and one that
   * goes to a row is at its end for as long as the rows below are taken for lower than they are.
   */
  #onScroll(): void {
    const { following, list } = this.#options.stateOf();
    const { isAtEnd, isMoved } = this.list;
    if (list.rows === 0 || isAtEnd === following) return;
    const isTouched = performance.now() - this.#touchedAt < TOUCH_MS;
    if (isTouched || (isAtEnd && isMoved)) this.#options.onFollow(isAtEnd);
  }

  #hover(target: EventTarget | null): void {
    const row =
      target instanceof Element ? (target.closest<HTMLElement>('.row') ?? this.#hovered) : undefined;
    if (row === this.#hovered) return;
    this.#hovered = row;
    this.#attachToolbar();
  }

  #onFocus(target: EventTarget | null): void {
    const row = target instanceof Element ? target.closest<HTMLElement>('.row') : null;
    const index = Number(row?.getAttribute('aria-posinset') ?? 0) - 1;
    const state = this.#options.stateOf();
    if (index >= 0 && state.selected?.index !== index) this.#options.actions.touch(index);
  }

  #attachToolbar(): void {
    if (this.#toolbar.element.contains(document.activeElement)) return;
    const state = this.#options.stateOf();
    const element = this.#hovered?.isConnected
      ? this.#hovered
      : state.selected && this.list.drawn(state.selected.index);
    const row = element && state.rows.get(Number(element.getAttribute('aria-posinset') ?? 0) - 1);
    this.#toolbar.attach(element, row, !isUnasked(state.asked));
    this.#focus.update(state);
  }

  #updatePill(state: State): void {
    const { unseen, following, list } = state;
    this.#pill.hidden = following || list.rows === 0 || (unseen === 0 && !isRunning(state));
    const words = unseen > 0 ? t`${formatCount(unseen)} new` : t`Follow`;
    if (this.#pill.textContent !== words) fill(this.#pill, icon('arrow-down'), words);
  }

  /** Tells a screen reader what came: who follows hears it as soon as it is fetched, who does not how much it is. */
  #announce(state: State, before: State): void {
    const { list, rows, following } = state;
    if (!before.ready || !isRunning(state)) this.#announced = list.messages;
    if (list.messages <= this.#announced) return;
    const last = rows.get(list.rows - 1);
    if (following && !last) return;
    this.#announced = list.messages;
    this.#announcer.textContent =
      last?.kind === 'message'
        ? `${last.agent}: ${preview(singleLine(last.body.text), 200)}`
        : formatNoun(list.messages, 'message');
  }

  #updateDamage({ damaged, damagedTotal }: State): void {
    this.#damage.hidden = damagedTotal === 0;
    const [first] = damaged;
    const words =
      damagedTotal === 1
        ? t`The journal is damaged in one place.`
        : t`The journal is damaged in ${formatCount(damagedTotal)} places.`;
    fill(this.#damage, icon('warning'), first ? `${words} ${damageWords(first)}` : words);
  }

  #updateEmpty(state: State): void {
    const children = emptyWords(state, this.#options.actions);
    const isEmpty = state.ready && children.length > 0;
    this.#empty.hidden = !isEmpty;
    this.list.element.classList.toggle('is-empty', isEmpty);
    fill(this.#empty, isEmpty && children);
  }
}

/** What a question asks for, in words that come when they are loaded. */
function askedWords({ text, rows }: State['asked']): HTMLElement {
  const words = el('p');
  withDescriptions(({ describeQuery }) => fill(words, describeQuery(parseQuery(text).query, rows)));
  return words;
}

/** What is shown in place of an empty list; nothing where there are rows. */
function emptyWords(state: State, actions: PageActions): Child[] {
  const { list, asked, matches, live } = state;
  if (list.rows > 0 || list.read < list.records) return [];
  if (!isUnasked(asked)) {
    if (!matches?.done) return [];
    return [
      el('h2', {}, t`Nothing was found`),
      askedWords(asked),
      el('p', {}, t`${foundWords(matches)}. Ask for less, or clear the question.`),
      button(
        {
          appearance: 'primary',
          on: { click: () => actions.ask(NO_QUESTION) },
        },
        t`Clear the question`,
      ),
    ];
  }
  if (list.rawRows > 0)
    return [
      el('h2', {}, t`There are only raw events`),
      el('p', {}, t`Nothing in the imported file was recognized as a message.`),
      button(
        { appearance: 'primary', on: { click: () => actions.showRaw(true) } },
        t`Show ${formatNoun(list.rawRows, 'raw event')}`,
      ),
    ];
  return [
    el('h2', {}, t`Nothing was said yet`),
    el(
      'p',
      {},
      isRunning(state)
        ? t`The first message appears here as soon as it is there.`
        : live.canContinue
          ? t`Type a prompt below to begin.`
          : t`This conversation is empty.`,
    ),
  ];
}

/** Where something is wrong in a journal, and what, like `messages.jsonl, line 3: no JSON.` */
function damageWords({ file, line, offset, why }: State['damaged'][number]): string {
  return `${file}, ${line === undefined ? t`byte ${formatCount(offset)}` : t`line ${formatCount(line)}`}: ${why}.`;
}
