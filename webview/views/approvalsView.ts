import { formatDuration } from '../../src/core/duration.js';
import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import {
  MAX_LEDGER_ROWS,
  type LedgerFilter,
  type LedgerPage,
  type LedgerRow,
} from '../../src/protocol/approvals.js';
import type { Params } from '../../src/protocol/requests.js';
import { visibleText } from '../../src/core/visibleText.js';
import { plainText } from '../content/plainText.js';
import { button, setPressed } from '../controls.js';
import { el, fill, type Child } from '../dom.js';
import { formatCount, formatDate, formatMoment } from '../format.js';
import { icon } from '../icons.js';
import type { PageActions } from '../pageActions.js';
import { DataTable } from './dataTable.js';
import { agentName } from './statisticsTables.js';

const DECIDERS: ReadonlyMap<string, Message> = new Map([
  ['user', message`You`],
  ['policy', message`Settings`],
  ['remembered', message`Remembered`],
  ['rule', message`Allow rule`],
  ['hook', message`Hook`],
  ['cancel', message`Run stopped`],
]);

const OUTCOMES: Readonly<Record<LedgerRow['outcome'], Message>> = {
  done: message`done`,
  failed: message`failed`,
  notRun: message`not run`,
  unknown: message`not recorded`,
};

const PARTS: readonly (readonly [part: keyof LedgerFilter, label: Message])[] = [
  ['decision', message`Decision`],
  ['decidedBy', message`Decided by`],
  ['tool', message`Tool`],
  ['agent', message`Agent`],
];
/** How many values of one part can be chosen from. */
const MAX_CHOICES = 12;

/** The approvals tab: every decision about a tool call, and what can be chosen of them. */
export class ApprovalsView {
  readonly element = el('div', { class: 'sheet' });
  readonly #facets = el('div', {
    class: 'ledger-facets',
    role: 'group',
    attributes: { 'aria-label': t`Show only some decisions` },
  });
  readonly #summary = el('p', { class: 'ledger-summary', role: 'status' });
  readonly #table: DataTable<LedgerRow>;
  readonly #pages = el('div', { class: 'ledger-pages' });
  readonly #exports: HTMLElement;
  readonly #onLook: () => void;
  #filter: LedgerFilter = {};
  #start = 0;
  /** The choice that had the focus when it was pressed. */
  #held: string | undefined;

  /** `onLook` is told when something else is to be shown. */
  constructor(actions: PageActions, onLook: () => void) {
    this.#onLook = onLook;
    this.#table = ledgerTable(actions.showInContext);
    const save = (format: 'csv' | 'json') => () =>
      actions.exportApprovals({ format, filter: known(this.#filter) });
    this.#exports = el(
      'div',
      { class: 'ledger-exports' },
      button({ title: t`Open what is chosen as CSV`, on: { click: save('csv') } }, icon('export'), 'CSV'),
      button({ title: t`Open what is chosen as JSON`, on: { click: save('json') } }, icon('export'), 'JSON'),
    );
  }

  /** What the host is to be asked for. */
  get wanted(): Params<'approvals'> {
    return { filter: known(this.#filter), start: this.#start, count: MAX_LEDGER_ROWS };
  }

  update(page: LedgerPage): void {
    if (page.approved + page.denied === 0) {
      fill(
        this.element,
        el(
          'div',
          { class: 'empty' },
          NOTHING.map(([tag, words]) => el(tag, {}, inLanguage(words))),
        ),
      );
      return;
    }
    if (!this.#summary.isConnected)
      fill(
        this.element,
        el('div', { class: 'ledger-head' }, this.#summary, this.#exports),
        this.#facets,
        this.#table.element,
        this.#pages,
      );
    this.#summary.textContent = summaryOf(page);
    this.#drawFacets(page);
    this.#table.update(page.rows);
    this.#drawPages(page);
  }

  #choose(filter: LedgerFilter, held: string): void {
    this.#filter = filter;
    this.#held = held;
    this.#start = 0;
    this.#onLook();
  }

  #drawFacets({ facets }: LedgerPage): void {
    const groups = PARTS.map(([part, label]) => {
      const values = facets[part].slice(0, MAX_CHOICES);
      if (values.length < 2 && this.#filter[part] === undefined) return false;
      const name = inLanguage(label);
      const choices = values.map(({ value, count }) => this.#choice(part, value, count));
      return el(
        'div',
        { class: 'ledger-facet', role: 'group', attributes: { 'aria-label': name } },
        el('span', { class: 'faint' }, name),
        choices,
      );
    });
    fill(this.#facets, groups);
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined)
      [...this.#facets.querySelectorAll<HTMLElement>('.ledger-choice')]
        .find(({ dataset }) => dataset.key === held)
        ?.focus();
  }

  #choice(part: keyof LedgerFilter, value: string, count: number): HTMLElement {
    const isChosen = this.#filter[part] === value;
    const key = `${part} ${value}`;
    const choice = el(
      'button',
      {
        class: 'ledger-choice',
        attributes: { type: 'button', 'data-key': key },
        on: { click: () => this.#choose({ ...this.#filter, [part]: isChosen ? undefined : value }, key) },
      },
      plainText(wordsOf(part, value)),
      el('span', { class: 'ledger-count' }, formatCount(count)),
    );
    setPressed(choice, isChosen);
    return choice;
  }

  #drawPages({ matching }: LedgerPage): void {
    this.#pages.hidden = matching <= MAX_LEDGER_ROWS;
    const turn = (by: number) => () => {
      this.#start = Math.max(0, this.#start + by * MAX_LEDGER_ROWS);
      this.#onLook();
    };
    const last = Math.min(matching, this.#start + MAX_LEDGER_ROWS);
    fill(
      this.#pages,
      button({ disabled: this.#start === 0, on: { click: turn(-1) } }, t`Earlier`),
      el('span', {}, t`${formatCount(this.#start + 1)} to ${formatCount(last)} of ${formatCount(matching)}`),
      button({ disabled: last >= matching, on: { click: turn(1) } }, t`Later`),
    );
  }
}

const NOTHING: readonly (readonly ['h2' | 'p', Message])[] = [
  ['h2', message`Nothing was decided`],
  ['p', message`Who allowed a tool call, or did not, stands here: you, a setting, a rule or a hook.`],
];

/** The parts of a filter that choose something. */
function known(filter: LedgerFilter): Params<'approvals'>['filter'] {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function summaryOf({ approved, denied, waitedMs, matching }: LedgerPage): string {
  const all = approved + denied;
  const counts = t`${formatCount(approved)} approved, ${formatCount(denied)} denied`;
  const waited = waitedMs >= 1_000 ? `, ${t`waited ${formatDuration(waitedMs)}`}` : '';
  return matching === all
    ? `${counts}${waited}`
    : t`${formatCount(matching)} of ${formatCount(all)} decisions`;
}

function wordsOf(part: keyof LedgerFilter, value: string): string {
  if (part === 'decision') return value === 'approved' ? t`approved` : t`denied`;
  if (part === 'decidedBy') return deciderOf(value);
  return value === '' ? t`(none)` : value;
}

function deciderOf(value: string): string {
  const words = DECIDERS.get(value);
  return words ? inLanguage(words) : value === '' ? t`(not said)` : value;
}

function ledgerTable(onOpen: (position: number) => void): DataTable<LedgerRow> {
  return new DataTable<LedgerRow>({
    caption: t`Decisions about tool calls`,
    keyOf: ({ position }) => String(position),
    columns: [
      {
        label: t`What`,
        cell: (row) => whatCell(row, onOpen),
        sort: ({ tool }) => tool,
      },
      {
        label: t`Decision`,
        cell: ({ isApproved }) =>
          el(
            'span',
            { class: isApproved ? 'ledger-decision' : 'ledger-decision bad' },
            icon(isApproved ? 'check' : 'circle-slash'),
            isApproved ? t`approved` : t`denied`,
          ),
        sort: ({ isApproved }) => (isApproved ? 'approved' : 'denied'),
      },
      {
        label: t`Decided by`,
        cell: ({ decidedBy, rule, reason }) => decidedCell(decidedBy, rule, reason),
        sort: ({ decidedBy }) => deciderOf(decidedBy),
      },
      { label: t`Agent`, cell: (row) => agentName(row), sort: ({ agent }) => agent },
      {
        label: t`Waited`,
        isNumber: true,
        cell: ({ waitedMs }) =>
          waitedMs === 0 ? el('span', { class: 'faint' }, '–') : el('span', {}, formatDuration(waitedMs)),
        sort: ({ waitedMs }) => waitedMs,
      },
      {
        label: t`Then`,
        cell: ({ outcome, tookMs }) =>
          el(
            'span',
            { class: outcome === 'failed' ? 'bad' : outcome === 'done' ? '' : 'faint' },
            tookMs === undefined
              ? inLanguage(OUTCOMES[outcome])
              : t`${inLanguage(OUTCOMES[outcome])} in ${formatDuration(tookMs)}`,
          ),
        sort: ({ outcome }) => outcome,
      },
      {
        label: t`When`,
        cell: ({ time }) =>
          time === 0
            ? el('span', { class: 'faint' }, '–')
            : el('span', { title: formatMoment(time) }, formatDate(time)),
        sort: ({ time }) => time,
      },
    ],
  });
}

function decidedCell(decidedBy: string, rule: string, reason: string): Child {
  const why = [reason, rule].filter((words) => words !== '').join(' · ');
  return el(
    'span',
    {
      class: 'ledger-by',
      title: visibleText(why === '' ? deciderOf(decidedBy) : `${deciderOf(decidedBy)}: ${why}`),
    },
    el('span', {}, plainText(deciderOf(decidedBy))),
    why !== '' && el('span', { class: 'faint ledger-why' }, plainText(why)),
  );
}

function whatCell(
  { tool, subject, position, askedAt }: LedgerRow,
  onOpen: (position: number) => void,
): Child {
  return el(
    'button',
    {
      class: 'link ledger-what',
      title: t`Go to this call`,
      attributes: { type: 'button' },
      on: { click: () => onOpen(askedAt ?? position) },
    },
    el('span', { class: 'ledger-tool' }, plainText(tool)),
    subject !== '' && el('span', { class: 'ledger-subject' }, plainText(subject)),
  );
}
