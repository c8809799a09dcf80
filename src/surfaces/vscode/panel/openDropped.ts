import * as vscode from 'vscode';
import { t } from '../../../core/l10n.js';
import { UserError } from '../../../app/userError.js';
import { FILE_VIEW_TYPE } from './fileEditors.js';

/**
 * Opens files as transcripts that a person has dropped on a panel, by their URIs as the window tells them: those of a remote
 * window name the remote, on which this program runs. Rejects with an error for a person where one is no file on a disk.
 */
export async function openDropped(addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    const uri = vscode.Uri.parse(address);
    const isHere =
      uri.scheme === 'file' || (uri.scheme === 'vscode-remote' && vscode.env.remoteName !== undefined);
    if (!isHere) throw new UserError(t`Only files on a disk of this machine can be opened as transcripts.`);
    const file = uri.scheme === 'file' ? uri : vscode.Uri.file(uri.path);
    await vscode.commands.executeCommand('vscode.openWith', file, FILE_VIEW_TYPE);
  }
}
