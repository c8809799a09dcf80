import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { StrictServer } from '../../support/strictServer.js';
import { saying } from '../../support/wireAnswers.js';
import { eventually, extensionApi, runAgent, workspaceFolder } from './support/extension.js';
import { withSettings } from './support/settings.js';

const definition =
  '---\nname: Dreamer\ndescription: Wants a model that is not there\nmodel: dream-9\n---\nDream.\n';

/** An agent whose file names a model that is not there, beside an endpoint with two others. */
async function withDreamer(answers: number, test: (server: StrictServer) => Promise<void>): Promise<void> {
  await extensionApi();
  const file = join(workspaceFolder(), '.github/agents/dreamer.agent.md');
  await mkdir(join(workspaceFolder(), '.github/agents'), { recursive: true });
  await writeFile(file, definition);
  await vscode.commands.executeCommand('agentLogbook.refreshAgents');
  try {
    await using server = await StrictServer.start(Array.from({ length: answers }, () => saying('I dream.')));
    const endpoints = [{ name: 'loopback', url: server.url, models: ['one', 'two'] }];
    await withSettings({ endpoints, model: 'loopback/two' }, () => test(server));
  } finally {
    await rm(file);
    await vscode.commands.executeCommand('agentLogbook.refreshAgents');
  }
}

const modelOf = (body: unknown) => (body as { model?: string }).model;

describe('an agent whose model is not there', () => {
  it('cannot be run by leaving the picker, and nothing is asked', async () => {
    await withDreamer(0, async (server) => {
      let over = false;
      const running = vscode.commands
        .executeCommand('agentLogbook.runAgent', { agent: 'Dreamer', prompt: 'Dream.' })
        .then((outcome) => ((over = true), outcome));
      await eventually('the picker is left', async () => {
        await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
        return over;
      });
      assert.equal(await running, undefined);
      assert.deepEqual(server.requests, []);
    });
  });

  it('runs on the model that is picked, and is not asked about again', async () => {
    await withDreamer(2, async (server) => {
      const running = runAgent('Dreamer', 'Dream.');
      await eventually('a model is picked', async () => {
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        return server.requests.length > 0;
      });
      assert.equal((await running).outcome, 'done');
      assert.equal((await runAgent('Dreamer', 'Once more.')).answer, 'I dream.');
      assert.deepEqual(
        server.requests.map(({ body }) => modelOf(body)),
        ['two', 'two'],
      );
    });
  });
});
