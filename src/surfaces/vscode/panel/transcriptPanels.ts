import { t } from '../../../core/l10n.js';
import { WebviewContent } from '../../../page/panel/webviewContent.js';
import type { Uri } from 'vscode';
import {
  Disposable,
  ViewColumn,
  window,
  type CustomDocument,
  type CustomReadonlyEditorProvider,
  type WebviewPanel,
  type WebviewPanelSerializer,
} from 'vscode';
import { isObject } from '../../../core/message.js';
import type { Question } from '../../../query/language/question.js';
import type { EventData } from '../../../page/protocol/events.js';
import { PanelHost, type PanelHostOptions } from './panelHost.js';
import type { PanelsInView } from '../../../app/panel/panelsInView.js';
import { restoredConversation } from '../../../app/panel/panelsInView.js';

/** The view type of the panels; menus and keybindings refer to it. */
const TRANSCRIPT_VIEW_TYPE = 'agentLogbook.transcript';
/** The custom editor of journals, as package.json contributes it. */
const JOURNAL_VIEW_TYPE = 'agentLogbook.journal';

/** What to show when a panel is opened. */
export type ShowOptions = EventData<'show'>;

/** What the panels need of the rest of the extension. */
export interface TranscriptPanelsOptions extends PanelHostOptions {
  /** The newest conversation with this title. */
  conversationTitled(title: string): Promise<string | undefined>;
  /** The conversation of a journal file; undefined where it is in none of our stores. */
  conversationAt(journal: Uri): Promise<string | undefined>;
  /** Is told which panels can be seen. */
  readonly inView: PanelsInView;
  /** Shows again what a panel showed that is in no store, by what its page kept, or says that it is not there any more. */
  restoreOther(panel: WebviewPanel, state: unknown): Promise<void>;
  /** Is told of a conversation that no panel shows any more. */
  closed(conversation: string): void;
}

/** The panels of all transcripts, one per conversation; also restores them and opens journals as editors. */
export class TranscriptPanels implements WebviewPanelSerializer, CustomReadonlyEditorProvider {
  readonly #options: TranscriptPanelsOptions;
  readonly #hosts = new Map<WebviewPanel, PanelHost>();
  readonly #registrations: Disposable;

  constructor(options: TranscriptPanelsOptions) {
    this.#options = options;
    this.#registrations = Disposable.from(
      window.registerWebviewPanelSerializer(TRANSCRIPT_VIEW_TYPE, this),
      window.registerCustomEditorProvider(JOURNAL_VIEW_TYPE, this, {
        supportsMultipleEditorsPerDocument: true,
      }),
    );
  }

  /** The conversation of the active panel. */
  get active(): string | undefined {
    return [...this.#hosts.values()].find(({ panel }) => panel.active)?.conversation;
  }

  /**
   * What the conversation's panel asks, and the positions of the records that this finds; undefined where there is none, or
   * it shows everything.
   */
  askedIn(
    conversation: string,
  ): { readonly question: Question; readonly positions: () => Promise<readonly number[]> } | undefined {
    const open = [...this.#hosts.values()].find((host) => host.conversation === conversation);
    const question = open?.question;
    return open && question && { question, positions: () => open.foundPositions() };
  }

  /** Opens the conversation's panel, or brings it to the front; the focus goes there unless it is to be preserved. */
  open(conversation: string, options?: ShowOptions, preserveFocus = false): void {
    const open = [...this.#hosts.values()].find((host) => host.conversation === conversation);
    const host = open ?? this.#host(this.#newPanel(preserveFocus), conversation);
    host.panel.reveal(undefined, preserveFocus);
    if (options) host.show(options);
  }

  /** Shows a conversation in a panel that something else has opened. */
  showIn(panel: WebviewPanel, conversation: string): void {
    this.#host(panel, conversation);
  }

  /** Shows another conversation in all panels of one, in whose place it stands. */
  move(from: string, to: string): void {
    for (const [panel, host] of Array.from(this.#hosts))
      if (host.conversation === from) this.#host(panel, to);
  }

  /** The panels that show a conversation. */
  panelsOf(conversation: string): readonly WebviewPanel[] {
    return [...this.#hosts.values()]
      .filter((host) => host.conversation === conversation)
      .map(({ panel }) => panel);
  }

  /** Closes the conversation's panels, as when it is deleted. */
  close(conversation: string): void {
    for (const host of this.#hosts.values()) if (host.conversation === conversation) host.panel.dispose();
  }

  async deserializeWebviewPanel(panel: WebviewPanel, state: unknown): Promise<void> {
    const conversation = await this.#conversationOf(panel, state);
    if (conversation === undefined) await this.#options.restoreOther(panel, state);
    else this.#host(panel, conversation);
  }

  openCustomDocument(uri: Uri): CustomDocument {
    return { uri, dispose: () => undefined };
  }

  async resolveCustomEditor({ uri }: CustomDocument, panel: WebviewPanel): Promise<void> {
    const conversation = await this.#options.conversationAt(uri);
    if (conversation !== undefined) {
      this.#host(panel, conversation);
      return;
    }
    WebviewContent.of(panel.webview).notice(
      t`This journal is not part of your logbook`,
      t`Import the file in the Sessions view to read it here, or reopen it with the text editor.`,
    );
  }

  dispose(): void {
    this.#registrations.dispose();
    for (const host of Array.from(this.#hosts.values())) host.panel.dispose();
  }

  /** The conversation of a restored panel; right after opening, VS Code has saved only its title, not its state. */
  async #conversationOf(panel: WebviewPanel, state: unknown): Promise<string | undefined> {
    if (!isObject(state)) return this.#options.conversationTitled(panel.title);
    return restoredConversation(state);
  }

  #newPanel(preserveFocus: boolean): WebviewPanel {
    const column = { viewColumn: ViewColumn.Active, preserveFocus };
    return window.createWebviewPanel(TRANSCRIPT_VIEW_TYPE, 'Transcript', column);
  }

  #host(panel: WebviewPanel, conversation: string): PanelHost {
    const { inView } = this.#options;
    const before = this.#hosts.get(panel);
    before?.dispose();
    WebviewContent.of(panel.webview).setInSight(panel.visible);
    const host = new PanelHost(panel, conversation, this.#options);
    this.#hosts.set(panel, host);
    if (before) inView.set(panel, before.conversation, false);
    inView.set(panel, conversation, panel.visible);
    if (!before) this.#follow(panel);
    return host;
  }

  #follow(panel: WebviewPanel): void {
    const { inView } = this.#options;
    panel.onDidChangeViewState(() => {
      WebviewContent.of(panel.webview).setInSight(panel.visible);
      const host = this.#hosts.get(panel);
      if (host) inView.set(panel, host.conversation, panel.visible);
    });
    panel.onDidDispose(() => {
      const host = this.#hosts.get(panel);
      if (host) inView.set(panel, host.conversation, false);
      this.#hosts.delete(panel);
      host?.dispose();
      if (host && this.panelsOf(host.conversation).length === 0) this.#options.closed(host.conversation);
    });
  }
}
