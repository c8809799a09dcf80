import * as vscode from 'vscode';
import { UserError, type WayOn } from './userError.js';

/** What helps where no folder is open. */
export const openFolder: WayOn = { label: 'Open Folder…', command: 'vscode.openFolder' };

/** The workspace folder that agents work in: the one a file lies in, else the active editor's, else the first. */
export function workingFolder(path?: string): vscode.WorkspaceFolder | undefined {
  const own = path === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path));
  const active = vscode.window.activeTextEditor?.document.uri;
  return (
    own ?? (active && vscode.workspace.getWorkspaceFolder(active)) ?? vscode.workspace.workspaceFolders?.[0]
  );
}

/** What is said where somebody wants to run an agent in a workspace that is not trusted. */
export const UNTRUSTED =
  'Agents run only in a trusted workspace. Reading and exporting transcripts works everywhere.';

/** Ends a command in an untrusted workspace: there nothing may run, whoever asks for it. */
export function requireTrust(): void {
  if (!vscode.workspace.isTrusted) throw new UserError(UNTRUSTED);
}
