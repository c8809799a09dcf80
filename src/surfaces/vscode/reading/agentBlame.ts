import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { commandName } from '../../../app/manifest.js';
import { BlamedFiles, type SessionEdit } from '../../../app/sources/blamedFiles.js';
import { Sources } from '../../../app/sources/sources.js';
import type { Stores } from '../../../app/services/stores.js';
import { formatCount, formatMoment } from '../../../app/text/format.js';
import { words } from '../../../app/text/plainText.js';
import { UserError } from '../../../app/userError.js';
import { t } from '../../../core/l10n.js';
import type { Log } from '../../../core/ports/log.js';
import { showInformation } from '../ui/notices.js';
import { withProgress } from '../ui/progress.js';
import { SafeMarkdown } from '../ui/safeMarkdown.js';

/** The colours of sessions, which are told apart by their hovers as well; more sessions share them. */
const COLOURS = ['#3794ff', '#d18616', '#89d185', '#b180d7', '#e2607a', '#29b8db'];
/** How long nobody types before the authors are looked for again, in milliseconds. */
const QUIET_MS = 1_000;

/** Shows in editors who wrote the lines of a file, for as long as a person wants that, and leads to the prompt of one. */
export class AgentBlame implements vscode.Disposable {
  readonly #stores: Stores;
  readonly #log: Log;
  readonly #files = new BlamedFiles();
  readonly #types = COLOURS.map(decorationOf);
  /** The documents in which authors are shown. */
  readonly #shown = new Set<string>();
  readonly #listening: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;

  constructor(stores: Stores, log: Log) {
    this.#stores = stores;
    this.#log = log;
    this.#listening = vscode.Disposable.from(
      vscode.window.onDidChangeVisibleTextEditors(() => this.#later()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#shown.has(document.uri.toString())) this.#later();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#shown.delete(uri.toString())),
    );
  }

  /** Shows who wrote the lines of the file in front, or shows it no more. */
  async toggle(): Promise<void> {
    const editor = editorInFront();
    const key = editor.document.uri.toString();
    if (this.#shown.delete(key)) {
      for (const type of this.#types) editor.setDecorations(type, []);
      return;
    }
    const found = await withProgress(words`Looking for who wrote these lines`, (signal) =>
      this.#blame(editor.document, signal),
    );
    this.#shown.add(key);
    this.#draw(editor, found);
    const proved = found.filter((edit) => edit !== undefined).length;
    await showInformation(
      proved === 0
        ? words`No recorded session proves that an agent wrote a line of this file.`
        : words`Agents wrote ${proved} of ${formatCount(found.length, 'line')} of this file, as their sessions prove.`,
    );
  }

  /** Opens the transcript at what wrote the line of the cursor. */
  async why(): Promise<void> {
    const { document, selection } = editorInFront();
    const found = await withProgress(words`Looking for why this line is here`, (signal) =>
      this.#blame(document, signal),
    );
    const edit = found[selection.active.line];
    if (!edit) throw new UserError(t`No recorded session proves that an agent wrote this line.`);
    const { session: conversation, position } = edit;
    await vscode.commands.executeCommand(commandName('openTranscript'), { conversation, position });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listening.dispose();
    for (const type of this.#types) type.dispose();
  }

  async #blame(
    document: vscode.TextDocument,
    signal: AbortSignal,
  ): Promise<readonly (SessionEdit | undefined)[]> {
    const roots = this.#stores.roots().filter((root) => existsSync(root));
    const [cwd] = roots;
    if (cwd === undefined) throw new UserError(t`Nothing is recorded in this workspace yet.`);
    const file = document.uri.fsPath;
    const onProblem = (session: string, message: string) => this.#log.warn(`${session}: ${message}`);
    const sources = new Sources({
      cwd: dirname(cwd),
      log: this.#log,
      stdin: noBytes,
      signal,
      holdsRead: true,
      onProblem: ({ source, message }) => onProblem(source, message),
    });
    try {
      const { lines } = await this.#files.blame({
        file,
        called: vscode.workspace.asRelativePath(document.uri),
        text: document.getText(),
        sessions: sources.sessions(roots),
        // Git reads the settings of the repository, which nobody has looked at in a folder that is not trusted.
        asksGit: vscode.workspace.isTrusted,
        signal,
        onProblem,
      });
      return lines;
    } finally {
      await sources.close();
    }
  }

  #later(): void {
    clearTimeout(this.#timer);
    if (this.#shown.size === 0) return;
    this.#timer = setTimeout(() => void this.#again(), QUIET_MS);
  }

  async #again(): Promise<void> {
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      if (!this.#shown.has(document.uri.toString())) continue;
      const { version } = document;
      try {
        const found = await this.#blame(document, new AbortController().signal);
        if (document.version === version) this.#draw(editor, found);
      } catch (error) {
        this.#log.error(`Who wrote ${document.uri.fsPath} was not found again`, error);
      }
    }
  }

  #draw(editor: vscode.TextEditor, lines: readonly (SessionEdit | undefined)[]): void {
    const sessions = new Map<string, number>();
    const shown: vscode.DecorationOptions[][] = this.#types.map(() => []);
    for (const [line, edit] of lines.entries()) {
      if (!edit || line >= editor.document.lineCount) continue;
      const key = `${edit.where}\n${edit.session}`;
      const number = sessions.get(key) ?? sessions.size;
      sessions.set(key, number);
      const { range } = editor.document.lineAt(line);
      shown[number % COLOURS.length]?.push({ range, hoverMessage: hoverOf(edit) });
    }
    for (const [at, type] of this.#types.entries()) editor.setDecorations(type, shown[at] ?? []);
  }
}

function editorInFront(): vscode.TextEditor {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== 'file')
    throw new UserError(t`Open a file in a text editor first, and put the cursor on the line that is meant.`);
  return editor;
}

function decorationOf(colour: string): vscode.TextEditorDecorationType {
  const bar = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect x="10" width="4" height="16" fill="${colour}"/></svg>`;
  return vscode.window.createTextEditorDecorationType({
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(bar).toString('base64')}`),
    gutterIconSize: 'contain',
    overviewRulerColor: colour,
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
}

function hoverOf({ agent, model, title, asked, time, tool, approvedBy }: SessionEdit): SafeMarkdown['value'] {
  const approval =
    approvedBy === undefined ? t`not recorded` : approvedBy === 'user' ? t`by a person` : t`by ${approvedBy}`;
  return new SafeMarkdown().strong(asked ?? title).facts({
    [t`Agent`]: model === undefined ? agent : `${agent}, ${model}`,
    [t`Session`]: title,
    [t`Done`]: `${formatMoment(time)}, ${tool}`,
    [t`Approved`]: approval,
  }).value;
}

/** Nothing is read from a standard input here: only stores are named. */
async function* noBytes(): AsyncGenerator<Uint8Array> {}
