import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { StrictServer } from '../support/strictServer.js';
import { saying } from '../support/wireAnswers.js';
import { temporaryWorkspace } from './support/temporaryWorkspace.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const KEY = 'sk-test-4711-not-a-real-key';
const server = await StrictServer.start([saying('I snap.')]);
const other = await otherServer();
afterAll(async () => {
  await server.close();
  other.server.close();
});
const test = uiTest({ workspace: await temporaryWorkspace({ 'notes.txt': 'Nothing yet.\n' }) });

/** A server with a web site at /site, and at /v1 a list of models for whoever has the key. */
async function otherServer() {
  const keys: (string | undefined)[] = [];
  const site = createServer(({ url = '', headers }, response) => {
    keys.push(headers.authorization);
    const isKnown = headers.authorization === `Bearer ${KEY}`;
    if (url.startsWith('/site')) response.end('<!doctype html><title>Welcome</title><h1>It works!</h1>');
    else if (!url.startsWith('/v1/models')) response.writeHead(404).end('Not found');
    else if (isKnown) response.end(JSON.stringify({ object: 'list', data: [{ id: 'test-model' }] }));
    else response.writeHead(401).end(JSON.stringify({ error: { message: 'No such key.' } }));
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const { port } = site.address() as AddressInfo;
  return { server: site, keys, url: (path: string) => `http://127.0.0.1:${port}${path}` };
}

/** Expects the command palette to offer these of the extension's commands that begin so, and no others. */
async function expectOffered({ page, quickInput }: Workbench, beginning: string, titles: readonly string[]) {
  await page.keyboard.press('F1');
  await quickInput.fill(`>Agent Logbook: ${beginning}`);
  const offered = quickInput.choice(`Agent Logbook: ${beginning}`).locator('.label-name');
  await expect.poll(() => offered.allInnerTexts()).toEqual(titles.map((title) => `Agent Logbook: ${title}`));
  await quickInput.cancel();
}

describe('a folder without agents, models and transcripts', () => {
  test('leads from running an agent to making one', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.page.getByRole('button', { name: 'Run Agent…' }).last().click();
    const told = await workbench.told('There is no agent here yet.');
    await told.getByRole('button', { name: 'New Agent…' }).click();
    await workbench.quickInput.answer('Ginger');
    await workbench.treeItem('Ginger').first().waitFor();
  });

  test('leads from the list of models to an endpoint of one’s own', async ({ workbench }) => {
    const { quickInput } = workbench;
    const says = (text: string) => quickInput.message().getByText(text).waitFor();
    const picture = (name: string) => workbench.screenshot(join(pictures, `endpoint-${name}.png`));
    await workbench.command('Agent Logbook: Select Model…');
    await quickInput.choose('Add Endpoint…');
    await quickInput.box.getByText('Address of a server').waitFor();
    await quickInput.fill('http://example.com');
    await says('Use https');
    await quickInput.answer('http://127.0.0.1:9/v1');
    await says('Correct the address');
    await picture('unreachable');
    await quickInput.answer(other.url('/site'));
    await says('The answer is no list of models');
    await picture('no-api');
    await quickInput.answer(other.url('/nothing'));
    await says('404');
    await says('Most addresses end in /v1.');
    await quickInput.answer(server.url);
    await quickInput.box.getByText('API key of local').waitFor();
    await quickInput.box.getByRole('button', { name: 'Back' }).click();
    await quickInput.box.getByText('Address of a server').waitFor();
    await quickInput.answer(other.url('/v1'));
    await quickInput.box.getByText('API key of local').waitFor();
    await quickInput.answer('');
    await says('It wants a key.');
    await quickInput.answer('wrong');
    await says('It refuses this key. (The endpoint answered 401: No such key.)');
    await picture('wrong-key');
    await quickInput.answer(KEY);
    await quickInput.choose('test-model (local)');
    await workbench.told('local is added, with 1 model.');
    await workbench.command('Agent Logbook: Add Endpoint…');
    await quickInput.answer(other.url('/v1'));
    await says('local has this address already');
    await quickInput.cancel();
  });

  test('lets an endpoint be changed: its key goes to no other server', async ({ workbench }) => {
    const { quickInput } = workbench;
    const key = quickInput.box.locator('input[type=password]');
    await workbench.command('Agent Logbook: Manage Endpoints…');
    await workbench.screenshot(join(pictures, 'endpoints.png'));
    await quickInput.choose('Edit Endpoint…');
    await quickInput.choose('local');
    await quickInput.box.getByText('Edit Endpoint local').waitFor();
    await quickInput.answer(other.url('/v1'));
    await expect.poll(() => key.inputValue()).toBe(KEY);
    await workbench.screenshot(join(pictures, 'endpoint-edit.png'));
    await quickInput.box.getByRole('button', { name: 'Back' }).click();
    await quickInput.box.getByText('Address of a server').waitFor();
    await quickInput.answer(server.url);
    await quickInput.box.getByText('API key of local').waitFor();
    expect(await key.inputValue()).toBe('');
    await quickInput.answer('');
    await workbench.told('local is changed, with 1 model.');
    expect(other.keys).toContain(`Bearer ${KEY}`);
  });

  test('offers nothing that would find nothing', async ({ workbench }) => {
    await expectOffered(workbench, 'Show', ['Show Log']);
    await expectOffered(workbench, 'Stop', []);
  });

  test('runs the agent from the editor of its file, with what is not saved yet', async ({ workbench }) => {
    const { page, quickInput } = workbench;
    await workbench.text('editor').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('You are crisp.');
    // Where VS Code saves by itself, it may have done so by now: whoever runs the agent did not hear of it yet.
    await workbench.text('editor').getByText('You are crisp.').waitFor();
    await page.locator('.editor-actions').getByRole('button', { name: 'Run Agent…' }).click();
    await quickInput.box.getByText('Run Ginger').waitFor();
    await quickInput.answer('Who are you?');
    await workbench.told('I snap.');
    expect(JSON.stringify(server.requests[0]?.messages[0])).toContain('You are crisp.');
    await workbench.command('Agent Logbook: Open Transcript');
  });

  test('forgets an endpoint, but only when the person says so', async ({ workbench }) => {
    const { quickInput } = workbench;
    const remove = async (button: string) => {
      await workbench.command('Agent Logbook: Manage Endpoints…');
      await quickInput.choose('Remove Endpoint…');
      await quickInput.choose('local');
      const question = workbench.dialog('Remove the endpoint local?');
      await question.getByRole('button', { name: button, exact: true }).waitFor();
      await workbench.screenshot(join(pictures, 'endpoint-remove.png'));
      await question.getByRole('button', { name: button, exact: true }).click();
    };
    await remove('Cancel');
    await remove('Remove');
    await workbench.told('local is removed.');
    await workbench.command('Agent Logbook: Manage Endpoints…');
    await quickInput.box.getByText('Add Endpoint…').waitFor();
    expect(await quickInput.box.getByText('Remove Endpoint…').count()).toBe(0);
    await quickInput.cancel();
  });
});
