import * as vscode from 'vscode';
import type { SafeMarkdown } from './safeMarkdown.js';
import type { PlainText } from '../../app/text/plainText.js';

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
};

/** Shows a tree in a view of package.json. */
export function tree<T>(view: string, options: vscode.TreeViewOptions<T>): Tree<T> {
  return vscode.window.createTreeView(view, options) as Tree<T>;
}
