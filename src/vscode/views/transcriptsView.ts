import * as vscode from 'vscode';
import type { Log } from '../../ports/log.js';
import type { CatalogEntry } from '../../ports/transcript.js';
import type { Logbooks } from '../logbooks.js';
import { viewIds } from '../manifest.js';
import { formatDay } from './format.js';
import { importByDrop } from './importByDrop.js';
import { Outlines } from './outlines.js';
import { itemFor, type TranscriptsRow } from './transcriptRows.js';

/** How long changes are gathered before the tree is drawn again, in milliseconds. */
const DRAW_AFTER = 150;

/** The Transcripts view: running conversations first, then day by day; in each its runs, nested calls and turns. */
export class TranscriptsView implements vscode.TreeDataProvider<TranscriptsRow>, vscode.Disposable {
  readonly #logbooks: Logbooks;
  readonly #outlines: Outlines;
  readonly #log: Log;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #tree: vscode.TreeView<TranscriptsRow>;
  readonly #following: { dispose(): void };
  #drawing: NodeJS.Timeout | undefined;
  #filter = '';
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(logbooks: Logbooks, log: Log) {
    this.#logbooks = logbooks;
    this.#log = log;
    this.#outlines = new Outlines(logbooks);
    this.#following = logbooks.onDidChange(() => this.#drawSoon());
    this.#tree = vscode.window.createTreeView(viewIds.transcripts, {
      treeDataProvider: this,
      canSelectMany: true,
      showCollapseAll: true,
      dragAndDropController: importByDrop,
    });
  }

  /** The conversations that are selected in the tree. */
  get selected(): readonly CatalogEntry[] {
    return this.#tree.selection.flatMap((row) => (row.kind === 'group' ? [] : [row.entry]));
  }

  /** What the titles and agents are filtered by; '' for no filter. */
  get filter(): string {
    return this.#filter;
  }

  set filter(text: string) {
    this.#filter = text.trim();
    const filtered = this.#filter !== '';
    this.#tree.message = filtered ? `Filtered by "${this.#filter}"` : '';
    void vscode.commands.executeCommand('setContext', 'agentLogbook.transcriptsFiltered', filtered);
    this.#changed.fire();
  }

  /** Lets go of a conversation's files before it is deleted. */
  async forget(conversation: string): Promise<void> {
    await this.#outlines.forget(conversation);
  }

  async getChildren(row?: TranscriptsRow): Promise<TranscriptsRow[]> {
    if (!row) return this.#groups();
    if (row.kind === 'turn') return [];
    if (row.kind === 'group') return row.entries.map((entry) => ({ kind: 'conversation', entry }));
    const { entry } = row;
    const steps = row.kind === 'call' ? row.call.steps : await this.#runs(entry);
    return steps.map((step) =>
      step.kind === 'call' ? { kind: 'call', entry, call: step } : { kind: 'turn', entry, turn: step },
    );
  }

  getTreeItem(row: TranscriptsRow): vscode.TreeItem {
    return itemFor(row);
  }

  dispose(): void {
    clearTimeout(this.#drawing);
    this.#following.dispose();
    this.#tree.dispose();
    this.#changed.dispose();
    void this.#outlines
      .close()
      .catch((error: unknown) => this.#log.error('A transcript did not close well', error));
  }

  async #groups(): Promise<TranscriptsRow[]> {
    const kept = await this.#logbooks.conversations();
    const entries = kept.map(({ entry }) => entry).filter((entry) => matches(entry, this.#filter));
    return groupByDay(entries).map(([label, members]) => ({ kind: 'group', label, entries: members }));
  }

  async #runs(entry: CatalogEntry) {
    try {
      return (await this.#outlines.read(entry.conversation)).runs;
    } catch (error) {
      this.#log.error(`The conversation ${entry.conversation} could not be read`, error);
      return [];
    }
  }

  #drawSoon(): void {
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      this.#changed.fire();
    }, DRAW_AFTER);
  }
}

function isLive({ state }: CatalogEntry): boolean {
  return state === 'running' || state === 'waiting';
}

function matches(entry: CatalogEntry, filter: string): boolean {
  const text = `${entry.title} ${entry.agents.join(' ')} ${entry.state}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Running conversations first, then by the day on which they began; within a group as they came. */
function groupByDay(entries: readonly CatalogEntry[]): [label: string, entries: CatalogEntry[]][] {
  const now = Date.now();
  const groups = new Map<string, CatalogEntry[]>([['Running', []]]);
  for (const entry of entries) {
    const label = isLive(entry) ? 'Running' : formatDay(entry.startedAt, now);
    const group = groups.get(label);
    if (group) group.push(entry);
    else groups.set(label, [entry]);
  }
  return [...groups].filter(([, members]) => members.length > 0);
}
