import type * as vscode from 'vscode';
import type { ArchivedTranscripts } from '../../app/archive/archivedTranscripts.js';
import { ArchiveRows, type ArchiveRow } from '../../app/archive/archiveRows.js';
import { plain, words } from '../../app/text/plainText.js';
import type { Disposable } from '../../core/event.js';
import { ReadSoFar } from '../panel/readSoFar.js';
import { showWarning } from '../surfaces/notices.js';
import { withTooltip, type Row, type Tree, type UnresolvedRow } from '../surfaces/treeItems.js';
import { goWay, itemFor, tooltipFor } from './archiveItems.js';

/** The rows of the view of the archive; the archive is asked when they are first looked at, and when a person says so. */
export class ArchiveTree implements vscode.Disposable {
  readonly #rows: ArchiveRows;
  readonly #tree: Tree<ArchiveRow>;
  readonly #redraw: () => void;
  readonly #reading = new ReadSoFar('agentLogbook.archiveReadSoFar');
  readonly #following: Disposable;

  constructor(archived: ArchivedTranscripts, shown: Tree<ArchiveRow>, redraw: () => void) {
    this.#rows = new ArchiveRows((from, count) => archived.page(from, count));
    this.#tree = shown;
    this.#redraw = redraw;
    this.#following = archived.onDidChange(({ conversation, title, done, failure }) => {
      if (!archived.shown(conversation)) {
        this.#reading.forget(conversation);
        return;
      }
      this.#reading.tell({ path: conversation, name: title, done, failure });
      if (failure !== undefined)
        void showWarning(words`Only a part of “${title}” has come from the archive. ${failure}`);
    });
  }

  async children(): Promise<ArchiveRow[]> {
    const { rows, problem, count } = await this.#rows.list();
    this.#tree.message = problem === undefined ? undefined : plain(problem);
    this.#tree.description = count === undefined ? undefined : words`${count}`;
    return [...rows];
  }

  item(row: ArchiveRow): Row {
    return itemFor(row, Date.now());
  }

  resolved(item: UnresolvedRow, row: ArchiveRow): UnresolvedRow {
    return withTooltip(item, tooltipFor(row));
  }

  /** Shows more conversations, or does what a row offers. */
  click(row: ArchiveRow): void {
    if (row.kind === 'way') void goWay(row);
    if (row.kind !== 'moreArchived') return;
    this.#rows.showMore();
    this.#redraw();
  }

  /** Asks for everything anew. */
  refresh(): void {
    this.#rows.refresh();
    this.#redraw();
  }

  dispose(): void {
    this.#following.dispose();
    this.#reading.dispose();
  }
}
