import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { textOf } from '../../../src/core/message.js';
import { StrictServer } from '../../support/strictServer.js';
import { calling, saying } from '../../support/wireAnswers.js';
import { extensionApi, journal, runAgent } from './support/extension.js';
import { withSettings } from './support/settings.js';

const ask = { agent_id: 'Cookie', task: 'Read the kitchen log.' };
const read = { path: 'kitchen/log.md' };

describe('a team on an endpoint that speaks chat completions', () => {
  it('dispatches, reads files and answers, over HTTP and without one protocol error', async () => {
    await extensionApi();
    await using server = await StrictServer.start([
      calling({ id: 'call_a', name: 'subagent_dispatch', args: ask }),
      calling({ id: 'call_b', name: 'read_file', args: read }),
      saying('Tuesday was short of butter.'),
      saying('Cookie says: too little butter.'),
    ]);
    const settings = { endpoints: [{ name: 'loopback', url: server.url }], model: 'loopback/test-model' };
    await withSettings(settings, async () => {
      const { outcome, answer, conversation } = await runAgent('Pickle', 'What happened on Tuesday?');
      assert.deepEqual({ outcome, answer }, { outcome: 'done', answer: 'Cookie says: too little butter.' });
      assert.deepEqual(server.violations, []);
      const records = await journal(conversation);
      const requests = records.filter((record) => record.type === 'request');
      assert.equal(requests.length, 4);
      assert(requests.every(({ usage }) => usage?.estimated === false));
      const tool = records.find((record) => record.type === 'message' && record.toolName === 'read_file');
      assert(tool?.type === 'message' && textOf(tool.message.content).includes('apology'));
    });
  });

  it('sends the key that lies in the secret storage, and writes it nowhere', async () => {
    await using server = await StrictServer.start([saying('hello')]);
    const settings = { endpoints: [{ name: 'loopback', url: server.url }], model: 'loopback/test-model' };
    await withSettings(settings, async () => {
      const key = 'sk-test-4711-not-a-real-key';
      await vscode.commands.executeCommand('agentLogbook.setEndpointKey', { endpoint: 'loopback', key });
      const { conversation } = await runAgent('Pickle', 'Say hello.');
      assert.equal(server.requests[0]?.headers.authorization, `Bearer ${key}`);
      assert(!JSON.stringify(await journal(conversation)).includes(key));
    });
  });

  it('is forgotten when its endpoint is removed, with its key and as the chosen model', async () => {
    await using server = await StrictServer.start([saying('hello'), saying('hello')]);
    const settings = { endpoints: [{ name: 'loopback', url: server.url }], model: 'loopback/test-model' };
    await withSettings(settings, async () => {
      const key = 'sk-test-4711-not-a-real-key';
      await vscode.commands.executeCommand('agentLogbook.setEndpointKey', { endpoint: 'loopback', key });
      await vscode.commands.executeCommand('agentLogbook.removeEndpoint', { endpoint: 'loopback' });
      const now = vscode.workspace.getConfiguration('agentLogbook');
      assert.deepEqual([now.get('endpoints'), now.get('model')], [[], '']);
      await now.update('endpoints', settings.endpoints, vscode.ConfigurationTarget.Global);
      await now.update('model', settings.model, vscode.ConfigurationTarget.Global);
      await runAgent('Pickle', 'Say hello.');
      assert.equal(server.requests[0]?.headers.authorization, undefined);
    });
  });

  it('ends as a whole at the limit that the settings name, whoever reaches it, and can be gone on with', async () => {
    await using server = await StrictServer.start([
      calling({ id: 'call_a', name: 'subagent_dispatch', args: ask }),
      calling({ id: 'call_b', name: 'read_file', args: read }),
      calling({ id: 'call_c', name: 'list_files', args: {} }),
      saying('Then without Cookie.'),
    ]);
    const settings = { endpoints: [{ name: 'loopback', url: server.url }], model: 'loopback/test-model' };
    await withSettings({ ...settings, 'limits.maxSteps': 2 }, async () => {
      const { outcome, conversation } = await runAgent('Pickle', 'What happened on Tuesday?');
      assert.equal(outcome, 'limited');
      const ends = (await journal(conversation)).filter((record) => record.type === 'callEnd');
      const reason = 'Cookie asked its model 2 times, its limit.';
      assert.deepEqual(
        ends.map((end) => [end.agent, end.outcome, end.reason]),
        [
          ['Cookie', 'limited', reason],
          ['Pickle', 'limited', reason],
        ],
      );
      const next = { conversation, prompt: 'And without her?' };
      await vscode.commands.executeCommand('agentLogbook.continueConversation', next);
      assert.deepEqual([server.requests.length, server.violations], [4, []]);
    });
  });

  it('says in words that the endpoint is not there, and records it', async () => {
    const server = await StrictServer.start([]);
    const { url } = server;
    await server.close();
    const endpoints = [{ name: 'gone', url, models: ['test-model'] }];
    await withSettings({ endpoints, model: 'gone/test-model' }, async () => {
      const { outcome, conversation } = await runAgent('Pickle', 'Anybody there?');
      assert.equal(outcome, 'failed');
      const records = await journal(conversation);
      assert(records.some((record) => record.type === 'request' && record.error !== undefined));
      assert(records.some((record) => record.type === 'callEnd' && record.outcome === 'failed'));
    });
  });
});
