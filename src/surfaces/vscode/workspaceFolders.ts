import { message, t, type Message } from '../../core/l10n.js';
import * as vscode from 'vscode';
import {
  requireTrust as requireTrustIn,
  type Workspace,
  type WorkspaceFolder,
} from '../../app/ports/workspace.js';
import { UserError, type RecoveryAction } from '../../app/userError.js';

/** Offers to open a folder where none is open. */
export const openFolder: RecoveryAction = { label: message`Open Folder…`, command: 'vscode.openFolder' };

/** The workspace folder that agents work in: that of a file, else the active editor's, else the first. */
export function workingFolder(path?: string): vscode.WorkspaceFolder | undefined {
  const own = path === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path));
  const active = vscode.window.activeTextEditor?.document.uri;
  return (
    own ?? (active && vscode.workspace.getWorkspaceFolder(active)) ?? vscode.workspace.workspaceFolders?.[0]
  );
}

/** Throws where a workspace folder was deleted or moved while it is open, and nothing may be written into its path. */
async function requireFolder(folder: WorkspaceFolder): Promise<void> {
  const uri = vscode.Uri.parse(folder.uri.toString(), true);
  const isThere = await vscode.workspace.fs.stat(uri).then(
    () => true,
    (error: unknown) => !(error instanceof vscode.FileSystemError && error.code === 'FileNotFound'),
  );
  if (isThere) return;
  const path = uri.scheme === 'file' ? uri.fsPath : uri.toString();
  throw new UserError(
    t`The folder "${folder.name}" was deleted or moved while it was open. Put it back to ${path}, or open it where it is now.`,
    openFolder,
  );
}

/** What is open in this window of VS Code. */
export const editorWorkspace: Workspace = {
  get isTrusted() {
    return vscode.workspace.isTrusted;
  },
  onDidGrantTrust: (listener) => vscode.workspace.onDidGrantWorkspaceTrust(() => listener()),
  get folders() {
    return vscode.workspace.workspaceFolders ?? [];
  },
  workingFolder,
  requireFolder,
};

/** Throws in an untrusted workspace, where nothing runs and nothing is written, whoever asks for it. */
export function requireTrust(why?: Message): void {
  requireTrustIn(editorWorkspace, why);
}
