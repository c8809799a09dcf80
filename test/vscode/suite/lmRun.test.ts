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

  for (const [what, error, code, words] of [
    [
      'blocks',
      vscode.LanguageModelError.Blocked('monthly'),
      'blocked',
      /^The model refused the request: its quota.*monthly/,
    ],
    [
      'was not allowed',
      vscode.LanguageModelError.NoPermissions('no'),
      'consent',
      /^You have not allowed.*Run again/,
    ],
    [
      'is gone',
      vscode.LanguageModelError.NotFound('gone'),
      'notFound',
      /not there any more\. Choose another/,
    ],
    [
      'has no quota left',
      new Error('You exceeded your premium requests'),
      'quota',
      /^The quota of this model is used up/,
    ],
    ['breaks', new Error('boom'), 'model', /boom/],
  ] as const) {
    it(`says in words that the model ${what}, and the conversation goes on`, async () => {
      const models = await scriptedModels();
      models.replies.push({ parts: [say('Well'), say(', …')], error }, { parts: [say('Here I am.')] });
      await withSettings(onScriptedModel, async () => {
        const { outcome, conversation } = await runAgent('Pickle', 'Anything?');
        assert.equal(outcome, 'failed');
        const records = await journal(conversation);
        const request = records.find((record) => record.type === 'request');
        assert.equal(request?.type === 'request' && request.error?.code, code);
        const end = records.find((record) => record.type === 'callEnd');
        assert(end?.type === 'callEnd');
        assert.match(end.reason ?? '', words);
        const next = { conversation, prompt: 'Once more?' };
        await vscode.commands.executeCommand('agentLogbook.continueConversation', next);
        const last = (await journal(conversation)).findLast((record) => record.type === 'callEnd');
        assert.equal(last?.type === 'callEnd' && last.outcome, 'done');
      });
    });
  }

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
