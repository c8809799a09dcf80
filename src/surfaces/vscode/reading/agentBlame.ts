import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { commandName } from '../../../app/manifest.js';
import { features } from '../../../app/features/features.js';
import {
  beginnings,
  BlamedFiles,
  withBeginning,
  type SessionClaim,
  type SurvivingLines,
} from '../../../app/sources/blamedFiles.js';
import { explainBranch, pageOfBranch, type ExplainedBranch } from '../../../app/sources/explainedBranch.js';
import { sharingPolicyOf } from '../../../app/sharing/sharingSettings.js';
import { markdownOf } from '../../../compare/forms.js';
import { markedPrices } from '../../../search/markedPrices.js';
import { editorSettings, setting } from '../settings.js';
import { copyText } from '../ui/clipboard.js';
import { openPage } from './changeViews.js';
import {
  approvalWords,
  editCostWords,
  type SessionEdit,
  type WhyStep,
} from '../../../app/sources/sessionEdits.js';
import { Sources } from '../../../app/sources/sources.js';
import type { Stores } from '../../../app/services/stores.js';
import { formatCount, formatMoment } from '../../../app/text/format.js';
import { iconText, joined, words } from '../../../app/text/plainText.js';
import { chosen, UserError } from '../../../app/userError.js';
import { t } from '../../../core/l10n.js';
import type { Log } from '../../../core/ports/log.js';
import type { Prices } from '../../../core/ports/prices.js';
import { preview, singleLine } from '../../../core/text.js';
import { showInformation } from '../ui/notices.js';
import { choose } from '../ui/pickers.js';
import { withProgress } from '../ui/progress.js';
import { SafeMarkdown } from '../ui/safeMarkdown.js';

/** Who wrote a line: by an edit of a session, or as another program tells it. */
type Author = SessionEdit | SessionClaim;

/** Who wrote the lines of a document, and whether git has more versions than were looked at. */
interface Blamed {
  readonly authors: readonly (Author | undefined)[];
  readonly isCut: boolean;
  readonly prices: Prices;
}

/** The colours of sessions, which are told apart by their hovers as well; more sessions share them. */
const COLOURS = ['#3794ff', '#d18616', '#89d185', '#b180d7', '#e2607a', '#29b8db'];
/** How long nobody types before the authors are looked for again, in milliseconds. */
const QUIET_MS = 1_000;

/** Shows in editors who wrote the lines of a file, for as long as a person wants that, and leads to the prompt of one. */
export class AgentBlame implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #stores: Stores;
  readonly #log: Log;
  readonly #files = new BlamedFiles();
  /** By the folder and whether it is trusted: what one has read of its cache is not read again after each pause in typing. */
  readonly #sources = new Map<string, Sources>();
  readonly #ended = new AbortController();
  readonly #types = COLOURS.map(decorationOf);
  /** The documents in which authors are shown. */
  readonly #shown = new Set<string>();
  /** Those in which a person has hidden them, while the setting shows them in all. */
  readonly #hidden = new Set<string>();
  readonly #listening: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: vscode.ExtensionContext, stores: Stores, log: Log) {
    this.#context = context;
    this.#stores = stores;
    this.#log = log;
    context.subscriptions.push(this);
    this.#listening = vscode.Disposable.from(
      vscode.window.onDidChangeVisibleTextEditors(() => this.#asSet()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#shown.has(document.uri.toString())) this.#later();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#shown.delete(uri.toString());
        this.#hidden.delete(uri.toString());
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('agentLogbook.blame.show')) this.#setAnew();
      }),
    );
    this.#asSet();
  }

  /** Shows who wrote the lines of the file in front, or shows it no more. */
  async toggle(): Promise<void> {
    const editor = editorInFront();
    const key = editor.document.uri.toString();
    if (this.#shown.delete(key)) {
      this.#hidden.add(key);
      this.#clear(editor);
      return;
    }
    this.#hidden.delete(key);
    const blamed = await withProgress(words`Looking for who wrote these lines`, (signal) =>
      this.#blame(editor.document, signal),
    );
    const { authors: found, isCut } = blamed;
    this.#shown.add(key);
    this.#draw(editor, blamed);
    const proved = found.filter((author) => author && 'callId' in author).length;
    const told = found.filter((author) => author !== undefined).length - proved;
    await showInformation(
      proved === 0 && told > 0
        ? words`Notes of git-ai say that agents wrote ${told} of ${formatCount(found.length, 'line')} of this file; no recorded session proves one.`
        : proved === 0
          ? words`No recorded session proves that an agent wrote a line of this file.`
          : words`Agents wrote ${proved} of ${formatCount(found.length, 'line')} of this file, as their sessions prove.`,
    );
    if (isCut)
      await showInformation(
        words`Git has more versions of this file than could be looked at; what the others brought has no author here.`,
      );
  }

  /** Lists what led to the line of the cursor and what came of it, and opens the transcript at what is chosen. */
  async why(): Promise<void> {
    const { document, selection } = editorInFront();
    const { author, steps } = await withProgress(words`Looking for why this line is here`, async (signal) => {
      const author = (await this.#blame(document, signal)).authors[selection.active.line];
      if (!author || !('callId' in author)) return { author, steps: [] };
      const steps = await this.#withSources((sources, roots) =>
        this.#files.why(author, {
          sessions: (isMeant) => sources.sessions(roots, { isMeant }),
          signal,
        }),
      );
      return { author, steps };
    });
    if (author?.session === undefined)
      throw new UserError(
        author
          ? t`Only a note of git-ai says that an agent wrote this line; its session is not recorded here.`
          : t`No recorded session proves that an agent wrote this line.`,
      );
    const step = steps.length > 0 && 'callId' in author ? await chosenStep(author, steps) : undefined;
    await vscode.commands.executeCommand(commandName('openTranscript'), {
      conversation: author.session,
      ...(step && { position: step.position }),
    });
  }

  /**
   * How many lines of a conversation still stand; undefined where that is not known, or it would take long. Rejects with the signal's
   * reason alone.
   */
  async keptLines(conversation: string, signal?: AbortSignal): Promise<SurvivingLines | undefined> {
    if (!vscode.workspace.isTrusted || !this.#stores.roots().some((root) => existsSync(root)))
      return undefined;
    try {
      return await this.#withSources((sources, roots) =>
        this.#files.keptQuickly(conversation, {
          ...blameOptions(
            sources,
            signal ? AbortSignal.any([this.#ended.signal, signal]) : this.#ended.signal,
          ),
          sessions: (isMeant) => sources.sessions(roots, { isMeant }),
        }),
      );
    } catch (error) {
      signal?.throwIfAborted();
      this.#log.warn(`How many lines of ${conversation} still stand is not known`, error);
      return undefined;
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listening.dispose();
    this.#shown.clear();
    this.#ended.abort();
    for (const sources of this.#sources.values())
      sources.close().catch((error: unknown) => this.#log.error('Who wrote what was not kept', error));
    for (const type of this.#types) type.dispose();
  }

  /** Tells which sessions are behind the branch that is checked out, as a page whose text may go into a pull request. */
  async explain(): Promise<void> {
    if (!vscode.workspace.isTrusted)
      throw new UserError(t`Git is not asked in a folder that is not trusted; trust this workspace first.`);
    const page = await withProgress(words`Looking for what is behind this branch`, (signal) =>
      this.#withSources(async (sources, roots) => {
        const { redactorFor, sharingRules } = await features.redaction();
        const redactor = redactorFor(await sharingRules(sharingPolicyOf(editorSettings)));
        const branch = await explainBranch({
          ...blameOptions(sources, signal),
          folder: folderInFront() ?? dirname(roots[0] ?? ''),
          range: '',
          sessions: () => sources.sessions(roots),
          prices: await markedPrices(setting('prices.file')),
          onProblem: this.#onProblem,
        });
        return markdownOf(pageOfBranch(redactor.value(branch) as ExplainedBranch));
      }),
    );
    await openPage(this.#context, t`What is behind this branch`, page);
    const copy = t`Copy Markdown`;
    // Whoever asked is not kept waiting for a notice.
    void showInformation(words`The page is without secrets and may go into a pull request.`, copy).then(
      (answer) => (answer === copy ? copyText(page) : undefined),
    );
  }

  async #blame(document: vscode.TextDocument, signal: AbortSignal): Promise<Blamed> {
    return await this.#withSources(async (sources, roots) => {
      const { lines, told, isCut, isIncomplete } = await this.#files.blame({
        ...blameOptions(sources, signal),
        file: document.uri.fsPath,
        called: vscode.workspace.asRelativePath(document.uri),
        text: document.getText(),
        sessions: (isMeant) => sources.sessions(roots, { isMeant }),
        onProblem: this.#onProblem,
      });
      const beginningOf = beginnings((asked) => asked);
      return {
        authors: lines.map((edit, at) => (edit ? withBeginning(edit, beginningOf) : told[at])),
        isCut: isCut === true || isIncomplete === true,
        prices: (await markedPrices(setting('prices.file'))).prices,
      };
    });
  }

  readonly #onProblem = (session: string, message: string): void => this.#log.warn(`${session}: ${message}`);

  async #withSources<T>(work: (sources: Sources, roots: readonly string[]) => Promise<T>): Promise<T> {
    const roots = this.#stores.roots().filter((root) => existsSync(root));
    const [cwd] = roots;
    if (cwd === undefined) throw new UserError(t`Nothing is recorded in this workspace yet.`);
    const sources = this.#sourcesOf(dirname(cwd));
    sources.forgetLook();
    try {
      return await work(sources, roots);
    } finally {
      await sources.keep();
    }
  }

  #sourcesOf(cwd: string): Sources {
    const { isTrusted } = vscode.workspace;
    const key = `${cwd}\n${isTrusted}`;
    const folder = vscode.Uri.joinPath(this.#context.globalStorageUri, 'sessions').fsPath;
    const sources =
      this.#sources.get(key) ??
      new Sources({
        cwd,
        log: this.#log,
        stdin: noBytes,
        signal: this.#ended.signal,
        holdsRead: true,
        // In a folder that is not trusted, reading writes nothing at all.
        cache: isTrusted ? { folder, program: programMark() } : undefined,
        onProblem: ({ source, message }) => this.#onProblem(source, message),
      });
    this.#sources.set(key, sources);
    return sources;
  }

  /** Shows authors in what has come into view where the setting wants that, and again where they are shown. */
  #asSet(): void {
    if (setting('blame.show') && this.#stores.roots().some((root) => existsSync(root)))
      for (const { document } of vscode.window.visibleTextEditors) {
        const key = document.uri.toString();
        // What lies elsewhere is looked at when somebody asks for it.
        const isOwn = vscode.workspace.getWorkspaceFolder(document.uri) !== undefined;
        if (isOwn && document.uri.scheme === 'file' && !this.#hidden.has(key)) this.#shown.add(key);
      }
    this.#later();
  }

  /** The setting has changed, which counts for all that is open. */
  #setAnew(): void {
    this.#hidden.clear();
    if (!setting('blame.show')) {
      this.#shown.clear();
      for (const editor of vscode.window.visibleTextEditors) this.#clear(editor);
    }
    this.#asSet();
  }

  #clear(editor: vscode.TextEditor): void {
    for (const type of this.#types) editor.setDecorations(type, []);
  }

  #later(): void {
    clearTimeout(this.#timer);
    if (this.#shown.size === 0) return;
    this.#timer = setTimeout(() => void this.#again(), QUIET_MS);
  }

  async #again(): Promise<void> {
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      const isShown = () => this.#shown.has(document.uri.toString());
      if (!isShown()) continue;
      const { version } = document;
      try {
        const blamed = await this.#blame(document, new AbortController().signal);
        // Meanwhile somebody may have typed, or hidden it.
        if (document.version === version && isShown()) this.#draw(editor, blamed);
      } catch (error) {
        this.#log.error(`Who wrote ${document.uri.fsPath} was not found again`, error);
      }
    }
  }

  #draw(editor: vscode.TextEditor, { authors: lines, prices }: Blamed): void {
    const sessions = new Map<string, number>();
    const shown: vscode.DecorationOptions[][] = this.#types.map(() => []);
    for (const [line, author] of lines.entries()) {
      if (!author || line >= editor.document.lineCount) continue;
      const key = `${author.where ?? ''}\n${author.session ?? author.toolSession ?? ''}`;
      const number = sessions.get(key) ?? sessions.size;
      sessions.set(key, number);
      const { range } = editor.document.lineAt(line);
      shown[number % COLOURS.length]?.push({ range, hoverMessage: hoverOf(author, prices) });
    }
    for (const [at, type] of this.#types.entries()) editor.setDecorations(type, shown[at] ?? []);
  }
}

/** Lets the person choose one of the steps that led to a line; throws where they leave. */
async function chosenStep(edit: SessionEdit, steps: readonly WhyStep[]): Promise<WhyStep> {
  const { prices } = await markedPrices(setting('prices.file'));
  const choices = steps.map((step) => ({
    label: iconText(STEPS[step.kind].name(), STEPS[step.kind].icon),
    detail: iconText(preview(singleLine(step.text), MAX_STEP)),
    step,
  }));
  const about = [edit.agent, edit.title, approvalWords(edit.approvedBy), editCostWords(edit, prices)];
  return chosen(
    await choose(choices, {
      title: words`Why Is This Line Here?`,
      placeHolder: joined(about, ' · '),
      matchOnDetail: true,
    }),
  ).step;
}

/** So much of a step is shown in the list. */
const MAX_STEP = 200;
const STEPS = {
  asked: { name: () => t`The prompt`, icon: 'comment' },
  thought: { name: () => t`What the agent said before the edit`, icon: 'lightbulb' },
  done: { name: () => t`The edit`, icon: 'edit' },
  approved: { name: () => t`The approval`, icon: 'pass' },
  tested: { name: () => t`The test that followed`, icon: 'beaker' },
} as const satisfies Record<WhyStep['kind'], { readonly name: () => string; readonly icon: string }>;

let opened: AgentBlame | undefined;

/** What shows who wrote a line in this window, opened once. */
export function blameIn(...options: ConstructorParameters<typeof AgentBlame>): AgentBlame {
  return (opened ??= new AgentBlame(...options));
}

/** How blame is found in this window. */
function blameOptions(sources: Sources, signal: AbortSignal) {
  return {
    // Git reads the settings of the repository, which nobody has looked at in a folder that is not trusted.
    asksGit: vscode.workspace.isTrusted,
    keeps: (root: string) => sources.keptOf(root),
    signal,
  };
}

/** The folder of the file in front; undefined where there is none. */
function folderInFront(): string | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri?.scheme === 'file' ? dirname(uri.fsPath) : undefined;
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

/** Another build of the extension may read sessions in another way. */
function programMark(): string {
  const { size, mtimeMs } = statSync(new URL(import.meta.url));
  return `${size} ${mtimeMs}`;
}

function hoverOf(author: Author, prices: Prices): SafeMarkdown['value'] {
  if (!('callId' in author)) {
    const { tool, model, title, toolSession } = author;
    const agent = [tool, model].filter((part) => part !== undefined).join(', ');
    return new SafeMarkdown().strong(title ?? t`Written by an agent`).facts({
      ...(agent !== '' && { [t`Agent`]: agent }),
      ...(toolSession !== undefined && { [t`Session`]: toolSession }),
      [t`Told by`]: t`a note of git-ai; no recorded session proves it`,
    }).value;
  }
  const { agent, model, title, asked, time, tool } = author;
  return new SafeMarkdown().strong(asked ?? title).facts({
    [t`Agent`]: model === undefined ? agent : `${agent}, ${model}`,
    [t`Session`]: title,
    [t`Done`]: `${formatMoment(time)}, ${tool}`,
    [t`Approved`]: approvalWords(author.approvedBy),
    [t`Cost`]: editCostWords(author, prices),
  }).value;
}

/** Nothing is read from a standard input here: only stores are named. */
async function* noBytes(): AsyncGenerator<Uint8Array> {}
