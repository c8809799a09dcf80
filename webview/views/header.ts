import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import { plainText } from '../content/plainText.js';
import { explainCost, formatCost, isKnownCost } from '../../src/core/cost.js';
import { formatDuration } from '../../src/core/duration.js';
import { formatCount, formatDate, formatMoment, formatNoun } from '../format.js';
import { shortNumber } from '../../src/core/shortNumber.js';
import { button, iconButton } from '../controls.js';
import { el, fill, setWords } from '../dom.js';
import { icon, type IconName } from '../icons.js';
import type { PageActions } from '../rows/pageActions.js';
import { pathWords } from '../rows/stepCards.js';
import { TABS, type State, type Tab } from '../state.js';
import { COST, ERRORS, RUNNING, USED } from './wordsOfNumbers.js';
import { latePopover } from './latePopover.js';

const STATES: Readonly<Record<State['live']['state'], readonly [IconName, Message]>> = {
  running: ['loading', message`Running`],
  waiting: ['question', message`Waiting for you`],
  done: ['pass', message`Done`],
  failed: ['error', message`Failed`],
  cancelled: ['circle-slash', message`Stopped`],
  limited: ['warning', message`Hit a limit`],
  interrupted: ['warning', message`Interrupted`],
  unknown: ['history', message`Recorded`],
};

const TAB_WORDS: Readonly<Record<Tab, Message>> = {
  messages: message`Messages`,
  timeline: message`Timeline`,
  statistics: message`Statistics`,
  tools: message`Tools`,
  approvals: message`Approvals`,
  context: message`Context`,
};

/** What the transcript is as a whole, each fact with its tooltip; what is not known is left out. */
function factsOf({ facts, provenance, live, kept }: State, toError: () => void): HTMLElement[] {
  const { startedAt, durationMs, tokens, cost, errors, reason } = facts;
  const { tool, path, folder, details } = provenance;
  const used = tokens.input + tokens.output;
  const about = tokens.estimated ? '≈ ' : '';
  const inAndOut = t`${formatCount(tokens.input)} in, ${formatCount(tokens.output)} out`;
  const fact = (words: string, title: string, looks = ''): HTMLElement =>
    el('span', { class: `fact ${looks}`.trim(), title }, plainText(words));
  // Once: what can be done stands with the reason below the list.
  const tellsWhy = (live.state === 'failed' || live.state === 'limited') && live.failure === undefined;
  return [
    tellsWhy && reason !== undefined && fact(reason, t`Why the last run ended`, 'bad fact-reason'),
    startedAt > 0 && fact(formatDate(startedAt), t`Began ${formatMoment(startedAt)}`),
    durationMs > 0 && fact(formatDuration(durationMs), inLanguage(RUNNING)),
    used > 0 &&
      fact(
        used === 1 ? t`${about}1 token` : t`${about}${shortNumber(used)} tokens`,
        `${inAndOut}. ${inLanguage(USED.title)}`,
      ),
    isKnownCost(cost) && fact(formatCost(cost), `${explainCost(cost)} ${inLanguage(COST.title)}`),
    errors > 0 &&
      el(
        'button',
        {
          class: 'fact bad fact-errors',
          title: `${inLanguage(ERRORS)} ${t`Go to the next one (F)`}`,
          attributes: { type: 'button' },
          on: { click: toError },
        },
        formatNoun(errors, 'error'),
      ),
    kept !== undefined &&
      fact(
        t`kept ${formatCount(kept.kept)} of ${formatNoun(kept.put, 'line')}`,
        t`How many of the lines that its edits put into files are proved to stand there still`,
      ),
    tool !== undefined && fact(tool, t`The tool that it was imported from`),
    path !== undefined && withPath(path, t`The file that it was imported from`),
    folder !== undefined &&
      fact(nameOfFolder(folder), t`The folder that it belongs to: ${folder}`, 'fact-path'),
    ...details.map(({ name, value }) => fact(`${name}: ${value}`, `${name}: ${value}`, 'fact-detail')),
  ].filter((each) => each !== false);
}

/** The last part of a path: the folder is one of this window's, so its name says which. */
function nameOfFolder(path: string): string {
  return /[^\\/]+(?=[\\/]*$)/.exec(path)?.[0] ?? path;
}

function withPath(path: string, title: string): HTMLElement {
  const words = pathWords('fact fact-path', path);
  setWords(words, 'title', `${title}: ${path}`);
  return words;
}

/** The header: title, state and actions of the transcript, and below them the tabs. */
export class Header {
  readonly element: HTMLElement;
  readonly #title = el('h1');
  readonly #state = el('span', { class: 'badge', role: 'status' });
  readonly #count = el('span', { class: 'count-of-messages' });
  readonly #facts = el('div', { class: 'facts' });
  readonly #stop: HTMLElement;
  readonly #tabs: ReadonlyMap<Tab, HTMLElement>;
  readonly #trouble: TroubleLine;
  readonly #problems: HTMLElement;

  readonly #toError: () => void;

  constructor(actions: PageActions, stateOf: () => State) {
    this.#toError = () => actions.stepTo('error', 1, true);
    this.#problems = el('button', {
      class: 'not-understood',
      title: t`Show the report of the import`,
      attributes: { type: 'button' },
      on: { click: actions.showImportReport },
    });
    this.#trouble = new TroubleLine(actions.showInContext);
    this.#stop = button(
      { class: 'stop', title: t`Stop this run`, on: { click: actions.stop } },
      icon('debug-stop'),
      el('span', { class: 'button-words' }, t`Stop`),
    );
    const help = iconButton('keyboard', 'Keys (?)', actions.showKeys);
    const tabs = TABS.map((tab) => [tab, this.#tab(tab, actions)] as const);
    this.#tabs = new Map(tabs);
    this.element = el(
      'header',
      {},
      el(
        'div',
        { class: 'title-line' },
        this.#title,
        this.#state,
        this.#problems,
        this.#count,
        el('span', { class: 'spacer' }),
        this.#stop,
        exportButton(actions, stateOf),
        help,
      ),
      this.#facts,
      this.#trouble.element,
      el(
        'div',
        { class: 'tabs', role: 'tablist', attributes: { 'aria-label': t`Views` } },
        tabs.map(([, tab]) => tab),
      ),
    );
  }

  update(state: State): void {
    const { live, list } = state;
    fill(this.#title, plainText(state.title));
    setWords(this.#title, 'title', state.title);
    const [name, label] = STATES[live.state];
    const words = inLanguage(label);
    this.#state.className = `badge badge-${live.state}`;
    fill(this.#state, icon(name, live.state === 'running' ? 'codicon-modifier-spin' : ''), words);
    const isReading = list.read < list.records;
    const part = Math.floor((100 * list.read) / Math.max(list.records, 1));
    this.#count.textContent = isReading
      ? t`${formatCount(list.messages)} messages so far, ${part} % read`
      : formatNoun(list.messages, 'message');
    const { problems = 0 } = state.provenance;
    this.#problems.hidden = problems === 0;
    fill(this.#problems, icon('warning'), t`${formatNoun(problems, 'place')} not understood`);
    const hadFocus = this.#facts.contains(document.activeElement);
    fill(this.#facts, factsOf(state, this.#toError));
    if (hadFocus) this.#facts.querySelector('button')?.focus();
    this.#facts.hidden = this.#facts.childElementCount === 0;
    this.#trouble.update(state);
    this.#stop.hidden = !live.canStop;
    for (const [tab, control] of this.#tabs) {
      const isShown = tab === state.tab;
      control.setAttribute('aria-selected', String(isShown));
      control.tabIndex = isShown ? 0 : -1;
    }
  }

  #tab(tab: Tab, actions: PageActions): HTMLElement {
    const at = TABS.indexOf(tab);
    return el(
      'button',
      {
        class: 'tab',
        role: 'tab',
        id: `tab-${tab}`,
        title: `${inLanguage(TAB_WORDS[tab])} (${at + 1})`,
        attributes: { type: 'button', 'aria-controls': `view-${tab}` },
        on: {
          click: () => actions.showTab(tab),
          keydown: (event) => {
            const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
            const next = step === 0 ? undefined : TABS[(at + step + TABS.length) % TABS.length];
            if (!next) return;
            actions.showTab(next);
            this.#tabs.get(next)?.focus();
            event.preventDefault();
          },
        },
      },
      inLanguage(TAB_WORDS[tab]),
    );
  }
}

/** The button that offers all ways to export, which are loaded when they are first wanted. */
function exportButton(actions: PageActions, stateOf: () => State): HTMLElement {
  const anchor = button(
    { class: 'export', title: t`Export (X)`, id: 'export' },
    icon('export'),
    el('span', { class: 'button-words' }, t`Export`),
  );
  const load = async () => (await import('./exportMenu.js')).exportMenu(anchor, actions, stateOf);
  latePopover(anchor, load, actions.tellFailure);
  return anchor;
}

type Trouble = NonNullable<State['facts']['trouble']>;

/**
 * One sentence that names the first thing that went wrong in the last run, and leads to its row; hidden while a run goes on,
 * and for one that did not fail.
 */
class TroubleLine {
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

  update({ facts: { trouble, errors }, live }: Pick<State, 'facts' | 'live'>): void {
    const isOver = live.state !== 'running' && live.state !== 'waiting';
    this.#trouble = isOver ? trouble : undefined;
    this.element.hidden = this.#trouble === undefined;
    if (!this.#trouble) return;
    const words = sentenceOf(this.#trouble);
    fill(this.#words, plainText(words));
    const { more } = this.#trouble;
    const earlier = errors - more - 1;
    const after = more > 0 ? t`${formatNoun(more, 'more error')} after it.` : '';
    this.#more.textContent = `${after} ${earlier > 0 ? t`${earlier} in earlier turns.` : ''}`;
    setWords(this.element, 'title', t`${words} Go to it`);
  }
}

/** The sentence about a trouble, with the names that the record gives. */
function sentenceOf({ kind, agent, askedBy, what }: Trouble): string {
  const who = askedBy === undefined ? agent : t`${agent}, asked by ${askedBy}`;
  switch (kind) {
    case 'tool':
      return what === '' ? t`First error: a tool failed (${who}).` : t`First error: ${what} failed (${who}).`;
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
