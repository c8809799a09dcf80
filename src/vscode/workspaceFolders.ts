import * as vscode from 'vscode';
import { UserError, type WayOn } from '../app/userError.js';

/** Offers to open a folder where none is open. */
export const openFolder: WayOn = { label: 'Open Folder…', command: 'vscode.openFolder' };

/** The workspace folder that agents work in: that of a file, else the active editor's, else the first. */
export function workingFolder(path?: string): vscode.WorkspaceFolder | undefined {
  const own = path === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path));
  const active = vscode.window.activeTextEditor?.document.uri;
  return (
    own ?? (active && vscode.workspace.getWorkspaceFolder(active)) ?? vscode.workspace.workspaceFolders?.[0]
  );
}

/** Throws where a workspace folder was deleted or moved while it is open, and nothing may be written into its path. */
export async function requireFolder(folder: vscode.WorkspaceFolder): Promise<void> {
  const isThere = await vscode.workspace.fs.stat(folder.uri).then(
    () => true,
    (error: unknown) => !(error instanceof vscode.FileSystemError && error.code === 'FileNotFound'),
  );
  if (isThere) return;
  const path = folder.uri.scheme === 'file' ? folder.uri.fsPath : folder.uri.toString();
  throw new UserError(
    `The folder "${folder.name}" was deleted or moved while it was open. Put it back to ${path}, or open it where it is now.`,
    openFolder,
  );
}

/** Tells a person why no agent runs in an untrusted workspace. */
export const UNTRUSTED =
  'Agents run only in a trusted workspace. Reading and exporting transcripts works everywhere.';

/** Tells a person why nothing is written in an untrusted workspace. */
export const READ_ONLY =
  'This workspace is not trusted: transcripts can be read and exported, and nothing is written into it.';

const manageTrust: WayOn = { label: 'Manage Workspace Trust…', command: 'workbench.trust.manage' };

/** Throws in an untrusted workspace, where nothing runs and nothing is written, whoever asks for it. */
export function requireTrust(why: string = UNTRUSTED): void {
  if (!vscode.workspace.isTrusted) throw new UserError(why, manageTrust);
}
