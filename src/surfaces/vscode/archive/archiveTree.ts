import type * as vscode from 'vscode';
import { archiveLocationIn, PendingPanels } from '../../../app/archive/pendingPanels.js';
import type { ArchivedTranscripts } from '../../../app/archive/archivedTranscripts.js';
import { ArchiveRows, type ArchiveRow } from '../../../app/archive/archiveRows.js';
import { plain, words } from '../../../app/text/plainText.js';
import type { Disposable } from '../../../core/event.js';
import { t } from '../../../core/l10n.js';
import { WebviewContent } from '../../../page/panel/webviewContent.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { ReadSoFar } from '../panel/readSoFar.js';
import { showWarning } from '../ui/notices.js';
import { showNoticeWithWay } from '../ui/showNoticeWithWay.js';
import { withTooltip, type Row, type Tree, type UnresolvedRow } from '../ui/treeItems.js';
import { goWay, itemFor, tooltipFor } from './archiveItems.js';

/** The rows of the view of the archive; the archive is asked when they are first looked at, and when a person says so. */
export class ArchiveTree implements vscode.Disposable {
  readonly #rows: ArchiveRows;
  readonly #tree: Tree<ArchiveRow>;
  readonly #redraw: () => void;
  readonly #reading = new ReadSoFar('agentLogbook.archiveReadSoFar');
  readonly #following: Disposable;
  /** The panels that wait for a transcript of the archive since their window was closed. */
  readonly waiting: PendingPanels<vscode.WebviewPanel>;

  constructor(
    archived: ArchivedTranscripts,
    panels: TranscriptPanels,
    shown: Tree<ArchiveRow>,
    redraw: () => void,
  ) {
    this.waiting = archivedPanels(archived, panels);
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

  /** Reads again what a panel showed of the archive, by what its page kept; where that is nothing, it is not there any more. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const wanted = archiveLocationIn(state);
    if (!wanted) {
      WebviewContent.of(panel.webview).notice(
        t`This transcript is not here any more`,
        t`The panel was open when the window was closed, but its conversation cannot be found. You can close it.`,
      );
      return;
    }
    WebviewContent.of(panel.webview).notice(t`Reading from the archive`, wanted.place);
    panel.onDidDispose(() => this.waiting.closed(panel));
    await this.waiting.restore(panel, wanted);
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

/** The panels that showed transcripts of the archive when their window was closed, and show them again. */
function archivedPanels(
  archived: ArchivedTranscripts,
  panels: TranscriptPanels,
): PendingPanels<vscode.WebviewPanel> {
  return new PendingPanels<vscode.WebviewPanel>({
    open: ({ place, id }) => archived.open(id, place),
    show: (panel, conversation) => panels.showIn(panel, conversation),
    fail: (panel, wanted, why) =>
      showNoticeWithWay(panel.webview, t`This transcript cannot be read from the archive now`, why, {
        words: t`Try Again`,
        command: 'openArchived',
        argument: wanted,
      }),
    unwanted: (conversation) => {
      if (panels.panelsOf(conversation).length === 0) void archived.closed(conversation);
    },
  });
}
