import * as vscode from 'vscode';
import { messageOf } from '../../../core/text.js';
import type { FileOutcome, GuardedPath, WorkspaceFiles } from '../../../core/ports/workspaceFiles.js';
import { readDiskText, versionOf } from '../../../agents/tools/files/diskFiles.js';

/**
 * The workspace's files as a person sees them: the text of an unsaved editor is the file's text. Changes go through a
 * WorkspaceEdit, so that they can be undone.
 */
export const editorFiles: WorkspaceFiles = {
  async read(place, maxBytes) {
    const open = openDocument(place);
    if (!open?.isDirty) return readDiskText(place, maxBytes);
    return { ok: true, text: open.getText(), version: versionOf(open.getText()), unsaved: true };
  },

  async write(place, text, expected) {
    try {
      return await inTurn(place.path, () =>
        place.kind === 'absent' ? create(place, text, expected) : replace(place, text, expected),
      );
    } catch (error) {
      return refusal('failed', `'${place.relative}' could not be written: ${messageOf(error)}`);
    }
  },
};

/** The latest write in progress for each file. */
const writing = new Map<string, Promise<unknown>>();

/** Serializes the writes of a file: one between another's check and change would be lost silently. */
async function inTurn<T>(path: string, write: () => Promise<T>): Promise<T> {
  const mine = (writing.get(path) ?? Promise.resolve()).then(write);
  const settled = mine.catch(() => undefined);
  writing.set(path, settled);
  try {
    return await mine;
  } finally {
    if (writing.get(path) === settled) writing.delete(path);
  }
}

type Written = FileOutcome<{ readonly version: string }>;

async function create(place: GuardedPath, text: string, expected: string): Promise<Written> {
  if (expected !== 'absent') {
    return refusal('changed', `'${place.relative}' was there when it was read and is gone.`);
  }
  const edit = new vscode.WorkspaceEdit();
  const contents = new TextEncoder().encode(text);
  edit.createFile(vscode.Uri.file(place.path), { contents, overwrite: false });
  return applied(place, edit);
}

async function replace(place: GuardedPath, text: string, expected: string): Promise<Written> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(place.path));
  const now = await editorFiles.read(place, MAX_BYTES);
  if (!now.ok || now.version !== expected) {
    return refusal('changed', `'${place.relative}' has changed since it was read. Read it again.`);
  }
  const wasDirty = document.isDirty;
  const edit = new vscode.WorkspaceEdit();
  edit.replace(
    document.uri,
    document.validateRange(new vscode.Range(0, 0, Number.MAX_SAFE_INTEGER, 0)),
    asInEditor(text, now.text, document),
  );
  // What a person has not saved yet is theirs to save.
  return applied(place, edit, wasDirty ? undefined : document);
}

const BOM = '\ufeff';

/** The text without a byte order mark where VS Code keeps it separately: writing it again would double it. */
function asInEditor(text: string, onDisk: string, document: vscode.TextDocument): string {
  const isApart = onDisk.startsWith(BOM) && !document.getText().startsWith(BOM);
  return isApart && text.startsWith(BOM) ? text.slice(BOM.length) : text;
}

/** Applies the change; gives the version of the file's content afterwards, because VS Code may normalize line ends. */
async function applied(
  place: GuardedPath,
  edit: vscode.WorkspaceEdit,
  toSave?: vscode.TextDocument,
): Promise<Written> {
  if (!(await vscode.workspace.applyEdit(edit))) {
    return refusal('failed', `VS Code refused to change '${place.relative}'.`);
  }
  if (toSave && !(await toSave.save())) {
    return refusal('failed', `'${place.relative}' was changed in the editor but could not be saved.`);
  }
  const after = await editorFiles.read(place, MAX_BYTES);
  return after.ok ? { ok: true, version: after.version } : after;
}

/** As much as any text that a tool writes. */
const MAX_BYTES = 64 * 1024 * 1024;

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
