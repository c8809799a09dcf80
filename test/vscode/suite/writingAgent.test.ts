import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { textOf } from '../../../src/core/message.js';
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

/** What the tools answered, in their order. */
const toolAnswers = (records: Awaited<ReturnType<typeof journal>>) =>
  records.flatMap((record) =>
    record.type === 'message' && record.message.role === 'tool'
      ? [{ isError: record.isError === true, content: textOf(record.message.content) }]
      : [],
  );

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

  it('writes over nothing that it has not seen, or that somebody has changed since', async () => {
    const path = 'kitchen/card.txt';
    const file = join(workspaceFolder(), path);
    await writeFile(file, 'butter: 38 g\n');
    const overwrite = calling({ name: 'write_file', args: { path, content: 'no butter\n' } });
    const edit = calling({ name: 'edit_file', args: { path, old_text: '38', new_text: '600' } });
    const answers = [
      overwrite,
      calling({ name: 'read_file', args: { path } }),
      edit,
      overwrite,
      saying('I leave it.'),
    ];
    const records = await withScribe(async (_, index) => {
      if (index === 2) await writeFile(file, 'butter: 38 g, says the cook\n');
      return answers[index] ?? saying('?');
    }, 'Change it.');
    assert.equal(await readFile(file, 'utf8'), 'butter: 38 g, says the cook\n');
    assert.deepEqual(
      toolAnswers(records).map(({ isError, content }) => `${isError} ${content.split('.').at(-2)?.trim()}`),
      ['true Read it first', 'false undefined', 'true Read it again', 'true Read it first'],
    );
  });

  it('writes over nothing that is changed in an editor while it waits', async () => {
    const path = 'kitchen/tin.txt';
    const file = join(workspaceFolder(), path);
    await writeFile(file, 'salt: 1 pinch\n');
    const answers = [
      calling({ name: 'read_file', args: { path } }),
      calling({ name: 'edit_file', args: { path, old_text: '1', new_text: '9' } }),
      saying('I leave it.'),
    ];
    const records = await withScribe(async (_, index) => {
      if (index === 1) {
        const editor = await vscode.window.showTextDocument(vscode.Uri.file(file));
        await editor.edit((change) => change.insert(new vscode.Position(0, 0), 'mine '));
      }
      return answers[index] ?? saying('?');
    }, 'Salt it.');
    const [, refused] = toolAnswers(records);
    assert.match(refused?.content ?? '', /has changed since you read it/);
    assert.equal(vscode.window.activeTextEditor?.document.getText(), 'mine salt: 1 pinch\n');
    // VS Code may have saved it by itself meanwhile, but that is the person's text too.
    assert.doesNotMatch(await readFile(file, 'utf8'), /9/);
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
