import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { uiTest } from './support/uiTest.js';

const test = uiTest({ trusted: false });

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
});
