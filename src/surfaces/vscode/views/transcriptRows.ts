import { inLanguage, message, t, type Message } from '../../../core/l10n.js';
import * as vscode from 'vscode';
import type { CatalogEntry, ConversationState } from '../../../core/ports/transcript.js';
import type { OutlineCall, OutlineTurn } from '../../../query/numbers/outline.js';
import { distinctName, toldApart } from '../../../core/lookalikes.js';
import { preview } from '../../../core/text.js';
import { commandName, viewIds } from '../../../app/manifest.js';
import { firstSeen, joined, plain, words } from '../../../app/text/plainText.js';
import { clickOn, treeRow, type Row } from '../ui/treeItems.js';
import { formatDuration } from '../../../core/duration.js';
import { formatCount, formatShortMoment, formatTokens } from '../../../app/text/format.js';
import type { ConversationCost, CostWords } from '../../../search/reader/conversationCost.js';
import type { CallRow, GroupRow, OwnRow } from '../../../app/views/transcriptGroups.js';

/** What a row of a tree opens: a conversation, at one of its messages or at a note. */
export interface TranscriptTarget {
  readonly conversation: string;
  readonly position?: number;
  readonly note?: string;
}

/** Opens a transcript; the focus stays in the tree, so that its keys (F2, Delete) go on working on what was clicked. */
export function openFromTree(target: TranscriptTarget | undefined): void {
  if (!target) return;
  void vscode.commands.executeCommand(commandName('openTranscript'), { ...target, preserveFocus: true });
}

/** How much of an agent's name a row shows, in code points. */
const MAX_NAME = 60;

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

const stateIcons: Readonly<Record<ConversationState, readonly [icon: string, color?: string]>> = {
  running: ['sync~spin', 'charts.blue'],
  waiting: ['question', 'problemsWarningIcon.foreground'],
  done: ['pass', 'charts.green'],
  failed: ['error', 'errorForeground'],
  cancelled: ['circle-slash'],
  limited: ['warning', 'problemsWarningIcon.foreground'],
  interrupted: ['debug-disconnect', 'problemsWarningIcon.foreground'],
};

/** What is said of how a conversation stands. */
export const stateWords: Readonly<Record<ConversationState, Message>> = {
  running: message`running`,
  waiting: message`waiting for your approval`,
  done: message`done`,
  failed: message`failed`,
  cancelled: message`cancelled`,
  limited: message`ended by a limit`,
  interrupted: message`interrupted`,
};

/** The tree item of a row, without its tooltip, see `tooltipFor`; `news`: since when there are any. */
export function itemFor(row: OwnRow, cost?: ConversationCost, news = ''): Row {
  switch (row.kind) {
    case 'group':
      return groupItem(row);
    case 'conversation':
      return conversationItem(row.entry, cost, news);
    case 'call':
      return callItem(row, cost?.calls.get(row.call.call));
    case 'turn':
      return turnItem(row.entry, row.turn);
  }
}

function groupItem({ label, id, filter, isOpen, members, conversations }: GroupRow): Row {
  const item = treeRow(plain(label), isOpen ? Expanded : Collapsed);
  // VS Code remembers by id what is collapsed; a filtered tree starts expanded and must not change that.
  item.id = `group:${id}${filter === '' ? '' : ':filtered'}`;
  item.description = words`${members.length}`;
  item.contextValue = conversations.length > 0 ? 'group' : 'groupOfOthers';
  item.accessibilityInformation = {
    label: words`${label}, ${formatCount(members.length, 'session')}`,
  };
  return item;
}

function conversationItem(entry: CatalogEntry, cost: CostWords | undefined, news: string): Row {
  const label = firstSeen(entry.title, t`(no title)`);
  const item = treeRow(label, Collapsed);
  item.id = entry.conversation;
  const fork = entry.goesOnFrom ? t`goes on from another` : '';
  const parts = [
    entry.state === 'waiting' ? t`needs your approval` : '',
    fork,
    news,
    formatShortMoment(entry.startedAt, Date.now()),
    ...counts(entry, cost),
    agentsOf(entry),
  ];
  item.description = joined(parts, ' · ');
  item.iconPath = stateIcon(entry.state);
  const live = entry.state === 'running' || entry.state === 'waiting';
  item.contextValue = `conversation ${live ? 'live' : 'idle'}${fork && ' fork'}`;
  item.accessibilityInformation = {
    label: words`${label}, ${inLanguage(stateWords[entry.state])}, ${item.description}`,
  };
  item.command = open();
  return item;
}

/** The agents of a conversation, told apart where their names look alike; each is cut, because a log may name any. */
export function agentsOf({ agents }: CatalogEntry): string {
  return toldApart(agents)
    .map((name) => preview(name, MAX_NAME))
    .join(', ');
}

/** What a row of a conversation says of how much there is. */
export function counts(entry: CatalogEntry, cost: CostWords | undefined): string[] {
  return [
    formatCount(entry.messages, 'message'),
    formatTokens(entry.tokens, entry.tokensEstimated),
    cost?.short ?? '',
    entry.scripted ? 'scripted' : '',
    entry.damaged > 0 ? formatCount(entry.damaged, 'damaged line') : '',
  ];
}

function callItem(row: CallRow, cost: CostWords | undefined): Row {
  const { entry, call } = row;
  const agent = firstSeen(agentOf(call), t`(no name)`);
  const label = call.depth === 0 ? firstSeen(call.task, agent) : plain(`${agent}: ${call.task}`);
  const item = treeRow(label, call.depth === 0 ? Expanded : Collapsed);
  item.id = `${entry.conversation}/${call.call}`;
  const state = stateOf(row);
  const parts = [
    state === 'waiting' ? t`needs your approval` : '',
    call.depth === 0 ? agentOf(call) : '',
    ...callCounts(call, cost),
  ];
  item.description = joined(parts, ' · ');
  item.iconPath = stateIcon(state);
  item.contextValue = 'call';
  const kind = call.depth === 0 ? 'run' : t`call at depth ${call.depth}`;
  item.accessibilityInformation = {
    label: words`${label}, ${kind}, ${inLanguage(stateWords[state])}, ${item.description}`,
  };
  item.command = open();
  return item;
}

/** What the agent of a call is called. */
export function agentOf({ agent }: OutlineCall): string {
  return preview(distinctName(agent), MAX_NAME);
}

/** What a row of a call says of how much there is. */
export function callCounts({ messages, end, scripted }: OutlineCall, cost: CostWords | undefined): string[] {
  return [
    formatCount(messages, 'message'),
    end ? formatTokens(end.tokens, end.estimated) : '',
    end && cost ? cost.short : '',
    end ? formatDuration(end.durationMs) : '',
    scripted ? 'scripted' : '',
  ];
}

/** How a call stands. */
export function stateOf({ entry, call, isWaiting }: CallRow): ConversationState {
  if (call.end) return call.end.outcome;
  if (isWaiting) return 'waiting';
  return entry.state === 'running' || entry.state === 'waiting' ? 'running' : 'interrupted';
}

function turnItem(entry: CatalogEntry, turn: OutlineTurn): Row {
  const tools = turn.deeds.join(', ');
  const label = firstSeen(turn.text, tools, t`(no text)`);
  const item = treeRow(label, None);
  item.id = `${entry.conversation}#${turn.position}`;
  item.description = joined([turn.text && tools, turn.partial ? 'partial' : ''], ' · ');
  item.iconPath = new vscode.ThemeIcon(turn.tools.length > 0 ? 'tools' : 'comment');
  item.contextValue = 'turn';
  // The tools are the label where nothing was said.
  const named = turn.text === '' ? '' : `: ${tools}`;
  const uses = turn.tools.length > 0 ? `, ${formatCount(turn.tools.length, 'tool call')}${named}` : '';
  item.accessibilityInformation = {
    label: words`${label}, turn${uses}${turn.partial ? ', partial' : ''}`,
  };
  item.command = open();
  return item;
}

function stateIcon(state: ConversationState): vscode.ThemeIcon {
  const [icon, color] = stateIcons[state];
  return new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
}

function open(): vscode.Command {
  return clickOn(viewIds.transcripts, t`Open Transcript`);
}

/** What a click on a row opens; undefined for a group, which it opens and closes. */
export function targetOfClick(row: OwnRow): TranscriptTarget | undefined {
  switch (row.kind) {
    case 'group':
      return undefined;
    case 'conversation':
      return { conversation: row.entry.conversation };
    case 'call':
      return { conversation: row.entry.conversation, position: row.call.position };
    case 'turn':
      return { conversation: row.entry.conversation, position: row.turn.position };
  }
}
