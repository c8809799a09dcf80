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

/** Shows a text in an untitled editor; `language` is a VS Code language id, ignored where VS Code does not have it. */
export async function showText(content: string, language: string): Promise<void> {
  const languages = await vscode.languages.getLanguages();
  const known = languages.includes(language) ? language : 'plaintext';
  const document = await vscode.workspace.openTextDocument({ content, language: known });
  await vscode.window.showTextDocument(document, { preview: false });
}
