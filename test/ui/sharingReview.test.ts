import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fillExample } from '../../src/export/secrets/secretRow.js';
import { StoryTeller } from '../support/storyTeller.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const TOKEN = fillExample('ghp_{36}');
const KEY = fillExample('AKIA{A16}');

function leakyStory(): StoryTeller {
  const story = new StoryTeller();
  const planner = story.run('planner', 'Why does the deploy fail? I use password=winter2026! there.');
  planner.useTool(
    'read_file',
    { path: '.env' },
    `# deploy\nGITHUB=${TOKEN}\naws_access_key_id=${KEY}\nDEBUG=1\n`,
  );
  planner.add({
    type: 'approval',
    toolName: 'run_command',
    toolCallId: 'call_9',
    decision: 'approved',
    subject: `deploy --token ${TOKEN}`,
    decidedBy: 'user',
    waitedMs: 900,
  });
  planner.say(`The token ${TOKEN} is out of date. Make a new one.`);
  planner.end();
  return story;
}

function otherStory(): StoryTeller {
  const story = new StoryTeller('20261121-093017-5f0c2a9d');
  const planner = story.run('planner', 'Which key is used?');
  planner.say(`The key ${KEY}, and the token ${TOKEN} as before.`);
  planner.say(`Its password is password=summer2026!`);
  planner.end();
  return story;
}

function plainStory(): StoryTeller {
  const story = new StoryTeller('20261121-093016-5f0c2a9f');
  const planner = story.run('planner', 'What is for lunch?');
  planner.say('Soup.');
  planner.end();
  return story;
}

const test = uiTest({
  prepare: async (folder) => {
    await keepStories(folder, [
      { title: 'A leaky deploy', daysAgo: 0, story: leakyStory() },
      { title: 'Another deploy for anna@bakery.org', daysAgo: 0, story: otherStory() },
      { title: 'Lunch', daysAgo: 1, story: plainStory() },
    ]);
  },
});

/** Selects a transcript and asks for its export as Markdown into an editor, as a person does. */
async function exportMarkdown(workbench: Workbench, title: string): Promise<void> {
  await workbench.view('Agent Logbook');
  await workbench.treeItem(title).first().click();
  await workbench.webview().locator('.row').first().waitFor();
  await workbench.closeEditors();
  await workbench.command('Agent Logbook: Export Transcript to Markdown');
}

const THEMES = ['Dark Modern', 'Light Modern', 'Dark High Contrast', 'Light High Contrast'];

test('nothing is in the way where nothing is found', async ({ workbench }) => {
  await exportMarkdown(workbench, 'Lunch');
  await expect.poll(() => workbench.text('editor').textContent()).toContain('Soup.');
  // What VS Code made of the export is nobody's file yet, and would ask whether to be saved.
  await workbench.command('View: Revert and Close Editor');
});

test('Escape shares nothing', async ({ workbench }) => {
  await exportMarkdown(workbench, 'A leaky deploy');
  const { quickInput, page } = workbench;
  await quickInput.choice('Share').first().waitFor();
  await quickInput.cancel();
  await expect.poll(() => page.locator('.part.editor .tab').count()).toBe(0);
});

test('a person looks over what is left out, by the keyboard alone, in every theme', async ({ workbench }) => {
  const { quickInput, page } = workbench;
  for (const theme of THEMES) {
    await workbench.chooseTheme(theme);
    await exportMarkdown(workbench, 'A leaky deploy');
    await quickInput.choice('Share').first().waitFor();
    expect(await quickInput.box.textContent()).toContain(TOKEN.slice(0, 30));
    await workbench.screenshot(join(pictures, `review-${theme.replaceAll(' ', '-')}.png`));
    await quickInput.cancel();
  }
  await workbench.chooseTheme('Dark Modern');
  await exportMarkdown(workbench, 'A leaky deploy');
  await quickInput.choice('Share').first().waitFor();
  await quickInput.fill('github');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await quickInput.choice('Leave In').first().waitFor();
  await workbench.screenshot(join(pictures, 'review-decision.png'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => quickInput.box.textContent()).toContain('1 left in');
  await page.keyboard.press('Enter');
  await expect.poll(() => workbench.text('editor').textContent()).toContain(TOKEN.slice(0, 20));
  expect(await workbench.text('editor').textContent()).not.toContain(KEY);
  await workbench.told(/secrets? left out; .* left in/);
  await workbench.command('View: Revert and Close Editor');
});

test('of several that leave together, all is looked over once, before any is written', async ({
  workbench,
}) => {
  const { quickInput, page, folder } = workbench;
  const written = async () => (await readdir(folder)).filter((name) => name.endsWith('.md')).sort();
  const ask = async () => {
    await workbench.treeItem('A leaky deploy').first().click();
    await workbench
      .treeItem('Another deploy')
      .first()
      .click({ modifiers: ['ControlOrMeta'] });
    await workbench.fromMenu(workbench.treeItem('Another deploy').first(), /^Export Transcript…/);
    await quickInput.choose(/^Markdown$/);
    await quickInput.choose('To files in a folder…');
    await quickInput.box.getByText('Export 2 Here').click();
    await quickInput.choice('Share').first().waitFor();
  };
  await workbench.view('Agent Logbook');
  const before = await written();
  await ask();
  const shown = await quickInput.box.textContent();
  expect(shown).toContain('Review before sharing: 2 transcripts');
  // What stands in nothing but a title is looked over, too.
  expect(shown).toContain('4 values left out, 1 left in');
  expect(shown).toMatch(/A leaky deploy · .*Another deploy for anna/s);
  await workbench.screenshot(join(pictures, 'review-together.png'));
  await quickInput.cancel();
  await workbench.treeItem('A leaky deploy').first().waitFor();
  expect(await written()).toEqual(before);
  await ask();
  await quickInput.fill('github');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await quickInput.choice('Show in the Transcript').first().waitFor();
  await quickInput.choose('Leave In');
  await expect.poll(() => quickInput.box.textContent()).toContain('2 left in');
  await quickInput.choose('anna@bakery.org');
  await quickInput.choice('Show in the Transcript').first().waitFor();
  await workbench.screenshot(join(pictures, 'review-title.png'));
  await quickInput.choose('Leave Out');
  await expect.poll(() => quickInput.box.textContent()).toContain('4 values left out, 1 left in');
  await page.keyboard.press('Enter');
  await workbench.told(/Exported 2 transcripts .*left out; .*left in/);
  const names = ['A leaky deploy.md', 'Another deploy for mail.md'];
  expect(await written()).toEqual([...before, ...names, 'index.md'].sort());
  const index = await readFile(join(folder, 'index.md'), 'utf8');
  expect(index).toMatch(/\[Another deploy for .*REDACTED:mail/);
  expect(index).not.toContain('anna');
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8');
    expect(text).toContain(TOKEN);
    expect(text).not.toContain(KEY);
  }
  await workbench.closeEditors();
});

test('a list of approvals is looked over as an export is', async ({ workbench }) => {
  const { quickInput, page } = workbench;
  await workbench.view('Agent Logbook');
  await workbench.closeEditors();
  const ask = async () => {
    await workbench.command('Agent Logbook: Export Approvals…');
    await quickInput.choose('All transcripts of this window');
    await quickInput.choose('CSV');
    await quickInput.choice('Share').first().waitFor();
  };
  await ask();
  expect(await quickInput.box.textContent()).toContain('approvals of 3 transcripts');
  await workbench.screenshot(join(pictures, 'review-approvals.png'));
  await quickInput.cancel();
  expect(await page.locator('.part.editor .tab').count()).toBe(0);
  await ask();
  await page.keyboard.press('Enter');
  await expect.poll(() => workbench.text('editor').textContent()).toContain('[REDACTED:authorization]');
  expect(await workbench.text('editor').textContent()).not.toContain(TOKEN.slice(0, 20));
  await workbench.told(/1 decision; 1 secret left out/);
  await workbench.command('View: Revert and Close Editor');
});

test('what is copied of a transcript leaves secrets out, unless a person copies it as it is', async ({
  workbench,
}) => {
  const { page } = workbench;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await workbench.view('Agent Logbook');
  await workbench.treeItem('A leaky deploy').first().click();
  const row = workbench.webview().locator('.row', { hasText: 'is out of date' }).first();
  await row.waitFor();
  await row.click();
  await page.keyboard.press('c');
  await expect.poll(copied).toBe('The token [REDACTED:authorization] is out of date. Make a new one.');
  const notice = await workbench.told(/Copied; 1 secret left out/);
  // One notice says it, with what was left out.
  expect(await workbench.webview().locator('.notice', { hasText: 'Copied' }).count()).toBe(0);
  await workbench.screenshot(join(pictures, 'copied-without-secrets.png'));
  await notice.getByRole('button', { name: 'Copy As It Is' }).click();
  await expect.poll(copied).toContain(TOKEN);
  await row.click();
  await page.keyboard.press('Shift+C');
  await expect.poll(copied).toContain('[REDACTED:authorization] is out of date');
  // What is marked by hand goes the same way.
  await row.evaluate((element) => element.ownerDocument.getSelection()?.selectAllChildren(element));
  await page.keyboard.press('ControlOrMeta+c');
  await expect.poll(copied).not.toContain('**planner**');
  expect(await copied()).toContain('The token [REDACTED:authorization] is out of date');
});
