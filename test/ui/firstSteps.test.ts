import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { StrictServer } from '../support/strictServer.js';
import { saying } from '../support/wireAnswers.js';
import { temporaryWorkspace } from './support/temporaryWorkspace.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const server = await StrictServer.start([saying('I snap.')]);
afterAll(() => server.close());
const test = uiTest({ workspace: await temporaryWorkspace({ 'notes.txt': 'Nothing yet.\n' }) });

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
    await workbench.command('Agent Logbook: Select Model…');
    await quickInput.choose('Add Endpoint…');
    await quickInput.box.getByText('Address of a server').waitFor();
    await quickInput.fill('http://example.com');
    await quickInput.message().getByText('Use https').waitFor();
    await quickInput.answer('http://127.0.0.1:9/v1');
    await quickInput.message().getByText('Correct the address').waitFor();
    await workbench.screenshot(join(pictures, 'endpoint-unreachable.png'));
    await quickInput.answer(server.url);
    await quickInput.box.getByText('API key of local').waitFor();
    await quickInput.box.getByRole('button', { name: 'Back' }).click();
    await quickInput.box.getByText('Address of a server').waitFor();
    await quickInput.answer(server.url);
    await quickInput.box.getByText('API key of local').waitFor();
    await quickInput.answer('');
    await quickInput.choose('test-model (local)');
    await workbench.told('local is added with 1 model.');
  });

  test('offers nothing that would find nothing', async ({ workbench }) => {
    await expectOffered(workbench, 'Show', ['Show Log']);
    await expectOffered(workbench, 'St', ['Start Discord', 'Start Telegram']);
  });

  test('runs the agent from the editor of its file, with what is not saved yet', async ({ workbench }) => {
    const { page, quickInput } = workbench;
    await workbench.text('editor').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('You are crisp.');
    await page.locator('.editor-actions').getByRole('button', { name: 'Run Agent…' }).click();
    await quickInput.box.getByText('Run Ginger').waitFor();
    await quickInput.answer('Who are you?');
    await workbench.told('I snap.');
    expect(JSON.stringify(server.requests[0]?.messages[0])).toContain('You are crisp.');
    await workbench.command('Agent Logbook: Open Transcript');
  });
});
