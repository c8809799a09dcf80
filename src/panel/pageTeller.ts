import { evictOldest } from '../core/boundedMap.js';
import type { Answerer } from '../protocol/answerer.js';
import type { EventData, EventName } from '../protocol/events.js';
import { MAX_WRITERS, type TranscriptFacts, type Writing } from '../protocol/panelState.js';
import type { Row } from '../protocol/row.js';
import type { ApprovalDesk } from './approvalDesk.js';
import type { PanelView } from './panelView.js';
import type { LiveRuns } from './ports.js';
import type { RowPages } from './rows/rowPages.js';
import type { RowContext } from './rows/stepRow.js';
import type { TranscriptFolds } from './folds/transcriptFolds.js';

/** How many of the most recently sent rows are kept up to date. */
const MAX_WATCHED_ROWS = 400;

/** What a page shows until it hears otherwise. */
const NOBODY_WRITES: Writing = { texts: [], more: 0 };

/** What the events of a panel are made of. */
export interface PageTellerOptions {
  readonly conversation: string;
  readonly folds: TranscriptFolds;
  readonly view: PanelView;
  readonly pages: RowPages;
  readonly runs: LiveRuns;
  readonly desk: ApprovalDesk;
  readonly answerer: Answerer;
  readonly context: () => RowContext;
  readonly title: () => string;
  readonly facts: () => TranscriptFacts;
}

/** Sends a page what has changed since the last time, and nothing else. */
export class PageTeller {
  readonly #options: PageTellerOptions;
  /** Rows that the page may be showing, most recently sent last. */
  #watched = new Set<number>();
  readonly #stale = new Set<number>();
  readonly #last = new Map<string, string>();
  #facets = 0;
  /** The messages in flight. */
  readonly #sent: PromiseLike<unknown>[] = [];

  constructor(options: PageTellerOptions) {
    this.#options = options;
  }

  /** Starts over for a page that has just received its snapshot. */
  begin(): void {
    this.#watched = new Set();
    this.#stale.clear();
    this.#sent.length = 0;
    this.#options.folds.index.takeChanged();
    this.#last.clear();
    for (const [name, data] of Object.entries(this.#states())) this.#last.set(name, JSON.stringify(data));
    this.#last.set('writing', JSON.stringify(NOBODY_WRITES));
    this.#facets = this.#facetCount;
  }

  /** Notes that the page has these rows. */
  watch(rows: readonly Row[]): void {
    for (const { id } of rows) {
      this.#watched.delete(id);
      this.#watched.add(id);
    }
    evictOldest(this.#watched, MAX_WATCHED_ROWS);
  }

  /** Sends all changes; resolves when the page's side has taken them. */
  async tell(): Promise<void> {
    const { view, folds } = this.#options;
    this.#tellStates();
    // Before the list: a text that is final now stays in sight until its message is there.
    this.#tellOnce('writing', this.#writing());
    if (this.#facets !== this.#facetCount) {
      this.#facets = this.#facetCount;
      this.#tell('facets', folds.facets());
    }
    const list = view.takeListEvent();
    if (list) this.#tell('list', list);
    if (view.filter) this.#tellOnce('matches', view.filter.state);
    await this.#tellRows();
    await Promise.all(this.#sent.splice(0));
  }

  #tellStates(): void {
    const { live, approvals, title, facts } = this.#states();
    if (this.#tellOnce('live', live)) for (const row of this.#watched) this.#stale.add(row);
    this.#tellOnce('approvals', approvals);
    this.#tellOnce('title', title);
    this.#tellOnce('facts', facts);
  }

  #writing(): Writing {
    const { runs, conversation, folds } = this.#options;
    const texts = runs.liveTexts(conversation);
    const shown = texts.slice(0, MAX_WRITERS);
    return {
      texts: shown.map((text) => ({ ...text, hue: folds.hues.of(text.agent) })),
      more: texts.length - shown.length,
    };
  }

  #states() {
    const { runs, conversation, desk, title, facts } = this.#options;
    return {
      live: runs.stateOf(conversation),
      approvals: { approvals: desk.cards() },
      title: { title: title() },
      facts: facts(),
    };
  }

  #tellOnce<N extends EventName>(name: N, data: EventData<N>): boolean {
    const text = JSON.stringify(data);
    if (this.#last.get(name) === text) return false;
    this.#last.set(name, text);
    this.#tell(name, data);
    return true;
  }

  get #facetCount(): number {
    const { folds } = this.#options;
    return folds.hues.size + folds.tools.names.length;
  }

  async #tellRows(): Promise<void> {
    const { folds, pages, context, view } = this.#options;
    const changed = [...folds.index.takeChanged(), ...view.takeToggled()];
    for (const row of changed) if (this.#watched.has(row)) this.#stale.add(row);
    if (this.#stale.size === 0) return;
    const rows = await pages.rows([...this.#stale], context());
    for (const { id } of rows) this.#stale.delete(id);
    this.#tell('changed', { rows });
  }

  #tell<N extends EventName>(name: N, data: EventData<N>): void {
    this.#sent.push(this.#options.answerer.tell(name, data));
  }
}
