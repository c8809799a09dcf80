import * as vscode from 'vscode';
import type { IconText, PlainText } from '../../../app/text/plainText.js';

/** An item of the status bar. */
export type StatusItem = Omit<
  vscode.StatusBarItem,
  'name' | 'text' | 'tooltip' | 'accessibilityInformation'
> & {
  name: PlainText | undefined;
  text: IconText;
  tooltip: PlainText | undefined;
};

/** Makes an item at the left of the status bar, hidden until it is shown. */
export function statusItem(id: string, priority?: number): StatusItem {
  return vscode.window.createStatusBarItem(
    id,
    vscode.StatusBarAlignment.Left,
    priority,
  ) as unknown as StatusItem;
}
