import { formatDuration } from '../../src/core/duration.js';
import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import {
  MAX_APPROVAL_LOG_ROWS,
  type ApprovalLogPage,
  type ApprovalLogRow,
} from '../../src/page/protocol/approvals.js';
import { plainText } from '../content/plainText.js';
import { button, setPressed } from '../controls.js';
import { el, fill, fillInPlace, type Child } from '../dom.js';
import { formatCount, formatDate, formatMoment } from '../format.js';
import { icon } from '../icons.js';
import { DataTable, type Column } from './dataTable.js';
import { agentName } from './statisticsTables.js';

const DECIDERS: ReadonlyMap<string, Message> = new Map([
  ['user', message`You`],
  ['policy', message`Settings`],
  ['remembered', message`Remembered`],
  ['rule', message`Allow rule`],
  ['hook', message`Hook`],
  ['cancel', message`Run stopped`],
]);

const OUTCOMES: Readonly<Record<ApprovalLogRow['outcome'], Message>> = {
  done: message`done`,
  failed: message`failed`,
  notRun: message`not run`,
  unknown: message`not recorded`,
};

/** What every list of decisions can be chosen by. */
export const DECISION_PARTS = [
  ['decision', message`Decision`],
  ['decidedBy', message`Decided by`],
  ['tool', message`Tool`],
  ['agent', message`Agent`],
] as const;

/** How many values of one part are offered before somebody asks for more. */
const FIRST_CHOICES = 12;

/** The values that are chosen, by part. */
export type Chosen<Part extends string> = Readonly<Partial<Record<Part, string>>>;

/** A part of the decisions that are chosen, as a list shows it. */
export interface ListedPage<Row, Part extends string> extends Pick<
  ApprovalLogPage,
  'approved' | 'denied' | 'waitedMs' | 'matching'
> {
  readonly facets: Readonly<Record<Part, readonly { readonly value: string; readonly count: number }[]>>;
  readonly rows: readonly Row[];
}

/** What a list of decisions shows, and whom it tells. */
export interface ApprovalLogListOptions<Row extends ApprovalLogRow, Part extends string> {
  readonly parts: readonly (readonly [part: Part, label: Message])[];
  /** What a value of a part is called where it is not called as it is. */
  readonly nameOf?: (part: Part, value: string) => string | undefined;
  /** Identifies a row. */
  readonly keyOf: (row: Row) => string;
  /** Columns besides those that every list has. */
  readonly columns?: readonly Column<Row>[];
  readonly onOpen: (row: Row) => void;
  readonly onExport: (format: 'csv' | 'json') => void;
  /** Told when something else is to be shown. */
  readonly onLook: () => void;
  /** What is chosen at first. */
  readonly filter?: Chosen<Part>;
}

/** Decisions about tool calls as a table, and what can be chosen of them. */
export class ApprovalLogList<Row extends ApprovalLogRow, Part extends string> {
  readonly head: HTMLElement;
  readonly facets = el('div', {
    class: 'ledger-facets',
    role: 'group',
    attributes: { 'aria-label': t`Show only some decisions` },
  });
  readonly table: HTMLElement;
  readonly pages = el('div', { class: 'ledger-pages' });
  readonly #summary = el('p', { class: 'ledger-summary', role: 'status' });
  readonly #table: DataTable<Row>;
  readonly #options: ApprovalLogListOptions<Row, Part>;
  #filter = {} as Chosen<Part>;
  #start = 0;
  /** The parts of which all values are shown. */
  readonly #whole = new Set<Part>();
  #page: ListedPage<Row, Part> | undefined;

  constructor(options: ApprovalLogListOptions<Row, Part>) {
    this.#options = options;
    this.#filter = options.filter ?? this.#filter;
    this.#table = approvalLogTable(options);
    this.table = this.#table.element;
    const save = (format: 'csv' | 'json') => () => options.onExport(format);
    const exports = el(
      'div',
      { class: 'ledger-exports' },
      button({ title: t`Open what is chosen as CSV`, on: { click: save('csv') } }, icon('export'), 'CSV'),
      button({ title: t`Open what is chosen as JSON`, on: { click: save('json') } }, icon('export'), 'JSON'),
    );
    this.head = el('div', { class: 'ledger-head' }, this.#summary, exports);
  }

  /** What the host is to be asked for. */
  get wanted(): { filter: Chosen<Part>; start: number; count: number } {
    return { filter: this.#filter, start: this.#start, count: MAX_APPROVAL_LOG_ROWS };
  }

  /** Goes back to the first page, as where something else is chosen. */
  toStart(): void {
    this.#start = 0;
  }

  update(page: ListedPage<Row, Part>): void {
    this.#page = page;
    this.#summary.textContent = summaryOf(page);
    this.#drawFacets(page);
    this.#table.update(page.rows);
    this.#drawPages(page);
  }

  #choose(filter: Chosen<Part>): void {
    this.#filter = filter;
    this.#start = 0;
    this.#options.onLook();
  }

  #drawFacets({ facets }: ListedPage<Row, Part>): void {
    const groups = this.#options.parts.map(([part, label]) => {
      const all = facets[part];
      if (all.length < 2 && this.#filter[part] === undefined) return false;
      const name = inLanguage(label);
      const isWhole = this.#whole.has(part);
      const values = all.filter(
        ({ value }, at) => isWhole || at < FIRST_CHOICES || value === this.#filter[part],
      );
      const choices = values.map(({ value, count }) => this.#choice(part, value, count));
      if (all.length > FIRST_CHOICES) choices.push(this.#more(part, all.length - values.length));
      return el(
        'div',
        { class: 'ledger-facet', role: 'group', attributes: { 'aria-label': name } },
        el('span', { class: 'faint' }, name),
        choices,
      );
    });
    // What has the focus now, not what was pressed: the person may have gone on before the answer came.
    fillInPlace(this.facets, groups);
  }

  /** Shows all values of a part, or the first ones again. */
  #more(part: Part, left: number): HTMLElement {
    const key = `…${part}`;
    const isWhole = this.#whole.has(part);
    const toggle = () => {
      if (!this.#whole.delete(part)) this.#whole.add(part);
      if (this.#page) this.#drawFacets(this.#page);
    };
    const attributes = { type: 'button', 'data-key': key, 'aria-expanded': String(isWhole) };
    return el(
      'button',
      { class: 'ledger-more link', attributes, on: { click: toggle } },
      isWhole ? t`Fewer` : t`${formatCount(left)} more`,
    );
  }

  #choice(part: Part, value: string, count: number): HTMLElement {
    const isChosen = this.#filter[part] === value;
    const key = `${part} ${value}`;
    const name = this.#options.nameOf?.(part, value) ?? wordsOf(part, value);
    const choice = el(
      'button',
      {
        class: 'ledger-choice',
        title: name,
        attributes: { type: 'button', 'data-key': key },
        on: { click: () => this.#choose(toggled(this.#filter, part, value)) },
      },
      el('span', { class: 'ledger-choice-name' }, plainText(name)),
      el('span', { class: 'ledger-count' }, formatCount(count)),
    );
    setPressed(choice, isChosen);
    return choice;
  }

  #drawPages({ matching }: ListedPage<Row, Part>): void {
    this.pages.hidden = matching <= MAX_APPROVAL_LOG_ROWS;
    const turn = (by: number) => () => {
      this.#start = Math.max(0, this.#start + by * MAX_APPROVAL_LOG_ROWS);
      this.#options.onLook();
    };
    const last = Math.min(matching, this.#start + MAX_APPROVAL_LOG_ROWS);
    fill(
      this.pages,
      button({ disabled: this.#start === 0, on: { click: turn(-1) } }, t`Earlier`),
      el('span', {}, t`${formatCount(this.#start + 1)} to ${formatCount(last)} of ${formatCount(matching)}`),
      button({ disabled: last >= matching, on: { click: turn(1) } }, t`Later`),
    );
  }
}

/** The filter with a value chosen, or without it where it was. */
function toggled<Part extends string>(filter: Chosen<Part>, part: Part, value: string): Chosen<Part> {
  const others = Object.entries(filter).filter(([name]) => name !== part);
  const isChosen = filter[part] === value;
  return Object.fromEntries(isChosen ? others : [...others, [part, value]]) as Chosen<Part>;
}

function summaryOf({
  approved,
  denied,
  waitedMs,
  matching,
}: Pick<ApprovalLogPage, 'approved' | 'denied' | 'waitedMs' | 'matching'>): string {
  const all = approved + denied;
  const counts = t`${formatCount(approved)} approved, ${formatCount(denied)} denied`;
  const waited = waitedMs >= 1_000 ? `, ${t`waited ${formatDuration(waitedMs)}`}` : '';
  return matching === all
    ? `${counts}${waited}`
    : t`${formatCount(matching)} of ${formatCount(all)} decisions`;
}

function wordsOf(part: string, value: string): string {
  if (part === 'decision') return value === 'approved' ? t`approved` : t`denied`;
  if (part === 'decidedBy') return deciderOf(value);
  return value === '' ? t`(none)` : value;
}

function deciderOf(value: string): string {
  const words = DECIDERS.get(value);
  return words ? inLanguage(words) : value === '' ? t`(not said)` : value;
}

function approvalLogTable<Row extends ApprovalLogRow, Part extends string>({
  keyOf,
  columns = [],
  onOpen,
}: ApprovalLogListOptions<Row, Part>): DataTable<Row> {
  return new DataTable<Row>({
    caption: t`Decisions about tool calls`,
    keyOf,
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
        cell: outcomeCell,
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
      ...columns,
    ],
  });
}

function outcomeCell({ outcome, tookMs }: ApprovalLogRow): Child {
  const words = inLanguage(OUTCOMES[outcome]);
  return el(
    'span',
    { class: outcome === 'failed' ? 'bad' : outcome === 'done' ? '' : 'faint' },
    tookMs === undefined ? words : t`${words} in ${formatDuration(tookMs)}`,
  );
}

function decidedCell(decidedBy: string, rule: string, reason: string): Child {
  const why = [reason, rule].filter((words) => words !== '').join(' · ');
  return el(
    'span',
    {
      class: 'ledger-by',
      title: why === '' ? deciderOf(decidedBy) : `${deciderOf(decidedBy)}: ${why}`,
    },
    el('span', {}, plainText(deciderOf(decidedBy))),
    why !== '' && el('span', { class: 'faint ledger-why' }, plainText(why)),
  );
}

function whatCell<Row extends ApprovalLogRow>(row: Row, onOpen: (row: Row) => void): Child {
  const { tool, subject } = row;
  return el(
    'button',
    {
      class: 'link ledger-what',
      title: t`Go to this call`,
      attributes: { type: 'button' },
      on: { click: () => onOpen(row) },
    },
    el('span', { class: 'ledger-tool' }, plainText(tool)),
    subject !== '' && el('span', { class: 'ledger-subject' }, plainText(subject)),
  );
}
