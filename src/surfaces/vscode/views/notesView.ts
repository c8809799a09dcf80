import * as vscode from 'vscode';
import { viewIds } from '../../../app/manifest.js';
import type { NoteBook } from '../../../app/notes/noteBook.js';
import type { NotedConversation } from '../../../app/notes/noteList.js';
import type { Stores } from '../../../app/services/stores.js';
import { features } from '../../../app/features/features.js';
import { formatCount, formatShortMoment } from '../../../app/text/format.js';
import { joined, plain, plainLines, words } from '../../../app/text/plainText.js';
import { t } from '../../../core/l10n.js';
import type { Note } from '../../../core/note.js';
import { toolWords } from '../../../import/toolWords.js';
import { preview, singleLine } from '../../../core/text.js';
import type { Log } from '../../../core/ports/log.js';
import type { FileEditors } from '../panel/fileEditors.js';
import { clickOn, followClicks, tree, treeRow, type Row, type Tree } from '../ui/treeItems.js';
import { openFromTree, type TranscriptTarget } from './transcriptRows.js';

/** A row of the Notes view: a conversation, or one of its notes; commands take it as their argument. */
export type NotesRow =
  | ({ readonly kind: 'noted' } & NotedConversation)
  | {
      readonly kind: 'note';
      readonly conversation: string;
      readonly note: string;
      readonly of: Note;
      readonly found: NotedConversation['found'];
    };

/** How long changes are collected before the tree is redrawn, in milliseconds. */
const DRAW_AFTER_MS = 150;
/** How much of a note and of what it is about a row shows, in code points. */
const SHOWN = 120;

/** The Notes view: what a person has marked and written, by conversation. */
export class NotesView implements vscode.TreeDataProvider<NotesRow>, vscode.Disposable {
  readonly #stores: Stores;
  readonly #log: Log;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #tree: Tree<NotesRow>;
  readonly #following: readonly { dispose(): void }[];
  #drawing: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(stores: Stores, notes: NoteBook, files: Pick<FileEditors, 'show'>, log: Log) {
    this.#stores = stores;
    this.#log = log;
    this.#tree = tree(viewIds.notes, { treeDataProvider: this, showCollapseAll: true });
    this.#following = [
      followClicks(viewIds.notes, this.#tree, (row) => {
        if (row.kind === 'note' && row.found)
          void files.show(row.found.path, { at: row.found, what: { note: row.note } }, true);
        else openFromTree(targetOf(row));
      }),
      notes.onDidChange(() => this.#drawSoon()),
      stores.onDidChange(() => this.#drawSoon()),
      this.#tree.onDidChangeVisibility(() => this.#drawSoon()),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        // Another window may have written notes meanwhile.
        if (focused) notes.lookAgain();
      }),
    ];
  }

  /** The rows selected in the tree. */
  get selection(): readonly NotesRow[] {
    return this.#tree.selection;
  }

  async getChildren(row?: NotesRow): Promise<NotesRow[]> {
    if (row?.kind === 'note') return [];
    if (row)
      return row.notes.map((of) => ({
        kind: 'note',
        conversation: row.conversation,
        note: of.id,
        of,
        found: row.found,
      }));
    try {
      const { listNotes } = await features.transcripts();
      const noted = await listNotes(this.#stores, this.#log);
      const unread = noted.reduce((sum, { damaged, problem }) => sum + damaged + (problem ? 1 : 0), 0);
      this.#tree.message = unread === 0 ? undefined : words`${formatCount(unread, 'note')} cannot be read`;
      return noted.map((each) => ({ kind: 'noted', ...each }));
    } catch (error) {
      this.#log.error('The notes cannot be listed', error);
      this.#tree.message = words`The notes cannot be read.`;
      return [];
    }
  }

  getTreeItem(row: NotesRow): Row {
    return row.kind === 'note' ? noteItem(row) : conversationItem(row);
  }

  dispose(): void {
    clearTimeout(this.#drawing);
    for (const following of this.#following) following.dispose();
    this.#tree.dispose();
    this.#changed.dispose();
  }

  #drawSoon(): void {
    if (!this.#tree.visible) return;
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      this.#changed.fire(undefined);
    }, DRAW_AFTER_MS);
  }
}

function conversationItem(row: Extract<NotesRow, { kind: 'noted' }>): Row {
  const { conversation, title, notes, damaged, problem, found } = row;
  const item = treeRow(plain(title || t`(no title)`), vscode.TreeItemCollapsibleState.Expanded);
  item.id = `noted:${conversation}`;
  const unread = damaged > 0 ? t`${damaged} cannot be read` : '';
  item.description = joined(
    [formatCount(notes.length, 'note'), found ? toolWords(found.tool) : '', unread],
    ' · ',
  );
  item.iconPath = new vscode.ThemeIcon(problem === undefined ? 'comment-discussion' : 'warning');
  item.contextValue = 'noted';
  if (problem !== undefined) item.tooltip = plain(problem);
  return item;
}

function noteItem({ conversation, note, of }: Extract<NotesRow, { kind: 'note' }>): Row {
  const { about, text, changedAt } = of;
  const said = preview(about.excerpt, SHOWN) || t`(no text)`;
  const isBookmark = text === '';
  const label = plain(isBookmark ? said : preview(singleLine(text), SHOWN));
  const item = treeRow(label, vscode.TreeItemCollapsibleState.None);
  item.id = `note:${conversation}:${note}`;
  item.description = joined([about.agent, isBookmark ? '' : said], ' · ');
  item.iconPath = new vscode.ThemeIcon(isBookmark ? 'bookmark' : 'note');
  item.contextValue = 'note';
  item.tooltip = plainLines(
    [text, `${about.agent}: ${about.excerpt}`, formatShortMoment(changedAt, Date.now())]
      .filter((line) => line !== '')
      .join('\n\n'),
  );
  item.accessibilityInformation = {
    label: words`${isBookmark ? t`Bookmark` : t`Note`}: ${label}, ${item.description}`,
  };
  item.command = clickOn(viewIds.notes, t`Open Transcript`);
  return item;
}

function targetOf(row: NotesRow): TranscriptTarget | undefined {
  return row.kind === 'note' ? { conversation: row.conversation, note: row.note } : undefined;
}
