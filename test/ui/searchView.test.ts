import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { keepStories } from './support/pastStories.js';
import { SEARCHED } from './support/searchedStories.js';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest({
  prepare: async (folder) => {
    await keepStories(folder, SEARCHED);
  },
});

describe('the Search view', () => {
  test('is asked, refined and opened by the keyboard alone', async ({ workbench }) => {
    const { page } = workbench;
    await workbench.view('Agent Logbook');
    const field = await workbench.openSearch();
    const search = workbench.searchView();
    const hasFocus = () => field.evaluate((input) => document.hasFocus() && document.activeElement === input);
    await expect.poll(hasFocus).toBe(true);
    await page.keyboard.type('temperature');
    await search.getByText('14 messages in 4 sessions').waitFor();
    // Out of the bar, over the tools to what refines, which is closed in a side bar.
    await search.locator('.refine > summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('temperature agent:Crumb');
    await search.getByText(/^4 messages in 4 sessions/).waitFor();
    await page.keyboard.press('Enter');
    await search.getByText('14 messages in 4 sessions').waitFor();
    await expect.poll(() => field.inputValue()).toBe('temperature');
    await field.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => search.locator('.result.selected').innerText()).toContain('temperature');
    await page.keyboard.press('Enter');
    await workbench.tab('Why are the cookies raw?').waitFor();
    await workbench.webview().locator('mark', { hasText: 'temperature' }).first().waitFor();
  });

  test('goes from match to match by F4, wherever the focus is', async ({ workbench }) => {
    const { page } = workbench;
    const search = workbench.searchView();
    const chosen = () => search.locator('.result.selected').innerText();
    const before = await chosen();
    await page.keyboard.press('F4');
    await expect.poll(chosen).not.toBe(before);
    const next = await chosen();
    await page.keyboard.press('F4');
    await expect.poll(chosen).not.toBe(next);
    await page.keyboard.press('Shift+F4');
    await expect.poll(chosen).toBe(next);
  });

  test('exports the sessions that it lists into a folder, with an index', async ({ workbench }) => {
    const { quickInput, folder } = workbench;
    const search = workbench.searchView();
    await search.getByRole('button', { name: 'Export the sessions that are listed…' }).click();
    await quickInput.choose(/^Markdown$/);
    await quickInput.choose('To files in a folder…');
    await quickInput.box.getByText('Export 4 Here').click();
    await workbench.told('Exported 4 transcripts');
    const index = await readFile(join(folder, 'index.md'), 'utf8');
    expect(index.match(/\.md\) \|/g)).toHaveLength(4);
    expect(index).toContain('[Why are the cookies raw?]');
    expect(index).toContain('[Bake]');
    await workbench.screenshot(join(pictures, 'search-exported.png'));
    await workbench.command('Notifications: Clear All Notifications');
  });

  test('is there again after a reload, in the side bar and in an editor, each with its question', async ({
    workbench,
  }) => {
    await workbench.closeEditors();
    await workbench.searchView().getByRole('button', { name: 'Open in an editor' }).click();
    await workbench.tab('Search: temperature').waitFor();
    const editor = workbench.webview();
    await editor.getByText('14 messages in 4 sessions').waitFor();
    await editor.getByRole('combobox', { name: 'Search all conversations' }).fill('is:error');
    await editor.getByText('9 messages in 5 sessions').waitFor();
    await workbench.keptForReload(/searchEditor.*is:error/s);
    await workbench.reload();
    await workbench.tab('Search: is:error').waitFor();
    await workbench.webview().getByText('9 messages in 5 sessions').waitFor();
    const again = workbench.searchView().getByRole('combobox', { name: 'Search all conversations' });
    await expect.poll(() => again.inputValue()).toBe('temperature');
    await workbench.searchView().getByText('14 messages in 4 sessions').waitFor();
  });
});
