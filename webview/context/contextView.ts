import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import type { RequestClient } from '../../src/page/protocol/requestClient.js';
import type { Params } from '../../src/page/protocol/requests.js';
import {
  CONTEXT_GROUPS,
  CONTEXT_KINDS,
  type ContextAnswer,
  type ContextBreak,
  type ContextColumn,
  type ContextCompaction,
  type ContextDetail,
  type ContextGroup,
  type ContextKind,
  type ContextShare,
} from '../../src/page/protocol/context.js';
import { visibleLine } from '../../src/core/visibleText.js';
import { plainText } from '../content/plainText.js';
import { button, setPressed } from '../controls.js';
import { el, fill, type Child } from '../dom.js';
import { formatCount, formatMoment, formatNoun } from '../format.js';
import { shortNumber } from '../../src/core/shortNumber.js';
import { icon } from '../icons.js';
import { bar, DataTable, type Column } from '../views/dataTable.js';
import { cacheLegend, columnWords, ContextChart, kindSwatch, percent } from './contextChart.js';
import { breakReason, KIND_TITLES, KIND_WORDS, shareName } from './contextWords.js';
import { DroppedList, type DroppedListOptions } from './droppedList.js';

const GROUP_WORDS: Readonly<Record<ContextGroup, Message>> = {
  each: message`All parts`,
  role: message`By role`,
  tool: message`By tool`,
  file: message`By file`,
  server: message`By server`,
};

/** What the view needs. */
export interface ContextViewOptions extends DroppedListOptions {
  readonly client: RequestClient;
  /** Called when a person wants to see something else of it. */
  readonly onLook: () => void;
}

/** A part of a request with what it is a share of. */
type Share = ContextShare & { readonly of: number };

/** The context tab: what filled the window of each request, what was cached, and what compactions took out. */
export class ContextView {
  readonly element = el('div', { class: 'sheet context' });
  readonly #options: ContextViewOptions;
  readonly #words = el('p', { class: 'faint', role: 'status' });
  readonly #windows = el('select', { class: 'select', attributes: { 'aria-label': t`Agent` } });
  readonly #windowLine = el('label', { class: 'context-window' }, t`Window of`, this.#windows);
  readonly #chart: ContextChart;
  readonly #chosen = el('div', { class: 'context-chosen' });
  readonly #cacheLegend = cacheLegend();
  readonly #legend = el('ul', { class: 'context-legend' });
  readonly #groups: ReadonlyMap<ContextGroup, HTMLElement>;
  readonly #shares: DataTable<Share>;
  readonly #more = el('p', { class: 'faint' });
  readonly #cache: HTMLElement;
  readonly #cacheWords = el('p', {});
  readonly #breaks: DataTable<ContextBreak>;
  readonly #compactions: HTMLElement;
  readonly #compactionList = el('div', { class: 'compactions' });
  readonly #requests: RequestTable;
  readonly #parts: readonly HTMLElement[];
  #window: number | undefined;
  #request: number | undefined;
  #by: ContextGroup = 'each';
  #answer: ContextAnswer | undefined;
  #drawnCompactions = '';

  constructor(options: ContextViewOptions) {
    this.#options = options;
    const { onOpen } = options;
    this.#windows.addEventListener('change', () => {
      this.#window = Number(this.#windows.value);
      this.#request = undefined;
      options.onLook();
    });
    this.#chart = new ContextChart({
      onChoose: (request) => this.#choose(request),
      onOpen: () => {
        const position = this.#answer?.detail?.position;
        if (position !== undefined) onOpen(position);
      },
    });
    const groups = CONTEXT_GROUPS.map((group) => [group, this.#groupButton(group)] as const);
    this.#groups = new Map(groups);
    this.#shares = new DataTable<Share>({
      caption: t`What filled the window`,
      keyOf: (share) => JSON.stringify([share.kind, share.role, share.tool, share.server, share.path]),
      columns: shareColumns(onOpen),
      sortBy: 3,
    });
    this.#breaks = new DataTable<ContextBreak>({
      caption: t`Broken prefixes`,
      keyOf: ({ request }) => String(request),
      columns: breakColumns(onOpen),
    });
    this.#requests = new RequestTable(onOpen);
    this.#breaks.element.classList.add('context-breaks');
    this.#cache = panel(t`Cache`, this.#cacheWords, this.#breaks.element);
    this.#compactions = panel(t`Compactions`, this.#compactionList);
    this.#parts = this.#panels(groups.map(([, each]) => each));
  }

  /** What to ask the host for. */
  get wanted(): Params<'context'> {
    return {
      ...(this.#window !== undefined && { window: this.#window }),
      ...(this.#request !== undefined && { request: this.#request }),
      by: this.#by,
      columns: this.#chart.room,
    };
  }

  update(answer: ContextAnswer): void {
    this.#answer = answer;
    if (answer.windows.length === 0 && answer.looked >= answer.records) {
      const words = [
        el('h2', {}, t`Nothing was asked yet`),
        el('p', {}, t`As soon as a model is asked, what fills its window stands here.`),
      ];
      fill(this.element, el('div', { class: 'empty' }, words));
      return;
    }
    if (!this.#chart.element.isConnected) fill(this.element, this.#parts);
    this.#drawWindows(answer);
    this.#draw();
  }

  handleKey(event: KeyboardEvent): boolean {
    return this.#chart.handleKey(event);
  }

  #panels(groups: readonly HTMLElement[]): HTMLElement[] {
    const list = { class: 'context-groups', role: 'group', attributes: { 'aria-label': t`List the parts` } };
    return [
      panel(
        t`What filled the window`,
        this.#windowLine,
        this.#words,
        this.#chart.element,
        this.#cacheLegend,
        this.#legend,
        this.#requests.element,
      ),
      panel(undefined, this.#chosen, el('div', list, groups), this.#shares.element, this.#more),
      this.#compactions,
      this.#cache,
    ];
  }

  #choose(request: number): void {
    this.#request = request;
    this.#draw();
    this.#options.onLook();
  }

  #groupButton(group: ContextGroup): HTMLElement {
    const choose = (): void => {
      this.#by = group;
      for (const [each, element] of this.#groups) setPressed(element, each === group);
      this.#options.onLook();
    };
    const element = el(
      'button',
      { class: 'facet', attributes: { type: 'button' }, on: { click: choose } },
      inLanguage(GROUP_WORDS[group]),
    );
    setPressed(element, group === this.#by);
    return element;
  }

  #drawWindows({ windows, moreWindows, window }: ContextAnswer): void {
    this.#windowLine.hidden = windows.length < 2;
    const said = JSON.stringify(windows.map(({ agent, requests, most }) => [agent, requests, most]));
    if (this.#windows.dataset.said !== said) {
      this.#windows.dataset.said = said;
      fill(
        this.#windows,
        windows.map(({ window: number, agent, depth, requests, most, compactions }) => {
          const compacted = compactions > 0 ? `, ${formatNoun(compactions, 'compaction')}` : '';
          const words = t`${agent} · ${formatNoun(requests, 'request')}, up to ${shortNumber(most)} tokens${compacted}`;
          return el(
            'option',
            { attributes: { value: number } },
            `${'  '.repeat(depth)}${visibleLine(words)}`,
          );
        }),
        moreWindows > 0 &&
          el('option', { attributes: { disabled: true } }, t`${moreWindows} smaller ones are not listed`),
      );
    }
    if (window !== undefined) this.#windows.value = String(window);
  }

  #draw(): void {
    const answer = this.#answer;
    if (!answer) return;
    const { columns, detail, windows, window } = answer;
    const info = windows.find((each) => each.window === window);
    const isLooking = answer.looked < answer.records;
    this.#words.textContent = isLooking
      ? t`Looking: ${percent(answer.looked, answer.records)} of the records so far`
      : t`Tokens sent with each request. The whole is what the provider reported; its parts are estimates that add up to it.`;
    this.#chart.update({
      columns,
      requests: info?.requests ?? 0,
      chosen: this.#request ?? detail?.request,
    });
    if (detail) this.#drawDetail(detail, info?.requests ?? 0);
    this.#requests.update(columns);
    this.#drawCache(answer);
    this.#drawCompactions(answer);
  }

  #drawDetail(detail: ContextDetail, requests: number): void {
    const { request, total, provenance, model, time, position, shares, more, parts } = detail;
    const how =
      provenance === 'reported' ? t`reported by the provider` : t`estimated: the source does not tell`;
    const about = provenance === 'reported' ? '' : '≈ ';
    const show = button(
      { on: { click: () => this.#options.onOpen(position) } },
      icon('go-to-file'),
      t`Show the answer`,
    );
    fill(
      this.#chosen,
      el('h2', {}, t`Request ${formatCount(request + 1)} of ${formatCount(requests)}`),
      el('span', { class: 'context-total' }, t`${about}${formatCount(total)} tokens`),
      el(
        'span',
        { class: 'faint' },
        plainText(
          [how, model, time > 0 ? formatMoment(time) : ''].filter((words) => words !== '').join(' · '),
        ),
      ),
      show,
    );
    fill(
      this.#legend,
      CONTEXT_KINDS.flatMap((kind, at) => {
        const tokens = parts[at] ?? 0;
        const isThere = this.#answer?.columns.some((column) => (column.parts[at] ?? 0) > 0) === true;
        if (tokens === 0 && !isThere) return [];
        return [
          el(
            'li',
            { title: inLanguage(KIND_TITLES[kind]) },
            kindSwatch(kind),
            el('span', { class: 'context-kind' }, inLanguage(KIND_WORDS[kind])),
            el('span', { class: 'context-number' }, formatCount(tokens)),
            el('span', { class: 'faint' }, percent(tokens, total)),
          ),
        ];
      }),
    );
    this.#shares.update(shares.map((share) => ({ ...share, of: total })));
    this.#more.hidden = more.shares === 0;
    this.#more.textContent = t`${formatCount(more.shares)} smaller parts: ${formatCount(more.tokens)} tokens (${percent(more.tokens, total)})`;
  }

  #drawCache({ cache, breaks, moreBreaks }: ContextAnswer): void {
    this.#cache.hidden = cache === undefined;
    this.#cacheLegend.hidden = cache === undefined;
    if (!cache) return;
    const { sent, read, written, broken, lost } = cache;
    const words = [
      t`Of ${formatCount(sent)} tokens that were sent, ${formatCount(read)} (${percent(read, sent)}) were read from the cache.`,
      written > 0 && t`${formatCount(written)} were written to it.`,
      broken === 0
        ? t`No cached prefix was broken.`
        : t`${formatNoun(broken, 'request')} found less in the cache than there was: ${formatCount(lost)} tokens were sent anew.`,
      moreBreaks > 0 && t`The first ${breaks.length} are listed.`,
    ];
    this.#cacheWords.textContent = words.filter((each) => each !== false).join(' ');
    this.#breaks.element.hidden = breaks.length === 0;
    this.#breaks.update(breaks);
  }

  #drawCompactions({ compactions, moreCompactions, window = 0 }: ContextAnswer): void {
    this.#compactions.hidden = compactions.length === 0;
    const said = JSON.stringify([window, compactions]);
    // What a person has chosen in one of them stays.
    if (said === this.#drawnCompactions) return;
    this.#drawnCompactions = said;
    fill(
      this.#compactionList,
      compactions.map((each) => this.#compaction(each, window)),
      moreCompactions > 0 && el('p', { class: 'faint' }, t`${moreCompactions} more are not listed.`),
    );
  }

  #compaction(each: ContextCompaction, window: number): HTMLElement {
    const { request, trigger, before, after, messages, tokens, position, isKnown, time } = each;
    const counted = [
      before !== undefined && after !== undefined
        ? t`${formatCount(before)} → ${formatCount(after)} tokens by its own count`
        : before !== undefined && t`${formatCount(before)} tokens before, by its own count`,
    ];
    const facts = [
      t`Before request ${formatCount(request + 1)}`,
      time > 0 && formatMoment(time),
      trigger === 'auto' && t`by itself`,
      trigger === 'manual' && t`asked for`,
      ...counted,
    ].filter((words) => words !== false);
    const gone = isKnown
      ? t`${formatNoun(messages, 'message')}, ≈ ${formatCount(tokens)} tokens, are no longer sent.`
      : t`Messages were shortened, or the source does not tell which it took out.`;
    const box = el('div', { hidden: true });
    const uncompact = button({ attributes: { 'aria-expanded': false } }, icon('unfold'), t`Uncompact`);
    uncompact.addEventListener('click', () => {
      box.hidden = !box.hidden;
      uncompact.setAttribute('aria-expanded', String(!box.hidden));
      if (!box.hidden) fill(box, new DroppedList(this.#options, window, each).element);
    });
    return el(
      'div',
      { class: 'compaction-card' },
      el(
        'div',
        { class: 'compaction-line' },
        el(
          'div',
          { class: 'compaction-facts' },
          el('strong', {}, plainText(facts.join(' · '))),
          el('span', {}, gone),
        ),
        button({ on: { click: () => this.#options.onOpen(position) } }, icon('go-to-file'), t`Show`),
        messages > 0 && uncompact,
      ),
      box,
    );
  }
}

function shareColumns(onOpen: (position: number) => void): Column<Share>[] {
  return [
    {
      label: t`Part`,
      cell: (share) => {
        const name = shareName(share);
        const { position } = share;
        if (position === undefined) return el('span', { class: 'faint' }, plainText(name));
        return linkTo(name, t`Show the message with most of it`, () => onOpen(position));
      },
      sort: shareName,
    },
    {
      label: t`Kind`,
      cell: ({ kind, tool, path }) => {
        const words = [kind && inLanguage(KIND_WORDS[kind]), path !== undefined && tool];
        return plainText(words.filter((each) => typeof each === 'string' && each !== '').join(' · '));
      },
      sort: ({ kind }) => kind ?? '',
    },
    {
      label: t`Server`,
      cell: ({ server, tool, path }) =>
        server !== undefined && (tool ?? path) !== undefined ? plainText(server) : '',
      sort: ({ server }) => server ?? '',
    },
    {
      label: t`Tokens`,
      isNumber: true,
      cell: ({ tokens, of }) => bar(tokens / Math.max(1, of), formatCount(tokens)),
      sort: ({ tokens }) => tokens,
    },
    {
      label: t`Share`,
      isNumber: true,
      cell: ({ tokens, of }) => percent(tokens, of),
      sort: ({ tokens }) => tokens,
    },
    {
      label: t`Messages`,
      isNumber: true,
      cell: ({ messages }) => (messages === 0 ? el('span', { class: 'faint' }, '–') : formatCount(messages)),
      sort: ({ messages }) => messages,
    },
  ];
}

function breakColumns(onOpen: (position: number) => void): Column<ContextBreak>[] {
  return [
    {
      label: t`Request`,
      isNumber: true,
      cell: ({ request, position }) =>
        linkTo(formatCount(request + 1), t`Show the answer`, () => onOpen(position)),
      sort: ({ request }) => request,
    },
    {
      label: t`Was cached`,
      isNumber: true,
      cell: ({ held }) => formatCount(held),
      sort: ({ held }) => held,
    },
    { label: t`Was read`, isNumber: true, cell: ({ read }) => formatCount(read), sort: ({ read }) => read },
    {
      label: t`Sent anew`,
      isNumber: true,
      cell: ({ held, read }) => formatCount(held - read),
      sort: ({ held, read }) => held - read,
    },
    {
      label: t`Broke about at`,
      title: t`Where the tokens that were read end, as far as the sizes of messages are known`,
      cell: ({ at }) =>
        at === undefined
          ? t`the beginning: system prompt or tools`
          : linkTo(t`this message`, t`Show the message at which the cached prefix ends`, () => onOpen(at)),
    },
    { label: t`What changed`, cell: (each) => breakReason(each) },
  ];
}

/** The chart as a table, made when somebody unfolds it; with the kinds that there are. */
class RequestTable {
  readonly element = el('details', {}, el('summary', {}, t`As a table`));
  readonly #onOpen: (position: number) => void;
  readonly #box = el('div');
  #columns: readonly ContextColumn[] = [];
  #table: { readonly kinds: string; readonly table: DataTable<ContextColumn> } | undefined;

  constructor(onOpen: (position: number) => void) {
    this.#onOpen = onOpen;
    this.element.append(this.#box);
    this.element.addEventListener('toggle', () => this.#draw());
  }

  update(columns: readonly ContextColumn[]): void {
    this.#columns = columns;
    this.#draw();
  }

  #draw(): void {
    if (!this.element.open) return;
    const kinds = CONTEXT_KINDS.filter((_, at) => this.#columns.some(({ parts }) => (parts[at] ?? 0) > 0));
    if (this.#table?.kinds !== kinds.join()) {
      const table = new DataTable<ContextColumn>({
        caption: t`Requests and what filled their windows`,
        keyOf: ({ request }) => String(request),
        columns: requestColumns(kinds, this.#onOpen),
      });
      this.#table = { kinds: kinds.join(), table };
      fill(this.#box, table.element);
    }
    this.#table.table.update(this.#columns);
  }
}

function requestColumns(
  kinds: readonly ContextKind[],
  onOpen: (position: number) => void,
): Column<ContextColumn>[] {
  return [
    {
      label: t`Request`,
      isNumber: true,
      cell: (column) =>
        linkTo(formatCount(column.request + 1), columnWords(column), () => onOpen(column.position)),
    },
    { label: t`Tokens`, isNumber: true, cell: ({ total }) => formatCount(total) },
    ...kinds.map((kind) => ({
      label: inLanguage(KIND_WORDS[kind]),
      isNumber: true,
      cell: ({ parts }: ContextColumn) => formatCount(parts[CONTEXT_KINDS.indexOf(kind)] ?? 0),
    })),
    {
      label: t`From the cache`,
      isNumber: true,
      cell: ({ read }) => (read === undefined ? '–' : formatCount(read)),
    },
    {
      label: t`Notes`,
      cell: ({ isCompacted, isBroken }) =>
        [isCompacted && t`after a compaction`, isBroken && t`cached prefix broken`]
          .filter((each) => each !== false)
          .join(', '),
    },
  ];
}

function linkTo(words: string, title: string, onClick: () => void): HTMLElement {
  return el(
    'button',
    { class: 'link', title, attributes: { type: 'button' }, on: { click: onClick } },
    plainText(words),
  );
}

function panel(heading: string | undefined, ...children: readonly Child[]): HTMLElement {
  return el('section', { class: 'panel' }, heading !== undefined && el('h2', {}, heading), ...children);
}
