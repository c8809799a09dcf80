import { join } from 'node:path';
import { expect } from 'vitest';
import { StoryTeller } from '../support/storyTeller.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const test = uiTest({
  prepare: async (folder) => {
    const story = new StoryTeller();
    const planner = story.run('planner', 'Find out why the export fails');
    planner.useTool('read_file', { path: 'src/export.ts' }, 'export const days = 7;');
    planner.say('The range is counted in seconds.');
    planner.useTool('run_command', { command: 'npm test' }, 'all green');
    planner.say('It is mended.');
    planner.end();
    await keepStories(folder, [{ title: 'Why the export fails', daysAgo: 0, story }]);
  },
});

const row = (workbench: Workbench, label: string) =>
  workbench.page.locator(`.pane-body .monaco-list-row[aria-label*="${label}"]`).first();

test('the bar of a panel is typed into, completes, and shows the rows that it finds', async ({
  workbench,
}) => {
  await workbench.view('Agent Logbook');
  await workbench.open(row(workbench, 'Why the export fails'), 'Why the export fails');
  const page = workbench.webview();
  const field = page.getByRole('combobox', { name: 'Question about this transcript' });
  await field.click();
  await workbench.page.keyboard.type('tool:run');
  await workbench.page.keyboard.press('Control+Space');
  await page.getByRole('option', { name: 'run_command' }).click();
  await expect.poll(() => field.inputValue()).toBe('tool:run_command');
  await expect
    .poll(() => page.locator('.list .row').allInnerTexts())
    .toEqual([expect.stringContaining('npm test')]);
  await workbench.screenshot(join(pictures, 'bar-in-vscode.png'));
  await field.fill('');
  await expect.poll(() => page.locator('.list .row').count()).toBeGreaterThan(3);
});

test('a message is noted in its panel, listed beside it, opened there, removed and brought back', async ({
  workbench,
}) => {
  const page = workbench.webview();
  await page.locator('.row', { hasText: 'counted in seconds' }).first().click();
  await workbench.page.keyboard.press('m');
  await page.locator('.own-note').waitFor();
  await workbench.page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'Note' }).waitFor();
  await workbench.page.keyboard.type('Should be milliseconds');
  await workbench.page.keyboard.press('Control+Enter');
  await page.locator('.own-note', { hasText: 'Should be milliseconds' }).waitFor();
  await workbench.command('Agent Logbook: Show Notes');
  const noted = row(workbench, 'Should be milliseconds');
  await noted.waitFor();
  await workbench.screenshot(join(pictures, 'notes-view.png'));
  await workbench.closeEditors();
  await noted.click();
  await workbench.webview().locator('.row.selected .own-note').waitFor();
  await workbench.deleteRow(noted);
  await workbench.command('Agent Logbook: Undo the Last Change of a Note');
  await row(workbench, 'Should be milliseconds').waitFor();
});
