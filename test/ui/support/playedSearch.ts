import type { Browser, Locator, Page } from 'playwright-core';
import {
  SearchSession,
  type OpenedHit,
  type SearchEngine,
} from '../../../src/page/panel/search/searchSession.js';
import { silentLog } from '../../../src/core/ports/log.js';
import type { SessionLocation } from '../../../src/page/protocol/search.js';
import type { BarQuery, KeptSpending, LiveRow } from '../../../src/page/protocol/searchPage.js';
import { memoryQuestions } from '../../support/memoryQuestions.js';
import type { ThemeName } from '../../support/themes.js';
import { joinPage } from './joinPage.js';
import { hostedHtml, serveWebview, type ServedWebview } from './serveWebview.js';

export interface PlayedSearchOptions {
  readonly engine: SearchEngine;
  readonly conversations?: number;
  readonly theme?: ThemeName;
  readonly viewport?: { width: number; height: number };
  readonly isEditor?: boolean;
  /** Opens the page of what everything has cost, with what was known of it last. */
  readonly spent?: KeptSpending | 'never';
  /** What is live, on that page. */
  readonly live?: readonly LiveRow[];
}

/** The page of the search in a browser, under its real policy, joined to the host's real side. */
export class PlayedSearch {
  readonly opened: OpenedHit[] = [];
  readonly inEditor: BarQuery[] = [];
  readonly exported: SessionLocation[] = [];
  readonly asked: BarQuery[] = [];
  readonly questions = memoryQuestions();
  /** The questions to which links were copied. */
  readonly copied: string[] = [];
  /** What the page said against its rules: blocked resources, errors, stray messages. */
  readonly complaints: string[] = [];
  readonly requested: string[] = [];
  #session: SearchSession | undefined;
  #server: ServedWebview | undefined;
  #spent: KeptSpending | undefined;
  #state: unknown = null;
  #answered: () => Promise<void> = () => Promise.resolve();

  private constructor(
    readonly page: Page,
    private readonly options: PlayedSearchOptions,
  ) {
    if (options.spent !== 'never') this.#spent = options.spent;
  }

  static async open(browser: Browser, options: PlayedSearchOptions): Promise<PlayedSearch> {
    const viewport = options.viewport ?? { width: 1400, height: 900 };
    const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
    page.setDefaultTimeout(120_000);
    const search = new PlayedSearch(page, options);
    await search.#join();
    await search.load();
    return search;
  }

  /** Loads the page, as when the view is shown; what an earlier page left behind is given to it. */
  async load(): Promise<void> {
    this.#session?.dispose();
    this.#session = new SearchSession({
      engine: this.options.engine,
      conversations: () => Promise.resolve(this.options.conversations ?? 1),
      open: (hit) => this.opened.push(hit),
      openInEditor: (question) => this.inEditor.push(question),
      exportFound: (places) => void this.exported.push(...places),
      onAsked: (question) => question && this.asked.push(question),
      isEditor: this.options.isEditor ?? true,
      ...(this.options.spent && {
        spending: {
          kept: () => this.#spent,
          keep: (spent: KeptSpending) => void (this.#spent = structuredClone(spent)),
          follow: (show) => {
            show(this.options.live ?? []);
            return { dispose: () => undefined };
          },
        },
      }),
      questions: this.questions,
      copyQuestionLink: ({ text, rows }) => {
        this.copied.push(`${rows} ${text}`);
        return Promise.resolve();
      },
      now: () => Date.now(),
      timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      log: { ...silentLog, warn: (message, error) => this.complaints.push(`${message} ${String(error)}`) },
      post: (message) => this.#post(message),
    });
    await this.page.goto(`${this.#server?.origin ?? ''}/page`);
    await this.page.locator('.is-ready').waitFor();
  }

  /** What the page is told next time that everything had cost. */
  get spent(): KeptSpending | undefined {
    return this.#spent;
  }

  get session(): SearchSession {
    if (!this.#session) throw new Error('The page was not loaded.');
    return this.#session;
  }

  get field(): Locator {
    return this.page.getByRole('combobox', { name: 'Search all conversations' });
  }

  /** Rows of the list that are drawn, by a text in them. */
  row(text: string | RegExp): Locator {
    return this.page.locator('.result', { hasText: text }).first();
  }

  /** The row that is chosen. */
  get chosen(): Locator {
    return this.page.locator('.result.selected');
  }

  /** Asks a question by the keyboard. */
  async ask(text: string): Promise<void> {
    await this.field.fill(text);
    await this.field.press('Enter');
  }

  /** Resolves when the host has answered all that the page asked, and the page was drawn since. */
  async settled(): Promise<void> {
    await this.#answered();
  }

  /** Addresses that the page asked for and that are not its own files. */
  get strangers(): string[] {
    return this.requested.filter(
      (url) => !url.startsWith(`${this.#server?.origin ?? ''}/`) && !url.startsWith('data:'),
    );
  }

  /** Parts of the page that are wider than there is room for. */
  overflow(): Promise<string[]> {
    return this.page.evaluate(() =>
      [
        ...document.querySelectorAll(
          'html, body, .search-page, .spending-page, .spending-sheet, .status, .results, .refine, .preview-body',
        ),
      ]
        .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
        .map(({ className, scrollWidth }) => `${className}: ${scrollWidth} px`),
    );
  }

  async close(): Promise<void> {
    this.#session?.dispose();
    await this.page.close();
    this.#server?.close();
  }

  async #post(message: unknown): Promise<void> {
    try {
      await this.page.evaluate((data) => window.postMessage(data, '*'), message);
    } catch {
      // The page is gone or just being loaded anew; so are messages to a webview then.
    }
  }

  async #join(): Promise<void> {
    const { page } = this;
    this.#server = await serveWebview(() =>
      hostedHtml({
        page: this.options.spent ? 'spending' : 'search',
        origin: this.#server?.origin ?? '',
        theme: this.options.theme ?? 'dark',
        state: this.#state,
      }),
    );
    this.#answered = await joinPage(page, this, {
      toHost: (message) => this.#session?.receive(message),
      keepState: (state) => void (this.#state = state),
    });
  }
}
