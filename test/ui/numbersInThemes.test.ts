import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { contextStory } from '../support/contextStory.js';
import { decidedStory } from '../support/decidedStory.js';
import { wear, WINDOW_THEMES } from './support/inEachTheme.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const test = uiTest();
const folder = join(pictures, 'numbers');

async function openApprovals(workbench: Workbench, title: string): Promise<void> {
  await workbench.treeItem(title).click();
  await workbench.tab(title).waitFor();
  await workbench.webview().getByRole('tab', { name: 'Approvals' }).click();
}

describe('costs, contexts and approvals in VS Code', () => {
  test('are told of transcripts that are kept', async ({ workbench }) => {
    await mkdir(folder, { recursive: true });
    await keepStories(workbench.folder, [
      { title: 'Timetable', daysAgo: 0.5, story: decidedStory() },
      // Of less than a day ago: on a Monday, what is older stands in a group that is folded.
      { title: 'Invoices', daysAgo: 0.6, story: contextStory() },
    ]);
    await workbench.view('Agent Logbook');
    await workbench.treeItem('Timetable').waitFor();
    await expect.poll(() => workbench.treeItem('Timetable').innerText()).toMatch(/\$/);
    await openApprovals(workbench, 'Timetable');
  });

  test.for(WINDOW_THEMES)('%s', async ([name, theme, className], { workbench }) => {
    await wear(workbench, theme, className);
    const picture = (what: string) => workbench.screenshot(join(folder, `${what}-${name}.png`));
    await openApprovals(workbench, 'Timetable');
    const page = workbench.webview();
    await page.locator('.ledger-summary', { hasText: '5 approved, 1 denied' }).waitFor();
    await picture('approvals');
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.locator('.row').first().waitFor();
    await picture('messages');
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await page.locator('.panel h2').first().waitFor();
    await picture('statistics');
    await workbench.closeEditors();
    await openApprovals(workbench, 'Invoices');
    await page.getByRole('tab', { name: 'Context' }).click();
    await page.locator('.context-drawing svg').first().waitFor();
    await picture('context');
    await page.getByRole('button', { name: 'Uncompact' }).click();
    await page.locator('.dropped-list li').first().scrollIntoViewIfNeeded();
    await picture('uncompact');
    await workbench.command('Agent Logbook: Show Approvals of All Transcripts');
    await workbench.webview().locator('.ledger-summary', { hasText: '5 approved, 1 denied' }).waitFor();
    await picture('all-approvals');
    await workbench.closeEditors();
    await workbench.command('Agent Logbook: Suggest Allow Rules…');
    // What a test keeps counts as imported.
    await workbench.quickInput.choose('Your own runs and imported transcripts');
    await workbench.page
      .locator('.quick-input-list .monaco-list-row', { hasText: 'answers 1 question' })
      .first()
      .waitFor();
    await picture('rules');
    await workbench.quickInput.cancel();
  });
});
