import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';

// VS Code passes questions on only while it has some chat model of its own.
const models = join(import.meta.dirname, '../vscode/extensions/scripted-models');
const test = uiTest({ trusted: false, extensions: [models] });

describe('a workspace that is not trusted', () => {
  test('runs no agent, whoever asks for it, and says why', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.treeItem('Pickle').first().waitFor();
    await workbench.page.keyboard.press('F1');
    await workbench.quickInput.fill('>Agent Logbook: Run Agent');
    await expect.poll(() => workbench.quickInput.choice('Run Agent…').count()).toBe(0);
    await workbench.quickInput.cancel();
    expect(existsSync(join(workbench.folder, '.agent-logbook'))).toBe(false);
  });

  test('runs none from the Chat view either, which says why', async ({ workbench }) => {
    await workbench.command('Chat: Open Chat');
    const field = workbench.page.locator('.interactive-input-part .monaco-editor').first();
    const words = workbench.page.getByText('Agents run only in a trusted workspace.').first();
    const { keyboard } = workbench.page;
    const ask = async () => {
      await field.click();
      await keyboard.press('Control+a');
      await keyboard.type('@logbook /run pickle Bake.');
      await keyboard.press('Enter');
      await words.waitFor({ timeout: 5_000 });
    };
    // The chat refuses what is asked before it has found its models.
    await vi.waitFor(ask, { timeout: 90_000, interval: 1_000 });
    await workbench.screenshot(join(pictures, 'untrusted-chat.png'));
    expect(existsSync(join(workbench.folder, '.agent-logbook'))).toBe(false);
  });
});
