import * as vscode from 'vscode';
import type { SessionDiscovery } from '../../../app/discovery/sessionDiscovery.js';
import {
  SessionRows,
  type SessionRow,
  type SessionsRow,
  type WorkspaceRow,
} from '../../../app/discovery/sessionGroups.js';
import type { SessionAbout } from '../../../capture/discovery/sessionAbout.js';
import type { ToolId } from '../../../import/toolHomes.js';
import { words } from '../../../app/text/plainText.js';
import type { Disposable } from '../../../core/event.js';
import { withTooltip, type Row, type Tree, type UnresolvedRow } from '../ui/treeItems.js';
import { itemFor, tooltipFor } from './sessionItems.js';

/** The rows of the view of other tools' sessions. While the view is hidden, nothing is looked at. */
export class SessionsTree implements vscode.Disposable {
  readonly #discovery: SessionDiscovery;
  readonly #rows: SessionRows;
  readonly #tree: Tree<SessionsRow>;
  readonly #redraw: (row: SessionsRow | undefined) => void;
  readonly #following: readonly Disposable[];
  #watching: Disposable | undefined;
  /** What the rows of sessions that are shown tell, by path. */
  readonly #about = new Map<string, SessionAbout>();

  constructor(
    discovery: SessionDiscovery,
    shown: Tree<SessionsRow>,
    redraw: (row: SessionsRow | undefined) => void,
  ) {
    this.#discovery = discovery;
    this.#rows = new SessionRows(discovery);
    this.#tree = shown;
    this.#redraw = redraw;
    this.#following = [
      discovery.onDidChange((tools) => this.#follow(tools)),
      shown.onDidChangeVisibility(({ visible }) => this.#watch(visible)),
    ];
    this.#watch(shown.visible);
  }

  async children(row?: SessionsRow): Promise<SessionsRow[]> {
    const now = Date.now();
    switch (row?.kind) {
      case undefined:
        return this.#tools(now);
      case 'tool':
        return [...(await this.#rows.workspaces(row, now))];
      case 'workspace':
        return this.#sessions(row);
      default:
        return [];
    }
  }

  item(row: SessionsRow): Row {
    return itemFor(row, this.#aboutOf(row), Date.now());
  }

  resolved(item: UnresolvedRow, row: SessionsRow): UnresolvedRow {
    return withTooltip(item, tooltipFor(row, this.#aboutOf(row), Date.now()));
  }

  /** Shows more sessions of a workspace. */
  showMore(of: WorkspaceRow): void {
    this.#rows.showMore(of);
    this.#redraw(undefined);
  }

  /** Looks at all folders again. */
  async refresh(): Promise<void> {
    await this.#discovery.look();
    this.#redraw(undefined);
  }

  dispose(): void {
    this.#watching?.dispose();
    for (const following of this.#following) following.dispose();
  }

  #aboutOf(row: SessionsRow): SessionAbout | undefined {
    return row.kind === 'session' ? this.#about.get(row.file.path) : undefined;
  }

  async #tools(now: number): Promise<SessionsRow[]> {
    const answers = await this.#discovery.consent.answers();
    const isChosen = [...answers.values()].includes(true);
    const rows = await this.#rows.tools(now);
    void vscode.commands.executeCommand('setContext', 'agentLogbook.sessionToolsChosen', isChosen);
    const all = rows.reduce((sum, { live }) => sum + live, 0);
    this.#tree.description = all > 0 ? words`${all} live` : undefined;
    return [...rows];
  }

  /** The sessions of a workspace that are shown, whose beginnings and ends are read for it. */
  async #sessions(of: WorkspaceRow): Promise<SessionsRow[]> {
    const rows = this.#rows.sessions(of);
    const sessions = rows.filter((row): row is SessionRow => row.kind === 'session');
    const about = await this.#discovery.about(
      of.id,
      sessions.map(({ file }) => file),
    );
    for (const [path, told] of about) this.#about.set(path, told);
    return [...rows];
  }

  #watch(isVisible: boolean): void {
    this.#watching?.dispose();
    this.#watching = isVisible ? this.#discovery.watch() : undefined;
  }

  #follow(tools: ReadonlySet<ToolId>): void {
    if (this.#tree.visible && tools.size > 0) this.#redraw(undefined);
  }
}
