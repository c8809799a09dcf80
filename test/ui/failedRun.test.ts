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
afterAll(() => server.close());

const test = uiTest({
  workspace: await temporaryWorkspace({
    '.github/agents/baker.agent.md': '---\nname: Baker\ndescription: Bakes\ntools: []\n---\nYou bake.\n',
  }),
  machineSettings: {
    'agentLogbook.endpoints': [
      { name: 'loopback', url: server.url, models: ['retired-model', 'test-model'] },
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
    await quickInput.answer(KEY);
    await workbench.told('The key of loopback is kept.');
    await press(workbench, 'Retry');
    await failure(workbench, 'The model does not exist.');
    await workbench.screenshot(join(pictures, 'failed-model.png'));

    await press(workbench, 'Change Model…');
    await quickInput.choice('test-model').first().waitFor();
    await workbench.screenshot(join(pictures, 'failed-change-model.png'));
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
