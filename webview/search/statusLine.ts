import { explainCost, formatCost, type Cost } from '../../src/core/cost.js';
import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import type { RowKind } from '../../src/query/language/syntax.js';
import type { IncompleteSession, SessionLocation } from '../../src/page/protocol/search.js';
import { iconButton } from '../controls.js';
import { el, fill, setWords, type Child } from '../dom.js';
import { formatCount } from '../format.js';
import { icon } from '../icons.js';
import { visibleLine } from '../../src/core/visibleText.js';
import { plainText } from '../content/plainText.js';
import type { Order, SearchState } from './searchState.js';

/** What a person does beside the list of results. */
export interface StatusActions {
  readonly cancel: () => void;
  readonly again: () => void;
  readonly order: (order: Order) => void;
  readonly collapseAll: (collapsed: boolean) => void;
  readonly openInEditor: () => void;
  readonly exportFound: () => void;
  readonly openSession: (location: SessionLocation) => void;
}

const ROWS: Readonly<Record<RowKind, readonly [one: Message, many: Message]>> = {
  messages: [message`message`, message`messages`],
  records: [message`record`, message`records`],
  toolCalls: [message`tool call`, message`tool calls`],
  agentCalls: [message`agent call`, message`agent calls`],
  runs: [message`run`, message`runs`],
  sessions: [message`session`, message`sessions`],
};

/** How much was found, how far the search is, and what of it could not be read. */
export class StatusLine {
  readonly element: HTMLElement;
  readonly #words = el('span', { class: 'status-words', role: 'status' });
  readonly #tools: HTMLElement;
  readonly #progress: HTMLElement;
  readonly #bar = el('span');
  readonly #trouble = el('div', { class: 'trouble' });
  readonly #archive = el('div', { class: 'trouble', role: 'status', hidden: true });
  readonly #order: HTMLSelectElement;
  readonly #collapse: HTMLElement;
  readonly #actions: StatusActions;
  #isListed = false;
  #state: SearchState | undefined;

  constructor(actions: StatusActions) {
    this.#actions = actions;
    this.#order = el(
      'select',
      { class: 'order', title: t`Order`, attributes: { 'aria-label': t`Order` } },
      el('option', { attributes: { value: 'newest' } }, t`Newest first`),
      el('option', { attributes: { value: 'most' } }, t`Most matches first`),
    );
    this.#order.addEventListener('change', () => actions.order(this.#order.value as Order));
    this.#collapse = el('span', { class: 'status-collapse' });
    const editor = iconButton('go-to-file', t`Open in an editor`, actions.openInEditor);
    this.#tools = el(
      'span',
      { class: 'status-tools' },
      this.#order,
      iconButton('sync', t`Search again`, actions.again),
      this.#collapse,
      iconButton('export', t`Export the sessions that are listed…`, actions.exportFound),
      editor,
    );
    this.#progress = el(
      'div',
      { class: 'search-progress', role: 'progressbar', attributes: { 'aria-label': t`Search` } },
      this.#bar,
    );
    this.element = el(
      'div',
      { class: 'status' },
      el('div', { class: 'status-line' }, this.#words, el('span', { class: 'spacer' }), this.#tools),
      this.#progress,
      this.#archive,
      this.#trouble,
    );
  }

  /** Hides what makes no sense in an editor. */
  inEditor(): void {
    const editor = this.#tools.lastElementChild;
    if (editor instanceof HTMLElement) editor.hidden = true;
  }

  update(state: SearchState): void {
    const before = this.#state;
    this.#state = state;
    this.element.hidden = state.state === 'nothing';
    if (before?.number !== state.number) this.#isListed = false;
    const { looked, of } = state.progress;
    const isSearching = state.state === 'searching';
    this.#progress.classList.toggle('is-on', isSearching);
    this.#progress.setAttribute('aria-hidden', String(!isSearching));
    this.#progress.setAttribute('aria-valuemax', String(Math.max(1, of)));
    this.#progress.setAttribute('aria-valuenow', String(looked));
    this.#bar.style.width = of === 0 ? '0' : `${(looked / of) * 100}%`;
    fill(this.#words, this.#found(state));
    if (this.#order.value !== state.order) this.#order.value = state.order;
    this.#drawCollapse(state);
    this.#drawTrouble(state);
    this.#drawArchive(state);
  }

  /** What was found is all that is here: the archive is told beside it, with what to do. */
  #drawArchive({ archiveProblem }: SearchState): void {
    this.#archive.hidden = archiveProblem === undefined;
    if (archiveProblem === undefined) return;
    const why = plainText(visibleLine(archiveProblem));
    const words = el('span', {}, t`The archive is missing here.`, ' ', why);
    fill(this.#archive, el('div', { class: 'trouble-line' }, icon('warning'), words));
  }

  #found(state: SearchState): Child[] {
    const { totals, progress, asked, groups } = state;
    const [one, many] = ROWS[asked?.rows ?? 'messages'];
    const rows = `${formatCount(totals.rows)} ${inLanguage(totals.rows === 1 ? one : many)}`;
    const isOfSessions = asked?.rows === 'sessions';
    const found = isOfSessions
      ? rows
      : totals.sessions === 1
        ? t`${rows} in 1 session`
        : t`${rows} in ${formatCount(totals.sessions)} sessions`;
    const listed = totals.sessions > groups.length && state.state !== 'searching' && groups.length > 0;
    const words: Child[] = [
      el('span', { class: 'status-found' }, found),
      totals.cost && costWords(totals.cost),
      listed && el('span', { class: 'faint' }, ` · ${t`the first ${formatCount(groups.length)} listed`}`),
    ];
    switch (state.state) {
      case 'searching':
        return [
          ...words,
          progress.of > 0 &&
            el(
              'span',
              { class: 'faint' },
              ` · ${formatCount(progress.looked)} / ${formatCount(progress.of)}`,
            ),
          ' ',
          el(
            'button',
            { class: 'link', attributes: { type: 'button' }, on: { click: this.#actions.cancel } },
            t`Cancel`,
          ),
        ];
      case 'cancelled':
        return [
          ...words,
          el(
            'span',
            { class: 'status-ended' },
            ` · ${t`stopped after ${formatCount(progress.looked)} of ${formatCount(progress.of)} sessions`}`,
          ),
        ];
      case 'failed':
        return [el('span', { class: 'bad' }, icon('error'), ' ', visibleLine(state.failure ?? ''))];
      case 'refused':
        return [el('span', { class: 'faint' }, t`This question has no answer yet.`)];
      default:
        return words;
    }
  }

  #drawCollapse({ groups, collapsed, asked }: SearchState): void {
    const isAll = groups.length > 0 && collapsed.size >= groups.length;
    const words = isAll ? t`Expand all` : t`Collapse all`;
    const isUseless = groups.length === 0 || asked?.rows === 'sessions';
    if (
      this.#collapse.title === words &&
      this.#collapse.hidden === isUseless &&
      this.#collapse.childElementCount > 0
    )
      return;
    setWords(this.#collapse, 'title', words);
    this.#collapse.hidden = isUseless;
    fill(
      this.#collapse,
      iconButton(isAll ? 'expand-all' : 'collapse-all', words, () => this.#actions.collapseAll(!isAll)),
    );
  }

  #drawTrouble({ unread, incomplete }: SearchState): void {
    const sentences = [
      unread.count > 0 &&
        (unread.count === 1
          ? t`1 session could not be read.`
          : t`${formatCount(unread.count)} sessions could not be read.`),
      incomplete.count > 0 &&
        (incomplete.count === 1
          ? t`1 session is not whole.`
          : t`${formatCount(incomplete.count)} sessions are not whole.`),
    ].filter((sentence) => sentence !== false);
    this.#trouble.hidden = sentences.length === 0;
    if (sentences.length === 0) return;
    const all = [
      ...unread.first,
      ...incomplete.first.map((session) => ({ place: session.place, why: whatIsMissing(session) })),
    ];
    const left = unread.count + incomplete.count - all.length;
    fill(
      this.#trouble,
      el(
        'button',
        {
          class: 'trouble-line',
          attributes: { type: 'button', 'aria-expanded': String(this.#isListed) },
          on: { click: () => this.#list() },
        },
        icon('warning'),
        el('span', {}, sentences.join(' ')),
        icon(this.#isListed ? 'chevron-down' : 'chevron-right'),
      ),
      this.#isListed &&
        el(
          'ul',
          { class: 'trouble-list' },
          all.map(({ place: location, why }) =>
            el(
              'li',
              {},
              el(
                'button',
                {
                  class: 'link',
                  attributes: { type: 'button' },
                  on: { click: () => this.#actions.openSession(location) },
                },
                plainText(visibleLine(nameOf(location))),
              ),
              el('span', { class: 'faint' }, ' ', plainText(visibleLine(why))),
            ),
          ),
          left > 0 && el('li', { class: 'faint' }, t`and ${formatCount(left)} more`),
        ),
    );
  }

  #list(): void {
    this.#isListed = !this.#isListed;
    if (this.#state) this.#drawTrouble(this.#state);
    const line = this.#trouble.firstElementChild;
    if (line instanceof HTMLElement) line.focus();
  }
}

function whatIsMissing({ damaged, missingTexts }: IncompleteSession): string {
  return [
    damaged > 0 && (damaged === 1 ? t`1 damaged place` : t`${formatCount(damaged)} damaged places`),
    missingTexts > 0 &&
      (missingTexts === 1
        ? t`1 large text is not there any more`
        : t`${formatCount(missingTexts)} large texts are not there any more`),
  ]
    .filter((words) => words !== false)
    .join(', ');
}

/** What a session that could not be read is called: by its file where it has one of its own. */
function nameOf({ kind, root, conversation }: SessionLocation): string {
  return kind === 'file' ? (root.split(/[\\/]/).at(-1) ?? root) : conversation;
}

function costWords(cost: Cost): HTMLElement {
  return el('span', { class: 'status-cost', title: explainCost(cost) }, ` · ${formatCost(cost)}`);
}
