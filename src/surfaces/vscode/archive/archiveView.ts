import * as vscode from 'vscode';
import type { ArchiveRow } from '../../../app/archive/archiveRows.js';
import { commandName, viewIds } from '../../../app/manifest.js';
import type { Disposable } from '../../../core/event.js';
import { followClicks, tree, type Row, type Tree, type UnresolvedRow } from '../ui/treeItems.js';
import { setting } from '../settings.js';
import type { ArchiveTree } from './archiveTree.js';

/** The view of the archive, whose rows are loaded when it is first looked at and an address is set. */
export class ArchiveView implements vscode.TreeDataProvider<ArchiveRow>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #tree: Tree<ArchiveRow>;
  readonly #following: Disposable;
  readonly #load: () => Promise<ArchiveTree>;
  #loading: Promise<ArchiveTree> | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(load: (shown: Tree<ArchiveRow>, redraw: () => void) => Promise<ArchiveTree>) {
    this.#tree = tree(viewIds.archive, { treeDataProvider: this });
    this.#load = () => load(this.#tree, () => this.#changed.fire(undefined));
    this.#following = vscode.Disposable.from(
      followClicks(viewIds.archive, this.#tree, (row) => void this.#click(row)),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('agentLogbook.archive.address')) void this.refresh();
      }),
    );
  }

  /** Asks the archive anew, where it is shown or was. */
  async refresh(): Promise<void> {
    this.#tree.message = undefined;
    this.#tree.description = undefined;
    if (this.#loading) (await this.#loading).refresh();
    else this.#changed.fire(undefined);
  }

  async getChildren(row?: ArchiveRow): Promise<ArchiveRow[]> {
    // Nothing is asked of anybody before a person has said where it is; the view says so.
    return row || setting('archive.address') === '' ? [] : (await this.rows()).children();
  }

  async getTreeItem(row: ArchiveRow): Promise<Row> {
    return (await this.rows()).item(row);
  }

  async resolveTreeItem(item: UnresolvedRow, row: ArchiveRow): Promise<UnresolvedRow> {
    return (await this.rows()).resolved(item, row);
  }

  dispose(): void {
    void this.#loading?.then((rows) => rows.dispose());
    this.#following.dispose();
    this.#tree.dispose();
    this.#changed.dispose();
  }

  async #click(row: ArchiveRow): Promise<void> {
    if (row.kind === 'archived')
      await vscode.commands.executeCommand(commandName('openArchived'), {
        id: row.listed.id,
        preserveFocus: true,
      });
    else (await this.rows()).click(row);
  }

  /** What shows its rows, and tells how much of a transcript has come; asks the archive for nothing by itself. */
  rows(): Promise<ArchiveTree> {
    return (this.#loading ??= this.#load());
  }
}
