import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import {
  editorInFront,
  eventually,
  extensionApi,
  journalSoFar,
  workspaceFolder,
} from './support/extension.js';

const line = (type: string, uuid: string, content: string) =>
  `${JSON.stringify({
    type,
    uuid,
    sessionId: 'open-1',
    timestamp: '2026-01-01T00:00:00Z',
    message: { role: type, content },
  })}\n`;

async function conversations(): Promise<string[]> {
  const folders = await readdir(join(workspaceFolder(), '.agent-logbook/conversations')).catch(() => []);
  return folders.filter((name) => !name.startsWith('.'));
}

/** What the report of the file in front says. */
async function report(): Promise<string> {
  await vscode.commands.executeCommand('agentLogbook.showFileReport');
  await eventually('the report is there', () =>
    Promise.resolve(
      vscode.window.activeTextEditor?.document.getText().includes('What was read of a file') === true,
    ),
  );
  const text = vscode.window.activeTextEditor?.document.getText() ?? '';
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  await eventually('the panel is in front again', () =>
    Promise.resolve(editorInFront() === 'agentLogbook.transcriptFile'),
  );
  return text;
}

describe('a file of another tool', () => {
  it('opens where it is, is followed while it grows, and is kept only when a person says so', async () => {
    await extensionApi();
    const folder = await mkdtemp(join(tmpdir(), 'open-file-'));
    const path = join(folder, 'session.jsonl');
    await writeFile(
      path,
      line('user', 'u1', 'Which drawer has spoons?') + line('assistant', 'a1', 'The upper one.'),
    );
    const before = new Set(await conversations());
    await vscode.commands.executeCommand('agentLogbook.openTranscriptFile', vscode.Uri.file(path));
    await eventually('its panel is in front', () =>
      Promise.resolve(editorInFront() === 'agentLogbook.transcriptFile'),
    );
    await eventually('it is read', async () =>
      (await report().catch(() => '')).includes('1 conversation, 2 records'),
    );

    await appendFile(path, line('user', 'u2', 'And forks?'));
    await eventually('what was added is read', async () =>
      (await report()).includes('1 conversation, 3 records'),
    );
    assert.match(await report(), /All of it was understood\./);
    assert.deepEqual(
      (await conversations()).filter((id) => !before.has(id)),
      [],
    );

    void vscode.commands.executeCommand('agentLogbook.keepCopy');
    let kept: string | undefined;
    await eventually('a copy is in the store', async () => {
      kept = (await conversations()).find((id) => !before.has(id));
      return kept !== undefined && (await journalSoFar(kept)).length >= 3;
    });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(folder, { recursive: true });
  });
});
