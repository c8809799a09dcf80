import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { importFile } from '../../src/import/importFile.js';
import { StoryTeller } from '../support/storyTeller.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';

function story(): StoryTeller {
  const told = new StoryTeller();
  const baker = told.run('baker', 'Why is the bread flat?');
  baker.useTool('read_file', { path: 'recipe.md' }, 'No yeast.');
  baker.say('The recipe has no yeast.');
  baker.end();
  return told;
}

const test = uiTest({
  prepare: async (folder) => {
    await keepStories(folder, [{ title: 'Flat bread', daysAgo: 0, story: story() }]);
  },
});

const sessionsIn = async (folder: string) =>
  (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'));

test('a transcript becomes a session of another tool, which goes on with it', async ({ workbench }) => {
  await workbench.view('Agent Logbook');
  await workbench.command('Agent Logbook: Hand Over To…');
  await workbench.quickInput.choice('Flat bread').first().click();
  await workbench.quickInput.choice('Claude Code').first().waitFor();
  await workbench.screenshot(join(pictures, 'hand-over-tools.png'));
  await workbench.quickInput.choice('Claude Code').first().click();
  const told = await workbench.told('Handed over to Claude Code: 4 messages');
  await workbench.screenshot(join(pictures, 'hand-over-done.png'));
  const [session = ''] = await sessionsIn(join(workbench.home, '.claude/projects'));
  const { format, conversations } = await importFile(join(workbench.home, '.claude/projects', session));
  expect(format).toBe('claude-code');
  expect(conversations[0]?.records.filter(({ type }) => type === 'message')).toHaveLength(4);
  await told.getByRole('button', { name: 'Go On in a Terminal' }).click();
  await workbench.page
    .locator('.terminal-tab, .single-terminal-tab', { hasText: 'Claude Code' })
    .first()
    .waitFor();
});

test('what was handed over before is not written over', async ({ workbench }) => {
  await workbench.command('Agent Logbook: Hand Over To…');
  await workbench.quickInput.choice('Flat bread').first().click();
  await workbench.quickInput.choice('Claude Code').first().click();
  const dialog = workbench.dialog('was handed over to Claude Code before');
  await dialog.waitFor();
  await workbench.screenshot(join(pictures, 'hand-over-again.png'));
  await dialog.getByRole('button', { name: 'Hand Over Anew' }).click();
  await expect.poll(() => sessionsIn(join(workbench.home, '.claude/projects'))).toHaveLength(2);
});

test('Codex finds it among its rollouts', async ({ workbench }) => {
  await workbench.command('Agent Logbook: Hand Over To…');
  await workbench.quickInput.choice('Flat bread').first().click();
  await workbench.quickInput.choice('Codex').first().click();
  await workbench.told('Handed over to Codex: 4 messages');
  expect(await sessionsIn(join(workbench.home, '.codex/sessions'))).toEqual([
    expect.stringMatching(/^\d{4}[/\\]\d\d[/\\]\d\d[/\\]rollout-.*\.jsonl$/),
  ]);
});
