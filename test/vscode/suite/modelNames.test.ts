import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { textOf } from '../../../src/core/message.js';
import { StrictServer } from '../../support/strictServer.js';
import { calling, saying, type WireAnswer } from '../../support/wireAnswers.js';
import { extensionApi, journal, runAgent, workspaceFolder } from './support/extension.js';
import { say, scriptedModels } from './support/scriptedModels.js';
import { withSettings } from './support/settings.js';

const folder = () => join(workspaceFolder(), '.github/agents');

/** Runs with agents whose files hold these headers, beside an endpoint with the models `one` and `Two-2026`. */
async function withAgents(
  headers: Readonly<Record<string, string>>,
  answers: readonly WireAnswer[],
  test: (server: StrictServer) => Promise<void>,
): Promise<void> {
  await extensionApi();
  await mkdir(folder(), { recursive: true });
  const files = Object.keys(headers).map((name) => join(folder(), `${name}.agent.md`));
  for (const [index, [name, header]] of Object.entries(headers).entries()) {
    const text = `---\nname: ${name}\ndescription: Has a model\n${header}\n---\nWork.\n`;
    await writeFile(files[index] ?? '', text);
  }
  await vscode.commands.executeCommand('agentLogbook.refreshAgents');
  try {
    await using server = await StrictServer.start(answers);
    const endpoints = [{ name: 'Loop Back', url: server.url, models: ['one', 'Two-2026'] }];
    await withSettings({ endpoints, model: 'Loop Back/one' }, () => test(server));
  } finally {
    for (const file of files) await rm(file);
    await vscode.commands.executeCommand('agentLogbook.refreshAgents');
  }
}

const modelsAsked = ({ requests }: StrictServer) => requests.map(({ body }) => body.model);

describe('the model that an agent’s file names', () => {
  for (const [header, model] of [
    ['model: Two-2026', 'Two-2026'],
    ['model: two 2026 (loop back)', 'Two-2026'],
    ['model: [GPT-5 (copilot), Two-2026 (Loop Back)]', 'Two-2026'],
    ['model:\n  - dream-9\n  - Loop Back/Two-2026', 'Two-2026'],
    ['model: [dream-9, inherit]', 'one'],
    ['model: inherit', 'one'],
    ['argument-hint: none', 'one'],
  ] as const) {
    it(`is found: ${header.replace(/\s+/g, ' ')}`, async () => {
      await withAgents({ Namer: header }, [saying('Here.')], async (server) => {
        assert.equal((await runAgent('Namer', 'Who?')).outcome, 'done');
        assert.deepEqual(modelsAsked(server), [model]);
      });
    });
  }

  it('is one of VS Code by its name as shown and its vendor', async () => {
    const models = await scriptedModels();
    models.replies.push({ parts: [say('From VS Code.')] });
    await withAgents({ Namer: 'model: Scripted One (scripted)' }, [], async (server) => {
      assert.equal((await runAgent('Namer', 'Who?')).answer, 'From VS Code.');
      assert.deepEqual(server.requests, []);
    });
  });

  it('is the conversation’s own where it inherits; one that is missing is an error for its caller, who goes on', async () => {
    const ask = (id: string, agent: string) => ({
      id,
      name: 'subagent_dispatch',
      args: { agent_id: agent, task: 'Work.' },
    });
    const headers = {
      Caller: 'model: Two-2026\ntools: [agent]\nagents: [Heir, Dreamer, Modest]',
      Heir: 'model: inherit',
      Dreamer: 'model: [dream-9, dream-8 (nobody)]',
      Modest: 'model: [dream-9, inherit]',
    };
    const answers = [
      calling(ask('a', 'Heir')),
      saying('Mine.'),
      calling(ask('b', 'Modest')),
      saying('Mine too.'),
      calling(ask('c', 'Dreamer')),
      saying('Done.'),
    ];
    await withAgents(headers, answers, async (server) => {
      const { outcome, conversation } = await runAgent('Caller', 'Ask them all.');
      assert.equal(outcome, 'done');
      assert.deepEqual(modelsAsked(server), Array(6).fill('Two-2026'));
      const results = (await journal(conversation)).flatMap((record) =>
        record.type === 'message' && record.message.role === 'tool' ? [textOf(record.message.content)] : [],
      );
      assert.match(results.slice(0, 2).join(), /Mine\..*Mine too\./);
      assert.match(
        results[2] ?? '',
        /None of these models is available: dream-9, dream-8 \(nobody\)\. Available: .*one \(Loop Back\)/,
      );
    });
  });
});
