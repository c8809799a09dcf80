import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { newChat, press, send } from './support/chatView.js';
import { eventually, extensionApi, runAgent } from './support/extension.js';
import { call, onScriptedModel, say, scriptedModels } from './support/scriptedModels.js';
import { withSettings } from './support/settings.js';

/** Runs an agent that is asked this, and gives the conversation. */
async function recorded(prompt: string): Promise<string> {
  const models = await scriptedModels();
  models.replies.push({ parts: [say('The oven was cold.')] });
  let conversation = '';
  await withSettings(onScriptedModel, async () => {
    ({ conversation } = await runAgent('Pickle', prompt));
  });
  return conversation;
}

const texts = (content: unknown): string => JSON.stringify(content);

describe('recorded sessions for models', () => {
  let session = '';

  before(async () => {
    await extensionApi();
    session = await recorded('Why is the bread flat?');
  });

  it('are offered as three tools that can be referred to', () => {
    const ours = vscode.lm.tools.filter(({ tags }) => tags.includes('agent-logbook'));
    assert.deepEqual(
      ours.map(({ name }) => name),
      ['search_agent_sessions', 'read_agent_session', 'get_agent_session_cost'],
    );
  });

  it('are not offered to the agents that run here', async () => {
    const models = await scriptedModels();
    models.replies.push({ parts: [say('Yes.')] });
    await withSettings(onScriptedModel, async () => {
      await runAgent('Pickle', 'Are you there?');
    });
    assert.equal(models.requests.length, 1);
    assert.doesNotMatch(texts(models.requests), /search_agent_sessions|mcp_agent-logbook/);
  });

  it('answer a question to @logbook, with buttons that lead to the messages', async () => {
    await newChat();
    const models = await scriptedModels();
    models.replies.push(
      {
        parts: [
          call('one', 'search_agent_sessions', { question: '"bread flat"', include_active: true }),
          call('two', 'read_agent_session', { session, part: 'messages' }),
        ],
      },
      { parts: [say('The oven was cold.')] },
    );
    const answer = await send('@logbook Why was the bread flat?');
    await eventually('the answer is complete', async () => (await answer()).buttons.length > 0);
    const { text, buttons, error } = await answer();
    assert.equal(error, undefined);
    assert.match(text, /The oven was cold\./);
    assert.equal(models.requests.length, 2);
    assert.match(texts(models.requests[1]?.messages), /Why is the bread flat\?/);
    const [button] = buttons;
    assert(button);
    assert.match(button.title, /Record \d+ of Why is the bread flat\?/);
    await press(button);
    await eventually('the transcript is open', () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputWebview && input.viewType.includes('agentLogbook.transcript');
    });
  });

  it('offer the search where no model can be asked', async () => {
    await newChat();
    const models = await scriptedModels();
    models.replies.push({ parts: [], error: vscode.LanguageModelError.NotFound('No such model.') });
    const answer = await send('@logbook /ask What was baked?');
    await eventually('the search is offered', async () => (await answer()).buttons.length > 0);
    const { text, buttons } = await answer();
    assert.match(text, /No model could be asked: .*No such model/);
    assert.deepEqual(
      buttons.map(({ title }) => title),
      ['Search Transcripts'],
    );
  });

  it('are offered to VS Code as a server, whose tools it finds and may ask', async () => {
    const name = () =>
      vscode.lm.tools.find((tool) => /^mcp_agent-logbook_list_sessions$/.test(tool.name))?.name;
    await eventually('the tools of the server are there', async () => {
      await vscode.commands.executeCommand('workbench.mcp.startServer', '*', { waitForLiveTools: true });
      return name() !== undefined;
    });
    const { content } = await vscode.lm.invokeTool(name() ?? '', {
      input: { include_active: true },
      toolInvocationToken: undefined,
    });
    assert.match(texts(content), /Why is the bread flat\?/);
  }).timeout(60_000);
});
