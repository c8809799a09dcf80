import * as vscode from 'vscode';
import type { ArchivedRow, ArchiveRow, WayRow } from '../../../app/archive/archiveRows.js';
import { commandName, viewIds } from '../../../app/manifest.js';
import {
  formatBytes,
  formatCount,
  formatMoment,
  formatShortMoment,
  formatTokens,
} from '../../../app/text/format.js';
import { firstSeen, joined, plain, plainLines, words, type PlainText } from '../../../app/text/plainText.js';
import { explainCost, formatCost, isKnownCost } from '../../../core/cost.js';
import { inLanguage, message, t, type Message } from '../../../core/l10n.js';
import { preview } from '../../../core/text.js';
import { toolWords } from '../../../import/toolWords.js';
import { clickOn, treeRow, type Row } from '../ui/treeItems.js';

/** How much of a model's or an agent's name a row shows, in code points. */
const MAX_NAME = 40;
/** How many agents or models a row names. */
const MAX_NAMED = 3;

/** What a person may do where the archive cannot be read, in words, and its icon. */
const WAYS: Readonly<Record<WayRow['way'], readonly [label: Message, icon: string]>> = {
  tryAgain: [message`Try Again`, 'refresh'],
  setPassword: [message`Set Archive Password…`, 'key'],
  openSettings: [message`Open Settings`, 'gear'],
};

/** Does what a row offers where the archive cannot be read. */
export async function goWay({ way }: WayRow): Promise<void> {
  if (way === 'openSettings')
    await vscode.commands.executeCommand('workbench.action.openSettings', 'agentLogbook.archive');
  else
    await vscode.commands.executeCommand(
      commandName(way === 'tryAgain' ? 'refreshArchive' : 'setArchivePassword'),
    );
}

/** The tree item of a row, without its tooltip. */
export function itemFor(row: ArchiveRow, now: number): Row {
  switch (row.kind) {
    case 'archived':
      return conversationItem(row, now);
    case 'moreArchived': {
      const item = treeRow(words`Show More…`, vscode.TreeItemCollapsibleState.None);
      item.id = 'more';
      item.description = words`${row.left} older`;
      item.command = clickOn(viewIds.archive, t`Show More`);
      return item;
    }
    case 'way': {
      const [label, icon] = WAYS[row.way];
      const item = treeRow(plain(inLanguage(label)), vscode.TreeItemCollapsibleState.None);
      item.id = `way:${row.way}`;
      item.iconPath = new vscode.ThemeIcon(icon);
      item.command = clickOn(viewIds.archive, inLanguage(label));
      return item;
    }
  }
}

/** The tooltip of a row. */
export function tooltipFor(row: ArchiveRow): PlainText {
  if (row.kind === 'moreArchived') return words`${row.left} older conversations are not shown yet.`;
  if (row.kind === 'way') return plain(inLanguage(WAYS[row.way][0]));
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
  item.command = clickOn(viewIds.archive, t`Open Transcript`);
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
