import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { StrictServer } from '../support/strictServer.js';
import { refusing, saying } from '../support/wireAnswers.js';
import { temporaryWorkspace } from './support/temporaryWorkspace.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const KEY = 'sk-test-4711-not-a-real-key';

/** A server that knows one key and one model, and was asked for another until a moment ago. */
const server = await StrictServer.start(({ headers, body }) => {
  if (headers.authorization !== `Bearer ${KEY}`) return refusing(401, 'Incorrect API key provided.');
  return body.model === 'test-model' ? saying('Baked.') : refusing(404, 'The model does not exist.');
});
server.key = KEY;
afterAll(() => server.close());

const test = uiTest({
  workspace: await temporaryWorkspace({
    '.github/agents/baker.agent.md': '---\nname: Baker\ndescription: Bakes\ntools: []\n---\nYou bake.\n',
  }),
  machineSettings: {
    'agentLogbook.endpoints': [
      { name: 'loopback', url: server.url, models: ['retired-model', 'test-model'] },
      // Nothing listens there.
      { name: 'attic', url: 'http://127.0.0.1:9/v1', models: ['lost-model'] },
    ],
    'agentLogbook.model': 'loopback/retired-model',
  },
});

const dock = (workbench: Workbench) => workbench.webview().locator('.failure-dock');

/** Presses a way out of a failure, as the panel offers it. */
const press = (workbench: Workbench, name: string) => dock(workbench).getByRole('button', { name }).click();

/** Waits until the panel says why the run has failed. */
const failure = (workbench: Workbench, reason: string) => dock(workbench).getByText(reason).waitFor();

describe('a run that has failed', () => {
  test('goes on after its key and its model are set from the panel', async ({ workbench }) => {
    const { quickInput } = workbench;
    await workbench.runAgent('Baker', 'Bake a loaf.');
    const toast = await workbench.told('Incorrect API key provided.');
    await workbench.screenshot(join(pictures, 'failed-toast.png'));
    await toast.getByRole('button', { name: 'Open Transcript' }).click();
    await failure(workbench, 'Incorrect API key provided.');
    await workbench.screenshot(join(pictures, 'failed-key.png'));

    // Whoever leaves the question has changed nothing, and nothing is said of it.
    await press(workbench, 'Set API Key…');
    await quickInput.box.getByText('API key of loopback').waitFor();
    await quickInput.cancel();
    await failure(workbench, 'Incorrect API key provided.');
    expect(await workbench.notification(/Cancelled|failed/i).count()).toBe(0);

    await press(workbench, 'Set API Key…');
    await quickInput.box.getByText('API key of loopback').waitFor();
    await quickInput.answer('sk-wrong');
    await quickInput.message().getByText('It refuses this key.').waitFor();
    await workbench.screenshot(join(pictures, 'failed-wrong-key.png'));
    await quickInput.answer(KEY);
    const kept = await workbench.told('The key of loopback is kept.');
    await workbench.screenshot(join(pictures, 'failed-retry.png'));
    await kept.getByRole('button', { name: 'Retry' }).click();
    await failure(workbench, 'The model does not exist.');
    await workbench.screenshot(join(pictures, 'failed-model.png'));

    await press(workbench, 'Change Model…');
    await quickInput.choice('test-model').first().waitFor();
    await quickInput.choice('lost-model').filter({ hasText: 'which does not answer' }).waitFor();
    await quickInput.choice('Edit Endpoint attic…').waitFor();
    await workbench.screenshot(join(pictures, 'failed-change-model.png'));
    await quickInput.choose('Edit Endpoint attic…');
    await quickInput.box.getByText('Edit Endpoint attic').waitFor();
    await workbench.screenshot(join(pictures, 'failed-edit-endpoint.png'));
    await quickInput.cancel();
    await failure(workbench, 'The model does not exist.');
    await press(workbench, 'Change Model…');
    await quickInput.choose('test-model');
    await press(workbench, 'Retry');
    await workbench.webview().getByText('Baked.').first().waitFor();
    await dock(workbench).waitFor({ state: 'hidden' });
    await workbench.webview().locator('.badge', { hasText: 'Done' }).waitFor();
    await workbench.screenshot(join(pictures, 'failed-repaired.png'));
    expect(server.requests.map(({ body }) => body.model)).toEqual([
      'retired-model',
      'retired-model',
      'test-model',
    ]);
  });
});
