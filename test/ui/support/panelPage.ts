import type { Browser, Locator, Page } from 'playwright-core';
import { guardedPatterns } from '../../../src/node/patterns/guardedPatterns.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../../src/node/patterns/timeGuard.js';
import { Emitter } from '../../../src/core/event.js';
import type { Translations } from '../../../src/core/l10n.js';
import { PanelSession, type PanelSessionOptions } from '../../../src/page/panel/panelSession.js';
import { TranscriptSession } from '../../../src/page/panel/transcriptSession.js';
import type { LiveText } from '../../../src/page/panel/ports.js';
import type { ApprovalAnswer, ApprovalPrompt } from '../../../src/core/ports/approvals.js';
import { silentLog, type Log } from '../../../src/core/ports/log.js';
import type { Prices } from '../../../src/core/ports/prices.js';
import type { LiveState, Provenance } from '../../../src/page/protocol/panelState.js';
import type { FromHost } from '../../../src/page/protocol/protocol.js';
import { MemoryDrafts } from '../../support/memoryDrafts.js';
import type { QuestionBook, Seen } from '../../../src/page/panel/ports.js';
import { memoryNotes, MemoryNotes } from '../../support/memoryNotes.js';
import { memoryQuestions } from '../../support/memoryQuestions.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { scanMemory } from '../../support/scanMemory.js';
import type { StoryTeller } from '../../support/storyTeller.js';
import { drawn, joinPage } from './joinPage.js';
import { hostedHtml, serveWebview, type ServedWebview } from './serveWebview.js';
import type { ThemeName } from '../../support/themes.js';
import type { Tab } from '../../../webview/state.js';

/** What is never to be scrolled sideways. */
const WHOLE_PARTS = 'html, body, header, .page, .view, .filter, .list, .sheet, .chat, .row';

export interface PanelPageOptions {
  /** What was said until the page is opened. */
  readonly story: StoryTeller;
  readonly theme?: ThemeName;
  readonly viewport?: { width: number; height: number };
  readonly live?: LiveState;
  readonly title?: string;
  readonly provenance?: Provenance;
  /** What models cost; without, only what is recorded is known. */
  readonly prices?: Prices;
  /** Done with the browser's page before it loads anything. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** Shared with other panels. */
  readonly questions?: QuestionBook;
  /** How far the person had looked before. */
  readonly seen?: Seen;
  /** The language of the page; English without. */
  readonly translations?: Translations;
}

/** The page in a browser, under its real policy, joined to the host's real side; only VS Code between them is played. */
export class PanelPage {
  readonly transcript: MemoryTranscript;
  /** What the host was asked to do outside of the page. */
  readonly done: string[] = [];
  /** What the page said against its rules: blocked resources, errors, stray messages. */
  readonly complaints: string[] = [];
  /** All addresses that the page asked for. */
  readonly requested: string[] = [];
  live: LiveState;
  approvals: ApprovalPrompt[] = [];
  /** What agents are writing; changed by `write`. */
  texts: readonly LiveText[] = [];
  /** Why exports fail, where they do. */
  exportProblem: string | undefined;
  readonly answers: { id: string; answer: ApprovalAnswer }[] = [];
  readonly noteFiles = new MemoryNotes();
  readonly notes = memoryNotes(this.noteFiles);
  readonly drafts = new MemoryDrafts();
  /** What is said is taken, or fails, with this. */
  taken: Promise<void> = Promise.resolve();
  /** Sizes of the messages to the page, in characters of JSON. */
  readonly sizes: number[] = [];
  /** How many messages to the page were on their way at once, at most. */
  mostWaiting = 0;
  #waiting = 0;
  /** One signal for each search that was begun. */
  readonly scans: AbortSignal[] = [];
  readonly #questions: QuestionBook;
  #state: unknown = null;
  #session: PanelSession | undefined;
  #reading: TranscriptSession | undefined;
  #server: ServedWebview | undefined;
  #origin = '';
  #answered: () => Promise<void> = () => Promise.resolve();
  readonly #changes = new Emitter<string>((error) => this.complaints.push(String(error)));
  readonly #writes = new Emitter<string>((error) => this.complaints.push(String(error)));

  private constructor(
    readonly page: Page,
    private readonly options: PanelPageOptions,
  ) {
    this.transcript = new MemoryTranscript(options.story.conversation, options.story.records);
    this.#questions = options.questions ?? memoryQuestions();
    this.live = options.live ?? { state: 'done', canStop: false, canContinue: true };
  }

  static async open(browser: Browser, options: PanelPageOptions): Promise<PanelPage> {
    const viewport = options.viewport ?? { width: 1400, height: 900 };
    const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
    page.setDefaultTimeout(120_000);
    const panel = new PanelPage(page, options);
    await panel.#serve();
    await panel.#join();
    await options.prepare?.(page);
    await panel.load();
    return panel;
  }

  /** Loads the page, as when the panel is shown; what an earlier page left behind is given to it. */
  async load(): Promise<void> {
    this.#reading ??= this.#newReading();
    this.#session ??= new PanelSession(this.#options(this.#reading));
    await this.page.goto(`${this.#origin}/page`);
    await this.page.locator('.page:not(.is-loading)').waitFor();
    await this.settled();
  }

  /** Resolves when what the page leaves behind for the next one matches. */
  async leftBehind(pattern: RegExp): Promise<void> {
    while (!pattern.test(JSON.stringify(this.#state)))
      await new Promise((resolve) => setTimeout(resolve, 10));
  }

  /** Takes the page away, as when the panel is hidden. */
  async hide(): Promise<void> {
    await this.page.goto('about:blank');
    this.#session?.hide();
  }

  get session(): PanelSession {
    if (!this.#session) throw new Error('The page was not loaded.');
    return this.#session;
  }

  /** The side of the session that reads the transcript. */
  get reading(): TranscriptSession {
    if (!this.#reading) throw new Error('The page was not loaded.');
    return this.#reading;
  }

  setLive(live: LiveState): void {
    this.live = live;
    this.#changes.fire(this.transcript.conversation);
  }

  /** Replaces what agents are writing. */
  write(...texts: LiveText[]): void {
    this.texts = texts;
    this.#writes.fire(this.transcript.conversation);
  }

  setApprovals(...approvals: ApprovalPrompt[]): void {
    this.approvals = approvals;
    this.#changes.fire(this.transcript.conversation);
  }

  /** Sends the page whatever is given. */
  async send(message: unknown): Promise<void> {
    await this.page.evaluate((data) => window.postMessage(data, '*'), message);
  }

  /** Rows of the list that are drawn, by a text in them. */
  row(text: string | RegExp): Locator {
    return this.page.locator('.row', { hasText: text }).first();
  }

  /** Resolves when the host was asked to do something that begins so. */
  async wasDone(beginning: string): Promise<string> {
    for (;;) {
      const done = this.done.find((what) => what.startsWith(beginning));
      if (done !== undefined) return done;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Goes to a view by its tab. */
  async show(tab: Tab): Promise<void> {
    await this.page.locator(`#tab-${tab}`).click();
    await this.page
      .locator(`#view-${tab} :is(.row, .timeline-svg, .context-drawing svg, table, .empty)`)
      .first()
      .waitFor();
    await this.settled();
  }

  /**
   * Resolves when the host has answered all that the page asked, nothing of the list in sight is missing, and the page was
   * drawn since.
   */
  async settled(): Promise<void> {
    await this.#answered();
    await this.page.waitForFunction(
      () =>
        // A list that is not shown fetches nothing.
        ![...document.querySelectorAll('.row-skeleton')].some((row) => row.checkVisibility()) &&
        !document.querySelector('.page.is-loading'),
    );
    await drawn(this.page);
  }

  /** Parts of the page that are wider than there is room for, with the end of what they say. */
  overflow(of = WHOLE_PARTS): Promise<string[]> {
    return this.page.evaluate(
      (selector) =>
        [...document.querySelectorAll(selector)]
          .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
          .map((part) => `${part.className}: ${part.scrollWidth} px: ${part.textContent.slice(-200)}`),
      of,
    );
  }

  /** Addresses that the page asked for and that are not its own files. */
  get strangers(): string[] {
    return this.requested.filter((url) => !url.startsWith(`${this.#origin}/`) && !url.startsWith('data:'));
  }

  async close(): Promise<void> {
    this.#session?.dispose();
    await this.page.close();
    this.#server?.close();
  }

  async #serve(): Promise<void> {
    this.#server = await serveWebview(() => this.#html());
    this.#origin = this.#server.origin;
  }

  /** The real page, with VS Code's part before its own script. */
  #html(): string {
    return hostedHtml({
      page: 'main',
      origin: this.#origin,
      theme: this.options.theme ?? 'dark',
      state: this.#state,
      translations: this.options.translations,
    });
  }

  async #join(): Promise<void> {
    const { page } = this;
    this.#answered = await joinPage(page, this, {
      toHost: (message) => this.#session?.receive(message),
      keepState: (state) => void (this.#state = state),
    });
  }

  #newReading(): TranscriptSession {
    return new TranscriptSession({
      transcript: this.transcript,
      scan: (question, signal, from) => {
        this.scans.push(signal);
        return scanMemory(this.transcript, question, signal, from);
      },
      guard: (work) => endsWithin(MAX_TEXT_TEST_MS, work),
      patterns: guardedPatterns,
      countTokens: async (transcript, start, end) =>
        (await transcript.read(start, end)).map((record) => ({ record, tokens: 100 })),
      details: () => [],
      ...(this.options.prices && { prices: this.options.prices }),
      log: this.#log,
      send: (event) => this.session.notify(event),
    });
  }

  readonly #log: Log = {
    ...silentLog,
    error: (message, error) => this.complaints.push(`${message} ${String(error)}`),
  };

  #options(transcript: TranscriptSession): PanelSessionOptions {
    const act = (what: string): Promise<void> => {
      this.done.push(what);
      return Promise.resolve();
    };
    return {
      transcript,
      conversation: this.transcript.conversation,
      title: () => this.options.title ?? 'Nightly export of invoices fails',
      provenance: () => Promise.resolve(this.options.provenance ?? { details: [] }),
      runs: {
        onDidChangeState: this.#changes.event,
        onDidWrite: this.#writes.event,
        liveTexts: () => this.texts,
        stateOf: () => this.live,
        stop: () => void act('stop'),
        continueConversation: async (_, text) => {
          await act(`continue ${text}`);
          await this.taken;
        },
        recallFailure: () => Promise.resolve(),
        afterFailure: (_, way) => act(`after failure ${way}`),
      },
      approvals: {
        pending: () => this.approvals,
        answer: (id, answer) => {
          const waits = this.approvals.some((prompt) => prompt.id === id);
          if (waits) this.answers.push({ id, answer });
          this.setApprovals(...this.approvals.filter((prompt) => prompt.id !== id));
          return waits;
        },
      },
      drafts: this.drafts,
      showImportReport: () => act('import report'),
      handOver: () => act('hand over'),
      exportApprovals: (_, format, filter) => act(`approvals ${format} ${JSON.stringify(filter)}`),
      exportTranscript: (_, format, positions, target) =>
        this.exportProblem === undefined
          ? act(`export ${format} ${positions?.length ?? 'all'} ${target}`).then(() => ({ isTold: false }))
          : Promise.reject(new Error(this.exportProblem)),
      questions: this.#questions,
      notes: this.notes,
      looking: () => Promise.resolve(() => Promise.resolve(this.options.seen)),
      copyMessageLink: (_, { id, near }) => act(`copyMessageLink ${id} ${near}`),
      copyQuestionLink: (_, { text, rows }) => act(`copyLink ${rows} ${text}`),
      actions: {
        copy: (text) => act(`copy ${text}`).then(() => ({ isTold: false })),
        showText: (text, language) => act(`showText ${language} ${text}`),
        openChanges: (changes) => act(`changes ${changes.map(({ path }) => path).join(' ')}`),
        openFile: (path, line) => act(`openFile ${path} ${line ?? ''}`.trim()),
        openDropped: (addresses) => act(`openDropped ${addresses.join(' ')}`),
        openLink: (url) => act(`openLink ${url}`),
      },
      log: this.#log,
      post: (message) => this.#post(message),
    };
  }

  async #post(message: FromHost): Promise<void> {
    this.sizes.push(JSON.stringify(message).length);
    this.mostWaiting = Math.max(this.mostWaiting, ++this.#waiting);
    try {
      await this.send(message);
    } catch {
      // The page is gone or just being loaded anew; so are messages to a webview then.
    }
    this.#waiting--;
  }
}
