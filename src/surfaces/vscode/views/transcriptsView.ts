import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../../core/event.js';
import type { Log } from '../../../core/ports/log.js';
import type { CatalogEntry } from '../../../core/ports/transcript.js';
import type { Stores } from '../../../app/services/stores.js';
import { viewIds } from '../../../app/manifest.js';
import { inWords } from '../../../store/write/storeProblem.js';
import type { ApprovalService } from '../../../app/runs/approvalService.js';
import type { RunRegistry } from '../../../app/runs/runRegistry.js';
import { joined, plain, words } from '../../../app/text/plainText.js';
import { followClicks, tree, withTooltip, type Row, type Tree, type UnresolvedRow } from '../ui/treeItems.js';
import { followOwnPrices } from './followOwnPrices.js';
import { importByDrop } from './importByDrop.js';
import { ConversationCosts, type ReadCost } from '../../../app/views/conversationCosts.js';
import type { ConversationCost } from '../../../search/reader/conversationCost.js';
import { Outlines } from '../../../app/views/outlines.js';
import {
  groupings,
  TranscriptGroups,
  type CallRow,
  type ConversationRow,
  type Grouping,
  type TranscriptsRow,
} from '../../../app/views/transcriptGroups.js';
import { progressIn } from '../ui/progress.js';
import { openFromTree } from './openFromTree.js';
import { itemFor, targetOfClick, tooltipFor } from './transcriptRows.js';

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
  /** Keeps what the conversations are grouped by. */
  readonly state: vscode.Memento;
  readonly log: Log;
}

/** The Transcripts view: running conversations first, then by day; each with its runs, nested calls and turns. */
export class TranscriptsView implements vscode.TreeDataProvider<TranscriptsRow>, vscode.Disposable {
  readonly #stores: Stores;
  readonly #approvals: ApprovalService;
  readonly #outlines: Outlines;
  readonly #costs: ConversationCosts;
  readonly #log: Log;
  readonly #state: vscode.Memento;
  readonly #groups = new TranscriptGroups();
  readonly #changed = new vscode.EventEmitter<TranscriptsRow[] | undefined>();
  readonly #tree: Tree<TranscriptsRow>;
  readonly #following: readonly Disposable[];
  #drawing: NodeJS.Timeout | undefined;
  /** How often something has changed that the tree shows. */
  #changes = 0;
  #reading: PromiseLike<void> | undefined;
  #isDisposed = false;
  #filter = '';
  readonly onDidChangeTreeData = this.#changed.event;

  constructor({ stores, runs, approvals, readCost, state, log }: TranscriptsViewOptions) {
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
      dragAndDropController: importByDrop,
    });
    this.#following = [
      stores.onDidChange(() => this.#drawSoon()),
      runs.onDidChangeState(() => this.#drawSoon()),
      followOwnPrices(() => this.#costs.reprice()),
      this.#costs.onDidChange((conversations) => this.#changed.fire(this.#groups.rowsOf(conversations))),
      followClicks(viewIds.transcripts, this.#tree, (row) => openFromTree(targetOfClick(row))),
    ];
    this.#describe();
  }

  /** The rows selected in the tree. */
  get selection(): readonly TranscriptsRow[] {
    return this.#tree.selection;
  }

  /** The text by which titles and agents are filtered; '' for none. */
  get filter(): string {
    return this.#filter;
  }

  set filter(text: string) {
    this.#filter = text.trim();
    const filtered = this.#filter !== '';
    void vscode.commands.executeCommand('setContext', 'agentLogbook.transcriptsFiltered', filtered);
    this.#describe();
    this.#changed.fire(undefined);
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
  }

  #describe(): void {
    const by = this.grouping === 'date' ? '' : `by ${this.grouping}`;
    this.#tree.description = joined([this.#filter, by], ' · ');
  }

  /** Closes a conversation's files before it is deleted. */
  async forget(conversation: string): Promise<void> {
    await this.#outlines.forget(conversation);
  }

  async getChildren(row?: TranscriptsRow): Promise<TranscriptsRow[]> {
    if (!row) {
      await this.#update();
      return [...this.#groups.rows];
    }
    if (row.kind === 'turn') return [];
    if (row.kind === 'group') return [...(row.groups ?? row.conversations)];
    return this.#steps(row);
  }

  getTreeItem(row: TranscriptsRow): Row {
    return itemFor(row, this.#costOf(row));
  }

  resolveTreeItem(item: UnresolvedRow, row: TranscriptsRow): UnresolvedRow {
    return withTooltip(item, tooltipFor(row, this.#costOf(row)));
  }

  #costOf(row: TranscriptsRow): ConversationCost | undefined {
    return row.kind === 'conversation' || row.kind === 'call' ? this.#costs.of(row.entry) : undefined;
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#drawing);
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
    void vscode.commands.executeCommand('setContext', 'agentLogbook.nothingRecorded', entries.length === 0);
    const changed = this.#groups.update(entries, {
      filter: this.#filter,
      by: this.grouping,
      now: Date.now(),
      projectOf: ({ conversation }) => projects.get(conversation) ?? '',
    });
    const found = this.#groups.rows.reduce((sum, { conversations }) => sum + conversations.length, 0);
    // Where nothing is found, the view's welcome text says so; VS Code hides it while there is a message.
    const isFiltered = this.#filter !== '' && found > 0;
    const { unreadable } = this.#stores;
    if (unreadable) this.#tree.message = plain(inWords(unreadable));
    else this.#tree.message = isFiltered ? words`${found} of ${entries.length} match` : undefined;
    return changed;
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
    const steps = row.kind === 'call' ? row.call.steps : await this.#readRuns(entry);
    return steps.map((step) =>
      step.kind === 'call'
        ? { kind: 'call', entry, call: step, isWaiting: waiting.has(step.call) }
        : { kind: 'turn', entry, turn: step },
    );
  }

  async #readRuns(entry: CatalogEntry) {
    try {
      return (await this.#outlines.read(entry.conversation)).runs;
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

/** The name of the folder that a store is for. */
function projectAt(root: string): string {
  return basename(basename(root) === '.agent-logbook' ? dirname(root) : root);
}
