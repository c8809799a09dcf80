import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { StoryTeller } from '../support/storyTeller.js';
import { treeChanges, treeSnapshot } from '../support/treeSnapshot.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';
import { STARTUP_MS } from './support/workbench.js';

// VS Code passes questions on only while it has some chat model of its own.
const models = join(import.meta.dirname, '../vscode/extensions/scripted-models');
const story = new StoryTeller();
const planner = story.run('planner', 'Look into the invoices.');
planner.say('They are late.');
planner.end();

/** Makes a store as somebody might send it, with a deletion that a crash has cut off. */
async function receiveStore(folder: string): Promise<void> {
  await keepStories(folder, [{ title: 'Invoices are late', daysAgo: 0, story }]);
  const store = join(folder, '.agent-logbook');
  await rm(join(store, 'state'), { recursive: true, force: true });
  await mkdir(join(store, 'conversations/.deleted-x'), { recursive: true });
  await writeFile(join(store, 'conversations/.deleted-x/messages.jsonl'), 'half deleted');
  const live =
    'tests:\n  - { name: Bakes, agent: Pickle, prompt: Bake., over: live, expect: { outcome: done } }\n';
  await writeFile(join(folder, 'live.logbook.yaml'), live);
}

const test = uiTest({ trusted: false, extensions: [models], prepare: receiveStore });

/** The names of the conversations that are stored. */
async function conversationsIn(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, '.agent-logbook/conversations'));
  return names.filter((name) => !name.startsWith('.'));
}

describe('a workspace that is not trusted', () => {
  test('has its transcripts read without a change to any of its files', async ({ workbench }) => {
    const before = await treeSnapshot(workbench.folder);
    await workbench.view('Agent Logbook');
    await workbench.treeItem('Invoices are late').click();
    await workbench.webview().getByText('They are late.').first().waitFor();
    await workbench.page.keyboard.press('Delete');
    await workbench.command('Agent Logbook: Delete Conversation…');
    await workbench.told('This workspace is not trusted: transcripts can be read');
    await workbench.notification('Manage Workspace Trust').first().waitFor();
    await workbench.command('Agent Logbook: New Agent…');
    await workbench.screenshot(join(pictures, 'untrusted-store.png'));
    expect(treeChanges(before, await treeSnapshot(workbench.folder))).toEqual([]);
  });

  test('runs no agent, whoever asks for it, and says why', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.treeItem('Pickle').first().waitFor();
    await workbench.palette('Agent Logbook: Run Agent');
    await expect.poll(() => workbench.quickInput.choice('Run Agent…').count()).toBe(0);
    await workbench.quickInput.cancel();
    expect(await conversationsIn(workbench.folder)).toHaveLength(1);
  });

  test('runs none for a test that came with it: VS Code asks for trust before any test', async ({
    workbench,
  }) => {
    const { page } = workbench;
    await workbench.view('Testing');
    await page
      .getByRole('treeitem', { name: /live\.logbook\.yaml/ })
      .first()
      .waitFor();
    await workbench.command('Test: Run All Tests');
    await page.getByText('Running tests may execute code in your workspace.').waitFor();
    await workbench.screenshot(join(pictures, 'untrusted-live.png'));
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Running tests may execute code in your workspace.').waitFor({ state: 'hidden' });
    expect(await conversationsIn(workbench.folder)).toHaveLength(1);
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
      await words.waitFor({ timeout: 10_000 });
    };
    // The chat refuses what is asked before it has found its models.
    await vi.waitFor(ask, { timeout: STARTUP_MS, interval: 1_000 });
    await workbench.screenshot(join(pictures, 'untrusted-chat.png'));
    expect(await conversationsIn(workbench.folder)).toHaveLength(1);
  });
});
