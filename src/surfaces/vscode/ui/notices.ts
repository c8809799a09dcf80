import * as vscode from 'vscode';
import type { DialogText, PlainText } from '../../../app/text/plainText.js';

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
