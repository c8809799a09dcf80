import * as vscode from 'vscode';
import type { CatalogEntry, ConversationState } from '../../ports/transcript.js';
import type { OutlineCall, OutlineTurn } from '../../query/outline.js';
import { commandName } from '../manifest.js';
import { formatCount, formatDuration, formatTime, formatTokens } from './format.js';

/** A row of the Transcripts view. */
export type TranscriptsRow =
  | { readonly kind: 'group'; readonly label: string; readonly entries: readonly CatalogEntry[] }
  | { readonly kind: 'conversation'; readonly entry: CatalogEntry }
  | { readonly kind: 'call'; readonly entry: CatalogEntry; readonly call: OutlineCall }
  | { readonly kind: 'turn'; readonly entry: CatalogEntry; readonly turn: OutlineTurn };

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

const stateIcons: Readonly<Record<ConversationState, readonly [icon: string, color?: string]>> = {
  running: ['sync~spin', 'charts.blue'],
  waiting: ['question', 'charts.yellow'],
  done: ['pass', 'charts.green'],
  failed: ['error', 'charts.red'],
  cancelled: ['circle-slash'],
  limited: ['warning', 'charts.orange'],
  interrupted: ['debug-disconnect', 'charts.orange'],
};

const stateWords: Readonly<Record<ConversationState, string>> = {
  running: 'running',
  waiting: 'waiting for your approval',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  limited: 'ended by a limit',
  interrupted: 'interrupted',
};

/** How a row is shown. */
export function itemFor(row: TranscriptsRow): vscode.TreeItem {
  switch (row.kind) {
    case 'group':
      return groupItem(row.label, row.entries.length);
    case 'conversation':
      return conversationItem(row.entry);
    case 'call':
      return callItem(row.entry, row.call);
    case 'turn':
      return turnItem(row.entry, row.turn);
  }
}

function groupItem(label: string, count: number): vscode.TreeItem {
  const item = new vscode.TreeItem(label, Expanded);
  item.id = `group:${label}`;
  item.description = String(count);
  item.contextValue = 'group';
  return item;
}

function conversationItem(entry: CatalogEntry): vscode.TreeItem {
  const item = new vscode.TreeItem(entry.title, Collapsed);
  item.id = entry.conversation;
  const parts = [
    formatTime(entry.startedAt),
    entry.agents.join(', '),
    formatCount(entry.messages, 'message'),
    formatTokens(entry.tokens, entry.tokensEstimated),
  ];
  if (entry.scripted) parts.push('scripted');
  if (entry.damaged > 0) parts.push(formatCount(entry.damaged, 'damaged line'));
  item.description = parts.filter(Boolean).join(' · ');
  item.iconPath = stateIcon(entry.state);
  item.tooltip = [entry.title, stateWords[entry.state], ...parts, formatCount(entry.runs, 'run')].join('\n');
  const live = entry.state === 'running' || entry.state === 'waiting';
  item.contextValue = `conversation ${live ? 'live' : 'idle'}`;
  item.accessibilityInformation = {
    label: `${entry.title}, ${stateWords[entry.state]}, ${item.description}`,
  };
  item.command = openAt(entry);
  return item;
}

function callItem(entry: CatalogEntry, call: OutlineCall): vscode.TreeItem {
  const label = call.depth === 0 ? call.task : `${call.agent}: ${call.task}`;
  const item = new vscode.TreeItem(label || call.agent, call.depth === 0 ? Expanded : Collapsed);
  item.id = `${entry.conversation}/${call.call}`;
  const { end } = call;
  const parts = [
    call.depth === 0 ? call.agent : '',
    formatCount(call.messages, 'message'),
    end ? formatTokens(end.tokens, end.estimated) : '',
    end ? formatDuration(end.durationMs) : '',
    call.scripted ? 'scripted' : '',
  ];
  item.description = parts.filter(Boolean).join(' · ');
  const state =
    end?.outcome ?? (entry.state === 'running' || entry.state === 'waiting' ? 'running' : 'interrupted');
  item.iconPath = stateIcon(state);
  item.tooltip = [`${call.agent} (${call.model})`, call.task, stateWords[state], end?.reason]
    .filter(Boolean)
    .join('\n');
  item.contextValue = 'call';
  item.accessibilityInformation = { label: `${label}, ${stateWords[state]}, ${item.description}` };
  item.command = openAt(entry, call.position);
  return item;
}

function turnItem(entry: CatalogEntry, turn: OutlineTurn): vscode.TreeItem {
  const tools = turn.tools.join(', ');
  const item = new vscode.TreeItem(turn.text || tools || '(no text)', None);
  item.id = `${entry.conversation}#${turn.position}`;
  item.description = [turn.text && tools, turn.partial && 'partial'].filter(Boolean).join(' · ');
  item.iconPath = new vscode.ThemeIcon(turn.tools.length > 0 ? 'tools' : 'comment');
  item.tooltip = [turn.text, tools && `Tools: ${tools}`].filter(Boolean).join('\n');
  item.contextValue = 'turn';
  item.command = openAt(entry, turn.position);
  return item;
}

function stateIcon(state: ConversationState): vscode.ThemeIcon {
  const [icon, color] = stateIcons[state];
  return new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
}

function openAt(entry: CatalogEntry, position?: number): vscode.Command {
  const target = { conversation: entry.conversation, ...(position !== undefined && { position }) };
  return { command: commandName('openTranscript'), title: 'Open Transcript', arguments: [target] };
}
