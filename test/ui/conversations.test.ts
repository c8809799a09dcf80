import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect } from 'vitest';
import { uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const test = uiTest();

/**
 * Selects a conversation for the commands to come. Its panel is closed again: a page in front gets the focus back from
 * VS Code when the palette closes, on a busy machine so late that it hides what the command asks next.
 */
async function select(workbench: Workbench, row: Locator): Promise<void> {
  await row.click();
  await workbench.webview().locator('.row').first().waitFor();
  await workbench.closeEditors();
}

describe('what is kept', () => {
  test('is given a title by a person', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.runAgent('Pickle', 'Why were there so few cookies on Tuesday?');
    await workbench.told('upside down');
    await select(workbench, workbench.doneConversation('Why were there so few cookies on Tuesday?'));
    await workbench.command('Agent Logbook: Rename Conversation…');
    await workbench.quickInput.answer('The butter case');
    await workbench.treeItem('The butter case').first().waitFor();
  });

  test('is found by a text of any agent, in every conversation', async ({ workbench }) => {
    const field = await workbench.openSearch();
    const search = workbench.searchView();
    await field.fill('apology');
    await search.locator('.result-hit', { hasText: 'apology' }).first().waitFor();
    await field.fill('/eighteen\\s+got/');
    await search
      .locator('.result-hit', { hasText: /eighteen got/ })
      .first()
      .waitFor();
    await field.fill('"nobody ever said this"');
    await search.getByText('Nothing found').waitFor();
    await field.fill('');
  });

  test('is filtered, read and exported from the command palette alone', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    const { quickInput } = workbench;
    await select(workbench, workbench.treeItem('The butter case').first());
    await workbench.answered('Agent Logbook: Filter Messages…', '/eighteen[/');
    await expect.poll(() => quickInput.message().textContent()).toContain('pattern');
    await quickInput.answer('/eighteen\\s+got/ role:tool');
    await quickInput.choose('Read These Messages');
    await expect.poll(() => workbench.text('editor').textContent()).toMatch(/eighteen.got/);
    await workbench.command('Agent Logbook: Export Transcript…');
    await quickInput.choose('The Filtered Messages');
    await quickInput.choose('CSV');
    await quickInput.choose('Into an editor');
    await expect.poll(() => workbench.text('editor').textContent()).toContain('index,time,run');
    await workbench.command('Agent Logbook: Show Statistics');
    await quickInput.choose('The Filtered Messages');
    await expect.poll(() => workbench.text('editor').textContent()).toMatch(/Message.Statistics/);
  });

  test('is deleted whole, but only when the person says so', async ({ workbench }) => {
    const conversations = join(workbench.folder, '.agent-logbook/conversations');
    await workbench.treeItem('The butter case').first().click();
    await workbench.command('Agent Logbook: Delete Conversation…');
    await workbench.dialog('Delete "The butter case"?').getByText('Cancel').click();
    expect(await readdir(conversations)).toHaveLength(1);
    await workbench.command('Agent Logbook: Delete Conversation…');
    await workbench.dialog('Delete "The butter case"?').getByRole('button', { name: 'Delete' }).click();
    await workbench.treeItem('The butter case').waitFor({ state: 'detached' });
    await expect.poll(() => readdir(conversations)).toEqual([]);
  });
});
