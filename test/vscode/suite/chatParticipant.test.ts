import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, extensionApi } from './support/extension.js';

const PROMPT = 'Why were there so few cookies in the chat?';

const openChat = (query?: string) =>
  vscode.commands.executeCommand('workbench.action.chat.open', query === undefined ? undefined : { query });

describe('@logbook in the Chat view', () => {
  it('runs the agent that it is told', async () => {
    const { accumulator } = await extensionApi();
    // The Chat view passes no question on before it has a model to offer, whether the participant wants one or not.
    await openChat();
    const [model] = await vscode.lm.selectChatModels({ vendor: 'scripted' });
    assert(model, 'the extension that provides a model is installed');
    const asked = () => accumulator.all().find(({ message }) => message.content === PROMPT);
    await openChat(`@logbook /run pickle ${PROMPT}`);
    await eventually('the prompt reaches an agent', () => asked() !== undefined);
    assert.equal(asked()?.agent, 'Pickle');
  });
});
