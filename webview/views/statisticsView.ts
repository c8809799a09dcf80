import type { CostlyStep, Share, Statistics } from '../../src/protocol/analysis.js';
import { plainText } from '../content/plainText.js';
import { el, fill, type Child } from '../dom.js';
import { formatCount, formatDuration, formatShort } from '../format.js';
import type { PageActions } from '../pageActions.js';
import { bar, DataTable, type Column } from './dataTable.js';
import { lineChart } from './lineChart.js';

/** What it cost and where: numbers, tables with bars, and how the contexts grew. */
export class StatisticsView {
  readonly element = el('div', { class: 'sheet' });
  readonly #actions: PageActions;

  constructor(actions: PageActions) {
    this.#actions = actions;
  }

  update(statistics: Statistics): void {
    if (statistics.messages === 0) {
      const words = [
        el('h2', {}, 'Nothing to count yet'),
        el('p', {}, 'As soon as something is said, its numbers stand here.'),
      ];
      fill(this.element, el('div', { class: 'empty' }, ...words));
      return;
    }
    fill(
      this.element,
      tiles(statistics),
      el(
        'div',
        { class: 'columns' },
        panel('By agent', this.#agents(statistics)),
        panel('By role', roles(statistics)),
        panel('By model', models(statistics)),
      ),
      this.#growth(statistics),
      el(
        'div',
        { class: 'columns' },
        panel(
          'Slowest steps',
          this.#steps(
            'Slowest steps',
            statistics.slowest,
            ({ durationMs = 0 }) => durationMs,
            formatDuration,
          ),
        ),
        panel(
          'Most expensive requests',
          this.#steps(
            'Most expensive requests',
            statistics.mostExpensive,
            ({ tokens = 0 }) => tokens,
            (tokens) => `${formatShort(tokens)} tokens`,
          ),
        ),
      ),
    );
  }

  #agents({ byAgent }: Statistics): HTMLElement {
    return shares(
      'By agent',
      byAgent,
      ({ name, hue }) => [el('span', { class: `dot hue-${hue}` }), plainText(name)],
      [
        {
          label: 'Calls',
          isNumber: true,
          cell: ({ ownCalls }) => formatCount(ownCalls),
          sort: ({ ownCalls }) => ownCalls,
        },
      ],
      ({ hue }) => `hue-${hue}`,
    );
  }

  #growth({ contextGrowth, contextEstimated }: Statistics): Child {
    if (contextGrowth.length === 0) return undefined;
    const lines = contextGrowth.map(({ agent, hue, points }) => ({
      label: agent,
      hue,
      points: points.map(({ request, tokens }) => ({ x: request, y: tokens })),
    }));
    const agents = new Map(contextGrowth.map(({ agent, hue }) => [agent, hue]));
    const legend = [...agents].map(([agent, hue]) =>
      el('span', {}, el('span', { class: `dot hue-${hue}` }), plainText(agent)),
    );
    const table = new DataTable<Statistics['contextGrowth'][number]>({
      caption: 'Growth of the context, by call',
      columns: [
        {
          label: 'Agent',
          cell: ({ agent, hue }) => [el('span', { class: `dot hue-${hue}` }), plainText(agent)],
          sort: ({ agent }) => agent,
        },
        {
          label: 'Requests',
          isNumber: true,
          cell: ({ points }) => formatCount(points.length),
          sort: ({ points }) => points.length,
        },
        {
          label: 'First',
          isNumber: true,
          cell: ({ points }) => formatCount(points[0]?.tokens ?? 0),
          sort: ({ points }) => points[0]?.tokens,
        },
        {
          label: 'Last',
          isNumber: true,
          cell: ({ points }) =>
            this.#jump(points.at(-1)?.position ?? 0, formatCount(points.at(-1)?.tokens ?? 0)),
          sort: ({ points }) => points.at(-1)?.tokens,
        },
      ],
      sortBy: 3,
    });
    table.update(contextGrowth);
    const words = contextEstimated
      ? 'Tokens sent with each request, some of them estimated'
      : 'Tokens sent with each request';
    return panel(
      'Growth of the context',
      el('p', { class: 'faint' }, words),
      lineChart('Tokens sent, request by request of each call', lines, (request) => `request ${request}`),
      el('div', { class: 'legend' }, ...legend),
      el('details', {}, el('summary', {}, 'As a table'), table.element),
    );
  }

  #steps(
    caption: string,
    steps: readonly CostlyStep[],
    weight: (step: CostlyStep) => number,
    words: (weight: number) => string,
  ): HTMLElement {
    const most = Math.max(1, ...steps.map(weight));
    const kinds = { model: 'request', tool: 'tool', dispatch: 'dispatch' };
    const table = new DataTable<CostlyStep>({
      caption,
      columns: [
        { label: 'Step', cell: (step) => this.#jump(step.position, step.label), sort: ({ label }) => label },
        { label: 'Kind', cell: ({ kind }) => kinds[kind], sort: ({ kind }) => kind },
        {
          label: 'Agent',
          cell: ({ agent, hue }) => [el('span', { class: `dot hue-${hue}` }), plainText(agent)],
          sort: ({ agent }) => agent,
        },
        {
          label: caption === 'Slowest steps' ? 'Took' : 'Cost',
          isNumber: true,
          cell: (step) => bar(weight(step) / most, words(weight(step)), `hue-${step.hue}`),
          sort: weight,
        },
      ],
    });
    table.update(steps);
    return table.element;
  }

  #jump(position: number, words: string): HTMLElement {
    return el(
      'button',
      {
        class: 'link',
        title: 'Go to this message',
        attributes: { type: 'button' },
        on: { click: () => this.#actions.showInContext(position) },
      },
      plainText(words),
    );
  }
}

function tiles({ messages, runs, calls, toolCalls, errors, tokens, durationMs }: Statistics): HTMLElement {
  const about = tokens.estimated ? '≈ ' : '';
  const told = tokens.input + tokens.output > 0;
  const tile = (value: string, words: string, looks = ''): HTMLElement =>
    el('div', { class: 'tile' }, el('dt', {}, words), el('dd', { class: looks }, value));
  return el(
    'dl',
    { class: 'tiles' },
    tile(formatCount(messages), 'messages'),
    tile(formatCount(runs), runs === 1 ? 'run' : 'runs'),
    tile(formatCount(calls), 'agent calls'),
    tile(formatCount(toolCalls), 'tool calls'),
    tile(formatCount(errors), 'errors', errors > 0 ? 'bad' : ''),
    tile(told ? `${about}${formatShort(tokens.input)}` : '–', 'tokens in'),
    tile(told ? `${about}${formatShort(tokens.output)}` : '–', 'tokens out'),
    tile(durationMs > 0 ? formatDuration(durationMs) : '–', 'running time'),
  );
}

function roles({ byRole }: Statistics): HTMLElement {
  return shares('By role', byRole, ({ name }) => name, []);
}

function models({ byModel }: Statistics): HTMLElement {
  return shares('By model', byModel, ({ name }) => plainText(name), [
    {
      label: 'Requests',
      isNumber: true,
      cell: ({ requests }) => formatCount(requests),
      sort: ({ requests }) => requests,
    },
    {
      label: 'Failed',
      isNumber: true,
      cell: ({ failures }) => el('span', { class: failures > 0 ? 'bad' : 'faint' }, formatCount(failures)),
      sort: ({ failures }) => failures,
    },
  ]);
}

function shares<T extends Share>(
  caption: string,
  entries: readonly T[],
  name: (entry: T) => Child | readonly Child[],
  more: readonly Column<T>[],
  hueOf: (entry: T) => string = () => '',
): HTMLElement {
  const total = ({ tokens }: T): number => tokens.input + tokens.output;
  const most = Math.max(1, ...entries.map(total));
  const table = new DataTable<T>({
    caption,
    columns: [
      {
        label: caption.replace('By ', '').replace(/^./, (letter) => letter.toUpperCase()),
        cell: name,
        sort: (entry) => entry.name,
      },
      {
        label: 'Messages',
        isNumber: true,
        cell: ({ messages }) => formatCount(messages),
        sort: ({ messages }) => messages,
      },
      ...more,
      {
        label: 'Tokens',
        title: 'In and out; ≈ where they are estimated',
        isNumber: true,
        cell: (entry) =>
          total(entry) === 0
            ? el('span', { class: 'faint', title: 'Nobody told' }, '–')
            : bar(
                total(entry) / most,
                `${entry.tokens.estimated ? '≈ ' : ''}${formatShort(total(entry))}`,
                hueOf(entry),
              ),
        sort: total,
      },
    ],
    sortBy: 2 + more.length,
  });
  table.update(entries);
  return table.element;
}

function panel(heading: string, ...children: readonly Child[]): HTMLElement {
  return el('section', { class: 'panel' }, el('h2', {}, heading), ...children);
}
