import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { StrictServer } from '../../support/strictServer.js';
import { calling, saying } from '../../support/wireAnswers.js';
import { eventually, extensionApi, journal, runAgent, workspaceFolder } from './support/extension.js';
import { withSettings } from './support/settings.js';

const scribe = '---\nname: Scribe\ndescription: Writes\ntools: [read, edit]\n---\nYou write.\n';

/** Runs an agent that may write, on an endpoint with these answers. */
async function withScribe(answers: Parameters<typeof StrictServer.start>[0], prompt: string) {
  await extensionApi();
  await mkdir(join(workspaceFolder(), '.github/agents'), { recursive: true });
  await writeFile(join(workspaceFolder(), '.github/agents/scribe.agent.md'), scribe);
  await vscode.commands.executeCommand('agentLogbook.refreshAgents');
  await using server = await StrictServer.start(answers);
  const endpoints = [{ name: 'loopback', url: server.url }];
  let conversation = '';
  await withSettings({ endpoints, model: 'loopback/test-model', approvals: 'approveAll' }, async () => {
    ({ conversation } = await runAgent('Scribe', prompt));
  });
  return await journal(conversation);
}

describe('an agent that writes', () => {
  it('creates a file, changes it, and what it did can be undone', async () => {
    const path = 'kitchen/notes.txt';
    const file = join(workspaceFolder(), path);
    await withScribe(
      [
        calling({ name: 'write_file', args: { path, content: 'butter: 38 g\n' } }),
        calling({ name: 'edit_file', args: { path, old_text: '38', new_text: '600' } }),
        saying('Done.'),
      ],
      'Write it down.',
    );
    assert.equal(await readFile(file, 'utf8'), 'butter: 600 g\n');
    await vscode.window.showTextDocument(vscode.Uri.file(file));
    await vscode.commands.executeCommand('undo');
    await eventually('the change is undone', () =>
      Promise.resolve(vscode.window.activeTextEditor?.document.getText() === 'butter: 38 g\n'),
    );
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('is refused a file outside of the workspace, and the record says so', async () => {
    const records = await withScribe(
      [calling({ name: 'read_file', args: { path: '../../../etc/hostname' } }), saying('I may not.')],
      'Read it.',
    );
    const result = records.find((record) => record.type === 'message' && record.message.role === 'tool');
    assert(result?.type === 'message' && result.isError === true);
  });
});
