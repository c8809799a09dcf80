import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';

const BROKEN = `---
name: Burnt
description: [
---

You are Burnt.
`;

const test = uiTest({
  prepare: (folder) => writeFile(join(folder, '.github/agents/burnt.agent.md'), BROKEN),
});

describe('the Agents view', () => {
  test('shows a broken file with its error, and opens it at the line', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    const problem = workbench.treeItem(/burnt\.agent\.md:\d/).first();
    await problem.waitFor();
    expect(await problem.getAttribute('aria-label')).toMatch(/^error: .+, burnt\.agent\.md:[34]$/);
    await workbench.screenshot(join(pictures, 'agents-broken.png'));
    await problem.click();
    await workbench.tab(/burnt\.agent\.md/).waitFor();
    await workbench.page.getByText(/^Ln [34], Col \d+/).waitFor();
  });

  test('follows what any program does to the files', async ({ workbench }) => {
    const file = join(workbench.folder, '.github/agents/ginger.agent.md');
    const write = (description: string) =>
      writeFile(file, `---\nname: Ginger\ndescription: ${description}\n---\n\nYou are Ginger.\n`);
    await write('Snaps');
    await workbench.treeItem('Snaps').first().waitFor();
    await write('Crackles');
    await workbench.treeItem('Crackles').first().waitFor();
    await rm(file);
    await workbench.treeItem('Ginger').first().waitFor({ state: 'detached' });
  });

  test('says of transcripts that there are none yet', async ({ workbench }) => {
    await workbench.page.getByText(/^Nothing is here yet/).waitFor();
  });

  test('runs an agent from its row', async ({ workbench }) => {
    const row = workbench.treeItem('Pickle').first();
    await workbench.pointAt(row);
    await row.getByRole('button', { name: 'Run Agent' }).click();
    await workbench.quickInput.box.getByText('Run Pickle').waitFor();
    await workbench.quickInput.cancel();
  });

  test('runs an agent by a key', async ({ workbench }) => {
    const { page, quickInput } = workbench;
    await workbench.focusView('Agents');
    await workbench.walkTo(page.locator('.pane-body .monaco-list-row[aria-label^="Pickle, agent"]'));
    await page.keyboard.press('Control+Enter');
    await quickInput.box.getByText('Run Pickle').waitFor();
    await quickInput.answer('Why were there so few cookies on Tuesday?');
    const told = await workbench.told('upside down');
    expect(await told.innerText()).toMatch(/Where: kitchen\/scale\.mjs, line 8/);
    expect(await told.innerText()).not.toMatch(/[*`]/);
  });

  test('says what to do where nothing is', async ({ workbench }) => {
    await rm(join(workbench.folder, '.github'), { recursive: true });
    await rm(join(workbench.folder, '.claude'), { recursive: true });
    await workbench.command('Agent Logbook: Refresh Agents');
    await workbench.page.getByText('No agents here yet.').waitFor();
    await workbench.screenshot(join(pictures, 'agents-none.png'));
    await workbench.page.getByRole('button', { name: 'New Agent…' }).first().click();
    await workbench.quickInput.answer('Ginger');
    await workbench.treeItem('Ginger').first().waitFor();
  });
});
