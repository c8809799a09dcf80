import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, extensionApi, journal, runAgent } from './support/extension.js';
import { call, onScriptedModel, say, scriptedModels } from './support/scriptedModels.js';
import { withSettings } from './support/settings.js';

describe('a team on a model of VS Code', () => {
  it('calls tools, feeds their results back and answers; tokens are marked as estimated', async () => {
    await extensionApi();
    const models = await scriptedModels();
    models.replies.push(
      { parts: [say('I look. '), call('a', 'list_files', { path: 'kitchen' })] },
      { parts: [say('Two files: '), say('log.md and scale.mjs.')] },
    );
    await withSettings(onScriptedModel, async () => {
      const { outcome, answer, conversation } = await runAgent('Pickle', 'What is in the kitchen?');
      assert.deepEqual({ outcome, answer }, { outcome: 'done', answer: 'Two files: log.md and scale.mjs.' });
      const last = JSON.stringify(models.requests[1]?.messages);
      assert.match(last, /scale\.mjs/);
      const requests = (await journal(conversation)).filter((record) => record.type === 'request');
      assert.deepEqual(
        requests.map(({ usage }) => usage?.estimated),
        [true, true],
      );
    });
  });

  it('says in words that the model refused', async () => {
    const models = await scriptedModels();
    models.replies.push({ parts: [say('Well')], error: vscode.LanguageModelError.Blocked('quota') });
    await withSettings(onScriptedModel, async () => {
      const { outcome, conversation } = await runAgent('Pickle', 'Anything?');
      assert.equal(outcome, 'failed');
      const failed = (await journal(conversation)).find((record) => record.type === 'request');
      assert(failed?.type === 'request');
      assert.match(failed.error?.message ?? '', /refused|quota/);
    });
  });

  it('is stopped in the middle of an answer: what was said stays, and the conversation goes on', async () => {
    const models = await scriptedModels();
    const never = new Promise<void>(() => undefined);
    models.replies.push({ parts: [say('Once upon'), say(' a time')], until: never });
    await withSettings(onScriptedModel, async () => {
      const running = runAgent('Pickle', 'Tell me a story.');
      await eventually('the model is asked', () => models.requests.length === 1);
      await vscode.commands.executeCommand('agentLogbook.stopAllRuns');
      const { outcome, conversation } = await running;
      assert.equal(outcome, 'cancelled');
      // The token reaches the extension of the model by way of VS Code.
      await eventually(
        'the model hears of it',
        () => models.requests[0]?.token.isCancellationRequested === true,
      );
      models.replies.push({ parts: [say('there was a pickle.')] });
      const next = { conversation, prompt: 'Go on.' };
      await vscode.commands.executeCommand('agentLogbook.continueConversation', next);
      const ends = (await journal(conversation)).filter((record) => record.type === 'callEnd');
      assert.deepEqual(
        ends.map((end) => end.outcome),
        ['cancelled', 'done'],
      );
    });
  });
});
