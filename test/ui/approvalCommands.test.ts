import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { decidedStory } from '../support/decidedStory.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest();

describe('approvals in VS Code', () => {
  test('are shown of one transcript, with what filled its windows beside them', async ({ workbench }) => {
    await keepStories(workbench.folder, [
      { title: 'The timetable reads a new source', daysAgo: 0.5, story: decidedStory() },
      { title: 'The timetable, once more', daysAgo: 2, story: decidedStory() },
    ]);
    await workbench.view('Agent Logbook');
    await workbench.treeItem('The timetable reads a new source').waitFor();
    await workbench.command('Agent Logbook: Show Approvals');
    await workbench.quickInput.choose('The timetable reads a new source');
    const page = workbench.webview();
    await page.getByRole('tab', { name: 'Approvals', selected: true }).waitFor();
    await page.locator('.ledger-summary', { hasText: '5 approved, 1 denied' }).waitFor();
    await page.getByRole('tab', { name: 'Context' }).click();
    await page.locator('.context-drawing svg').first().waitFor();
    await workbench.screenshot(join(pictures, 'approvals/context-in-workbench.png'));
    await workbench.closeEditors();
  });

  test('are shown of all transcripts in one editor, however often that is asked for', async ({
    workbench,
  }) => {
    const page = workbench.webview();
    await workbench.command('Agent Logbook: Show Approvals of All Transcripts');
    await page.locator('.ledger-choice', { hasText: 'denied' }).click();
    await page.locator('.ledger-summary', { hasText: '2 of 12 decisions' }).waitFor();
    await workbench.command('Agent Logbook: Show Approvals of All Transcripts');
    await page.locator('.ledger-summary', { hasText: '2 of 12 decisions' }).waitFor();
    expect(await workbench.tab('Approvals').count()).toBe(1);
    await workbench.closeEditors();
  });

  test('are shown of all transcripts, and lead to theirs', async ({ workbench }) => {
    await workbench.command('Agent Logbook: Show Approvals of All Transcripts');
    await workbench.tab('Approvals').waitFor();
    const page = workbench.webview();
    await page.locator('.ledger-summary', { hasText: '10 approved, 2 denied' }).waitFor();
    await workbench.screenshot(join(pictures, 'approvals/all-in-workbench.png'));
    await page.locator('.ledger-choice', { hasText: 'denied' }).click();
    await page.locator('.ledger-summary', { hasText: '2 of 12 decisions' }).waitFor();
    await page.locator('.ledger-choice', { hasText: 'once more' }).click();
    await page.locator('.ledger-what').first().click();
    await workbench.tab('The timetable, once more').waitFor();
    await workbench.command('View: Close Editor');
    await workbench.tab('The timetable, once more').waitFor({ state: 'detached' });
    await workbench.webview().locator('.ledger-exports vscode-button').first().click();
    await workbench.text('editor').getByText('conversation,title').first().waitFor();
    // What nobody has saved is asked about when it is closed.
    await workbench.command('View: Revert and Close Editor');
    await workbench.closeEditors();
  });

  test('are exported, each decision once', async ({ workbench }) => {
    await workbench.command('Agent Logbook: Export Approvals…');
    await workbench.quickInput.choose('All transcripts of this window');
    await workbench.quickInput.choose('JSON');
    await workbench.told('12 decisions');
    await workbench.text('editor').getByText('agent-logbook-approvals').first().waitFor();
    await workbench.command('View: Revert and Close Editor');
  });

  test('suggest rules, of which a person takes one after seeing what it lets through', async ({
    workbench,
  }) => {
    await workbench.command('Agent Logbook: Suggest Allow Rules…');
    await workbench.quickInput.choose('Your own runs');
    await workbench.quickInput.choose('write_file: src/');
    const question = workbench.dialog('without a question?');
    expect(await question.innerText()).toContain('that you approved');
    await workbench.screenshot(join(pictures, 'approvals/rule-in-workbench.png'));
    await question.getByText('Allow From Now On').click();
    // What is suggested next is what the rules of the setting leave.
    await workbench.told('No rule would spare you a question');
  });
});
