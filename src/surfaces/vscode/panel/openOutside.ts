import { t } from '../../../core/l10n.js';
import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { visibleText } from '../../../core/visibleText.js';
import { PathGuard } from '../../../agents/tools/paths/pathGuard.js';
import { askInDialog } from '../ui/notices.js';
import { wholeText, words } from '../../../app/text/plainText.js';
import { UserError } from '../../../app/userError.js';

/** Opens a file that a record names, if its real path is in the workspace. `line` counts from 1. */
export async function openFile(path: string, line: number | undefined): Promise<void> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath).filter(isAbsolute);
  const checked = await new PathGuard(folders).resolve(path);
  if (!checked.ok) throw new UserError(checked.message);
  const { place } = checked;
  if (place.kind !== 'file')
    throw new UserError(t`'${visibleText(place.relative)}' is not a file that can be shown.`);
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
  await vscode.window.showTextDocument(vscode.Uri.file(place.path), { selection: new vscode.Range(at, at) });
}

/** Shows the whole URL and opens it in the browser if the person agrees. */
export async function openLink(url: string): Promise<void> {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !['http:', 'https:'].includes(address.protocol)) {
    throw new UserError(t`Only links to web pages are opened.`);
  }
  const open = t`Open in Browser`;
  const message = words`Open this page of ${address.host}?`;
  const pressed = await askInDialog({ message, detail: wholeText(address.href), buttons: [open] });
  if (pressed === open) await vscode.env.openExternal(vscode.Uri.parse(address.href, true));
}
