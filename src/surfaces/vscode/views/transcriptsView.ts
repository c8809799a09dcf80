import { basename, dirname, isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { RelativePattern, Uri, workspace } from 'vscode';
import type { Disposable } from '../../../core/event.js';
import type { Log } from '../../../core/ports/log.js';
import type { CatalogEntry } from '../../../core/ports/transcript.js';
import type { Stores } from '../../../app/services/stores.js';
import { commandName, viewIds } from '../../../app/manifest.js';
import type { ArchiveRow } from '../../../app/archive/archiveRows.js';
import { t } from '../../../core/l10n.js';
import type { importDropped } from './importByDrop.js';
import type { withRowTooltip } from './transcriptTooltips.js';
import type { ArchiveView } from '../archive/archiveView.js';
import type { SessionListing, offerWords, SessionsTree } from '../sessions/sessionsTree.js';
import { inWords } from '../../../store/write/storeProblem.js';
import type { ApprovalService } from '../../../app/runs/approvalService.js';
import type { RunRegistry } from '../../../app/runs/runRegistry.js';
import { joined, plain, words } from '../../../app/text/plainText.js';
import { type Badge, followClicks, tree, type Row, type Tree, type UnresolvedRow } from '../ui/treeItems.js';
import { ConversationCosts, type ReadCost, Outlines } from '../../../app/views/conversationCosts.js';
import type { ConversationCost } from '../../../search/reader/conversationCost.js';
import {
  groupings,
  TranscriptGroups,
  type CallRow,
  type ConversationRow,
  type Grouping,
  type GroupRow,
  type OwnRow,
  type SessionRow,
  type TranscriptsRow,
} from '../../../app/views/transcriptGroups.js';
import type { KeptChange } from '../../../store/notes/keptSessions.js';
import { progressIn } from '../ui/progress.js';
import { itemFor, openFromTree, targetOfClick } from './transcriptRows.js';
import { setting } from '../settings.js';

const SETTING = 'agentLogbook.prices.file';

/** Tells when a person's own prices may have changed: another file of them, or that file. */
function followOwnPrices(onChange: () => void): Disposable {
  let watched: Disposable | undefined;
  const watch = () => {
    watched?.dispose();
    const file = setting('prices.file');
    watched = isAbsolute(file) ? watchFile(file, onChange) : undefined;
  };
  watch();
  const following = workspace.onDidChangeConfiguration((change) => {
    if (!change.affectsConfiguration(SETTING)) return;
    watch();
    onChange();
  });
  return {
    dispose: () => {
      following.dispose();
      watched?.dispose();
    },
  };
}

function watchFile(path: string, onChange: () => void): Disposable {
  const watcher = workspace.createFileSystemWatcher(
    new RelativePattern(Uri.file(dirname(path)), basename(path)),
  );
  watcher.onDidCreate(onChange);
  watcher.onDidChange(onChange);
  watcher.onDidDelete(onChange);
  return watcher;
}

/** How long changes are collected before the tree is redrawn, in milliseconds. */
const DRAW_AFTER = 150;
/** The same while stores are being read: each time, many thousands of rows may be there anew. */
const DRAW_WHILE_READING = 1_000;

const GROUPING = 'agentLogbook.transcriptsGroupedBy';

/** What the view works with. */
export interface TranscriptsViewOptions {
  readonly stores: Stores;
  readonly runs: RunRegistry;
  readonly approvals: ApprovalService;
  readonly readCost: ReadCost;
  /** The sessions of other tools; loaded when the view is first looked at. `changed` is called when they are others. */
  readonly found: (
    shown: Pick<Tree<unknown>, 'visible' | 'onDidChangeVisibility'>,
    changed: () => void,
  ) => Promise<LateSessions>;
  readonly archive: ArchiveView;
  /** Loads what only some rows and gestures need. */
  readonly late: () => Promise<{
    readonly importDropped: typeof importDropped;
    readonly withRowTooltip: typeof withRowTooltip;
  }>;
  /** Keeps what the conversations are grouped by. */
  readonly state: vscode.Memento;
  readonly log: Log;
}

/** The rows of other tools' sessions, with what says of the tools that nobody was asked about. */
export interface LateSessions {
  readonly tree: SessionsTree;
  readonly offerWords: typeof offerWords;
}

/** A row of the view: of a conversation, of a found session, or of the archive. */
export type ListedRow = TranscriptsRow | ArchiveRow;

const NOTHING: SessionListing = { sessions: [], problems: [], offer: undefined, isChosen: false };

/**
 * The view of all sessions: own conversations with their runs, nested calls and turns, sessions of other tools, and the archive;
 * the live ones first, then by day, source, project or agent.
 */
export class TranscriptsView implements vscode.TreeDataProvider<ListedRow>, vscode.Disposable {
  readonly #stores: Stores;
  readonly #approvals: ApprovalService;
  readonly #outlines: Outlines;
  readonly #costs: ConversationCosts;
  readonly #log: Log;
  readonly #state: vscode.Memento;
  readonly #groups = new TranscriptGroups();
  readonly #changed = new vscode.EventEmitter<ListedRow[] | undefined>();
  readonly #tree: Tree<ListedRow>;
  readonly #following: readonly Disposable[];
  #drawing: NodeJS.Timeout | undefined;
  /** How often something has changed that the tree shows. */
  #changes = 0;
  #reading: PromiseLike<void> | undefined;
  #isDisposed = false;
  #filter = '';
  readonly #load: () => Promise<LateSessions>;
  readonly #archive: ArchiveView;
  #loading: Promise<LateSessions> | undefined;
  #loaded: LateSessions | undefined;
  readonly #late: TranscriptsViewOptions['late'];
  #found = NOTHING;
  #live = 0;
  #unread = 0;
  #others = JSON.stringify([undefined, []]);
  readonly onDidChangeTreeData = this.#changed.event;

  constructor({
    stores,
    runs,
    approvals,
    readCost,
    found,
    archive,
    late,
    state,
    log,
  }: TranscriptsViewOptions) {
    this.#late = late;
    this.#archive = archive;
    this.#approvals = approvals;
    this.#state = state;
    this.#stores = stores;
    this.#log = log;
    this.#outlines = new Outlines(stores);
    this.#costs = new ConversationCosts(readCost, log);
    this.#tree = tree(viewIds.transcripts, {
      treeDataProvider: this,
      canSelectMany: true,
      showCollapseAll: true,
      // Files of the workspace or this machine come by address, others by content.
      dragAndDropController: {
        dropMimeTypes: ['text/uri-list', 'files'],
        dragMimeTypes: [],
        handleDrop: async (_target, dropped) => (await late()).importDropped(dropped),
      },
    });
    this.#load = () => found(this.#tree, () => this.#lookSoon());
    this.#following = [
      archive.onDidChange(() => this.#changed.fire(undefined)),
      stores.onDidChange(() => this.#drawSoon()),
      runs.onDidChangeState(() => this.#drawSoon()),
      followOwnPrices(() => this.#costs.reprice()),
      this.#costs.onDidChange((conversations) => this.#changed.fire(this.#groups.rowsOf(conversations))),
      followClicks(viewIds.transcripts, this.#tree, (row) => void this.#click(row)),
    ];
    this.#describe();
  }

  /** The rows selected in the tree. */
  get selection(): readonly ListedRow[] {
    return this.#tree.selection;
  }

  /** The badge of the view. */
  set badge(badge: Badge | undefined) {
    this.#tree.badge = badge;
  }

  /** The text by which titles and agents are filtered; '' for none. */
  get filter(): string {
    return this.#filter;
  }

  set filter(text: string) {
    this.#filter = text.trim();
    const filtered = this.#filter !== '';
    setContext('transcriptsFiltered', filtered);
    this.#describe();
    this.#changed.fire(undefined);
    this.#lookSoon();
  }

  /** What the conversations are grouped by; remembered for the workspace. */
  get grouping(): Grouping {
    const kept = this.#state.get<unknown>(GROUPING);
    return groupings.find((known) => known === kept) ?? 'date';
  }

  async group(by: Grouping): Promise<void> {
    await this.#state.update(GROUPING, by);
    this.#describe();
    this.#changed.fire(undefined);
    this.#lookSoon();
  }

  #describe(): void {
    const by = this.grouping === 'date' ? '' : `by ${this.grouping}`;
    const live = this.#live > 0 ? t`${this.#live} live` : '';
    const unread = this.#unread > 0 ? t`${this.#unread} with news` : '';
    this.#tree.description = joined([this.#filter, by, live, unread], ' · ');
  }

  /** Closes a conversation's files before it is deleted. */
  async forget(conversation: string): Promise<void> {
    await this.#outlines.forget(conversation);
  }

  async getChildren(row?: ListedRow): Promise<ListedRow[]> {
    switch (row?.kind) {
      case undefined:
        return this.#roots();
      case 'group':
        return row.groups ? [...row.groups] : this.#members(row);
      case 'conversation':
      case 'call':
        return this.#steps(row);
      case 'archive':
        return (await this.#archive.rows()).children();
      default:
        return [];
    }
  }

  async getTreeItem(row: ListedRow): Promise<Row> {
    if (isOwn(row)) return itemFor(row, this.#costOf(row), this.#loaded?.tree.newsOf(row));
    return isOfArchive(row)
      ? (await this.#archive.rows()).item(row)
      : (await this.#sessions()).tree.item(row);
  }

  async resolveTreeItem(item: UnresolvedRow, row: ListedRow): Promise<UnresolvedRow> {
    if (isOwn(row))
      return (await this.#late()).withRowTooltip(item, row, this.#costOf(row), this.#stores.knownEntries);
    if (isOfArchive(row)) return (await this.#archive.rows()).resolved(item, row);
    return (await this.#sessions()).tree.resolved(item, row);
  }

  /** Lists the sessions of the tools that are offered. */
  async showOffered(): Promise<void> {
    const { tree: sessions } = await this.#sessions();
    const { offer } = await sessions.found('nothing');
    if (offer) await sessions.agree(offer);
    await this.look();
  }

  /** Changes what is kept about a session of a tool. */
  async keep(row: SessionRow, change: KeptChange): Promise<void> {
    await (await this.#sessions()).tree.keep(row, change);
    await this.#lookNow();
  }

  /** Looks at the folders of all tools again. */
  async look(): Promise<void> {
    await (await this.#sessions()).tree.look();
    await this.#lookNow();
  }

  #costOf(row: ListedRow): ConversationCost | undefined {
    return row.kind === 'conversation' || row.kind === 'call' ? this.#costs.of(row.entry) : undefined;
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#drawing);
    void this.#loading?.then((late) => late.tree.dispose());
    this.#costs.dispose();
    for (const following of this.#following) following.dispose();
    this.#tree.dispose();
    this.#changed.dispose();
    void this.#outlines
      .close()
      .catch((error: unknown) => this.#log.error('A transcript did not close well', error));
  }

  /** The rows that changed since the last update; `'all'` when groups were added or removed. */
  async #update(): Promise<'all' | readonly TranscriptsRow[]> {
    const { conversations: stored, isReading } = await this.#stores.conversationsSoFar();
    if (isReading) this.#showReading();
    const entries = stored.map(({ entry }) => this.#asItIs(entry));
    const projects = new Map(stored.map(({ entry, root }) => [entry.conversation, projectAt(root)]));
    const now = Date.now();
    const sessions = this.#sessionsBeside(entries);
    const count = entries.length + sessions.length;
    // Who has only sessions of other tools searches, opens and exports those.
    setContext('nothingRecorded', count === 0);
    setContext('nothingOwn', entries.length === 0);
    const listing = {
      filter: this.#filter,
      by: this.grouping,
      now,
      projectOf: ({ conversation }: CatalogEntry) => projects.get(conversation) ?? '',
      seenOf: this.#found.seenOf,
    };
    const changed = this.#groups.update(entries, listing, sessions);
    this.#live = this.#found.sessions.filter(({ state }) => state?.isLive).length;
    const listed = this.#groups.rows.flatMap(({ members }) => members);
    this.#unread = this.#loaded?.tree.unread(listed) ?? 0;
    this.#describe();
    const found = listed.length;
    // Where nothing is found, the view's welcome text says so; VS Code hides it while there is a message.
    const isFiltered = this.#filter !== '' && found > 0;
    const { unreadable } = this.#stores;
    const late = this.#loaded;
    const { offer } = this.#found;
    if (unreadable) this.#tree.message = plain(inWords(unreadable));
    else if (isFiltered) this.#tree.message = words`${found} of ${count} match`;
    else this.#tree.message = offer && late ? late.offerWords(offer) : undefined;
    return changed;
  }

  /** The sessions that are listed beside the conversations: one of which there is a copy only while it goes on. */
  #sessionsBeside(entries: readonly CatalogEntry[]): readonly SessionRow[] {
    const { sessions } = this.#found;
    if (sessions.length === 0) return sessions;
    const copied = new Set(entries.map(({ origin }) => origin?.path));
    return sessions.filter(({ file, state }) => state?.isLive === true || !copied.has(file.path));
  }

  async #roots(): Promise<ListedRow[]> {
    if (!this.#loading) this.#lookSoon();
    await this.#update();
    const { offer, problems } = this.#found;
    return [
      ...(offer && this.#filter === '' ? [offer] : []),
      ...this.#groups.rows,
      ...problems,
      ...(this.#archive.isSet ? [{ kind: 'archive' as const }] : []),
    ];
  }

  /** The members of a group; of sessions that are shown the beginnings and ends are read for it. */
  async #members(group: GroupRow): Promise<ListedRow[]> {
    const rows = this.#groups.membersOf(group);
    const sessions = rows.filter((row) => row.kind === 'session');
    if (sessions.length > 0) await (await this.#sessions()).tree.read(sessions);
    return [...rows];
  }

  async #click(row: ListedRow): Promise<void> {
    if (row.kind === 'offer') await vscode.commands.executeCommand(commandName('showFoundSessions'));
    else if (row.kind === 'more') {
      this.#groups.showMore(row.of);
      this.#changed.fire(undefined);
    } else if (isOfArchive(row)) await this.#archive.click(row);
    else if (isOwn(row)) openFromTree(targetOfClick(row));
  }

  async #sessions(): Promise<LateSessions> {
    this.#loaded = await (this.#loading ??= this.#load());
    return this.#loaded;
  }

  /** Takes what there is of other tools' sessions, and draws it. */
  #lookSoon(): void {
    this.#lookNow().catch((error: unknown) => {
      if (!this.#isDisposed) this.#log.error('The sessions of other tools could not be listed', error);
    });
  }

  async #lookNow(): Promise<void> {
    const { tree: sessions } = await this.#sessions();
    const titled = this.#filter === '' ? 'nothing' : 'titles';
    this.#found = await sessions.found(this.grouping === 'project' ? 'folders' : titled);
    const { isChosen, offer } = this.#found;
    setContext('sessionToolsChosen', isChosen);
    // Rows beside the groups, which are not told as changed.
    const others = JSON.stringify([offer, this.#found.problems]);
    if (others !== this.#others) this.#changed.fire(undefined);
    else this.#drawSoon();
    this.#others = others;
  }

  /** Adds whether a run waits for an approval, which only the runs know: it is recorded once it is answered. */
  #asItIs(entry: CatalogEntry): CatalogEntry {
    const isWaiting = entry.state === 'running' && this.#waitingCalls(entry.conversation).size > 0;
    return isWaiting ? { ...entry, state: 'waiting' } : entry;
  }

  #waitingCalls(conversation: string): ReadonlySet<string> {
    return new Set(this.#approvals.pending(conversation).map(({ request }) => request.call.call));
  }

  async #steps(row: ConversationRow | CallRow): Promise<TranscriptsRow[]> {
    const { entry } = row;
    const waiting = this.#waitingCalls(entry.conversation);
    const steps = row.kind === 'call' ? row.call.steps : await this.#readSteps(entry);
    return steps.map((step) =>
      step.kind === 'call'
        ? { kind: 'call', entry, call: step, isWaiting: waiting.has(step.call) }
        : { kind: 'turn', entry, turn: step },
    );
  }

  async #readSteps(entry: CatalogEntry) {
    try {
      return (await this.#outlines.read(entry.conversation)).steps;
    } catch (error) {
      this.#log.error(`The conversation ${entry.conversation} could not be read`, error);
      return [];
    }
  }

  /** Shows that more is coming, until it has come. */
  #showReading(): void {
    this.#reading ??= progressIn(viewIds.transcripts, async () => {
      // Whoever lists them hears why it failed.
      await this.#stores.all().catch(() => undefined);
      this.#reading = undefined;
      this.#drawSoon();
    });
  }

  #drawSoon(): void {
    // What was being drawn or read is not followed by another look, which would open the stores anew.
    if (this.#isDisposed) return;
    this.#changes++;
    this.#drawing ??= setTimeout(() => void this.#drawNow(), this.#reading ? DRAW_WHILE_READING : DRAW_AFTER);
  }

  /** One after the other: what changes meanwhile is drawn next. */
  async #drawNow(): Promise<void> {
    const drawn = this.#changes;
    await this.#draw();
    this.#drawing = undefined;
    if (this.#changes !== drawn) this.#drawSoon();
  }

  async #draw(): Promise<void> {
    try {
      const changed = await this.#update();
      if (changed === 'all') this.#changed.fire(undefined);
      else if (changed.length > 0) this.#changed.fire([...changed]);
    } catch (error) {
      this.#log.error('The list of transcripts could not be read', error);
    }
  }
}

function isOfArchive(row: ListedRow): row is ArchiveRow {
  return ['archive', 'archiveProblem', 'archived', 'moreArchived', 'way'].includes(row.kind);
}

function isOwn(row: ListedRow): row is OwnRow {
  return ['group', 'conversation', 'call', 'turn'].includes(row.kind);
}

/** The name of the folder that a store is for. */
function projectAt(root: string): string {
  return basename(basename(root) === '.agent-logbook' ? dirname(root) : root);
}

/** Tells the conditions of menus and keys. */
function setContext(key: string, value: boolean): void {
  void vscode.commands.executeCommand('setContext', `agentLogbook.${key}`, value);
}
