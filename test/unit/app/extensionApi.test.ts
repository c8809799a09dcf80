import { expect, test } from 'vitest';
import { agentDefinition } from '../../../src/app/team/teamAgent.js';
import { ScriptedModel } from '../../../src/agents/models/scriptedModel.js';
import { anApplication } from '../../support/appHost.js';

const cook = agentDefinition({ name: 'Cook', instructions: 'You cook.' });

/** The API of an application whose one agent answers each prompt with a sentence. */
async function anApi() {
  const steps = [{ text: 'Soup is ready.' }, { text: 'More soup is ready.' }];
  const model = new ScriptedModel({ name: 'kitchen', agents: new Map([['Cook', steps]]) });
  const app = await anApplication({ agents: [cook], model });
  return { app, api: app.api(() => Promise.resolve({})) };
}

test('one query answers afresh what was said so far, and counts its tokens', async () => {
  const { app, api } = await anApi();
  const messages = await api.messages;
  expect(messages.length).toBe(0);
  await (
    await api.run('Cook', 'Cook!')
  ).done;
  expect(messages.filter({ role: 'assistant' })).toMatchObject([{ message: { content: 'Soup is ready.' } }]);
  const { totalTokens } = messages.stats();
  expect(totalTokens).toBeGreaterThan(5);
  await (
    await api.run('Cook', 'More!')
  ).done;
  expect(messages.filter({ role: 'assistant' })).toHaveLength(2);
  expect(messages.stats().totalTokens).toBeGreaterThan(totalTokens);
  await app.close();
});

test('an agent that is not here is named in the error', async () => {
  const { api } = await anApi();
  await expect(api.run('Baker', 'Bake!')).rejects.toThrow('There is no agent named Baker here.');
});
