import * as vscode from 'vscode';
import { clipboardText, type ClipboardKind } from '../../../app/text/clipboardText.js';

/** What is in the clipboard. */
export async function copiedText(): Promise<string> {
  return vscode.env.clipboard.readText();
}

/** Puts a text into the clipboard, from where it may go into a terminal or a program, see {@link clipboardText}. */
export async function copyText(text: string, kind: ClipboardKind = 'text'): Promise<void> {
  await vscode.env.clipboard.writeText(clipboardText(text, kind));
}
