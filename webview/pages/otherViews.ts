import { el } from '../dom.js';
import type { State, Tab } from '../state.js';
import type { OtherTab, TabOptions, TabView } from './tabViews.js';

/** The tabs besides the messages, in their order. */
const TABS: readonly OtherTab[] = ['timeline', 'statistics', 'tools', 'approvals', 'context'];

/** The interval between updates of the visible view while the transcript grows, in milliseconds. */
const REFRESH_MS = 1_000;
/** How long what a person does to a view is gathered before the host is asked for it, in milliseconds. */
const LOOK_MS = 60;

/** The tabs other than the messages. Each requests its data when it is shown, and again as the transcript grows. */
export class OtherViews {
  readonly elements: readonly HTMLElement[];
  readonly #options: TabOptions;
  readonly #sections: ReadonlyMap<Tab, HTMLElement>;
  /** Loaded with the first tab that is shown. */
  #views: ReadonlyMap<OtherTab, TabView> | undefined;
  #loading: Promise<ReadonlyMap<OtherTab, TabView>> | undefined;
  /** What the view that is shown was last asked for. */
  #asked = '';
  #timer: number | undefined;
  #lookTimer: number | undefined;
  /** The number of the latest request; an answer to an earlier one is ignored. */
  #question = 0;
  #isAsking = false;

  constructor(options: TabOptions) {
    this.#options = options;
    const sections = TABS.map((tab) => [tab, section(tab)] as const);
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
    return tab !== 'messages' && this.#views?.get(tab)?.handleKey?.(event) === true;
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
    const { tab } = this.#options.stateOf();
    if (tab === 'messages') return () => undefined;
    const view = (await this.#loaded()).get(tab);
    const show = await view?.ask();
    return () => {
      if (show?.() === 'grows') this.#refreshSoon(REFRESH_MS);
    };
  }

  #loaded(): Promise<ReadonlyMap<OtherTab, TabView>> {
    return (this.#loading ??= import('./tabViews.js').then(({ tabViews }) => {
      const views = tabViews(this.#options, () => this.#lookSoon());
      for (const [tab, { element }] of views) this.#sections.get(tab)?.append(element);
      this.#views = views;
      return views;
    }));
  }
}

function section(tab: Tab): HTMLElement {
  return el('section', {
    class: `view view-${tab}`,
    id: `view-${tab}`,
    role: 'tabpanel',
    hidden: true,
    attributes: { 'aria-labelledby': `tab-${tab}` },
  });
}
