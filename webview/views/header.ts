import { plainText } from '../content/plainText.js';
import { formatCount, formatNoun } from '../format.js';
import { button, iconButton } from '../controls.js';
import { el, fill } from '../dom.js';
import { icon, type IconName } from '../icons.js';
import type { PageActions } from '../pageActions.js';
import { TABS, type State, type Tab } from '../state.js';
import { exportMenu } from './exportMenu.js';

const STATES: Readonly<Record<State['live']['state'], readonly [IconName, string]>> = {
  running: ['loading', 'Running'],
  waiting: ['question', 'Waiting for you'],
  done: ['pass', 'Done'],
  failed: ['error', 'Failed'],
  cancelled: ['circle-slash', 'Stopped'],
  limited: ['warning', 'Hit a limit'],
  interrupted: ['warning', 'Interrupted'],
  unknown: ['history', 'Recorded'],
};

const TAB_WORDS: Readonly<Record<Tab, string>> = {
  messages: 'Messages',
  timeline: 'Timeline',
  statistics: 'Statistics',
  tools: 'Tools',
};

/** The header: title, state and actions of the transcript, and below them the tabs. */
export class Header {
  readonly element: HTMLElement;
  readonly #title = el('h1');
  readonly #state = el('span', { class: 'badge', role: 'status' });
  readonly #facts = el('span', { class: 'facts' });
  readonly #stop: HTMLElement;
  readonly #tabs: ReadonlyMap<Tab, HTMLElement>;

  constructor(actions: PageActions, stateOf: () => State) {
    this.#stop = button(
      { class: 'stop', title: 'Stop this run', on: { click: actions.stop } },
      icon('debug-stop'),
      el('span', { class: 'button-words' }, 'Stop'),
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
        this.#facts,
        el('span', { class: 'spacer' }),
        this.#stop,
        exportMenu(actions, stateOf),
        help,
      ),
      el(
        'div',
        { class: 'tabs', role: 'tablist', attributes: { 'aria-label': 'Views' } },
        tabs.map(([, tab]) => tab),
      ),
    );
  }

  update(state: State): void {
    const { live, list } = state;
    fill(this.#title, plainText(state.title));
    this.#title.title = state.title;
    const [name, words] = STATES[live.state];
    this.#state.className = `badge badge-${live.state}`;
    fill(this.#state, icon(name, live.state === 'running' ? 'codicon-modifier-spin' : ''), words);
    const isReading = list.read < list.records;
    const part = Math.floor((100 * list.read) / Math.max(list.records, 1));
    this.#facts.textContent = isReading
      ? `${formatCount(list.messages)} messages so far, ${part} % read`
      : formatNoun(list.messages, 'message');
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
        title: `${TAB_WORDS[tab]} (${at + 1})`,
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
      TAB_WORDS[tab],
    );
  }
}
