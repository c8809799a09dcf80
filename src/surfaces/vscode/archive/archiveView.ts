import * as vscode from 'vscode';
import type { ArchiveRow } from '../../../app/archive/archiveRows.js';
import { commandName } from '../../../app/manifest.js';
import type { Disposable } from '../../../core/event.js';
import { setting } from '../settings.js';
import type { ArchiveTree } from './archiveTree.js';

/** The archive in the list of all sessions; its rows are loaded when it is first unfolded. */
export class ArchiveView implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #following: Disposable;
  readonly #load: () => Promise<ArchiveTree>;
  #loading: Promise<ArchiveTree> | undefined;
  /** Fires when its rows are others. */
  readonly onDidChange = this.#changed.event;

  constructor(load: (redraw: () => void) => Promise<ArchiveTree>) {
    this.#load = () => load(() => this.#changed.fire(undefined));
    this.#following = vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('agentLogbook.archive.address')) void this.refresh();
    });
  }

  /** Whether a person has said where it is: nothing is asked of anybody before. */
  get isSet(): boolean {
    return setting('archive.address') !== '';
  }

  /** Asks the archive anew, where it is shown or was. */
  async refresh(): Promise<void> {
    if (this.#loading) (await this.#loading).refresh();
    else this.#changed.fire(undefined);
  }

  /** Does what a click on a row of it is for. */
  async click(row: ArchiveRow): Promise<void> {
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

  dispose(): void {
    void this.#loading?.then((rows) => rows.dispose());
    this.#following.dispose();
    this.#changed.dispose();
  }
}
