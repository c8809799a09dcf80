import * as vscode from 'vscode';
import { messageOf } from '../../core/text.js';
import type { FileOutcome, FileText, GuardedPath, WorkspaceFiles } from '../../ports/workspaceFiles.js';
import { readDiskText, versionOf } from '../../tools/diskFiles.js';

/**
 * The workspace's files as a person sees them: what stands in an unsaved editor is the file's text. Changes go
 * through a WorkspaceEdit, so that undo brings back what was there before.
 */
export const editorFiles: WorkspaceFiles = {
  async read(place, maxBytes) {
    const open = openDocument(place);
    if (!open?.isDirty) return readDiskText(place, maxBytes);
    return { ok: true, text: open.getText(), version: versionOf(open.getText()), unsaved: true };
  },

  async write(place, text, expected) {
    try {
      return place.kind === 'absent'
        ? await create(place, text, expected)
        : await replace(place, text, expected);
    } catch (error) {
      return refusal('failed', `'${place.relative}' could not be written: ${messageOf(error)}`);
    }
  },
};

async function create(place: GuardedPath, text: string, expected: string) {
  if (expected !== 'absent')
    return refusal('changed', `'${place.relative}' was there when it was read and is gone.`);
  const edit = new vscode.WorkspaceEdit();
  const contents = new TextEncoder().encode(text);
  edit.createFile(vscode.Uri.file(place.path), { contents, overwrite: false });
  return applied(place, edit, text);
}

async function replace(place: GuardedPath, text: string, expected: string) {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(place.path));
  const now = document.isDirty ? document.getText() : await textOnDisk(place);
  if (now === undefined || versionOf(now) !== expected) {
    return refusal('changed', `'${place.relative}' has changed since it was read. Read it again.`);
  }
  const wasDirty = document.isDirty;
  const edit = new vscode.WorkspaceEdit();
  const whole = document.validateRange(new vscode.Range(0, 0, Number.MAX_SAFE_INTEGER, 0));
  edit.replace(document.uri, whole, text);
  const outcome = await applied(place, edit, text);
  // What a person has not saved yet is theirs to save.
  if (outcome.ok && !wasDirty && !(await document.save())) {
    return refusal('failed', `'${place.relative}' was changed in the editor but could not be saved.`);
  }
  return outcome;
}

async function applied(
  place: GuardedPath,
  edit: vscode.WorkspaceEdit,
  text: string,
): Promise<FileOutcome<{ readonly version: string }>> {
  const done = await vscode.workspace.applyEdit(edit);
  if (!done) return refusal('failed', `VS Code refused to change '${place.relative}'.`);
  return { ok: true, version: versionOf(text) };
}

/** As much as any text that a tool writes. */
const MAX_BYTES = 64 * 1024 * 1024;

async function textOnDisk(place: GuardedPath): Promise<string | undefined> {
  const file: FileOutcome<FileText> = await readDiskText(place, MAX_BYTES);
  return file.ok ? file.text : undefined;
}

function openDocument(place: GuardedPath): vscode.TextDocument | undefined {
  const uri = vscode.Uri.file(place.path).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
}

function refusal(
  why: 'changed' | 'failed',
  message: string,
): { ok: false; why: 'changed' | 'failed'; message: string } {
  return { ok: false, why, message };
}
