import { basename } from 'node:path';
import { WebviewContent } from '../../../page/panel/webviewContent.js';
import * as vscode from 'vscode';
import { t } from '../../../core/l10n.js';
import { messageOf } from '../../../core/text.js';
import type { FileChange, FileReport } from '../../../capture/openedFile.js';
import type { OpenFile } from '../../../capture/openedFiles.js';
import type { Log } from '../../../core/ports/log.js';
import type { PanelsInView } from '../../../app/panel/panelsInView.js';
import { commandName } from '../../../app/manifest.js';
import { words } from '../../../app/text/plainText.js';
import type { ShownFiles } from '../../../app/services/shownFiles.js';
import { showInformation } from '../ui/notices.js';
import { ReadSoFar } from './readSoFar.js';
import type { ShowOptions, TranscriptPanels } from './transcriptPanels.js';

/** The custom editor of other tools' transcripts, as package.json contributes it. */
export const FILE_VIEW_TYPE = 'agentLogbook.transcriptFile';

/** Which of the conversations of a file is shown, and what of it. */
interface Wanted {
  readonly at: number | { readonly session: string };
  readonly what: ShowOptions;
}

/** Shows files of other tools where they are, in panels like those of our own conversations. */
export class FileEditors implements vscode.CustomReadonlyEditorProvider {
  readonly #shown: ShownFiles;
  readonly #panels: TranscriptPanels;
  readonly #inView: PanelsInView;
  readonly #log: Log;
  readonly #registrations: vscode.Disposable;
  readonly #reading = new ReadSoFar();
  /** What is to be shown of files that are being opened, by their paths. */
  readonly #wanted = new Map<string, Wanted>();

  constructor(shown: ShownFiles, panels: TranscriptPanels, inView: PanelsInView, log: Log) {
    this.#shown = shown;
    this.#panels = panels;
    this.#inView = inView;
    this.#log = log;
    this.#registrations = vscode.Disposable.from(
      vscode.window.registerCustomEditorProvider(FILE_VIEW_TYPE, this, {
        supportsMultipleEditorsPerDocument: true,
      }),
      shown.onDidChange((change) => void this.#follow(change)),
    );
  }

  /**
   * Shows a place in one of the conversations of a file, counted from 0 or by the session that it is; the focus goes there unless it is to be preserved.
   */
  async show(path: string, { at, what }: Wanted, preserveFocus: boolean): Promise<void> {
    const report = this.#shown.reportAt(path);
    // It may also be read for something else, such as an export.
    const open = report && conversationIn(report, at);
    if (open && this.#panels.panelsOf(open.conversation).length > 0) {
      this.#panels.open(open.conversation, what, preserveFocus);
      return;
    }
    this.#wanted.set(path, { at, what });
    await vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(path), FILE_VIEW_TYPE, {
      preserveFocus,
    });
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  async resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    const name = basename(uri.fsPath);
    const closed = new AbortController();
    let open: OpenFile | undefined;
    panel.onDidDispose(() => {
      closed.abort();
      open?.dispose();
      if (!this.#shown.reportAt(uri.fsPath)) this.#reading.forget(uri.fsPath);
    });
    const tell = (heading: string, text: string) => {
      if (!closed.signal.aborted) WebviewContent.of(panel.webview).notice(heading, text);
    };
    tell(t`Reading ${name}…`, '');
    try {
      if (uri.scheme !== 'file')
        throw new Error(t`It is no file on a disk of this machine; only those can be shown.`);
      open = await this.#shown.open(uri.fsPath, (done) =>
        tell(t`Reading ${name}…`, `${Math.round(done * 100)} %`),
      );
      if (closed.signal.aborted) open.dispose();
      else this.#begin(panel, open.report, name);
    } catch (error) {
      this.#log.error(`${uri.fsPath} cannot be shown`, error);
      tell(
        t`This file cannot be shown as a transcript`,
        t`${messageOf(error)} Reopen it with the text editor to see what it holds.`,
      );
    }
  }

  dispose(): void {
    this.#registrations.dispose();
    this.#reading.dispose();
  }

  #begin(panel: vscode.WebviewPanel, report: FileReport, name: string): void {
    const { path, conversations } = report;
    const wanted = this.#wanted.get(path);
    this.#wanted.delete(path);
    const shown = conversationIn(report, wanted?.at ?? 0) ?? conversations[0];
    if (!shown) return;
    this.#panels.showIn(panel, shown.conversation);
    if (wanted) this.#panels.open(shown.conversation, wanted.what, !panel.active);
    else if (conversations.length > 1) void this.#offer(name, conversations.length, shown.title);
  }

  async #offer(name: string, count: number, title: string): Promise<void> {
    const choose = t`Choose Another…`;
    const told = words`${name} holds ${count} conversations; this is ${title}.`;
    if ((await showInformation(told, choose)) === choose)
      await vscode.commands.executeCommand(commandName('chooseFileConversation'));
  }

  async #follow({ report, moved, isReplaced }: FileChange): Promise<void> {
    this.#reading.tell({ ...report, name: basename(report.path) });
    for (const [from, to] of moved) {
      this.#panels.move(from, to);
      await this.#shown.forget(from);
    }
    // The header of a panel says so, too.
    const isInView = report.conversations.some(({ conversation }) => this.#inView.isVisible(conversation));
    if (!isReplaced || isInView) return;
    const name = basename(report.path);
    await showInformation(words`${name} was replaced or cut off. It was read anew from its beginning.`);
  }
}

function conversationIn({ conversations }: FileReport, at: Wanted['at']) {
  return typeof at === 'number'
    ? conversations[at]
    : conversations.find(({ session }) => session === at.session);
}
