import {
  costOf,
  explainCost,
  formatCost,
  formatCostShortly,
  isKnownCost,
  knownAmount,
  NO_COST,
  requestsOf,
  type Cost,
} from '../../src/core/cost.js';
import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import { greatestOf } from '../../src/core/lists.js';
import type { CostlyStep, DetourTotal, Share, Statistics, Wasted } from '../../src/page/protocol/analysis.js';
import { formatDuration } from '../../src/core/duration.js';
import { plainText } from '../content/plainText.js';
import { el, type Child } from '../dom.js';
import { formatCount } from '../format.js';
import { shortNumber } from '../../src/core/shortNumber.js';
import { bar, DataTable, type Column } from './dataTable.js';
import { COST, TEXT, USED, WHOLE_COST, type NumberWords } from './wordsOfNumbers.js';

/** A table that is there for good; what it lists is another with each update. */
export interface UpdatedTable<T> {
  readonly element: HTMLElement;
  update(entries: readonly T[]): void;
}

/** What a person reads of one agent: its colour and its name. */
export function agentName({ agent, hue }: { readonly agent: string; readonly hue: number }): Child[] {
  return [el('span', { class: `dot hue-${hue}` }), plainText(agent)];
}

const modelColumns = (): readonly Column<Statistics['byModel'][number]>[] => [
  {
    label: t`Requests`,
    isNumber: true,
    cell: ({ requests }) => (requests === 0 ? notTold() : formatCount(requests)),
    sort: ({ requests }) => requests,
  },
  {
    label: t`Failed`,
    title: t`Requests that failed, those that were repeated included`,
    isNumber: true,
    cell: ({ requests, failures }) =>
      requests === 0
        ? notTold()
        : el('span', { class: failures > 0 ? 'bad' : 'faint' }, formatCount(failures)),
    sort: ({ failures }) => failures,
  },
];

/** The table of agents. */
export function agentShares(): UpdatedTable<Statistics['byAgent'][number]> {
  return shares(
    [t`By agent`, t`Agent`],
    ({ name, hue }) => agentName({ agent: name, hue }),
    [
      {
        label: t`Calls`,
        isNumber: true,
        cell: ({ ownCalls }) => formatCount(ownCalls),
        sort: ({ ownCalls }) => ownCalls,
      },
    ],
    {
      weight: USED,
      hueOf: ({ hue }) => `hue-${hue}`,
    },
  );
}

function costColumn<T>(
  words: NumberWords,
  costIn: (entry: T) => Cost,
  rowsIn: (entry: T) => readonly string[] = () => [],
): Column<T> {
  return {
    label: inLanguage(words.label),
    title: inLanguage(words.title),
    isNumber: true,
    cell: (entry) => costCell(costIn(entry), rowsIn(entry)),
    sort: (entry) => knownAmount(costIn(entry)),
  };
}

/** A cost in a table, with what it is made of on hover: why it is not known, and by which prices it is counted. */
export function costCell(cost: Cost, priceRows: readonly string[] = []): Child {
  if (requestsOf(cost) === 0) return notTold();
  const rows = priceRows.length > 0 ? ` ${t`Prices: ${priceRows.join('; ')}.`}` : '';
  const title = `${explainCost(cost)}${rows}`;
  return el('span', { title, ...(!isKnownCost(cost) && { class: 'faint' }) }, formatCost(cost));
}

/** What each agent cost, alone and with its subagents. */
export function agentCosts(): UpdatedTable<Statistics['byAgent'][number]> {
  return new DataTable<Statistics['byAgent'][number]>({
    caption: t`Cost by agent`,
    keyOf: ({ name }) => name,
    columns: [
      {
        label: t`Agent`,
        cell: ({ name, hue }) => agentName({ agent: name, hue }),
        sort: ({ name }) => name,
      },
      costColumn(COST, ({ cost }) => cost),
      costColumn(WHOLE_COST, ({ wholeCost }) => wholeCost),
    ],
    sortBy: 1,
  });
}

/** What the requests to each model cost. */
export function modelCosts(): UpdatedTable<Statistics['byModel'][number]> {
  return new DataTable<Statistics['byModel'][number]>({
    caption: t`Cost by model`,
    keyOf: ({ name }) => name,
    columns: [
      { label: t`Model`, cell: ({ name }) => plainText(name), sort: ({ name }) => name },
      costColumn(
        COST,
        ({ cost }) => cost,
        ({ priceRows }) => priceRows,
      ),
    ],
    sortBy: 1,
  });
}

/** The table of roles. */
export function roleShares(): UpdatedTable<Share> {
  return shares([t`By role`, t`Role`], ({ name }) => name, [], { weight: TEXT });
}

/** The table of models. */
export function modelShares(): UpdatedTable<Statistics['byModel'][number]> {
  return shares([t`By model`, t`Model`], ({ name }) => plainText(name), modelColumns(), { weight: USED });
}

/** Steps with what each took or cost; `onOpen` is told the position of the one that was chosen. */
export function stepTable(options: {
  readonly caption: string;
  readonly label: string;
  readonly weight: (step: CostlyStep) => number;
  readonly words: (weight: number) => string;
  /** Whether these are requests, which cost money. */
  readonly showsCost?: boolean;
  readonly onOpen: (position: number) => void;
}): UpdatedTable<CostlyStep> {
  const { caption, label, weight, words, showsCost = false, onOpen } = options;
  const kinds = { model: 'request', tool: 'tool', dispatch: 'dispatch' };
  let most = 1;
  const table = new DataTable<CostlyStep>({
    caption,
    keyOf: ({ kind, position }) => `${kind} ${position}`,
    columns: [
      { label: t`Step`, cell: (step) => jump(step.position, step.label, onOpen), sort: (step) => step.label },
      { label: t`Kind`, cell: ({ kind }) => kinds[kind], sort: ({ kind }) => kind },
      { label: t`Agent`, cell: agentName, sort: ({ agent }) => agent },
      {
        label,
        isNumber: true,
        cell: (step) => bar(weight(step) / most, words(weight(step)), `hue-${step.hue}`),
        sort: weight,
      },
      ...(showsCost ? [costColumn<CostlyStep>(COST, ({ cost }) => (cost ? costOf(cost) : NO_COST))] : []),
    ],
  });
  return {
    element: table.element,
    update: (steps) => {
      most = greatestOf(steps.map(weight), 1);
      table.update(steps);
    },
  };
}

const DETOURS: Readonly<Record<DetourTotal['kind'], readonly [label: Message, title: Message]>> = {
  retry: [
    message`Requests tried again`,
    message`Requests that repeat one that failed, and how long they took`,
  ],
  loop: [
    message`Loops`,
    message`The same tool calls, or the same few in turn, three times or more in a row with the same arguments`,
  ],
  reread: [
    message`Files read again`,
    message`Reads with the same arguments as one before, of a file that no tool has written to since, and with an answer of the same length`,
  ],
  compaction: [message`Compactions`, message`How often what was said before was no longer sent as it was`],
  idle: [message`Idle`, message`Stretches of a run in which nothing ran and nobody was waited for`],
  person: [message`Waiting for you`, message`How long approvals were waited for`],
};

/** What cost time and brought nothing; `onOpen` is told the position of the first of a kind. */
export function detourTable(onOpen: (position: number) => void): UpdatedTable<DetourTotal> {
  return new DataTable<DetourTotal>({
    caption: t`Detours and waits`,
    keyOf: ({ kind }) => kind,
    columns: [
      {
        label: t`What`,
        cell: ({ kind }) => {
          const [label, title] = DETOURS[kind];
          return el('span', { title: inLanguage(title) }, inLanguage(label));
        },
        sort: ({ kind }) => inLanguage(DETOURS[kind][0]),
      },
      {
        label: t`How often`,
        isNumber: true,
        cell: ({ count }) => formatCount(count),
        sort: ({ count }) => count,
      },
      {
        label: t`Time`,
        isNumber: true,
        cell: ({ ms }) => (ms === 0 ? notTold() : formatDuration(ms)),
        sort: ({ ms }) => ms,
      },
      { label: t`First`, cell: ({ first }) => jump(first, t`go there`, onOpen), sort: ({ first }) => first },
    ],
    sortBy: 2,
  });
}

const WASTE: Readonly<Record<Wasted['kind'], readonly [label: Message, title: Message]>> = {
  ...DETOURS,
  cache: [
    message`Cache not read`,
    message`What tokens cost more than from the cache that held them, where neither a compaction nor another model is why`,
  ],
  run: [message`Abandoned runs`, message`All requests of runs that failed or were stopped`],
};

/** What was paid for and brought nothing; `onOpen` is told the position of the first of a kind. */
export function wasteTable(onOpen: (position: number) => void): UpdatedTable<Wasted> {
  return new DataTable<Wasted>({
    caption: t`Wasted`,
    keyOf: ({ kind }) => kind,
    columns: [
      {
        label: t`What`,
        cell: ({ kind }) => {
          const [label, title] = WASTE[kind];
          return el('span', { title: inLanguage(title) }, inLanguage(label));
        },
        sort: ({ kind }) => inLanguage(WASTE[kind][0]),
      },
      {
        label: t`How often`,
        isNumber: true,
        cell: ({ count }) => formatCount(count),
        sort: ({ count }) => count,
      },
      {
        label: t`Cost`,
        isNumber: true,
        cell: ({ cost }) => el('span', { title: explainCost(cost) }, formatCostShortly(cost)),
        sort: ({ cost }) => knownAmount(cost),
      },
      { label: t`First`, cell: ({ first }) => jump(first, t`go there`, onOpen), sort: ({ first }) => first },
    ],
    sortBy: 2,
  });
}

/** How large the context of each call was, first and last; `onOpen` is told the position of the request. */
export function growthTable(
  onOpen: (position: number) => void,
): UpdatedTable<Statistics['contextGrowth'][number]> {
  return new DataTable<Statistics['contextGrowth'][number]>({
    caption: t`Growth of the context, by call`,
    keyOf: ({ agent, points }) => `${agent} ${points[0]?.position ?? ''}`,
    columns: [
      { label: t`Agent`, cell: agentName, sort: ({ agent }) => agent },
      {
        label: t`Requests`,
        isNumber: true,
        cell: ({ points }) => formatCount(points.length),
        sort: ({ points }) => points.length,
      },
      {
        label: t`First`,
        isNumber: true,
        cell: ({ points }) => formatCount(points[0]?.tokens ?? 0),
        sort: ({ points }) => points[0]?.tokens,
      },
      {
        label: t`Last`,
        isNumber: true,
        cell: ({ points }) =>
          jump(points.at(-1)?.position ?? 0, formatCount(points.at(-1)?.tokens ?? 0), onOpen),
        sort: ({ points }) => points.at(-1)?.tokens,
      },
    ],
    sortBy: 3,
  });
}

/** What stands where nothing was recorded: none is another thing than not known. */
function notTold(): HTMLElement {
  return el('span', { class: 'faint', title: t`Not recorded` }, '–');
}

/** A button that leads to a message. */
export function jump(position: number, words: string, onOpen: (position: number) => void): HTMLElement {
  return el(
    'button',
    {
      class: 'link',
      title: t`Go to this message`,
      attributes: { type: 'button' },
      on: { click: () => onOpen(position) },
    },
    plainText(words),
  );
}

function shares<T extends Share>(
  [caption, label]: readonly [caption: string, label: string],
  name: (entry: T) => Child | readonly Child[],
  more: readonly Column<T>[],
  { weight, hueOf = () => '' }: { weight: NumberWords; hueOf?: (entry: T) => string },
): UpdatedTable<T> {
  const total = ({ tokens }: T): number => tokens.input + tokens.output;
  let most = 1;
  const table = new DataTable<T>({
    caption,
    keyOf: (entry) => entry.name,
    columns: [
      {
        label,
        cell: name,
        sort: (entry) => entry.name,
      },
      {
        label: t`Messages`,
        isNumber: true,
        cell: ({ messages }) => formatCount(messages),
        sort: ({ messages }) => messages,
      },
      ...more,
      {
        label: inLanguage(weight.label),
        title: inLanguage(weight.title),
        isNumber: true,
        cell: (entry) =>
          total(entry) === 0
            ? notTold()
            : bar(
                total(entry) / most,
                `${entry.tokens.estimated ? '≈ ' : ''}${shortNumber(total(entry))}`,
                hueOf(entry),
              ),
        sort: total,
      },
    ],
    sortBy: 2 + more.length,
  });
  return {
    element: table.element,
    update: (entries) => {
      most = greatestOf(entries.map(total), 1);
      table.update(entries);
    },
  };
}
