import type { Browser, Page } from 'playwright-core';
import { storedApprovalLogs } from '../../../src/app/approvals/storedApprovalLogs.js';
import {
  ApprovalLogSession,
  type ChosenApprovalLog,
} from '../../../src/page/panel/approvalLog/approvalLogSession.js';
import type { SearchEngine } from '../../../src/page/panel/search/searchSession.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { TranscriptStore } from '../../../src/store/transcriptStore.js';
import type { ThemeName } from '../../support/themes.js';
import { joinPage } from './joinPage.js';
import { hostedHtml, serveWebview, type ServedWebview } from './serveWebview.js';

export interface PlayedApprovalLogOptions {
  readonly engine: Pick<SearchEngine, 'ask'>;
  /** The folder of the store. */
  readonly root: string;
  readonly theme?: ThemeName;
  readonly viewport?: { width: number; height: number };
  /** What the page before kept. */
  readonly state?: unknown;
}

/** The page of all decisions in a browser, under its real policy, over a real store. */
export class PlayedApprovalLog {
  readonly opened: string[] = [];
  readonly exported: (readonly [format: string, chosen: readonly ChosenApprovalLog[]])[] = [];
  readonly complaints: string[] = [];
  readonly requested: string[] = [];
  /** What the page keeps for the one after it. */
  kept: unknown;
  #session: ApprovalLogSession | undefined;
  #server: ServedWebview | undefined;
  #store: TranscriptStore | undefined;

  private constructor(
    readonly page: Page,
    private readonly options: PlayedApprovalLogOptions,
  ) {}

  static async open(browser: Browser, options: PlayedApprovalLogOptions): Promise<PlayedApprovalLog> {
    const viewport = options.viewport ?? { width: 1400, height: 900 };
    const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
    page.setDefaultTimeout(120_000);
    const played = new PlayedApprovalLog(page, options);
    await played.#load();
    return played;
  }

  async close(): Promise<void> {
    this.#session?.dispose();
    await this.page.close();
    this.#server?.close();
    await this.#store?.close();
  }

  async #load(): Promise<void> {
    const { root, engine, theme = 'dark', state = null } = this.options;
    const store = await TranscriptStore.open({
      root,
      log: silentLog,
      onProblem: ({ title, detail }) => this.complaints.push(`${title}: ${detail}`),
    });
    this.#store = store;
    const log = { ...silentLog, warn: (message: string) => this.complaints.push(message) };
    const conversations = async () => {
      await store.catalog.refresh();
      return store.catalog.entries().map((entry) => ({ store, root, entry }));
    };
    this.#session = new ApprovalLogSession({
      read: (signal) => storedApprovalLogs({ engine, conversations, log }, signal),
      open: ({ conversation }, position) => this.opened.push(`${conversation} ${position}`),
      exportAs: (format, chosen) => {
        this.exported.push([format, chosen]);
        return Promise.resolve();
      },
      log,
      post: (message) => this.#post(message),
    });
    const server = await serveWebview(() =>
      hostedHtml({ page: 'ledger', origin: this.#server?.origin ?? '', theme, state }),
    );
    this.#server = server;
    await joinPage(this.page, this, {
      toHost: (message) => this.#session?.receive(message),
      keepState: (state) => (this.kept = state),
    });
    await this.page.goto(`${server.origin}/page`);
    await this.page.locator('.ledger-page.is-ready').waitFor();
  }

  async #post(message: unknown): Promise<void> {
    try {
      await this.page.evaluate((data) => window.postMessage(data, '*'), message);
    } catch {
      // The page is gone; so are messages to a webview then.
    }
  }
}
