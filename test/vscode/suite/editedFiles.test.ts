import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { GuardedPath } from '../../../src/core/ports/workspaceFiles.js';
import { versionOf } from '../../../src/agents/tools/files/diskFiles.js';
import { editorFiles } from '../../../src/surfaces/vscode/runs/editorFiles.js';
import { extensionApi, workspaceFolder } from './support/extension.js';

const LIMIT = 1024 * 1024;

/** A file with this content in the workspace, as tools see it after its path was checked. */
async function placeOf(name: string, content: string | Uint8Array): Promise<GuardedPath> {
  const root = workspaceFolder();
  const path = join(root, 'edited', name);
  await mkdir(join(root, 'edited'), { recursive: true });
  await writeFile(path, content);
  return { path, root, relative: `edited/${name}`, kind: 'file', names: 1 };
}

/** What becomes of a file's bytes when a tool replaces `old` in it, where it stands in an editor and where not. */
async function edited(name: string, content: string, old: string, by: string): Promise<string> {
  const closed = await editedOnce(await placeOf(name, content), old, by);
  const place = await placeOf(`open-${name}`, content);
  await vscode.window.showTextDocument(vscode.Uri.file(place.path));
  assert.equal(await editedOnce(place, old, by), closed);
  await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  return closed;
}

async function editedOnce(place: GuardedPath, old: string, by: string): Promise<string> {
  const before = await editorFiles.read(place, LIMIT);
  assert(before.ok);
  const written = await editorFiles.write(
    place,
    before.text.replace(old, () => by),
    before.version,
  );
  assert(written.ok, written.ok ? '' : written.message);
  const after = await editorFiles.read(place, LIMIT);
  assert(after.ok);
  assert.equal(after.version, written.version);
  return (await readFile(place.path)).toString('latin1');
}

describe('files that tools change in the editor', () => {
  before(() => extensionApi());

  it('keep their mark at the beginning, once', async () => {
    const bom = '\u00ef\u00bb\u00bf';
    assert.equal(await edited('bom.txt', '\ufeffsalt\npepper\n', 'salt', 'sugar'), `${bom}sugar\npepper\n`);
  });

  it('keep their line ends', async () => {
    assert.equal(await edited('windows.txt', 'a\r\nb\r\n', 'b', 'b\r\nc'), 'a\r\nb\r\nc\r\n');
    assert.equal(await edited('unix.txt', 'a\nb', 'b', 'c'), 'a\nc');
  });

  it('are changed by one of several that change them at the same time, and the others are told', async () => {
    const place = await placeOf('race.txt', 'salt\n');
    const fresh = { ...place, path: `${place.path}.new`, relative: `${place.relative}.new` };
    const races = [
      { place, expected: versionOf('salt\n') },
      { place: { ...fresh, kind: 'absent' as const, names: 0 }, expected: 'absent' },
    ];
    for (const { place: where, expected } of races) {
      const texts = ['one', 'two', 'three'];
      const outcomes = await Promise.all(texts.map((text) => editorFiles.write(where, text, expected)));
      const won = texts.filter((_, index) => outcomes[index]?.ok);
      assert.deepEqual(won, [await readFile(where.path, 'utf8')]);
    }
  });

  it('are not written where they changed since, and a text that is not saved stays a person’s', async () => {
    const place = await placeOf('mine.txt', 'salt\n');
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(place.path));
    await editor.edit((change) => change.insert(new vscode.Position(0, 0), 'mine '));
    const stale = await editorFiles.write(place, 'theirs\n', versionOf('salt\n'));
    assert(!stale.ok && stale.why === 'changed');
    const seen = await editorFiles.read(place, LIMIT);
    assert(seen.ok && seen.unsaved === true && seen.text === 'mine salt\n');
    const written = await editorFiles.write(place, 'mine sugar\n', seen.version);
    assert(written.ok);
    assert.equal(editor.document.getText(), 'mine sugar\n');
    assert.equal(editor.document.isDirty, true);
    assert.equal(await readFile(place.path, 'utf8'), 'salt\n');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
