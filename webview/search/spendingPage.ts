import * as v from 'valibot';
import { Cancelled } from '../../src/core/cancelled.js';
import {
  addCosts,
  explainCost,
  formatCost,
  formatCostShortly,
  knownAmount,
  NO_COST,
  requestsOf,
  type Cost,
  type CostShare,
} from '../../src/core/cost.js';
import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import { appendAll } from '../../src/core/lists.js';
import type { NanoDollars } from '../../src/core/money.js';
import { messageOf } from '../../src/core/text.js';
import { visibleLine } from '../../src/core/visibleText.js';
import type { FromHost } from '../../src/page/protocol/protocol.js';
import { RequestClient } from '../../src/page/protocol/requestClient.js';
import type { Facet, FacetValue, SearchGroup, SearchUpdate } from '../../src/page/protocol/search.js';
import type { SearchContract } from '../../src/page/protocol/searchPage.js';
import { dayAfter, STRETCHES, stretchOfDay, type Stretch } from '../../src/query/language/amounts.js';
import { Quotas, limitWords } from '../../src/query/numbers/quotas.js';
import { plainText } from '../content/plainText.js';
import { button, checkbox, iconButton } from '../controls.js';
import { el, fill, fillInPlace } from '../dom.js';
import { formatCount, formatDate, formatNoun } from '../format.js';
import type { HostApi } from '../hostApi.js';
import { LiveList } from './liveList.js';

/** So many bars of a part are shown at first, and so many more each time. */
const SHOWN = 12;
const MORE = 60;

/** What a page saves for its successor. */
const TABS = ['spending', 'live'] as const;
const persisted = v.object({ unit: v.picklist(STRETCHES), tab: v.picklist(TABS) });

type Tab = (typeof TABS)[number];

const TAB_NAMES: Readonly<Record<Tab, Message>> = { live: message`Live`, spending: message`Spending` };

const UNIT_NAMES: Readonly<Record<Stretch, Message>> = {
  day: message`Days`,
  week: message`Weeks`,
  month: message`Months`,
};

/** What is shown of each, besides times: its name, and what is left when nothing says which it was. */
const PARTS: readonly (readonly [
  Exclude<Facet['field'], 'day' | 'tool'>,
  Message,
  Message,
  refine?: string,
])[] = [
  ['project', message`Projects`, message`no project said`, '-project:*'],
  ['source', message`Recorded by`, message`your own runs`, '-source:*'],
  ['model', message`Models`, message`no model said`],
  ['agent', message`Agents`, message`no agent said`],
];

/** A bar: what it cost, and where it leads; nowhere for what is left over. */
interface Bar {
  readonly name: string;
  readonly cost: Cost;
  readonly open?: () => void;
}

/** What all sessions have cost, by when, where, with what and by whom, and what is live now: each bar and row leads to sessions. */
export class SpendingPage {
  readonly element: HTMLElement;
  readonly #host: HostApi;
  readonly #client: RequestClient<SearchContract>;
  readonly #state = el('span', { class: 'faint', role: 'status' });
  readonly #failure = el('div', { class: 'notice notice-error', role: 'alert', hidden: true });
  readonly #body = el('div', { class: 'sheet spending-sheet' });
  readonly #progress = el(
    'div',
    { class: 'spending-progress', attributes: { 'aria-hidden': 'true' } },
    el('span'),
  );
  readonly #again: HTMLElement;
  readonly #stop: HTMLElement;
  readonly #archive = el('span', { hidden: true });
  readonly #live = new LiveList(({ place }) => this.#openSession(place));
  readonly #tabs: ReadonlyMap<Tab, HTMLElement>;
  #tab: Tab;
  #asksArchive = false;
  #number = 0;
  #unit: Stretch;
  /** What the bars are of that stand there. */
  #drawn: SearchUpdate | undefined;
  /** How many bars of each part are shown. */
  readonly #shown = new Map<string, number>();
  /** What is shown, and of when; what is being read takes its place when all of it is there. */
  #told: SearchUpdate | undefined;
  #toldAt: number | undefined;
  #reading: SearchUpdate | undefined;
  #groups: SearchGroup[] = [];
  #newGroups: SearchGroup[] = [];
  #isReading = false;

  constructor(host: HostApi) {
    this.#host = host;
    const left = v.safeParse(persisted, host.getState());
    this.#unit = left.success ? left.output.unit : 'day';
    this.#tab = left.success ? left.output.tab : 'spending';
    this.#client = new RequestClient<SearchContract>({
      post: (sent) => host.postMessage(sent),
      onEvent: (event) => {
        if (event.name === 'update' && event.data.number === this.#number) this.#take(event.data.update);
        if (event.name === 'live') this.#live.show(event.data.rows, Date.now());
        if (event.name === 'failed' && event.data.number === this.#number) this.#fail(event.data.message);
      },
      onUnexpected: (why) => console.warn(t`Unexpected: ${why}`),
    });
    window.addEventListener('message', (event: MessageEvent<FromHost<SearchContract>>) =>
      this.#client.receive(event.data),
    );
    this.#again = iconButton('sync', t`Read all sessions again`, () => void this.#ask());
    this.#stop = button({ on: { click: () => void this.#do(this.#client.ask('cancel', {})) } }, t`Stop`);
    this.#tabs = new Map(TABS.map((tab) => [tab, this.#tabControl(tab)]));
    this.element = el(
      'main',
      { class: 'spending-page' },
      el('h1', { class: 'sr' }, t`Spending`),
      el(
        'header',
        { class: 'spending-top' },
        el('div', { class: 'tabs', role: 'tablist', attributes: { 'aria-label': t`Views` } }, [
          ...this.#tabs.values(),
        ]),
        this.#state,
        this.#archive,
        this.#stop,
        this.#again,
      ),
      this.#progress,
      this.#failure,
      this.#body,
      this.#live.element,
    );
  }

  /** Shows what was known last, and reads everything; to be called at once. */
  async begin(): Promise<void> {
    await this.#do(
      this.#client.ask('ready', {}).then(async ({ archive, spent }) => {
        if (spent) [this.#told, this.#toldAt] = [spent.update, spent.at];
        this.#groups = [...(spent?.update.groups ?? [])];
        this.#asksArchive = archive === true;
        this.#archive.hidden = archive === undefined;
        fill(
          this.#archive,
          checkbox(
            this.#asksArchive,
            (isWanted) => {
              this.#asksArchive = isWanted;
              void this.#ask();
            },
            t`The archive too`,
          ),
        );
        await this.#showTab(this.#tab);
      }),
    );
    this.element.classList.add('is-ready');
  }

  #tabControl(tab: Tab): HTMLElement {
    return el(
      'button',
      {
        class: 'tab',
        role: 'tab',
        attributes: { type: 'button' },
        on: {
          click: () => void this.#do(this.#showTab(tab)),
          keydown: (event) => {
            if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
            const other = tab === 'live' ? 'spending' : 'live';
            void this.#do(this.#showTab(other));
            this.#tabs.get(other)?.focus();
            event.preventDefault();
          },
        },
      },
      inLanguage(TAB_NAMES[tab]),
    );
  }

  /** What is not shown is not followed, and not read. */
  async #showTab(tab: Tab): Promise<void> {
    this.#tab = tab;
    this.#keep();
    for (const [each, control] of this.#tabs) {
      control.setAttribute('aria-selected', String(each === tab));
      control.tabIndex = each === tab ? 0 : -1;
    }
    const isLive = tab === 'live';
    this.element.classList.toggle('is-live', isLive);
    this.#body.hidden = isLive;
    this.#live.element.hidden = !isLive;
    await this.#client.ask('follow', { isWanted: isLive });
    if (!isLive && this.#number === 0) await this.#ask();
  }

  #keep(): void {
    this.#host.setState({ unit: this.#unit, tab: this.#tab });
  }

  #openSession(location: SearchGroup['place']): void {
    void this.#do(this.#client.ask('open', { place: location, staysHere: false }));
  }

  async #ask(): Promise<void> {
    this.#failure.hidden = true;
    this.#number++;
    this.#reading = undefined;
    this.#isReading = true;
    this.#draw();
    const question = { text: '', rows: 'records' } as const;
    await this.#do(this.#client.ask('ask', { number: this.#number, question, archive: this.#asksArchive }));
  }

  #take(update: SearchUpdate): void {
    if (this.#reading === undefined) this.#newGroups = [];
    this.#reading = update;
    appendAll(this.#newGroups, update.groups);
    this.#isReading = update.state === 'searching';
    // What was known before is of everything: it stays until all is read again.
    const isFirst = this.#told === undefined || this.#toldAt === undefined;
    if (isFirst || update.state === 'done') {
      this.#told = update;
      this.#groups = this.#newGroups;
      if (update.state === 'done') this.#toldAt = Date.now();
    }
    this.#draw();
  }

  #draw(): void {
    const { progress } = this.#reading ?? {};
    this.#stop.hidden = !this.#isReading;
    this.#again.hidden = this.#isReading;
    const bar = this.#progress.firstElementChild;
    const share = this.#isReading && progress ? progress.looked / Math.max(1, progress.of) : 0;
    if (bar instanceof HTMLElement) bar.style.width = `${share * 100}%`;
    this.#state.textContent = this.#stateWords();
    const told = this.#told;
    if (!told || requestsOf(told.totals.cost ?? NO_COST) === 0) {
      const [heading, words] = this.#isReading ? LOOKING : NOTHING;
      this.#drawn = undefined;
      fill(
        this.#body,
        el('div', { class: 'empty' }, el('h2', {}, inLanguage(heading)), el('p', {}, inLanguage(words))),
      );
      return;
    }
    // How far the reading is changes no bar.
    if (told !== this.#drawn) this.#drawBars(told);
  }

  #drawBars(told: SearchUpdate): void {
    this.#drawn = told;
    fillInPlace(this.#body, this.#sum(told), this.#parts(told));
  }

  #stateWords(): string {
    const { progress, state } = this.#reading ?? {};
    const looked = progress ? t`${formatCount(progress.looked)} of ${formatCount(progress.of)} sessions` : '';
    const of = this.#toldAt === undefined ? '' : t`as of ${formatDate(this.#toldAt)}`;
    const doing = this.#isReading
      ? looked === ''
        ? t`Reading`
        : t`Reading: ${looked}`
      : state === 'cancelled'
        ? t`Stopped: ${looked} were read`
        : '';
    return [doing, of].filter((each) => each !== '').join(' · ');
  }

  #sum({ totals, unread, incomplete, archiveProblem }: SearchUpdate): HTMLElement {
    const { cost = NO_COST, sessions } = totals;
    const troubles = [
      ...(unread.count > 0
        ? [
            unread.count === 1
              ? t`1 session could not be read and is not in this.`
              : t`${formatCount(unread.count)} sessions could not be read and are not in this.`,
          ]
        : []),
      ...(incomplete.count > 0
        ? [t`Of ${formatNoun(incomplete.count, 'session', 'sessions')} a part is damaged.`]
        : []),
      ...(archiveProblem === undefined ? [] : [archiveProblem]),
    ];
    return el(
      'section',
      { class: 'spending-sum', attributes: { 'aria-label': t`Sum` } },
      el('div', { class: 'spending-total' }, formatCost(cost)),
      el(
        'p',
        {},
        t`${formatNoun(requestsOf(cost), 'request', 'requests')} in ${formatNoun(sessions, 'session', 'sessions')}, each counted once.`,
        ' ',
        explainCost(cost),
      ),
      troubles.map((words) => el('p', { class: 'trouble' }, words)),
    );
  }

  #parts(told: SearchUpdate): HTMLElement {
    const whole = told.totals.cost ?? NO_COST;
    const valuesOf = (field: Facet['field']) =>
      told.facets.find((facet) => facet.field === field)?.values ?? [];
    const days = barsWithRest(
      grouped(valuesOf('day'), this.#unit).map(({ name, cost, refine }) => this.#bar(name, cost, refine)),
      whole,
      { name: t`at no known time` },
    );
    const units = STRETCHES.map((unit) =>
      button(
        {
          class: unit === this.#unit ? 'pressed' : '',
          attributes: { 'aria-pressed': String(unit === this.#unit), 'data-key': `unit ${unit}` },
          on: {
            click: () => {
              this.#unit = unit;
              this.#keep();
              this.#drawBars(told);
            },
          },
        },
        inLanguage(UNIT_NAMES[unit]),
      ),
    );
    const parts = PARTS.map(([field, heading, left, refine]) => {
      const bars = valuesOf(field).map(({ value, name = value, cost = NO_COST, refine: only }) =>
        this.#bar(name, cost, only),
      );
      const rest = { name: inLanguage(left), ...(refine !== undefined && { open: this.#opener(refine) }) };
      return this.#part(field, inLanguage(heading), barsWithRest(bars, whole, rest));
    });
    const sessions = this.#groups
      .flatMap(({ cost, title, place: location }): Bar[] => {
        const open = () => this.#openSession(location);
        return cost && requestsOf(cost) > 0 ? [{ name: title, cost, open }] : [];
      })
      .sort((a, b) => knownAmount(b.cost) - knownAmount(a.cost));
    return el(
      'div',
      { class: 'spending-parts' },
      this.#part('time', inLanguage(UNIT_NAMES[this.#unit]), days, units),
      parts,
      this.#part('session', t`Sessions`, sessions),
      limits(this.#groups),
    );
  }

  #bar(name: string, cost: Cost, refine: string): Bar {
    return { name, cost, open: this.#opener(refine) };
  }

  /** Shows the sessions of a bar in a search of their own. */
  #opener(text: string): () => void {
    return () => void this.#do(this.#client.ask('openInEditor', { text, rows: 'sessions' }));
  }

  #part(
    key: string,
    heading: string,
    all: readonly Bar[],
    controls: readonly HTMLElement[] = [],
  ): HTMLElement | false {
    const bars = all.filter(({ cost }) => requestsOf(cost) > 0);
    if (bars.length === 0) return false;
    const most = bars.reduce((highest, { cost }) => Math.max(highest, knownAmount(cost)), 1);
    const shown = this.#shown.get(key) ?? SHOWN;
    return el(
      'section',
      { class: 'spending-part', attributes: { 'aria-label': heading } },
      el(
        'div',
        { class: 'spending-head' },
        el('h2', {}, heading),
        controls.length > 0 && el('span', { role: 'group' }, controls),
      ),
      bars.slice(0, shown).map((bar, at) => drawn(bar, most, `${key} ${at}`)),
      bars.length > shown &&
        el(
          'button',
          {
            class: 'link',
            attributes: { type: 'button', 'data-key': `${key} more` },
            on: {
              click: () => {
                this.#shown.set(key, shown + MORE);
                if (this.#drawn) this.#drawBars(this.#drawn);
              },
            },
          },
          t`${formatCount(bars.length - shown)} more`,
        ),
    );
  }

  async #do(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#fail(messageOf(error));
    }
  }

  #fail(words: string): void {
    this.#isReading = false;
    this.#failure.hidden = false;
    this.#failure.textContent = words;
    this.#draw();
  }
}

const NOTHING = [
  message`Nothing was spent yet`,
  message`What models cost stands here once an agent has run, or a session of another tool was found, opened or imported.`,
] as const;
const LOOKING = [
  message`Reading what was spent`,
  message`All sessions that are stored or found on this machine are read; the next time this opens at once.`,
] as const;

function drawn({ name, cost, open }: Bar, most: number, key: string): HTMLElement {
  const words = visibleLine(name);
  const title = `${words}\n${formatCost(cost)}. ${explainCost(cost)}`;
  const filled = el('span', { class: 'spending-fill' });
  filled.style.width = `${(knownAmount(cost) / most) * 100}%`;
  const parts = [
    filled,
    el('span', { class: 'spending-name' }, plainText(words)),
    el('span', { class: 'spending-cost' }, formatCostShortly(cost)),
  ];
  if (!open) return el('div', { class: 'spending-bar', title }, parts);
  const attributes = { type: 'button', 'data-key': key };
  return el('button', { class: 'spending-bar', title, attributes, on: { click: open } }, parts);
}

/** The newest reading of each limit that sessions tell of. */
function limits(groups: readonly SearchGroup[]): HTMLElement | false {
  const quotas = new Quotas();
  for (const group of groups) for (const each of group.quotas ?? []) quotas.take(each);
  if (quotas.list.length === 0) return false;
  return el(
    'section',
    { class: 'spending-part', attributes: { 'aria-label': t`Limits` } },
    el('div', { class: 'spending-head' }, el('h2', {}, t`Limits`)),
    quotas.list.map(({ limit, minutes, usedPercent, at, resetsAt }) => {
      const used = t`${Math.round(usedPercent)} % used`;
      const told = at > 0 ? t`as of ${formatDate(at)}` : '';
      const isOver = resetsAt <= Date.now();
      const when = formatDate(resetsAt);
      const ends = resetsAt === 0 ? '' : isOver ? t`ended ${when}` : t`ends ${when}`;
      const name = [visibleLine(limitWords({ limit, minutes })), told, ends].filter((each) => each !== '');
      const filled = el('span', { class: 'spending-fill' });
      filled.style.width = `${Math.min(100, usedPercent)}%`;
      return el(
        'div',
        { class: 'spending-bar', title: [...name, used].join('\n') },
        filled,
        el('span', { class: 'spending-name' }, plainText(name.join(' · '))),
        el('span', { class: 'spending-cost' }, used),
      );
    }),
  );
}

/** The days of a facet, or what they come to in weeks or months, the latest first. */
function grouped(days: readonly FacetValue[], unit: Stretch) {
  const sums = new Map<string, { cost: Cost; refine: string }>();
  for (const { value, cost = NO_COST, refine } of days) {
    const name = stretchOfDay(value, unit);
    const known = sums.get(name)?.cost ?? NO_COST;
    sums.set(name, { cost: addCosts(known, cost), refine: unit === 'day' ? refine : stretchOf(name, unit) });
  }
  return [...sums].map(([name, sum]) => ({ name: unit === 'week' ? t`week of ${name}` : name, ...sum }));
}

function stretchOf(name: string, unit: 'week' | 'month'): string {
  const first = unit === 'week' ? name : `${name}-01`;
  let next = first;
  do next = dayAfter(next);
  while (stretchOfDay(next, unit) === name);
  return `since:${first} before:${next}`;
}

/** Bars, and what of the whole is in none of them. */
function barsWithRest(bars: readonly Bar[], whole: Cost, rest: Omit<Bar, 'cost'>): readonly Bar[] {
  const left = bars.reduce((cost, bar) => without(cost, bar.cost), whole);
  return requestsOf(left) > 0 ? [...bars, { ...rest, cost: left }] : bars;
}

function without(cost: Cost, part: Cost): Cost {
  const share = (kind: 'exact' | 'priced' | 'estimated'): CostShare => ({
    amount: Math.max(0, cost[kind].amount - part[kind].amount) as NanoDollars,
    requests: Math.max(0, cost[kind].requests - part[kind].requests),
  });
  const unknown = Math.max(0, cost.unknown - part.unknown);
  return { exact: share('exact'), priced: share('priced'), estimated: share('estimated'), unknown };
}
