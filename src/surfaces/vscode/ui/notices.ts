import * as vscode from 'vscode';
import { Uri, type Webview } from 'vscode';
import type { DialogText, PlainText } from '../../../app/text/plainText.js';
import { commandName, type CommandId } from '../../../app/manifest.js';
import { WebviewContent } from '../../../page/panel/webviewContent.js';
import type { Dialogs } from '../../../app/ports/dialogs.js';
import { askForText } from './pickers.js';
import { withProgress } from './progress.js';

/** The notices and dialogs of VS Code, as the application uses them. */
export const dialogs: Dialogs = {
  showError,
  showWarning,
  showInformation,
  askForText,
  progress: withProgress,
};

/** Shows an error; resolves with the button that was pressed. */
export async function showError(message: PlainText, ...buttons: string[]): Promise<string | undefined> {
  return vscode.window.showErrorMessage(message, ...buttons);
}

/** Shows a warning; resolves with the button that was pressed. */
export async function showWarning(message: PlainText, ...buttons: string[]): Promise<string | undefined> {
  return vscode.window.showWarningMessage(message, ...buttons);
}

/** Shows information; resolves with the button that was pressed. */
export async function showInformation(message: PlainText, ...buttons: string[]): Promise<string | undefined> {
  return vscode.window.showInformationMessage(message, ...buttons);
}

/** Moves the notices in view to VS Code's list of notices, as Escape does: none can be closed before it is answered. */
export async function hideToasts(): Promise<void> {
  await vscode.commands.executeCommand('notifications.hideToasts');
}

/** A question in a dialog. */
export interface DialogQuestion {
  readonly message: PlainText;
  readonly detail: PlainText | DialogText;
  /** The buttons besides Cancel; the first is the one that Enter presses. */
  readonly buttons: readonly [string, string?, string?];
  /** The button that also closes the dialog, in place of Cancel. */
  readonly close?: string;
}

/** Asks in a dialog; resolves with the button that was pressed, undefined for Cancel. */
export async function askInDialog({
  message,
  detail,
  buttons,
  close,
}: DialogQuestion): Promise<string | undefined> {
  const [first, second, third] = buttons;
  const item = (title: string | undefined, isCloseAffordance = false): vscode.MessageItem | undefined =>
    title === undefined ? undefined : { title, isCloseAffordance };
  const pressed = await vscode.window.showWarningMessage(
    message,
    { modal: true, detail },
    ...[item(first), item(second), item(third), item(close, true)].filter((each) => each !== undefined),
  );
  return pressed?.title;
}

/** Asks for confirmation of something far-reaching or irreversible; true only when the person pressed `action`. */
export async function confirm(message: PlainText, detail: PlainText, action: string): Promise<boolean> {
  return (await askInDialog({ message, detail, buttons: [action] })) === action;
}

/** What a person can do about a notice: a command of ours, with its argument. */
interface NoticeWay {
  readonly words: string;
  readonly command: CommandId;
  readonly argument: object;
}

/** Shows a heading and the reason in place of a page, and a way on, the only command that its links can run. */
export function showNoticeWithWay(webview: Webview, heading: string, words: string, way: NoticeWay): void {
  const command = commandName(way.command);
  webview.options = { enableCommandUris: [command] };
  const address = Uri.from({ scheme: 'command', path: command, query: JSON.stringify([way.argument]) });
  WebviewContent.of(webview).notice(heading, words, { words: way.words, address: address.toString() });
}
