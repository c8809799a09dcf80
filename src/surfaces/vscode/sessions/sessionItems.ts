import * as vscode from 'vscode';
import { isLive } from '../../../app/discovery/sessionDiscovery.js';
import {
  type SessionRow,
  type SessionsRow,
  type ToolRow,
  type WorkspaceRow,
} from '../../../app/discovery/sessionGroups.js';
import { stateOf, type SessionState } from '../../../app/discovery/sessionState.js';
import { viewIds } from '../../../app/manifest.js';
import { formatBytes, formatCount, formatMoment, formatShortMoment } from '../../../app/text/format.js';
import { joined, plain, plainLines, words, type PlainText } from '../../../app/text/plainText.js';
import type { SessionAbout } from '../../../capture/discovery/sessionAbout.js';
import { toolHome } from '../../../import/toolHomes.js';
import { inLanguage, message, t, type Message } from '../../../core/l10n.js';
import { preview } from '../../../core/text.js';
import { FILE_VIEW_TYPE } from '../panel/fileEditors.js';
import { clickOn, treeRow, type Row } from '../ui/treeItems.js';

/** How much of a name or a path a tooltip shows, in code points. */
const MAX_SHOWN = 500;
/** How much of a model's or an agent's name a row shows, in code points. */
const MAX_NAME = 40;

const icons: Readonly<Record<SessionState, readonly [icon: string, color?: string]>> = {
  running: ['record', 'charts.red'],
  waiting: ['question', 'problemsWarningIcon.foreground'],
  done: ['pass', 'charts.green'],
  failed: ['error', 'errorForeground'],
  interrupted: ['debug-disconnect', 'problemsWarningIcon.foreground'],
  unknown: ['comment-discussion'],
};

const stateWords: Readonly<Record<SessionState, Message>> = {
  running: message`live`,
  waiting: message`waits for you`,
  done: message`answered`,
  failed: message`failed`,
  interrupted: message`without an answer`,
  unknown: message`unknown`,
};

/** The tree item of a row, without its tooltip. */
export function itemFor(row: SessionsRow, about: SessionAbout | undefined, now: number): Row {
  switch (row.kind) {
    case 'tool':
      return toolItem(row);
    case 'workspace':
      return workspaceItem(row, now);
    case 'session':
      return sessionItem(row, about, now);
    case 'more':
      return moreItem(row.of, row.left);
  }
}

/** The tooltip of a row. */
export function tooltipFor(row: SessionsRow, about: SessionAbout | undefined, now: number): PlainText {
  switch (row.kind) {
    case 'tool':
      return plainLines([formatCount(row.count, 'session'), ...row.problems].join('\n'));
    case 'workspace':
      return plain(row.folder || t`These sessions do not say where they were held.`, MAX_SHOWN);
    case 'session':
      return sessionTooltip(row, about, now);
    case 'more':
      return words`${row.left} older sessions are not shown yet.`;
  }
}

function toolItem({ id, name, count, live, problems, isAlone }: ToolRow): Row {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = treeRow(plain(name), isAlone ? Expanded : Collapsed);
  item.id = `tool:${id}`;
  item.description = joined([String(count), liveWords(live)], ' · ');
  if (problems.length > 0) item.iconPath = new vscode.ThemeIcon('warning');
  item.contextValue = 'sessionTool';
  item.accessibilityInformation = {
    label: joined([name, formatCount(count, 'session'), liveWords(live), ...problems], ', '),
  };
  return item;
}

function workspaceItem({ id, folder, label, sessions, live }: WorkspaceRow, now: number): Row {
  const item = treeRow(plain(label || t`(no folder)`, MAX_SHOWN), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `workspace:${id}:${folder}`;
  const [newest] = sessions;
  const when = newest ? formatShortMoment(newest.changed, now) : '';
  item.description = joined([String(sessions.length), liveWords(live), when], ' · ');
  item.iconPath = new vscode.ThemeIcon('folder');
  item.contextValue = 'sessionWorkspace';
  item.accessibilityInformation = {
    label: joined([label, formatCount(sessions.length, 'session'), liveWords(live), when], ', '),
  };
  return item;
}

function sessionItem({ id, file }: SessionRow, about: SessionAbout | undefined, now: number): Row {
  const state = stateOf(file, about, now);
  const label = plain(titleOf(about));
  const item = treeRow(label, vscode.TreeItemCollapsibleState.None);
  item.id = `session:${file.path}`;
  const facts = [
    isLive(file, now) ? t`live` : '',
    formatShortMoment(file.changed, now),
    about ? messagesOf(about) : t`cannot be read`,
    preview(about?.model ?? '', MAX_NAME),
    preview(about?.agent ?? '', MAX_NAME),
  ];
  item.description = joined(facts, ' · ');
  const [icon, color] = icons[state];
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  item.contextValue = 'session';
  item.accessibilityInformation = {
    label: joined([label, inLanguage(stateWords[state]), toolHome(id).name, ...facts.slice(1)], ', '),
  };
  item.command = {
    command: 'vscode.openWith',
    title: t`Open`,
    arguments: [vscode.Uri.file(file.path), FILE_VIEW_TYPE, { preview: true, preserveFocus: true }],
  };
  return item;
}

function sessionTooltip({ id, file }: SessionRow, about: SessionAbout | undefined, now: number): PlainText {
  const { agent, model, workspace } = about ?? {};
  const lines = [
    plain(titleOf(about)),
    t`State: ${inLanguage(stateWords[stateOf(file, about, now)])}`,
    t`Tool: ${toolHome(id).name}`,
    agent === undefined ? '' : t`Agent: ${plain(agent)}`,
    model === undefined ? '' : t`Model: ${plain(model)}`,
    workspace === undefined ? '' : t`Folder: ${plain(workspace, MAX_SHOWN)}`,
    t`Last written: ${formatMoment(file.changed)}`,
    [about ? messagesOf(about) : '', file.bytes === 0 ? '' : formatBytes(file.bytes)]
      .filter(Boolean)
      .join(' · '),
    t`File: ${plain(file.path, MAX_SHOWN)}`,
  ];
  return plainLines(lines.filter(Boolean).join('\n'));
}

function moreItem(of: WorkspaceRow, left: number): Row {
  const item = treeRow(words`Show More…`, vscode.TreeItemCollapsibleState.None);
  item.id = `more:${of.id}:${of.folder}`;
  item.description = words`${left} older`;
  item.command = clickOn(viewIds.sessions, t`Show More`);
  return item;
}

/** How many messages a session has; of a long one, about. */
function messagesOf({ messages, isEstimated }: SessionAbout): string {
  if (messages === undefined) return '';
  const count = formatCount(messages, 'message');
  return isEstimated ? `~${count}` : count;
}

function liveWords(live: number): string {
  return live > 0 ? t`${live} live` : '';
}

function titleOf(about: SessionAbout | undefined): string {
  return about === undefined || about.title === '' ? t`(no title)` : about.title;
}
