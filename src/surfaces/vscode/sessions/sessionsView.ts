import * as vscode from 'vscode';
import type { SessionDiscovery } from '../../../app/discovery/sessionDiscovery.js';
import type { SessionsRow } from '../../../app/discovery/sessionGroups.js';
import { commandName, viewIds } from '../../../app/manifest.js';
import type { Disposable } from '../../../core/event.js';
import { followClicks, tree, type Row, type Tree, type UnresolvedRow } from '../ui/treeItems.js';
import type { SessionsTree } from './sessionsTree.js';

/** The view of other tools' sessions, whose rows are loaded when it is first looked at. */
export class SessionsView implements vscode.TreeDataProvider<SessionsRow>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<SessionsRow | undefined>();
  readonly #tree: Tree<SessionsRow>;
  readonly #clicks: Disposable;
  readonly #load: () => Promise<SessionsTree>;
  #loading: Promise<SessionsTree> | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(discovery: () => Promise<SessionDiscovery>, load: () => Promise<typeof SessionsTree>) {
    this.#tree = tree(viewIds.sessions, { treeDataProvider: this, showCollapseAll: true });
    this.#clicks = followClicks(viewIds.sessions, this.#tree, (row) => {
      if (row.kind === 'more') void vscode.commands.executeCommand(commandName('showMoreSessions'), row.of);
    });
    this.#load = async () => {
      const Rows = await load();
      return new Rows(await discovery(), this.#tree, (row) => this.#changed.fire(row));
    };
  }

  /** The rows, with what commands do with them. */
  rows(): Promise<SessionsTree> {
    return (this.#loading ??= this.#load());
  }

  /** The rows selected in the tree. */
  get selection(): readonly SessionsRow[] {
    return this.#tree.selection;
  }

  async getChildren(row?: SessionsRow): Promise<SessionsRow[]> {
    return (await this.rows()).children(row);
  }

  async getTreeItem(row: SessionsRow): Promise<Row> {
    return (await this.rows()).item(row);
  }

  async resolveTreeItem(item: UnresolvedRow, row: SessionsRow): Promise<UnresolvedRow> {
    return (await this.rows()).resolved(item, row);
  }

  dispose(): void {
    void this.#loading?.then((rows) => rows.dispose());
    this.#clicks.dispose();
    this.#tree.dispose();
    this.#changed.dispose();
  }
}
