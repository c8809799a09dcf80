import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { ask, newChat, next, press, send, stop } from './support/chatView.js';
import { eventually, extensionApi, journal, journalSoFar, workspaceFolder } from './support/extension.js';
import { call, onScriptedModel, say, sayAtLength, scriptedModels } from './support/scriptedModels.js';
import { withSettings } from './support/settings.js';

const QUESTION = 'Why were there so few cookies on Tuesday?';
const scribe = '---\nname: Scribe\ndescription: Writes\ntools: [read, edit]\n---\nYou write.\n';

/** The conversation whose journal an answer refers to. */
const conversationOf = (path = '') => path.split('/').at(-2) ?? '';

const conversations = () => readdir(join(workspaceFolder(), '.agent-logbook/conversations'));

/** The conversation that there was not `before`, as soon as it is there. */
async function newConversation(before: readonly string[]): Promise<string> {
  const added = async () => (await conversations()).find((id) => !before.includes(id));
  await eventually('a conversation begins', async () => (await added()) !== undefined);
  return (await added()) ?? '';
}

describe('@logbook in the Chat view', () => {
  before(async () => {
    await extensionApi();
    await newChat();
  });

  it('shows who is asked and what comes back, the answer, and the way to the transcript', async () => {
    const answer = await ask(`@logbook /run pickle ${QUESTION}`);
    const [said, start = '', result = '', final = ''] = answer.text.split('\n\n');
    assert.equal(said, 'Cookie knows every drawer. Let me ask.');
    assert.match(start, /^> Pickle → @Cookie: Find out why the cookies/);
    assert.match(result, /^> Cookie: Found it/);
    assert.match(final, /^The card is fine\./);
    assert.deepEqual(answer.progress, ['Pickle works']);
    assert.equal(answer.error, undefined);

    const [file] = answer.references;
    const records = await journal(conversationOf(file));
    assert(records.some((record) => record.type === 'message' && record.message.content === QUESTION));

    const [button, ...others] = answer.buttons;
    assert(button && others.length === 0);
    assert.equal(button.title, 'Open Transcript');
    await press(button);
    await eventually('the transcript is open', () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputWebview && input.viewType.includes('agentLogbook.transcript');
    });
  });

  it('goes on with the conversation, and offers to ask others the same', async () => {
    const first = await ask(`@logbook /run pickle ${QUESTION}`);
    assert.deepEqual(first.followUps, ['Ask Cookie the same', 'Ask Crumb the same']);
    const second = await ask('@logbook And on Wednesday?');
    assert.deepEqual(second.references, first.references);
    const records = await journal(conversationOf(second.references[0]));
    const prompts = records.flatMap((record) =>
      record.type === 'message' && record.message.role === 'user' && record.depth === 0
        ? [record.message.content]
        : [],
    );
    assert.deepEqual(prompts, [QUESTION, 'And on Wednesday?']);
  });

  it('runs nothing for an agent that is not there, and says which there are', async () => {
    const before = await conversations();
    const answer = await ask('@logbook /run pikle bake');
    assert.match(answer.error ?? '', /^Say which agent: .*Cookie, Pickle, Crumb\.$/);
    assert.deepEqual(answer.followUps, ['Ask Cookie', 'Ask Pickle', 'Ask Crumb']);
    assert.deepEqual(await conversations(), before);
  });

  it('runs nothing for an agent without a prompt', async () => {
    const before = await conversations();
    const answer = await send('@logbook /run pickle');
    await eventually('the answer is complete', async () => (await answer()).error !== undefined);
    assert.equal((await answer()).error, 'Say what the agent should do.');
    assert.deepEqual(await conversations(), before);
  });

  it('ends the run when the chat is stopped, and the record says so', async () => {
    const models = await scriptedModels();
    models.replies.push({
      parts: [say('Let me think'), say('.')],
      until: () => new Promise(() => undefined),
    });
    const before = await conversations();
    await withSettings(onScriptedModel, async () => {
      await send('@logbook /run pickle Think.');
      await eventually('the model is asked', () => models.requests.length === 1);
      await stop();
      const conversation = await newConversation(before);
      await eventually('the run ends', async () =>
        (await journalSoFar(conversation)).some((record) => record.type === 'callEnd'),
      );
      const ends = (await journal(conversation)).filter((record) => record.type === 'callEnd');
      assert.deepEqual(
        ends.map(({ outcome }) => outcome),
        ['cancelled'],
      );
    });
  });

  it('shows the answer while it is being said, and says what broke off', async () => {
    const models = await scriptedModels();
    let go = (): void => undefined;
    const until = () => new Promise<void>((resolve) => (go = resolve));
    models.replies.push({
      parts: [...sayAtLength('Flour, butter, and a good deal of '), say('sugar.')],
      until,
    });
    await withSettings(onScriptedModel, async () => {
      const answer = await send('@logbook /run pickle List it.');
      await eventually('the first words are shown', async () =>
        (await answer()).text.includes('Flour, butter'),
      );
      assert(!(await answer()).text.includes('sugar'));
      go();
      await eventually('the answer is complete', async () => (await answer()).followUps.length > 0);
      assert.equal((await answer()).text.trim(), 'Flour, butter, and a good deal of sugar.');
    });
  });

  it('offers what can be done about a failure, and tries again in the chat', async () => {
    const models = await scriptedModels();
    models.replies.push({ parts: [], error: vscode.LanguageModelError.NotFound('No such oven.') });
    models.replies.push({ parts: [say('Now it bakes.')] });
    await withSettings(onScriptedModel, async () => {
      const answer = await send('@logbook /run pickle Bake.');
      await eventually('the failure is told', async () => (await answer()).error !== undefined);
      assert.match((await answer()).error ?? '', /No such oven/);
      const titles = (await answer()).buttons.map(({ title }) => title);
      assert.deepEqual(titles, ['Open Transcript', 'Change Model…', 'Retry']);
      const retry = (await answer()).buttons.at(-1);
      assert(retry);
      const again = await next();
      await press(retry);
      await eventually('another try is answered', async () => (await again()).text.includes('Now it bakes.'));
      assert.deepEqual((await again()).references, (await answer()).references);
    });
  });

  it('tells who waits for an approval and for what; stopped, nothing is done', async () => {
    const agentFile = join(workspaceFolder(), '.github/agents/scribe.agent.md');
    await writeFile(agentFile, scribe);
    await vscode.commands.executeCommand('agentLogbook.refreshAgents');
    const models = await scriptedModels();
    models.replies.push({ parts: [call('w', 'write_file', { path: 'chat.txt', content: 'butter' })] });
    const before = await conversations();
    await withSettings({ ...onScriptedModel, approvals: 'ask' }, async () => {
      const answer = await send('@logbook /run scribe Write it down.');
      await eventually('the approval is shown', async () => (await answer()).buttons.length === 1);
      assert.match((await answer()).text, /^> Scribe waits for your approval: Write chat\.txt/);
      await stop();
      const conversation = await newConversation(before);
      await eventually('the run ends', async () =>
        (await journalSoFar(conversation)).some((record) => record.type === 'callEnd'),
      );
      const [decision] = (await journal(conversation)).filter((record) => record.type === 'approval');
      assert.equal(decision?.decidedBy, 'cancel');
      assert(!(await readdir(workspaceFolder())).includes('chat.txt'));
    });
    await vscode.workspace.fs.delete(vscode.Uri.file(agentFile));
    await vscode.commands.executeCommand('agentLogbook.refreshAgents');
  });
});
