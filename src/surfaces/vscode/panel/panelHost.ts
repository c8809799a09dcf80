import { window, workspace, type Disposable, type Uri, type WebviewPanel } from 'vscode';
import { t } from '../../../core/l10n.js';
import { messageOf } from '../../../core/text.js';
import type { PanelSession, PanelSessionOptions } from '../../../page/panel/panelSession.js';
import type {
  LiveTranscript,
  PanelActions,
  PanelTranscript,
  QuestionBook,
} from '../../../page/panel/ports.js';
import { WebviewContent } from '../../../page/panel/webviewContent.js';
import type { Memory } from '../../../app/ports/settings.js';
import type { Question } from '../../../query/language/question.js';
import type { PanelEvent, ShowEvent } from '../../../page/protocol/events.js';
import type { OpenOptions } from '../../../search/reader/readerThread.js';
import type { Provenance } from '../../../page/protocol/panelState.js';
import { showPage } from '../ui/showPage.js';
import { features } from '../../../app/features/features.js';
import { sharingPolicyOf } from '../../../app/sharing/sharingSettings.js';
import { formatCount } from '../../../app/text/format.js';
import { words } from '../../../app/text/plainText.js';
import type { Delivered } from '../../../page/protocol/requests.js';
import { editorSettings, setting } from '../settings.js';
import { copyText } from '../ui/clipboard.js';
import { showInformation } from '../ui/notices.js';

/** What every panel needs of the rest of the extension. */
export interface PanelHostOptions extends Omit<
  PanelSessionOptions,
  'conversation' | 'transcript' | 'provenance' | 'title' | 'origin' | 'questions' | 'actions' | 'post'
> {
  readonly extensionUri: Uri;
  /** Opens a transcript, which the panel will dispose; rejects with an error for a person where it cannot be read. */
  readonly openTranscript: (conversation: string, options: OpenOptions) => Promise<PanelTranscript>;
  /** Where a conversation comes from, as far as its store knows. Never rejects. */
  readonly provenance: (conversation: string) => Promise<Provenance>;
  readonly titleOf: (conversation: string) => string;
  readonly originOf: (conversation: string) => LiveTranscript['origin'];
  /** Where questions are kept. */
  readonly memories: { readonly user: Memory; readonly workspace: Memory };
  /** Opens a workspace file that a record names; rejects with an error for a person. `line` counts from 1. */
  readonly openFile: PanelActions['openFile'];
  readonly openChanges: PanelActions['openChanges'];
  readonly openDropped: PanelActions['openDropped'];
  /** Shows the whole URL and opens it if the person agrees. */
  readonly openLink: PanelActions['openLink'];
}

/** Connects one webview panel to its session for as long as the panel lives. */
export class PanelHost implements Disposable {
  readonly panel: WebviewPanel;
  readonly conversation: string;
  readonly #options: PanelHostOptions;
  readonly #content: WebviewContent;
  readonly #listeners: { dispose(): void }[];
  #session: PanelSession | undefined;
  #transcript: PanelTranscript | undefined;
  #disposed = false;
  /** The messages from the page before the transcript was open. */
  #early: unknown[] = [];
  #show: ShowEvent | undefined;

  constructor(panel: WebviewPanel, conversation: string, options: PanelHostOptions) {
    this.panel = panel;
    this.conversation = conversation;
    this.#options = options;
    this.#listeners = [
      panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
      panel.onDidChangeViewState(() => {
        if (!panel.visible) this.#session?.hide();
      }),
      options.runs.onDidChangeState((changed) => {
        if (changed === conversation) this.#nameTab();
      }),
    ];
    this.#nameTab();
    this.#content = WebviewContent.of(panel.webview);
    showPage(panel.webview, options.extensionUri, 'main');
    void this.#open();
  }

  /** What the page asks; undefined where it shows everything. */
  get question(): Question | undefined {
    return this.#session?.question;
  }

  /** The positions of what its question found; rejects with an error for a person while that is not complete. */
  async foundPositions(): Promise<readonly number[]> {
    return (await this.#transcript?.foundPositions()) ?? [];
  }

  /** Asks the page to show something, as soon as it can. */
  show(what: ShowEvent): void {
    if (this.#session) this.#session.show(what);
    else this.#show = what;
  }

  dispose(): void {
    this.#disposed = true;
    for (const listener of this.#listeners) listener.dispose();
    this.#session?.dispose();
  }

  async #open(): Promise<void> {
    try {
      const [{ PanelSession, mementoQuestions }, transcript] = await Promise.all([
        // Loaded lazily, to keep it out of VS Code's startup.
        features.transcripts(),
        this.#options.openTranscript(this.conversation, {
          send: (event) => this.#send(event),
          onEnd: (error) => this.#fail(error),
        }),
      ]);
      if (this.#disposed) {
        transcript.dispose();
        return;
      }
      const { user, workspace: here } = this.#options.memories;
      this.#begin(transcript, PanelSession, mementoQuestions(user, here));
    } catch (error) {
      this.#options.log.error(`The transcript of ${this.conversation} cannot be opened.`, error);
      if (!this.#disposed) {
        this.#content.notice(t`This transcript cannot be opened`, messageOf(error));
      }
    }
  }

  /** Says that the transcript can be read no more, in the panel's place. */
  #fail(error: Error): void {
    if (this.#disposed) return;
    const words = t`Nothing of it is lost. Close this panel and open it again to read on. ${messageOf(error)}`;
    this.#content.notice(t`This transcript cannot be read any more`, words);
  }

  #begin(transcript: PanelTranscript, Session: typeof PanelSession, questions: QuestionBook): void {
    const { webview } = this.panel;
    const { titleOf, originOf, openFile, openChanges, openDropped, openLink, provenance, ...shared } =
      this.#options;
    this.#transcript = transcript;
    const options: PanelSessionOptions = {
      ...shared,
      conversation: this.conversation,
      transcript,
      questions,
      provenance: () => provenance(this.conversation),
      title: () => titleOf(this.conversation),
      origin: () => originOf(this.conversation),
      actions: { copy: copyShared, showText, openFile, openChanges, openDropped, openLink },
      // The page goes on with another host: an answer of this one is none to it.
      post: (message) => (this.#disposed ? Promise.resolve(false) : webview.postMessage(message)),
    };
    this.#session = new Session(options);
    this.#nameTab(); // A restored panel may exist before its store is known.
    if (this.#show) this.#session.show(this.#show);
    for (const message of this.#early) this.#receive(message);
    this.#early = [];
  }

  #send(event: PanelEvent): PromiseLike<unknown> {
    return this.#session?.notify(event) ?? Promise.resolve();
  }

  #receive(message: unknown): void {
    if (this.#session) void this.#session.receive(message);
    else if (this.#early.length < 100) this.#early.push(message);
  }

  #nameTab(): void {
    this.panel.title = this.#options.titleOf(this.conversation);
  }
}

async function showText(content: string, language: string): Promise<void> {
  await window.showTextDocument(await workspace.openTextDocument({ content, language }), { preview: true });
}

/**
 * Copies a text of a transcript without what is left out of every export. Nobody is asked before a single text; where something was left
 * out, a notice says so and copies it as it is, if the person wants that.
 */
async function copyShared(text: string): Promise<Delivered> {
  if (!setting('export.redactSecrets')) {
    await copyText(text);
    return { isTold: false };
  }
  const { sharedText, sharingRules } = await features.redaction();
  const shared = sharedText(text, await sharingRules(sharingPolicyOf(editorSettings)));
  await copyText(shared.text);
  const isTold = shared.redacted > 0;
  if (isTold) void offerWhole(text, shared.redacted);
  return { isTold };
}

async function offerWhole(text: string, redacted: number): Promise<void> {
  const whole = t`Copy As It Is`;
  const told = words`Copied; ${formatCount(redacted, 'secret')} left out.`;
  if ((await showInformation(told, whole)) === whole) await copyText(text);
}
