import { evictOldest } from '../../core/boundedMap.js';
import type { EventData, EventName, ListEvent, PanelEvent } from '../protocol/events.js';
import { MAX_WRITERS, type Damages, type TranscriptFacts, type Writing } from '../protocol/panelState.js';
import type { Row } from '../protocol/row.js';
import type { PanelView, Tail } from './panelView.js';
import type { LiveTranscript } from './ports.js';
import type { RowPages } from './rows/rowPages.js';
import type { RowContext } from './rows/stepRow.js';
import type { TranscriptProjection } from './projection/transcriptProjection.js';

/** How many of the most recently sent rows are kept up to date. */
const MAX_WATCHED_ROWS = 400;
/** How many new rows at the end of the list travel with the event that announces them: more than a screen shows. */
const MAX_TAIL_ROWS = 40;

/** What a page shows until it hears otherwise. */
const NOBODY_WRITES: Writing = { texts: [], more: 0 };

/** What the events of a panel are made of. */
export interface PanelUpdatesOptions {
  readonly projection: TranscriptProjection;
  readonly view: PanelView;
  readonly pages: RowPages;
  readonly context: () => RowContext;
  readonly facts: () => TranscriptFacts;
  readonly damages: () => Damages;
  /** The current number of records in the transcript. */
  readonly length: () => number;
  /** Sends an event to the page; resolves when the page's side has taken it. */
  send(event: PanelEvent): PromiseLike<unknown>;
}

/** Sends a page what has changed since the last time, and nothing else. */
export class PanelUpdates {
  readonly #options: PanelUpdatesOptions;
  /** Rows that the page may be showing, most recently sent last. */
  #watched = new Set<number>();
  readonly #stale = new Set<number>();
  readonly #last = new Map<string, string>();
  #facets = 0;
  /** The messages in flight. */
  readonly #sent: PromiseLike<unknown>[] = [];

  constructor(options: PanelUpdatesOptions) {
    this.#options = options;
  }

  /** Starts over for a page whose snapshot is made at this moment. */
  begin({ state, title }: LiveTranscript): void {
    this.#watched = new Set();
    this.#stale.clear();
    this.#sent.length = 0;
    this.#options.projection.index.takeChanged();
    this.#last.clear();
    const known = {
      live: state,
      title: { title },
      writing: NOBODY_WRITES,
      facts: this.#options.facts(),
      damaged: this.#options.damages(),
    };
    for (const [name, data] of Object.entries(known)) this.#last.set(name, JSON.stringify(data));
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

  /** Sends the change of the list at once, so that an answer that follows is consistent with it. */
  sendList(): void {
    const list = this.#options.view.takeListEvent();
    if (list) this.#send('list', list);
  }

  /** Sends all changes; resolves when the page's side has taken them. */
  async send(live: () => LiveTranscript): Promise<void> {
    const { view, projection } = this.#options;
    for (const row of projection.index.takeChanged()) if (this.#watched.has(row)) this.#stale.add(row);
    // Read before the event is made: nothing may come between the two that the rows do not know of.
    const tail = await this.#readTail();
    this.#sendStates(live());
    // Before the list: a text that is final now stays in sight until its message is there.
    this.#sendOnce('writing', this.#writing(live()));
    if (this.#facets !== this.#facetCount) {
      this.#facets = this.#facetCount;
      this.#send('facets', projection.facets());
    }
    const list = view.takeListEvent();
    if (list) this.#sendWithTail(list, tail);
    if (view.matches) this.#sendOnce('matches', view.matches);
    await this.#sendChanged();
    await Promise.all(this.#sent.splice(0));
  }

  /** The new rows at the end of the list, where that is the end of the transcript too. */
  async #readTail(): Promise<Tail<Row> | undefined> {
    const { view, projection, pages, context, length } = this.#options;
    // While a transcript is still being read, nobody looks at what is its end for a moment.
    if (projection.index.records < length() || view.run?.patterns.length) return undefined;
    const tail = view.newTail(MAX_TAIL_ROWS);
    return tail && { start: tail.start, rows: await pages.rows(tail.rows, context()) };
  }

  #sendWithTail(list: ListEvent, tail: Tail<Row> | undefined): void {
    const now = tail ? this.#options.view.rows(tail.start, tail.start + tail.rows.length) : [];
    // The list may have changed while the rows were read.
    if (!tail || list.replaced || tail.rows.some(({ id }, at) => now[at] !== id)) {
      this.#send('list', list);
      return;
    }
    this.#send('list', { ...list, tail });
    this.watch(tail.rows);
  }

  #sendStates({ state, title }: LiveTranscript): void {
    if (this.#sendOnce('live', state)) for (const row of this.#watched) this.#stale.add(row);
    this.#sendOnce('title', { title });
    this.#sendOnce('facts', this.#options.facts());
    this.#sendOnce('damaged', this.#options.damages());
  }

  #writing({ texts }: LiveTranscript): Writing {
    const { hues } = this.#options.projection;
    const shown = texts.slice(0, MAX_WRITERS);
    return {
      texts: shown.map((text) => ({ ...text, hue: hues.of(text.agent) })),
      more: texts.length - shown.length,
    };
  }

  #sendOnce<N extends EventName>(name: N, data: EventData<N>): boolean {
    const text = JSON.stringify(data);
    if (this.#last.get(name) === text) return false;
    this.#last.set(name, text);
    this.#send(name, data);
    return true;
  }

  get #facetCount(): number {
    const { projection } = this.#options;
    return projection.hues.size + projection.tools.names.length;
  }

  async #sendChanged(): Promise<void> {
    const { pages, context, view } = this.#options;
    for (const row of view.takeToggled()) if (this.#watched.has(row)) this.#stale.add(row);
    if (this.#stale.size === 0) return;
    const rows = await pages.rows([...this.#stale], context());
    for (const { id } of rows) this.#stale.delete(id);
    this.#send('changed', { rows });
  }

  #send<N extends EventName>(name: N, data: EventData<N>): void {
    this.#sent.push(this.#options.send({ name, data } as PanelEvent));
  }
}
