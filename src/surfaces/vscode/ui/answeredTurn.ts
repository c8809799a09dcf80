import * as vscode from 'vscode';

/** What an earlier answer of the Chat view says, as its Markdown. */
export function textOfTurn({ response }: vscode.ChatResponseTurn): string {
  return response
    .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ''))
    .join('');
}
