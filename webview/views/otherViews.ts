import type { Asker } from '../../src/protocol/asker.js';
import { el, type Child } from '../dom.js';
import type { PageActions } from '../pageActions.js';
import type { State, Tab } from '../state.js';
import { StatisticsView } from './statisticsView.js';
import { TimelineView } from './timelineView.js';
import { ToolsView } from './toolsView.js';

export interface OtherViewsOptions {
  readonly asker: Asker;
  readonly actions: PageActions;
  readonly stateOf: () => State;
  readonly onFailure: (error: unknown) => void;
}

/** How often a view that is looked at is brought up to date while the transcript grows, in milliseconds. */
const REFRESH_MS = 1_000;

/** The views beside the messages. Each asks for its numbers when it is looked at, and again as there is more. */
export class OtherViews {
  readonly elements: readonly HTMLElement[];
  readonly #options: OtherViewsOptions;
  readonly #sections: ReadonlyMap<Tab, HTMLElement>;
  readonly #timeline: TimelineView;
  readonly #statistics: StatisticsView;
  readonly #tools: ToolsView;
  /** What the view that is shown was last asked for. */
  #asked = '';
  #timer: number | undefined;
  #isAsking = false;

  constructor(options: OtherViewsOptions) {
    this.#options = options;
    const { actions } = options;
    this.#timeline = new TimelineView({ actions, onLook: () => this.#refreshSoon(60) });
    this.#statistics = new StatisticsView(actions);
    this.#tools = new ToolsView(actions);
    const sections = [
      ['timeline', section('timeline', this.#timeline.element)],
      ['statistics', section('statistics', this.#statistics.element)],
      ['tools', section('tools', this.#tools.element)],
    ] as const;
    this.#sections = new Map<Tab, HTMLElement>(sections);
    this.elements = sections.map(([, element]) => element);
  }

  update({ tab, list, ready, live }: State): void {
    for (const [name, element] of this.#sections) element.hidden = name !== tab;
    if (!ready || !this.#sections.has(tab)) {
      this.#asked = '';
      return;
    }
    const wanted = `${tab} ${list.read} ${live.state}`;
    if (wanted === this.#asked) return;
    const isNew = !this.#asked.startsWith(`${tab} `);
    this.#asked = wanted;
    this.#refreshSoon(isNew ? 0 : REFRESH_MS);
  }

  handleKey(event: KeyboardEvent): boolean {
    return this.#options.stateOf().tab === 'timeline' && this.#timeline.handleKey(event);
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

  async #askStatistics(): Promise<void> {
    const statistics = await this.#options.asker.ask('statistics', {});
    this.#statistics.update(statistics);
    if (statistics.counting) this.#refreshSoon(REFRESH_MS);
  }

  async #refresh(): Promise<void> {
    if (this.#isAsking) {
      this.#refreshSoon(REFRESH_MS);
      return;
    }
    this.#isAsking = true;
    const { asker, stateOf, onFailure } = this.#options;
    try {
      const { tab } = stateOf();
      if (tab === 'statistics') await this.#askStatistics();
      if (tab === 'tools') this.#tools.update(await asker.ask('tools', {}));
      if (tab === 'timeline') {
        const turns = await asker.ask('turns', this.#timeline.turnsWanted);
        this.#timeline.update(await asker.ask('timeline', this.#timeline.part), turns);
      }
    } catch (error) {
      onFailure(error);
    }
    this.#isAsking = false;
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
