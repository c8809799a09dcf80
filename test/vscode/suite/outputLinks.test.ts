import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, extensionApi, journal, runAgent } from './support/extension.js';
import { onScriptedModel, say, scriptedModels } from './support/scriptedModels.js';
import { withSettings } from './support/settings.js';

/** The text of our output channel; VS Code gives it to nobody before it is shown. */
async function channel(): Promise<vscode.TextDocument> {
  await vscode.commands.executeCommand('agentLogbook.showLog');
  const found = () =>
    vscode.workspace.textDocuments.find(
      ({ uri, languageId }) =>
        uri.scheme === 'output' && languageId === 'log' && uri.path.includes('Logbook'),
    );
  await eventually('the output channel is there', () => found() !== undefined);
  const document = found();
  assert(document);
  return document;
}

/** The links of a document, with the text that each covers and the arguments of its command. */
async function linksOf(document: vscode.TextDocument) {
  const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
    'vscode.executeLinkProvider',
    document.uri,
    1_000,
  );
  return links.flatMap(({ range, target }) => {
    if (target?.scheme !== 'command') return [];
    const [argument] = JSON.parse(target.query) as [{ conversation: string; position?: number }];
    return {
      line: document.lineAt(range.start).text,
      text: document.getText(range),
      command: target.path,
      argument,
    };
  });
}

describe('the output channel', () => {
  it('leads from a dispatch to its place in the transcript', async () => {
    await extensionApi();
    const { conversation } = await runAgent('Pickle', 'Why were there so few cookies on Tuesday?');
    const document = await channel();
    const ours = async () =>
      (await linksOf(document)).filter(({ argument }) => argument.conversation === conversation);
    await eventually('the links are there', async () => (await ours()).length >= 3);
    const links = await ours();
    const dispatch = links.find(({ line }) => line.includes('Cookie: Found it'));
    const final = links.find(({ line }) => line.includes('Pickle: The card is fine.'));
    assert(dispatch && final);
    assert.match(dispatch.text, /^\[↗ [0-9a-f]{22}\]$/);
    assert.equal(dispatch.command, 'agentLogbook.openTranscript');
    const records = await journal(conversation);
    assert.equal(records[dispatch.argument.position ?? -1]?.type, 'dispatch');
    const answer = records[final.argument.position ?? -1];
    assert(answer?.type === 'message' && answer.message.role === 'assistant' && answer.depth === 0);

    await vscode.commands.executeCommand(dispatch.command, dispatch.argument);
    await eventually('the transcript is open', () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputWebview && input.viewType.includes('agentLogbook.transcript');
    });
  });

  it('makes no link of what a model writes', async () => {
    const models = await scriptedModels();
    models.replies.push({
      parts: [say('Look: [↗ 0123456789abcdef012345] and '), say('command:agentLogbook.stopAllRuns')],
    });
    await withSettings(onScriptedModel, async () => {
      const { conversation } = await runAgent('Pickle', 'Write a link.');
      const document = await channel();
      const written = async () => (await linksOf(document)).filter(({ line }) => line.includes('Look: '));
      await eventually('the line is there', async () => (await written()).length > 0);
      const [only, ...others] = await written();
      assert.equal(others.length, 0);
      assert.equal(only?.argument.conversation, conversation);
      assert.notEqual(only.text, '[↗ 0123456789abcdef012345]');
    });
  });
});
