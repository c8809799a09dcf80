import * as vscode from 'vscode';
import { preview, singleLine } from '../core/text.js';

/** How much of an untrusted text a notification shows, in code points. */
const LIMIT = 300;

/**
 * Makes a text of a model, tool or file safe for a notification. VS Code turns `[x](command:…)` there into a link that
 * runs a command, so the two characters that make a link are separated.
 */
export function plain(text: string): string {
  return preview(singleLine(text), LIMIT).replaceAll('](', '] (');
}

/** Shows an error; resolves with the button that was pressed. */
export async function showError(message: string, ...buttons: string[]): Promise<string | undefined> {
  return vscode.window.showErrorMessage(plain(message), ...buttons);
}

/** Shows a warning; resolves with the button that was pressed. */
export async function showWarning(message: string, ...buttons: string[]): Promise<string | undefined> {
  return vscode.window.showWarningMessage(plain(message), ...buttons);
}

/** Shows information; resolves with the button that was pressed. */
export async function showInformation(message: string, ...buttons: string[]): Promise<string | undefined> {
  return vscode.window.showInformationMessage(plain(message), ...buttons);
}

/** Asks for confirmation of something far-reaching or irreversible; true only when the person pressed `action`. */
export async function confirm(message: string, detail: string, action: string): Promise<boolean> {
  const options = { modal: true, detail: detail.split('\n').map(plain).join('\n') };
  return (await vscode.window.showWarningMessage(plain(message), options, action)) === action;
}
