import { inLanguage, t } from '../../src/core/l10n.js';
import type { Statistics } from '../../src/page/protocol/analysis.js';
import { el, fill, type Child } from '../dom.js';
import {
  addCosts,
  explainCost,
  formatCost,
  formatCostShortly,
  isKnownCost,
  NO_COST,
  requestsOf,
} from '../../src/core/cost.js';
import { formatDuration } from '../../src/core/duration.js';
import { formatCount } from '../format.js';
import { shortNumber } from '../../src/core/shortNumber.js';
import type { PageActions } from '../rows/pageActions.js';
import { CallGraph } from './callGraph.js';
import { LineChart } from './lineChart.js';
import {
  agentCosts,
  agentName,
  agentShares,
  detourTable,
  growthTable,
  modelCosts,
  modelShares,
  roleShares,
  stepTable,
  wasteTable,
} from './statisticsTables.js';
import { ACTIVE, COST, ERRORS, RUNNING, SPAN, STATES, USED } from './wordsOfNumbers.js';
import { CALL_STATES } from '../../src/core/record.js';

/** The statistics tab: numbers, tables with bars, and the growth of contexts. */
export class StatisticsView {
  readonly element = el('div', { class: 'sheet' });
  readonly #tiles = el('dl', { class: 'tiles' });
  readonly #agents = agentShares();
  readonly #roles = roleShares();
  readonly #models = modelShares();
  readonly #agentCosts = agentCosts();
  readonly #modelCosts = modelCosts();
  readonly #costs: HTMLElement;
  readonly #graph: CallGraph;
  readonly #growth: GrowthPanel;
  readonly #slowest;
  readonly #dearest;
  readonly #detours;
  readonly #detoursPanel: HTMLElement;
  readonly #waste;
  readonly #wastePanel: HTMLElement;
  readonly #wasted = el('p', { class: 'faint' });
  readonly #slowestPanel: HTMLElement;
  readonly #dearestPanel: HTMLElement;
  /** What stands here as soon as there is something to count. It stays: so does what a person sorted or unfolded. */
  readonly #parts: readonly HTMLElement[];

  constructor(actions: PageActions) {
    const onOpen = (position: number): void => actions.showInContext(position);
    this.#graph = new CallGraph(actions);
    this.#growth = new GrowthPanel(onOpen);
    this.#slowest = stepTable({
      caption: t`Slowest steps`,
      label: t`Took`,
      weight: ({ durationMs = 0 }) => durationMs,
      words: formatDuration,
      onOpen,
    });
    this.#dearest = stepTable({
      caption: t`Largest requests`,
      label: t`Tokens`,
      weight: ({ tokens = 0 }) => tokens,
      words: (tokens) => t`${shortNumber(tokens)} tokens`,
      showsCost: true,
      onOpen,
    });
    this.#slowestPanel = panel(t`Slowest steps`, this.#slowest.element);
    this.#dearestPanel = panel(t`Largest requests`, this.#dearest.element);
    this.#detours = detourTable(onOpen);
    this.#detoursPanel = panel(t`Detours and waits`, this.#detours.element);
    this.#waste = wasteTable(onOpen);
    this.#wastePanel = panel(t`Wasted`, this.#wasted, this.#waste.element);
    this.#costs = el(
      'div',
      { class: 'columns' },
      panel(t`Cost by agent`, this.#agentCosts.element),
      panel(t`Cost by model`, this.#modelCosts.element),
    );
    this.#parts = [
      this.#tiles,
      el(
        'div',
        { class: 'columns' },
        panel(t`By agent`, this.#agents.element),
        panel(t`By role`, this.#roles.element),
        panel(t`By model`, this.#models.element),
      ),
      this.#graph.element,
      this.#costs,
      this.#growth.element,
      el(
        'div',
        { class: 'columns columns-steps' },
        this.#slowestPanel,
        this.#dearestPanel,
        this.#detoursPanel,
        this.#wastePanel,
      ),
    ];
  }

  update(statistics: Statistics): void {
    if (statistics.messages === 0) {
      const words = [
        el('h2', {}, t`Nothing to count yet`),
        el('p', {}, t`As soon as something is said, its numbers stand here.`),
      ];
      fill(this.element, el('div', { class: 'empty' }, words));
      return;
    }
    if (!this.#tiles.isConnected) fill(this.element, this.#parts);
    fill(this.#tiles, tiles(statistics));
    this.#agents.update(statistics.byAgent);
    this.#roles.update(statistics.byRole);
    this.#models.update(statistics.byModel);
    this.#costs.hidden = !isKnownCost(statistics.cost);
    this.#agentCosts.update(statistics.byAgent);
    this.#modelCosts.update(statistics.byModel);
    this.#graph.update(statistics.dispatches);
    this.#growth.update(statistics);
    // Imports often know no durations, or no usage.
    this.#slowestPanel.hidden = statistics.slowest.length === 0;
    this.#dearestPanel.hidden = statistics.mostExpensive.length === 0;
    this.#detoursPanel.hidden = statistics.detours.length === 0;
    this.#detours.update(statistics.detours);
    const { wasted } = statistics;
    this.#wastePanel.hidden = wasted.length === 0;
    const sum = wasted.reduce((cost, each) => addCosts(cost, each.cost), NO_COST);
    this.#wasted.textContent = t`${formatCostShortly(sum)} of ${formatCostShortly(statistics.cost)}`;
    this.#waste.update(wasted);
    this.#slowest.update(statistics.slowest);
    this.#dearest.update(statistics.mostExpensive);
  }
}

/** How the contexts grew: a chart, and behind it the same as a table. */
class GrowthPanel {
  readonly element: HTMLElement;
  readonly #words = el('p', { class: 'faint' });
  readonly #chart = new LineChart(
    t`Tokens sent, request by request of each call`,
    (request) => t`request ${request}`,
  );
  readonly #legend = el('div', { class: 'legend' });
  readonly #table;

  constructor(onOpen: (position: number) => void) {
    this.#table = growthTable(onOpen);
    this.element = panel(
      t`Growth of the context`,
      this.#words,
      this.#chart.element,
      this.#legend,
      el('details', {}, el('summary', {}, t`As a table`), this.#table.element),
    );
  }

  update({ contextGrowth, contextEstimated }: Statistics): void {
    this.element.hidden = contextGrowth.length === 0;
    if (contextGrowth.length === 0) return;
    this.#words.textContent = contextEstimated
      ? t`Tokens sent with each request, some of them estimated`
      : t`Tokens sent with each request`;
    this.#chart.update(
      contextGrowth.map(({ agent, hue, points }) => ({
        label: agent,
        hue,
        points: points.map(({ request, tokens }) => ({ x: request, y: tokens })),
      })),
    );
    const agents = new Map(contextGrowth.map(({ agent, hue }) => [agent, hue]));
    fill(
      this.#legend,
      [...agents].map(([agent, hue]) => el('span', {}, agentName({ agent, hue }))),
    );
    this.#table.update(contextGrowth);
  }
}

/** What a cost is made of, where the prices are from, and what counts. */
function costTitle({ cost, prices }: Statistics): string {
  return `${explainCost(cost, prices)} ${inLanguage(COST.title)}.`;
}

function tiles(statistics: Statistics): HTMLElement[] {
  const { messages, runs, calls, toolCalls, errors, states, tokens, cost, durationMs } = statistics;
  const { spanMs, activeMs, delegated } = statistics;
  const about = tokens.estimated ? '≈ ' : '';
  const told = tokens.input + tokens.output > 0;
  const tile = (value: string, words: string, title = '', looks = ''): HTMLElement =>
    el('div', { class: 'tile', title }, el('dt', {}, words), el('dd', { class: looks }, value));
  const count = (value: number, noun: string, title = '', looks = ''): HTMLElement =>
    tile(formatCount(value), value === 1 ? noun : `${noun}s`, title, looks);
  return [
    count(messages, 'message'),
    count(runs, 'run'),
    count(calls, 'agent call'),
    count(toolCalls, 'tool call'),
    count(errors, 'error', inLanguage(ERRORS), errors > 0 ? 'bad' : ''),
    ...CALL_STATES.map(
      (state) =>
        state !== 'failed' &&
        states[state] > 0 &&
        tile(formatCount(states[state]), inLanguage(STATES[state].label), inLanguage(STATES[state].title)),
    ),
    tile(told ? `${about}${shortNumber(tokens.input)}` : '–', t`tokens in`, inLanguage(USED.title)),
    tile(told ? `${about}${shortNumber(tokens.output)}` : '–', t`tokens out`, inLanguage(USED.title)),
    requestsOf(cost) > 0 &&
      tile(isKnownCost(cost) ? formatCost(cost) : t`unknown`, t`cost`, costTitle(statistics)),
    requestsOf(delegated) > 0 &&
      tile(
        isKnownCost(delegated) ? formatCost(delegated) : t`unknown`,
        t`of it by subagents`,
        t`What agents cost that were started by others: it is a part of the cost. ${explainCost(delegated)}`,
      ),
    tile(durationMs > 0 ? formatDuration(durationMs) : '–', t`running time`, inLanguage(RUNNING)),
    spanMs > 0 && tile(formatDuration(activeMs), t`active`, inLanguage(ACTIVE)),
    spanMs > 0 && tile(formatDuration(spanMs), t`from begin to end`, inLanguage(SPAN)),
  ].filter((each) => each !== false);
}

function panel(heading: string, ...children: readonly Child[]): HTMLElement {
  return el('section', { class: 'panel' }, el('h2', {}, heading), ...children);
}
