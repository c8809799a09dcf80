import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { BAKINGS } from './support/bakings.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest({ prepare: async (folder) => void (await keepStories(folder, BAKINGS)) });

const folder = join(pictures, 'compare');
const THEMES = [
  ['Light Modern', 'vscode-light'],
  ['Dark High Contrast', 'vscode-high-contrast'],
  ['Light High Contrast', 'vscode-high-contrast-light'],
  ['Dark Modern', 'vscode-dark'],
] as const;

describe('comparisons in VS Code', () => {
  test('two rows of the tree stand side by side, and a difference opens in the diff editor', async ({
    workbench,
  }) => {
    await mkdir(folder, { recursive: true });
    await workbench.view('Agent Logbook');
    await workbench.showOnly('Sessions');
    await workbench.unfoldGroups();
    const row = (at: number) => workbench.treeItem(`Small cookies, try ${at}`).first();
    await row(1).click();
    await row(2).click({ modifiers: ['ControlOrMeta'] });
    await workbench.fromMenu(row(2), 'Compare…');
    await workbench.tab(/^Small cookies, try/).waitFor();
    const page = workbench.webview();
    await page.locator('.compare-sentence').waitFor();
    expect(await page.locator('.compare-sentence').innerText()).toMatch(
      /^Another system prompt; the same until step 6/,
    );
    for (const [theme, kind] of THEMES) {
      await workbench.chooseTheme(theme);
      await page.locator(`body.${kind}`).waitFor();
      await workbench.screenshot(join(folder, `workbench-${theme.replaceAll(' ', '-')}.png`));
    }
    await page.getByRole('button', { name: 'Next Difference' }).click();
    await workbench.page.keyboard.press('Enter');
    await workbench.tab(/^Step 6/).waitFor();
    await workbench.page.locator('.part.editor .view-lines', { hasText: 'people' }).first().waitFor();
    await workbench.screenshot(join(folder, 'diff.png'));
    await workbench.closeEditors();
  });

  test('it is there again after the window was closed, as it was compared', async ({ workbench }) => {
    await workbench.unfoldGroups();
    const row = (at: number) => workbench.treeItem(`Small cookies, try ${at}`).first();
    await row(1).click();
    for (const at of [2, 3]) await row(at).click({ modifiers: ['ControlOrMeta'] });
    await workbench.fromMenu(row(3), 'Compare…');
    await workbench.tab(/^3 runs|^Small cookies/).waitFor();
    const page = workbench.webview();
    await page.getByLabel('Compared with').selectOption('typical');
    await page.getByText(/which is Small cookies, try/).waitFor();
    await workbench.screenshot(join(folder, 'set-in-workbench.png'));
    await workbench.keptForReload(/agentLogbook\.compareEditor.*typical/);
    await workbench.reload();
    const again = workbench.webview();
    await again.getByText(/which is Small cookies, try/).waitFor();
    await workbench.closeEditors();
  });

  test('the palette offers what one transcript can be compared with', async ({ workbench }) => {
    await workbench.unfoldGroups();
    await workbench.treeItem('Small cookies, try 3').first().click();
    await workbench.command('Agent Logbook: Compare…');
    await workbench.quickInput.choice('With the Previous Run of Cookie').first().click();
    const page = workbench.webview();
    await page.locator('.compare-sentence').waitFor();
    expect(await page.locator('.compare-lanes thead').innerText()).toContain('try 4');
  });
});
