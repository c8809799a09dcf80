import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { uiTest } from '../ui/support/uiTest.js';

/** The pictures and the exported text of the tour; the README shows some of them. */
const demo = join(import.meta.dirname, '../../demo');
const QUESTION = 'Why were there so few cookies on Tuesday?';

const test = uiTest();

describe('the tour', () => {
  test('run, watch, filter, read, export', async ({ workbench }) => {
    const { page, quickInput } = workbench;
    await mkdir(demo, { recursive: true });
    const picture = (name: string) => workbench.screenshot(join(demo, `${name}.png`));

    await workbench.view('Agent Logbook');
    await workbench.treeItem('Pickle').first().waitFor();
    await workbench.command('Agent Logbook: Run Agent…');
    await quickInput.choice('Pickle').first().waitFor();
    await picture('1-choose-agent');
    await quickInput.choose('Pickle');
    await quickInput.answer(QUESTION);
    await workbench.told('Open Transcript');
    await workbench.command('Agent Logbook: Show Log');
    await workbench.text('panel').getByText('Pickle → @Cookie:').first().waitFor();
    await workbench.command('Notifications: Clear All Notifications');

    await workbench.treeItem(QUESTION).first().click();
    const panel = workbench.webview();
    await panel.getByText('line 8').first().waitFor();
    await workbench.treeItem(QUESTION).first().locator('.monaco-tl-twistie').click();
    await workbench.treeItem(/^Cookie: /).first().waitFor();
    await page.mouse.move(0, 0);
    await picture('2-transcript');

    await workbench.command('View: Toggle Panel Visibility');
    for (const [name, tab] of [['3-timeline', 'Timeline'], ['4-statistics', 'Statistics'], ['5-tools', 'Tools']] as const) {
      await panel.getByRole('tab', { name: tab }).click();
      await page.waitForTimeout(500);
      await picture(name);
    }
    await panel.getByRole('tab', { name: 'Messages' }).click();
    await panel.locator('input[placeholder="Filter messages"]').fill('butter');
    await panel.getByText(/^[1-9]\d* of \d+$/).first().waitFor();
    await picture('6-filter');

    await workbench.treeItem(QUESTION).first().click();
    await workbench.command('Agent Logbook: Export Transcript to Markdown');
    await workbench.tab(/Untitled-\d/).first().waitFor();
    await picture('7-markdown');

    await workbench.treeItem(QUESTION).first().click();
    await workbench.command('Agent Logbook: Export Transcript…');
    await quickInput.choose(/^Markdown$/);
    await quickInput.choose('To a file…');
    // VS Code proposes the conversation's title as the file's name.
    const proposed = quickInput.box.locator('input').first();
    await expect.poll(() => proposed.inputValue(), { timeout: 10_000 }).toMatch(/\.md$/);
    const file = await proposed.inputValue();
    await page.keyboard.press('Enter');
    await workbench.told(/Exported \d+ messages/);
    await copyFile(file, join(demo, 'transcript.md'));
  });
});
