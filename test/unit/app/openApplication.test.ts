import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentDefinition } from '../../../src/app/team/teamAgent.js';
import { ScriptedModel } from '../../../src/agents/models/scriptedModel.js';
import type { ApprovalRequest } from '../../../src/core/ports/approvals.js';
import { anApplication } from '../../support/appHost.js';
import { temporaryFolder } from '../../support/storeFixture.js';

const cook = agentDefinition({ name: 'Cook', instructions: 'You cook.' });

/** An application, in a folder of its own or one of before, whose one agent answers a prompt with a sentence. */
const opened = (path?: string) =>
  anApplication({
    agents: [cook],
    model: new ScriptedModel({
      name: 'kitchen',
      agents: new Map([['Cook', [{ text: 'Soup.' }, { text: 'More soup.' }]]]),
    }),
    ...(path !== undefined && { path }),
  });

test('without an editor, a chat box goes on with a run, and the next application has all of it', async () => {
  const first = await opened();
  const { conversation, done } = await first.runs.start({ agent: cook, prompt: 'Cook!' });
  await done;
  await first.chat.continueConversation(conversation, 'More!');
  await expect.poll(() => first.accumulator.all().at(-1)?.message.content).toBe('More soup.');
  await first.drafts.keep(conversation, 'and a des');
  await first.close();
  first.dispose();
  const second = await opened(first.path);
  expect((await second.stores.find(conversation)).entry).toMatchObject({ runs: 2, state: 'done' });
  expect(await second.drafts.draftOf(conversation)).toBe('and a des');
  await second.close();
  second.dispose();
});

test('a question that waits is one for every surface, and has no answer any more once all is disposed', async () => {
  const application = await opened();
  const { approvals } = application;
  const { signal } = new AbortController();
  const request: ApprovalRequest = {
    toolName: 'write_file',
    toolCallId: 't1',
    title: 'Write menu.md',
    subject: 'menu.md',
    key: 'k',
    signal,
    call: { run: 'run-1', call: 'call-1', agent: 'Cook', depth: 0 },
  };
  const answer = approvals.ask('c', { id: 'q1', number: 1, request });
  expect(approvals.pending('c').map(({ id }) => id)).toEqual(['q1']);
  await application.close();
  application.dispose();
  expect(await answer).toBeUndefined();
  expect(approvals.answer('q1', { approved: true })).toBe(false);
});

test('a run ends where it has cost what it may, by the prices of the person', async () => {
  const path = await temporaryFolder();
  const pricesFile = join(path, 'prices.yaml');
  await writeFile(
    pricesFile,
    'prices: 1\nmodels:\n  - model: script/kitchen\n    input: 2\n    output: 10\n',
  );
  const usage = { input: 500_000, output: 100_000 };
  const steps = [
    { toolCalls: [{ name: 'list_directory', arguments: { path: '.' } }], usage },
    { text: 'never', usage },
  ];
  const application = await anApplication({
    agents: [cook],
    path,
    model: new ScriptedModel({ name: 'kitchen', agents: new Map([['Cook', steps]]) }),
    settings: { 'limits.maxCost': 1.5, 'prices.file': pricesFile },
  });
  const { done } = await application.runs.start({ agent: cook, prompt: 'Cook!' });
  const message = 'The run has cost $2.00, more than its limit of $1.50.';
  expect(await done).toMatchObject({ outcome: 'limited', error: { code: 'cost', message } });
  await application.close();
  application.dispose();
});
