import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, extensionApi, journal, runAgent } from './support/extension.js';
import {
  arrived,
  bill,
  call,
  onScriptedModel,
  say,
  sayAtLength,
  scriptedModels,
  think,
} from './support/scriptedModels.js';
import { withSettings } from './support/settings.js';

const STORY = 'Once upon a time there was a pickle that';

const hang = () => new Promise<void>(() => undefined);

/** What models said without coming to an end, and why they did not. */
async function partsLeft(conversation: string) {
  return (await journal(conversation)).flatMap((record) =>
    record.type === 'message' && record.partial !== undefined
      ? [[record.message.content, record.partial]]
      : [],
  );
}

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

  it('that breaks in the middle of its answer leaves what it had said in the record, and knows it later', async () => {
    const models = await scriptedModels();
    models.replies.push(
      { parts: [...sayAtLength(STORY), say('')], until: arrived, error: new Error('boom') },
      { parts: [say('Where was I?')] },
    );
    await withSettings(onScriptedModel, async () => {
      const { outcome, conversation } = await runAgent('Pickle', 'Tell me a story.');
      assert.equal(outcome, 'failed');
      assert.deepEqual(await partsLeft(conversation), [[STORY, 'error']]);
      await vscode.commands.executeCommand('agentLogbook.continueConversation', {
        conversation,
        prompt: 'Go on.',
      });
      assert.match(JSON.stringify(models.requests[1]?.messages), new RegExp(STORY));
    });
  });

  it('that tells its thoughts and what it costs has both in the record', async () => {
    const models = await scriptedModels();
    const usage = { prompt_tokens: 90, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 64 } };
    models.replies.push({ parts: [think('Hm.'), say('Yes.'), bill(usage)] });
    await withSettings(onScriptedModel, async () => {
      const { conversation, answer } = await runAgent('Pickle', 'Really?');
      assert.equal(answer, 'Yes.');
      const records = await journal(conversation);
      const last = records.findLast((record) => record.type === 'message');
      assert.equal(last?.type === 'message' && last.message.reasoning_content, 'Hm.');
      const request = records.find((record) => record.type === 'request');
      assert.deepEqual(request?.type === 'request' && request.usage, {
        inputTokens: 90,
        outputTokens: 7,
        cachedInputTokens: 64,
        estimated: false,
      });
    });
  });

  it('is stopped: the model hears of it, and the conversation goes on', async () => {
    const models = await scriptedModels();
    models.replies.push({ parts: [say('Once'), say(' upon')], until: hang });
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

  it('is stopped in the middle of an answer, and what was said by then is in the record', async () => {
    const models = await scriptedModels();
    let said = false;
    const until = async (): Promise<void> => {
      await arrived();
      said = true;
      return hang();
    };
    models.replies.push({ parts: [...sayAtLength(STORY), say('never said')], until });
    await withSettings(onScriptedModel, async () => {
      const running = runAgent('Pickle', 'Tell me a story.');
      await eventually('the model has said something', () => said);
      await vscode.commands.executeCommand('agentLogbook.stopAllRuns');
      assert.deepEqual(await partsLeft((await running).conversation), [[STORY, 'cancelled']]);
    });
  });
});
