import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, extensionApi, runAgent } from './support/extension.js';

describe('the export of a transcript ', () => {
  it('counts the tokens of each message exactly, on a thread of its own', async () => {
    await extensionApi();
    const { conversation } = await runAgent('Pickle', 'Why were there so few cookies on Tuesday?');
    await vscode.commands.executeCommand('agentLogbook.exportTranscript', {
      conversation,
      format: 'csv',
      target: 'editor',
    });
    await eventually('the export is shown', () =>
      Promise.resolve(vscode.window.activeTextEditor?.document.getText().startsWith('index,time') === true),
    );
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    // By the counting rule of chat messages: 3 for the message, 1 for the role, 9 for the words in o200k_base.
    const [head = '', ...lines] = text.split(/\r?\n/);
    const question = lines.find((line) => line.includes(',user,') && line.includes(',Why were there'));
    assert.equal(question?.split(',')[head.split(',').indexOf('token_count')], '13');
  });
});
