import type { RequestClient } from '../../src/protocol/requestClient.js';
import { el, type Child } from '../dom.js';
import type { PageActions } from '../pageActions.js';
import type { State, Tab } from '../state.js';
import { ApprovalsView } from './approvalsView.js';
import { ContextView } from '../context/contextView.js';
import { StatisticsView } from './statisticsView.js';
import { TimelineView } from './timelineView.js';
import { ToolsView } from './toolsView.js';

/** What the other tabs need. */
export interface OtherViewsOptions {
  readonly client: RequestClient;
  readonly actions: PageActions;
  readonly stateOf: () => State;
  readonly onFailure: (error: unknown) => void;
}

/** The interval between updates of the visible view while the transcript grows, in milliseconds. */
const REFRESH_MS = 1_000;
/** How long what a person does to a view is gathered before the host is asked for it, in milliseconds. */
const LOOK_MS = 60;

/** The tabs other than the messages. Each requests its data when it is shown, and again as the transcript grows. */
export class OtherViews {
  readonly elements: readonly HTMLElement[];
  readonly #options: OtherViewsOptions;
  readonly #sections: ReadonlyMap<Tab, HTMLElement>;
  readonly #timeline: TimelineView;
  readonly #statistics: StatisticsView;
  readonly #tools: ToolsView;
  readonly #approvals: ApprovalsView;
  readonly #context: ContextView;
  /** What the view that is shown was last asked for. */
  #asked = '';
  #timer: number | undefined;
  #lookTimer: number | undefined;
  /** The number of the latest request; an answer to an earlier one is ignored. */
  #question = 0;
  #isAsking = false;

  constructor(options: OtherViewsOptions) {
    this.#options = options;
    const { actions } = options;
    this.#timeline = new TimelineView({ actions, onLook: () => this.#lookSoon() });
    this.#statistics = new StatisticsView(actions);
    this.#tools = new ToolsView(actions);
    this.#approvals = new ApprovalsView(actions, () => this.#lookSoon());
    this.#context = new ContextView({
      client: options.client,
      onLook: () => this.#lookSoon(),
      onOpen: (position) => actions.showInContext(position),
      canSay: () => options.stateOf().live.canContinue,
      onQuote: (text, rest) => actions.quote(text, rest),
      onFailure: options.onFailure,
    });
    const sections = [
      ['timeline', section('timeline', this.#timeline.element)],
      ['statistics', section('statistics', this.#statistics.element)],
      ['tools', section('tools', this.#tools.element)],
      ['approvals', section('approvals', this.#approvals.element)],
      ['context', section('context', this.#context.element)],
    ] as const;
    this.#sections = new Map<Tab, HTMLElement>(sections);
    this.elements = sections.map(([, element]) => element);
  }

  update({ tab, list, ready, live }: State): void {
    for (const [name, element] of this.#sections) element.hidden = name !== tab;
    const isNew = !this.#asked.startsWith(`${tab} `);
    if (isNew && this.#asked !== '') this.#leave();
    if (!ready || !this.#sections.has(tab)) return;
    const wanted = `${tab} ${list.read} ${live.state}`;
    if (wanted === this.#asked) return;
    this.#asked = wanted;
    this.#refreshSoon(isNew ? 0 : REFRESH_MS);
  }

  handleKey(event: KeyboardEvent): boolean {
    const { tab } = this.#options.stateOf();
    if (tab === 'context') return this.#context.handleKey(event);
    return tab === 'timeline' && this.#timeline.handleKey(event);
  }

  #refreshSoon(delay: number): void {
    if (delay === 0) {
      window.clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    this.#timer ??= window.setTimeout(() => {
      this.#timer = undefined;
      void this.#refresh();
    }, delay);
  }

  /** What a person wants to look at does not wait for what was looked at before. */
  #lookSoon(): void {
    this.#lookTimer ??= window.setTimeout(() => {
      this.#lookTimer = undefined;
      void this.#ask();
    }, LOOK_MS);
  }

  /** The view that was looked at is not shown any more: nothing need be worked out for it. */
  #leave(): void {
    this.#asked = '';
    this.#question++;
    this.#isAsking = false;
    this.#options.client.ask('leave', {}).catch((error: unknown) => this.#options.onFailure(error));
  }

  async #refresh(): Promise<void> {
    if (this.#isAsking) this.#refreshSoon(REFRESH_MS);
    else await this.#ask();
  }

  async #ask(): Promise<void> {
    const question = ++this.#question;
    this.#isAsking = true;
    try {
      const show = await this.#answer();
      if (question === this.#question) show();
    } catch (error) {
      if (question === this.#question) this.#options.onFailure(error);
    }
    if (question === this.#question) this.#isAsking = false;
  }

  /** What shows the host's answer in the view that is looked at. */
  async #answer(): Promise<() => void> {
    const { client, stateOf } = this.#options;
    switch (stateOf().tab) {
      case 'statistics': {
        const statistics = await client.ask('statistics', {});
        return () => {
          this.#statistics.update(statistics);
          if (statistics.counting) this.#refreshSoon(REFRESH_MS);
        };
      }
      case 'tools': {
        const tools = await client.ask('tools', {});
        return () => this.#tools.update(tools);
      }
      case 'timeline': {
        const { turnsWanted, part } = this.#timeline;
        const [turns, timeline] = await Promise.all([
          client.ask('turns', turnsWanted),
          client.ask('timeline', part),
        ]);
        return () => this.#timeline.update(timeline, turns);
      }
      case 'approvals': {
        const page = await client.ask('approvals', this.#approvals.wanted);
        return () => this.#approvals.update(page);
      }
      case 'context': {
        const answer = await client.ask('context', this.#context.wanted);
        return () => {
          this.#context.update(answer);
          if (answer.looked < answer.records) this.#refreshSoon(REFRESH_MS);
        };
      }
      case 'messages':
        return () => undefined;
    }
  }
}

function section(tab: Tab, content: Child): HTMLElement {
  return el(
    'section',
    {
      class: `view view-${tab}`,
      id: `view-${tab}`,
      role: 'tabpanel',
      hidden: true,
      attributes: { 'aria-labelledby': `tab-${tab}` },
    },
    content,
  );
}
