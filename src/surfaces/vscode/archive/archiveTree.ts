import * as vscode from 'vscode';
import { archiveLocationIn, PendingPanels } from '../../../app/archive/pendingPanels.js';
import type { ArchivedTranscripts } from '../../../app/archive/archivedTranscripts.js';
import {
  ArchiveRows,
  type ArchiveRow,
  type ArchivedRow,
  type WayRow,
} from '../../../app/archive/archiveRows.js';
import { words, firstSeen, joined, plain, plainLines, type PlainText } from '../../../app/text/plainText.js';
import type { Disposable } from '../../../core/event.js';
import { t, inLanguage, message, type Message } from '../../../core/l10n.js';
import { WebviewContent } from '../../../page/panel/webviewContent.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { ReadSoFar } from '../panel/readSoFar.js';
import { showWarning, showNoticeWithWay } from '../ui/notices.js';
import { withTooltip, type Row, type UnresolvedRow, clickOn, treeRow } from '../ui/treeItems.js';
import { commandName, viewIds } from '../../../app/manifest.js';
import {
  formatBytes,
  formatCount,
  formatMoment,
  formatShortMoment,
  formatTokens,
} from '../../../app/text/format.js';
import { explainCost, formatCost, isKnownCost } from '../../../core/cost.js';
import { preview } from '../../../core/text.js';
import { toolWords } from '../../../import/toolWords.js';

/** How much of a model's or an agent's name a row shows, in code points. */
const MAX_NAME = 40;
/** How many agents or models a row names. */
const MAX_NAMED = 3;
/** How much of what is wrong a row shows, in code points. */
const MAX_WORDS = 500;

/** What a person may do where the archive cannot be read, in words, and its icon. */
const WAYS: Readonly<Record<WayRow['way'], readonly [label: Message, icon: string]>> = {
  tryAgain: [message`Try Again`, 'refresh'],
  setPassword: [message`Set Archive Password…`, 'key'],
  openSettings: [message`Open Settings`, 'gear'],
  push: [message`Push to Archive`, 'cloud-upload'],
};

const COMMANDS = {
  tryAgain: 'refreshArchive',
  setPassword: 'setArchivePassword',
  push: 'pushToArchive',
} as const;

/** Does what a row offers where the archive cannot be read. */
async function goWay({ way }: WayRow): Promise<void> {
  if (way === 'openSettings')
    await vscode.commands.executeCommand('workbench.action.openSettings', 'agentLogbook.archive');
  else await vscode.commands.executeCommand(commandName(COMMANDS[way]));
}

/** The tree item of a row, without its tooltip. */
function itemFor(row: ArchiveRow, now: number): Row {
  switch (row.kind) {
    case 'archive':
      return groupItem();
    case 'archiveProblem': {
      const item = treeRow(plain(row.words, MAX_WORDS), vscode.TreeItemCollapsibleState.None);
      item.id = 'archive:problem';
      item.iconPath = new vscode.ThemeIcon(
        'warning',
        new vscode.ThemeColor('problemsWarningIcon.foreground'),
      );
      return item;
    }
    case 'archived':
      return conversationItem(row, now);
    case 'moreArchived': {
      const item = treeRow(words`Show More…`, vscode.TreeItemCollapsibleState.None);
      item.id = 'archive:more';
      item.description = words`${row.left} older`;
      item.command = clickOn(viewIds.transcripts, t`Show More`);
      return item;
    }
    case 'way': {
      const [label, icon] = WAYS[row.way];
      const item = treeRow(plain(inLanguage(label)), vscode.TreeItemCollapsibleState.None);
      item.id = `archive:${row.way}`;
      item.iconPath = new vscode.ThemeIcon(icon);
      item.command = clickOn(viewIds.transcripts, inLanguage(label));
      return item;
    }
  }
}

/** The tooltip of a row. */
function tooltipFor(row: ArchiveRow): PlainText {
  if (row.kind === 'moreArchived') return words`${row.left} older conversations are not shown yet.`;
  if (row.kind === 'way') return plain(inLanguage(WAYS[row.way][0]));
  if (row.kind === 'archiveProblem') return plain(row.words, MAX_WORDS);
  if (row.kind === 'archive')
    return words`What the team keeps in its archive. It is asked when this is unfolded.`;
  const { entry, id, source, project, models, cost, records } = row.listed;
  const lines = [
    plain(entry.title),
    source === undefined ? '' : t`Tool: ${plain(toolWords(source))}`,
    project === undefined ? '' : t`Project: ${plain(project)}`,
    entry.agents.length === 0 ? '' : t`Agents: ${named(entry.agents)}`,
    models.length === 0 ? '' : t`Models: ${named(models)}`,
    t`Began: ${formatMoment(entry.startedAt) || t`unknown`}`,
    t`Last message: ${formatMoment(entry.endedAt) || t`unknown`}`,
    [formatCount(entry.messages, 'message'), formatCount(records, 'record'), tokensOf(row)]
      .filter(Boolean)
      .join(' · '),
    cost ? plain(explainCost(cost)) : '',
    entry.bytes > 0 ? t`Size: ${formatBytes(entry.bytes)}` : '',
    t`Id: ${plain(id)}`,
  ];
  return plainLines(lines.filter(Boolean).join('\n'));
}

/** The archive in the list; it is asked for nothing before it is unfolded. */
function groupItem(): Row {
  const item = treeRow(words`Archive`, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = 'group:archive';
  item.iconPath = new vscode.ThemeIcon('archive');
  item.contextValue = 'archive';
  return item;
}

function conversationItem(row: ArchivedRow, now: number): Row {
  const { entry, id, models, cost } = row.listed;
  const label = firstSeen(entry.title, t`(no title)`);
  const item = treeRow(label, vscode.TreeItemCollapsibleState.None);
  item.id = `archived:${id}`;
  const facts = [
    entry.startedAt > 0 ? formatShortMoment(entry.startedAt, now) : '',
    formatCount(entry.messages, 'message'),
    tokensOf(row),
    cost && isKnownCost(cost) ? formatCost(cost) : '',
    named(entry.agents),
    named(models),
  ];
  item.description = joined(facts, ' · ');
  item.iconPath = new vscode.ThemeIcon(entry.state === 'failed' ? 'error' : 'comment-discussion');
  item.contextValue = 'archived';
  item.accessibilityInformation = { label: joined([label, ...facts], ', ') };
  item.command = clickOn(viewIds.transcripts, t`Open Transcript`);
  return item;
}

function tokensOf({ listed: { entry } }: ArchivedRow): string {
  return entry.tokens > 0 ? formatTokens(entry.tokens, entry.tokensEstimated) : '';
}

/** The first of some names, each cut, because a log may name anything. */
function named(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => plain(preview(name, MAX_NAME)));
  const left = names.length - shown.length;
  return left > 0 ? t`${shown.join(', ')} and ${left} more` : shown.join(', ');
}

/** The rows of the view of the archive; the archive is asked when they are first looked at, and when a person says so. */
export class ArchiveTree implements vscode.Disposable {
  readonly #rows: ArchiveRows;
  readonly #redraw: () => void;
  readonly #reading = new ReadSoFar('agentLogbook.archiveReadSoFar');
  readonly #following: Disposable;
  /** The panels that wait for a transcript of the archive since their window was closed. */
  readonly waiting: PendingPanels<vscode.WebviewPanel>;

  constructor(archived: ArchivedTranscripts, panels: TranscriptPanels, redraw: () => void) {
    this.waiting = archivedPanels(archived, panels);
    this.#rows = new ArchiveRows((from, count) => archived.page(from, count));
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
    const { rows, problem } = await this.#rows.list();
    if (problem !== undefined) return [{ kind: 'archiveProblem', words: problem }, ...rows];
    return rows.length === 0 ? [{ kind: 'way', way: 'push' }] : [...rows];
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
