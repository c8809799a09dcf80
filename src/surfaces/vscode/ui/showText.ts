import * as vscode from 'vscode';

/** Shows a text in an untitled editor; `language` is a VS Code language id, ignored where VS Code does not have it. */
export async function showText(content: string, language: string): Promise<void> {
  const languages = await vscode.languages.getLanguages();
  const known = languages.includes(language) ? language : 'plaintext';
  const document = await vscode.workspace.openTextDocument({ content, language: known });
  await vscode.window.showTextDocument(document, { preview: false });
}
