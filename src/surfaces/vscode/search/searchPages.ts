import { t } from '../../../core/l10n.js';
import {
  commands,
  ViewColumn,
  window,
  type Disposable,
  type ExtensionContext,
  type Memento,
  type Webview,
  type WebviewPanel,
  type WebviewView,
} from 'vscode';
import { features } from '../../../app/features/features.js';
import { commandName, searchEditorType, spendingEditorType, viewIds } from '../../../app/manifest.js';
import type { Application } from '../../../app/application/openApplication.js';
import type { Stores } from '../../../app/services/stores.js';
import { plain } from '../../../app/text/plainText.js';
import { messageOf } from '../../../core/text.js';
import type {
  OpenedHit,
  SearchedArchiveChoice,
  SearchSession,
} from '../../../page/panel/search/searchSession.js';
import { WebviewContent } from '../../../page/panel/webviewContent.js';
import type { Log } from '../../../core/ports/log.js';
import type { SessionLocation } from '../../../page/protocol/search.js';
import type { BarQuery, KeptSpending, LiveRow } from '../../../page/protocol/searchPage.js';
import { setting } from '../settings.js';
import { showPage } from '../ui/showPage.js';
import { copyQuestionLink } from '../frontends/transcriptLinks.js';
import type { FileEditors } from '../panel/fileEditors.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';

/** Under which key is kept what everything had cost when it was last read. */
const SPENT = 'agentLogbook.spent';

/** Under which key is kept whether the archive is asked. */
const SEARCHES_ARCHIVE = 'agentLogbook.searchesArchive';

/** So much of a question stands in the title of its tab, in code points. */
const MAX_TITLE = 40;

/** What the pages of the search need of the rest of the extension. */
export interface SearchPagesOptions {
  readonly context: ExtensionContext;
  readonly stores: Stores;
  readonly panels: TranscriptPanels;
  readonly files: Pick<FileEditors, 'show'>;
  readonly log: Log;
  readonly live: Pick<Application, 'approvals' | 'discovery' | 'runs'>;
}

/** The search in the side bar and in editors: the same page, each with a session of its own. */
export class SearchPages {
  readonly #options: SearchPagesOptions;
  #view: SearchHost | undefined;
  #spending: WebviewPanel | undefined;
  /** The page that was used last: the next match is one of its. */
  #current: SearchHost | undefined;
  /** What the view is to show once it is there. */
  #first: BarQuery | undefined;

  constructor(options: SearchPagesOptions) {
    this.#options = options;
  }

  /** Puts the search into the view of the side bar. */
  fill(view: WebviewView): void {
    const host = this.#newHost(view.webview, false, () => undefined);
    this.#view = host;
    view.onDidDispose(() => {
      if (this.#view === host) this.#view = undefined;
      this.#leave(host);
    });
    if (this.#first) host.show(this.#first);
    this.#first = undefined;
  }

  /** Puts the search into an editor that was open when the window was closed. */
  restore(panel: WebviewPanel): void {
    this.#adopt(panel);
  }

  /** Brings the view to the front, with a question where one is given. */
  async show(question?: BarQuery): Promise<void> {
    const view = this.#view;
    if (!view && question) this.#first = question;
    await commands.executeCommand(`${viewIds.search}.focus`);
    view?.show(question);
  }

  /** Opens the search in an editor of its own, with what is asked in the view where no question is given. */
  openEditor(question = this.#view?.asked): void {
    const options = { retainContextWhenHidden: true };
    const panel = window.createWebviewPanel(searchEditorType, t`Search`, ViewColumn.Active, options);
    const host = this.#adopt(panel);
    if (question) host.show(question);
  }

  /** Shows what all sessions have cost, in the one editor that there is of it. */
  showSpending(): void {
    if (this.#spending) this.#spending.reveal();
    else
      this.restoreSpending(
        window.createWebviewPanel(spendingEditorType, t`Spending`, ViewColumn.Active, {
          retainContextWhenHidden: true,
        }),
      );
  }

  /** Fills an editor of it that was open when the window was closed; of two there stays the first. */
  restoreSpending(panel: WebviewPanel): void {
    if (this.#spending) {
      panel.dispose();
      return;
    }
    this.#spending = panel;
    const host = new SearchHost(panel.webview, 'spending', {
      ...this.#options,
      openInEditor: (question) => this.openEditor(question),
      onAsked: () => undefined,
    });
    panel.onDidChangeViewState(() => host.showsItself(panel.visible));
    panel.onDidDispose(() => {
      this.#spending = undefined;
      host.dispose();
    });
  }

  /** Goes to the next match of the search that was used last, or to the previous one. */
  step(by: 1 | -1): void {
    this.#current?.step(by);
  }

  #adopt(panel: WebviewPanel): SearchHost {
    const host = this.#newHost(panel.webview, true, (asked) => (panel.title = titleOf(asked?.text ?? '')));
    panel.onDidChangeViewState(() => {
      if (panel.active) this.#current = host;
    });
    panel.onDidDispose(() => this.#leave(host));
    return host;
  }

  #newHost(
    webview: Webview,
    isEditor: boolean,
    onAsked: (question: BarQuery | undefined) => void,
  ): SearchHost {
    const host: SearchHost = new SearchHost(webview, isEditor ? 'editor' : 'view', {
      ...this.#options,
      openInEditor: (question) => this.openEditor(question),
      onAsked: (question) => {
        this.#current = host;
        host.asked = question;
        onAsked(question);
        void commands.executeCommand('setContext', 'agentLogbook.searched', true);
      },
    });
    this.#current = host;
    return host;
  }

  #leave(host: SearchHost): void {
    host.dispose();
    if (this.#current === host) this.#current = this.#view;
  }
}

/** What one page needs besides. */
interface SearchHostOptions extends SearchPagesOptions {
  readonly openInEditor: (question: BarQuery) => void;
  readonly onAsked: (question: BarQuery | undefined) => void;
}

/** Connects one webview to its session, which is loaded with it. */
class SearchHost {
  readonly #webview: Webview;
  readonly #options: SearchHostOptions;
  readonly #listener: Disposable;
  readonly #session: Promise<SearchSession>;
  #isDisposed = false;
  /** What is asked there. */
  asked: BarQuery | undefined;

  constructor(webview: Webview, as: 'view' | 'editor' | 'spending', options: SearchHostOptions) {
    this.#webview = webview;
    this.#options = options;
    this.#session = this.#load(as);
    this.#listener = webview.onDidReceiveMessage((message: unknown) => {
      void this.#with((session) => void session.receive(message));
    });
    const isSpending = as === 'spending';
    showPage(
      webview,
      options.context.extensionUri,
      isSpending ? 'spending' : 'search',
      isSpending ? t`Spending` : t`Search`,
    );
  }

  show(question?: BarQuery): void {
    void this.#with((session) => session.show(question));
  }

  showsItself(isVisible: boolean): void {
    void this.#with((session) => (session.isVisible = isVisible));
  }

  step(by: 1 | -1): void {
    void this.#with((session) => session.step(by));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#listener.dispose();
    void this.#with((session) => session.dispose());
  }

  async #load(as: 'view' | 'editor' | 'spending'): Promise<SearchSession> {
    const { context, stores, log, openInEditor, onAsked } = this.#options;
    const [{ mementoQuestions, SearchSession }, engine] = await Promise.all([
      features.transcripts(),
      stores.search(),
    ]);
    return new SearchSession({
      engine,
      log,
      openInEditor,
      exportFound: (places) => void commands.executeCommand(commandName('exportTranscript'), rowsOf(places)),
      onAsked,
      isEditor: as !== 'view',
      ...(as === 'spending' && {
        spending: { ...keptSpending(context.globalState), follow: await this.#following() },
      }),
      questions: mementoQuestions(context.globalState, context.workspaceState),
      copyQuestionLink: (question) => copyQuestionLink(context, log, { question }),
      open: (hit) => this.#open(hit),
      archive: archiveChoice(context.workspaceState),
      conversations: () => stores.countSearched(),
      now: () => Date.now(),
      timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      post: (message) => this.#webview.postMessage(message),
    });
  }

  /** Follows what is live. */
  async #following(): Promise<(show: (rows: readonly LiveRow[]) => void) => Disposable> {
    const { followLive, ownRuns } = await features.discovering();
    const { live, stores, log } = this.#options;
    const own = ownRuns({ ...live, stores, settings: { get: setting }, log, pricing: features.pricing });
    const { discovery } = live;
    return (show) => followLive({ discovery, own, engine: () => stores.search(), log, now: Date.now }, show);
  }

  #open({ place: location, position, found, staysHere }: OpenedHit): void {
    const { panels, files, log } = this.#options;
    const what = {
      ...(position !== undefined && { position }),
      ...(found !== undefined && { found: { text: found, matchCase: false, wholeWord: false } }),
    };
    if (location.kind === 'stored') panels.open(location.conversation, what, staysHere);
    else if (location.kind === 'archive')
      void commands.executeCommand(commandName('openArchived'), {
        id: location.conversation,
        position,
        found,
        preserveFocus: staysHere,
      });
    else
      files
        .show(location.root, { at: Number(location.conversation), what }, staysHere)
        .catch((error: unknown) => log.error(`${location.root} cannot be shown`, error));
  }

  /** Does something with the session once it is there; where it cannot be, the page says why. */
  async #with(work: (session: SearchSession) => void): Promise<void> {
    try {
      work(await this.#session);
    } catch (error) {
      this.#options.log.error('The search cannot be opened.', error);
      if (!this.#isDisposed)
        WebviewContent.of(this.#webview).notice(t`The search cannot be opened`, messageOf(error));
    }
  }
}

/** Sessions as rows of the tree stand for them; those of the archive are none here. */
function rowsOf(places: readonly SessionLocation[]) {
  const isOf = (kind: SessionLocation['kind']) => (each: SessionLocation) => each.kind === kind;
  const files = new Set(places.filter(isOf('file')).map(({ root }) => root));
  return {
    conversations: places.filter(isOf('stored')).map(({ conversation }) => ({ conversation })),
    members: Array.from(files, (path) => ({ kind: 'session', file: { path } })),
  };
}

/** Whether the archive is asked, as a person has last chosen in this workspace. */
function archiveChoice(memory: Memento): SearchedArchiveChoice {
  return {
    isSet: () => setting('archive.address') !== '',
    isWanted: () => memory.get(SEARCHES_ARCHIVE) === true,
    want: (isWanted) => void memory.update(SEARCHES_ARCHIVE, isWanted),
  };
}

/** What everything had cost, as it is kept from window to window. */
function keptSpending(memory: Memento) {
  return {
    kept: () => memory.get<KeptSpending>(SPENT),
    keep: (spent: KeptSpending) => void memory.update(SPENT, spent),
  };
}

function titleOf(text: string): string {
  const line = plain(text, MAX_TITLE);
  return line === '' ? t`Search` : t`Search: ${line}`;
}
