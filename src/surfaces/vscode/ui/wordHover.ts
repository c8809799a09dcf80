import * as vscode from 'vscode';
import { plainLines } from '../../../app/text/plainText.js';
import { SafeMarkdown } from './safeMarkdown.js';

/** What a word of a language of ours means, with an example as an editor draws it. */
export function meaningOf(text: string, example: string, language: string): vscode.MarkdownString {
  return new SafeMarkdown().paragraph(text).value.appendCodeblock(plainLines(example), language);
}

/** The same where the pointer rests on the word. */
export function wordHover(meaning: vscode.MarkdownString, range: vscode.Range): vscode.Hover {
  return new vscode.Hover(meaning, range);
}
