import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { SafeMarkdown } from './safeMarkdown.js';
import type { PlainText } from '../../../app/text/plainText.js';
import type { Disposable } from '../../../core/event.js';

/** A row of a tree. */
export type Row = Omit<
  vscode.TreeItem,
  'label' | 'description' | 'tooltip' | 'accessibilityInformation' | 'checkboxState'
> & {
  readonly label: PlainText;
  description?: PlainText;
  tooltip?: PlainText;
  accessibilityInformation?: { readonly label: PlainText };
};

/** Makes a row. */
export function treeRow(label: PlainText, state: vscode.TreeItemCollapsibleState): Row {
  return new vscode.TreeItem(label, state) as Row;
}

/** A row whose tooltip is made when the pointer rests on it. */
export type UnresolvedRow = Readonly<vscode.TreeItem>;

/** Gives a row its tooltip. */
export function withTooltip(row: Row | UnresolvedRow, tooltip: PlainText | SafeMarkdown): UnresolvedRow {
  (row as vscode.TreeItem).tooltip = typeof tooltip === 'string' ? tooltip : tooltip.value;
  return row;
}

/** A tree; VS Code reads links in its message. */
export type Tree<T> = Omit<vscode.TreeView<T>, 'title' | 'description' | 'message' | 'badge'> & {
  description: PlainText | undefined;
  message: PlainText | undefined;
  badge: Badge | undefined;
};

/** A number on the icon of a view. */
export interface Badge {
  readonly value: number;
  readonly tooltip: PlainText;
}

/** Shows a tree in a view of package.json. */
export function tree<T>(view: string, options: vscode.TreeViewOptions<T>): Tree<T> {
  return vscode.window.createTreeView(view, options) as Tree<T>;
}

/** Calls `click` with each row of a tree that is clicked and whose `command` is the view's `clickOn`. */
export function followClicks<T>(view: string, shown: Tree<T>, click: (row: T) => void): Disposable {
  return vscode.commands.registerCommand(clickOn(view, '').command, async () => {
    const row = await selectedRow(shown);
    if (row !== undefined) click(row);
  });
}

/**
 * The command of a row that does what its tree does on a click. It has no arguments: VS Code forgets those of a row that
 * is drawn anew before the window has heard of it, and a click just then would do nothing.
 */
export function clickOn(view: string, title: string): vscode.Command {
  return { command: `${view}.click`, title };
}

/** How often and how long, in milliseconds, a row is waited for that is being drawn anew. */
const LOOKS = 40;
const LOOK_AFTER_MS = 50;

/** The row that is selected; while a whole tree is drawn anew, VS Code knows none for a moment. */
async function selectedRow<T>(shown: Tree<T>): Promise<T | undefined> {
  for (let look = 0; look < LOOKS; look++) {
    const [row] = shown.selection;
    if (row !== undefined) return row;
    await setTimeout(LOOK_AFTER_MS);
  }
  return undefined;
}
