import { expect, test } from 'vitest';
import { agentDefinition } from '../../../src/app/team/teamAgent.js';
import { ScriptedModel } from '../../../src/models/scriptedModel.js';
import type { ApprovalRequest } from '../../../src/ports/approvals.js';
import { anApplication } from '../../support/appHost.js';

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
    ...{
      toolName: 'write_file',
      toolCallId: 't1',
      title: 'Write menu.md',
      subject: 'menu.md',
      key: 'k',
      signal,
    },
    call: { run: 'run-1', call: 'call-1', agent: 'Cook', depth: 0 },
  };
  const answer = approvals.ask('c', { id: 'q1', number: 1, request });
  expect(approvals.pending('c').map(({ id }) => id)).toEqual(['q1']);
  await application.close();
  application.dispose();
  expect(await answer).toBeUndefined();
  expect(approvals.answer('q1', { approved: true })).toBe(false);
});
