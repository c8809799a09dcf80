import { basename } from 'node:path';
import * as vscode from 'vscode';
import {
  lastingStateText,
  newsWords,
  stateDetails,
  stateIcons,
  stateText,
} from '../../../app/discovery/stateWords.js';
import { stateOf, type SessionState } from '../../../capture/discovery/sessionState.js';
import {
  type MoreRow,
  type OfferRow,
  type ProblemRow,
  type SessionRow,
} from '../../../app/views/transcriptGroups.js';
import { viewIds } from '../../../app/manifest.js';
import { formatBytes, formatCount, formatMoment, formatShortMoment } from '../../../app/text/format.js';
import { joined, plain, plainLines, words, type PlainText } from '../../../app/text/plainText.js';
import type { SessionAbout } from '../../../capture/discovery/sessionAbout.js';
import { t } from '../../../core/l10n.js';
import { preview } from '../../../core/text.js';
import { FILE_VIEW_TYPE } from '../panel/fileEditors.js';
import { clickOn, treeRow, type Row } from '../ui/treeItems.js';

/** How much of a name or a path a tooltip shows, in code points. */
const MAX_SHOWN = 500;
/** How much of a model's or an agent's name a row shows, in code points. */
const MAX_NAME = 40;

/** A row that is no conversation of a store. */
export type SessionItemRow = SessionRow | MoreRow | OfferRow | ProblemRow;

/** The tree item of a row, without its tooltip. */
export function itemFor(row: SessionItemRow, about: SessionAbout | undefined, now: number): Row {
  switch (row.kind) {
    case 'session':
      return sessionItem(row, about, now);
    case 'more':
      return moreItem(row);
    case 'offer':
      return offerItem(row);
    case 'problem':
      return problemItem(row);
  }
}

/** The tooltip of a row. */
export function tooltipFor(row: SessionItemRow, about: SessionAbout | undefined, now: number): PlainText {
  switch (row.kind) {
    case 'session':
      return sessionTooltip(row, about, now);
    case 'more':
      return words`${row.left} older sessions are not shown yet.`;
    case 'offer':
      return words`Reads the folders of ${namesOf(row)} on this machine, and never writes there. Choose Tools… takes it back.`;
    case 'problem':
      return plain(row.words, MAX_SHOWN);
  }
}

/** What the view says of the tools that are on this machine and that nobody was asked about. */
export function offerWords(row: OfferRow): PlainText {
  return row.tools.length === 1
    ? words`${namesOf(row)} keeps sessions on this machine.`
    : words`${namesOf(row)} keep sessions on this machine.`;
}

function namesOf({ tools }: OfferRow): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(tools.map(({ name }) => name));
}

function offerItem(row: OfferRow): Row {
  const item = treeRow(words`Show Them`, vscode.TreeItemCollapsibleState.None);
  item.id = 'offer';
  item.iconPath = new vscode.ThemeIcon('eye', new vscode.ThemeColor('textLink.foreground'));
  item.contextValue = 'offer';
  item.accessibilityInformation = { label: words`Show the sessions of ${namesOf(row)}` };
  item.command = clickOn(viewIds.transcripts, t`Show Them`);
  return item;
}

function problemItem({ tool, words: problem }: ProblemRow): Row {
  const item = treeRow(plain(`${tool}: ${problem}`, MAX_SHOWN), vscode.TreeItemCollapsibleState.None);
  item.id = `problem:${tool}:${problem}`;
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground'));
  item.contextValue = 'problem';
  return item;
}

/** What a session does: as it was looked at last, or as far as its end tells. */
function stateIn({ file, state }: SessionRow, about: SessionAbout | undefined, now: number): SessionState {
  return state ?? stateOf({ changed: file.changed, life: about?.life, context: about?.context }, now);
}

function sessionItem(row: SessionRow, about: SessionAbout | undefined, now: number): Row {
  const { tool, file, folder } = row;
  const state = stateIn(row, about, now);
  const { kept } = row;
  const { name = '' } = kept ?? {};
  const label = plain(name === '' ? titleOf(about) : name);
  const item = treeRow(label, vscode.TreeItemCollapsibleState.None);
  item.id = `session:${file.path}`;
  const project = folderName(about?.workspace ?? folder);
  const facts = [
    newsWords(row, now),
    state.isLive ? lastingStateText(state, now) : '',
    tool,
    formatShortMoment(file.changed, now),
    about ? messagesOf(about) : t`cannot be read`,
    preview(about?.model ?? '', MAX_NAME),
    preview(about?.agent ?? '', MAX_NAME),
    preview(project, MAX_NAME),
  ];
  item.description = joined(facts, ' · ');
  const [icon, color] = stateIcons[state.state];
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  item.contextValue = 'session';
  item.accessibilityInformation = {
    label: joined([label, lastingStateText(state, now), facts[0] ?? '', ...facts.slice(2)], ', '),
  };
  item.command = {
    command: 'vscode.openWith',
    title: t`Open`,
    arguments: [vscode.Uri.file(file.path), FILE_VIEW_TYPE, { preview: true, preserveFocus: true }],
  };
  return item;
}

function sessionTooltip(row: SessionRow, about: SessionAbout | undefined, now: number): PlainText {
  const { tool, file, id } = row;
  const state = stateIn(row, about, now);
  const { agent, model, workspace } = about ?? {};
  const lines = [
    plain(titleOf(about)),
    t`State: ${stateText(state, now)}`,
    ...stateDetails(state, id).map((line) => plain(line, MAX_SHOWN)),
    t`Tool: ${tool}`,
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

function moreItem({ of, left }: MoreRow): Row {
  const item = treeRow(words`Show More…`, vscode.TreeItemCollapsibleState.None);
  item.id = `more:${of.id}`;
  item.description = words`${left} older`;
  item.command = clickOn(viewIds.transcripts, t`Show More`);
  return item;
}

/** The name of the folder in which a session was held. */
function folderName(folder: string): string {
  return basename(folder.replace(/\\/g, '/'));
}

/** How many messages a session has; of a long one, about. */
function messagesOf({ messages, isEstimated }: SessionAbout): string {
  if (messages === undefined) return '';
  const count = formatCount(messages, 'message');
  return isEstimated ? `~${count}` : count;
}

function titleOf(about: SessionAbout | undefined): string {
  return about === undefined || about.title === '' ? t`(no title)` : about.title;
}
