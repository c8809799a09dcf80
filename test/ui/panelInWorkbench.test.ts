import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect } from 'vitest';
import { largeStory } from '../support/largeStory.js';
import { StoryTeller } from '../support/storyTeller.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

/** So slow, and so long, that it ends only when a person stops it. */
const SLOW_STEP = `
    - expect: { role: user, contains: slowly }
      text: ${'One thing after the other, and each of them with care. '.repeat(4_000)}
      delayMs: 200
`;

let short = '';

const test = uiTest({
  prepare: async (folder) => {
    const script = join(folder, 'agents.script.yaml');
    const text = await readFile(script, 'utf8');
    await writeFile(script, text.replace('\n  Pickle:', `\n  Pickle:${SLOW_STEP}`));
    const story = new StoryTeller();
    story.run('planner', 'Say hello').say('Hello.');
    const ids = await keepStories(folder, [
      { title: 'The long one', daysAgo: 0, story: largeStory(400) },
      { title: 'The short one', daysAgo: 0, story },
    ]);
    short = ids[1] ?? '';
  },
});

/** The panel that is in front. */
function panelOf(workbench: Workbench) {
  const page = workbench.webview();
  return {
    page,
    state: page.locator('.badge'),
    tab: (name: string) => page.getByRole('tab', { name, selected: true }),
    filter: page.locator('.question-input'),
    chat: page.locator('.chat-text textarea'),
    row: (text: string): Locator => page.locator('.row', { hasText: text }).first(),
  };
}

/** The row of a tree whose label for a screen reader begins so. */
function treeRow(workbench: Workbench, label: string): Locator {
  return workbench.page.locator(`.pane-body .monaco-list-row[aria-label^="${label}"]`).first();
}

/** Gives the focus to a row in the second third of the list's window; false while rows there are missing. Runs in the page. */
function focusThird(list: Element): boolean {
  const { top, height } = list.getBoundingClientRect();
  const rows = [...list.querySelectorAll<HTMLElement>('.row')];
  const third = rows.find((row) => row.getBoundingClientRect().top > top + height / 3);
  if (!third || rows.some((row) => row.classList.contains('row-skeleton'))) return false;
  third.focus();
  return true;
}

describe('the panel in VS Code', () => {
  test('opens at the view that was asked for, of the transcript that was picked', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.treeItem('The long one').waitFor();
    await workbench.command('Agent Logbook: Show Statistics');
    await workbench.quickInput.choose('The long one');
    await panelOf(workbench).tab('Statistics').waitFor();
    await workbench.command('Agent Logbook: Show Timeline');
    await panelOf(workbench).tab('Timeline').waitFor();
    await workbench.command('Agent Logbook: Show Tool Summary');
    await panelOf(workbench).tab('Tools').waitFor();
    await workbench.closeEditors();
  });

  test('follows a run, which its button stops', async ({ workbench }) => {
    await workbench.runAgent('Pickle', 'Tell it slowly');
    await treeRow(workbench, 'Live').waitFor();
    await workbench.open(treeRow(workbench, 'Tell it slowly, running'), 'Tell it slowly');
    const panel = panelOf(workbench);
    await panel.state.getByText('Running').waitFor();
    await workbench.screenshot(join(pictures, 'panel-running.png'));
    await panel.page.getByRole('button', { name: 'Stop' }).click();
    await panel.state.getByText('Stopped').waitFor();
    await treeRow(workbench, 'Tell it slowly, cancelled').waitFor();
  });

  test('goes on with the conversation, and asks for approval where one reads', async ({ workbench }) => {
    const panel = panelOf(workbench);
    await panel.chat.fill('Prove it.');
    await panel.chat.press('Enter');
    await panel.page.getByRole('alertdialog').waitFor();
    await treeRow(workbench, 'Tell it slowly, waiting for your approval').waitFor();
    await workbench.screenshot(join(pictures, 'panel-approval.png'));
    await panel.page.getByRole('button', { name: 'Approve' }).click();
    await panel.row('Proven twice.').waitFor();
    await panel.state.getByText('Done').waitFor();
    await treeRow(workbench, 'Tell it slowly, done').waitFor();
  });

  test('is opened by a journal of the explorer, beside the panels that are open', async ({ workbench }) => {
    await workbench.command('View: Show Explorer');
    const explorer = workbench.page.locator('.explorer-folders-view .monaco-list-row');
    for (const name of ['.agent-logbook', 'conversations', short]) {
      await explorer.filter({ hasText: name }).first().click();
    }
    await explorer.filter({ hasText: 'messages.jsonl' }).first().dblclick();
    await workbench.tab('The short one').waitFor();
    await panelOf(workbench).row('Hello.').waitFor();
    await workbench.screenshot(join(pictures, 'panel-journal.png'));
    await workbench.view('Agent Logbook');
    await workbench.closeEditors();
  });

  test('costs nothing while it is hidden, and comes back as it was', async ({ workbench }) => {
    const { page } = workbench;
    await treeRow(workbench, 'The long one').click();
    const panel = panelOf(workbench);
    await panel.filter.fill('needle');
    await panel.page.locator('.count', { hasText: /^[1-9]\d* of \d+ rows$/ }).waitFor();
    const found = await panel.page.locator('.count').innerText();
    await treeRow(workbench, 'The short one').click();
    await panel.row('Hello.').waitFor();
    await expect.poll(() => page.locator('iframe.webview').count()).toBe(1);
    await workbench.tab('The long one').click();
    await expect.poll(() => panel.filter.inputValue()).toBe('needle');
    await expect.poll(() => panel.page.locator('.count').innerText()).toBe(found);
  });

  test('is there again after the window was loaded anew, beside the others, with its filter', async ({
    workbench,
  }) => {
    const panel = panelOf(workbench);
    await panel.filter.fill('Step');
    await panel.row('Step 0').waitFor();
    const state = /editorpart\.state.*"text":"Step"/;
    await workbench.keptForReload(state);
    await workbench.reload();
    await workbench.tab('The long one').click();
    await panel.filter.waitFor();
    await expect.poll(() => panel.filter.inputValue()).toBe('Step');
    await panel.row('Step 0').waitFor();
    await workbench.tab('The short one').click();
    await panel.row('Hello.').waitFor();
  });

  test('takes a filter with it that was set in the moment in which it was hidden', async ({ workbench }) => {
    const panel = panelOf(workbench);
    await workbench.tab('The long one').click();
    await panel.row('Step').waitFor();
    await panel.filter.fill('needle');
    await workbench.tab('The short one').click();
    await panel.row('Hello.').waitFor();
    await workbench.tab('The long one').click();
    await expect.poll(() => panel.filter.inputValue()).toBe('needle');
    await panel.page.locator('.count', { hasText: /^[1-9]\d* of \d+ rows$/ }).waitFor();
  });

  test('is at the same row of the same place after the window was loaded anew', async ({ workbench }) => {
    const panel = panelOf(workbench);
    await panel.filter.fill('');
    const size = async () => Number(await panel.page.locator('.row').first().getAttribute('aria-setsize'));
    await expect.poll(size).toBeGreaterThan(100);
    const list = panel.page.locator('.list');
    await list.hover();
    await workbench.page.mouse.wheel(0, 6_000);
    await expect.poll(() => list.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(4_000);
    const row = panel.page.locator('.row.selected');
    await expect.poll(() => list.evaluate(focusThird)).toBe(true);
    const place = async () => {
      const box = await row.boundingBox();
      return { said: await row.getAttribute('aria-label'), y: Math.round(box?.y ?? -1) };
    };
    const id = await row.getAttribute('data-row');
    const state = new RegExp(`editorpart\\.state.*"selected":${id},"top":\\{"id":[1-9]`);
    await workbench.keptForReload(state);
    const before = await place();
    await workbench.reload();
    await row.waitFor();
    await expect.poll(async () => (await place()).said).toBe(before.said);
    // Less than half a line: heights of rows that were not drawn again are not known to the pixel.
    await expect.poll(async () => Math.abs((await place()).y - before.y)).toBeLessThan(10);
    expect(before.y).toBeGreaterThan(0);
    await workbench.tab('The short one').click();
    await panel.row('Hello.').waitFor();
  });

  test('is opened with a question by a link in a text, and the search by one that is pasted', async ({
    workbench,
  }) => {
    const { page } = workbench;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = async () => page.evaluate(() => navigator.clipboard.readText());
    const panel = panelOf(workbench);
    await workbench.view('Agent Logbook');
    await workbench.open(treeRow(workbench, 'The long one'), 'The long one');
    await panel.filter.fill('needle');
    await workbench.command('Agent Logbook: Copy Link to the Question');
    await expect.poll(copied).toMatch(/^logbook:.*question=needle/);
    await writeFile(join(workbench.folder, 'found.md'), `${await copied()}\n`);
    await panel.filter.fill('');
    await workbench.closeEditors();
    await workbench.command('View: Show Explorer');
    await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'found.md' }).dblclick();
    const link = page.locator('.editor-instance .detected-link').first();
    await link.hover();
    await page.getByText('Open the transcript with this question').waitFor();
    await workbench.screenshot(join(pictures, 'question-link.png'));
    // Under a key that is held the editor draws the link anew, so that it is clicked where it was.
    const { x, y } = (await link.boundingBox()) ?? { x: 0, y: 0 };
    await page.keyboard.down('Control');
    await page.mouse.click(x + 20, y + 5);
    await page.keyboard.up('Control');
    await workbench.tab('The long one').waitFor();
    await expect.poll(() => panel.filter.inputValue()).toBe('needle');
    await panel.page.locator('.count', { hasText: /^\d+ of \d+ rows$/ }).waitFor();
    await workbench.screenshot(join(pictures, 'question-link-followed.png'));
    await workbench.command('Agent Logbook: Open Link…');
    await workbench.quickInput.answer('logbook:?rows=toolCalls&question=is%3Aerror');
    const search = workbench.searchView();
    await expect.poll(() => search.locator('.question-input').inputValue()).toBe('is:error');
    expect(await search.locator('.question-rows').inputValue()).toBe('toolCalls');
    await search.getByText(/^[1-9]\d* tool calls? in /).waitFor();
    await workbench.screenshot(join(pictures, 'question-link-search.png'));
  });

  test('exports into the clipboard and an editor', async ({ workbench }) => {
    const { page } = workbench;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const panel = panelOf(workbench);
    await workbench.view('Agent Logbook');
    await workbench.open(treeRow(workbench, 'The short one'), 'The short one');
    await panel.page.locator('#export').click();
    await panel.page.getByRole('button', { name: 'Copy', exact: true }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('Say hello');
    await panel.page.locator('#export').click();
    await panel.page.getByRole('button', { name: 'Open in editor' }).click();
    await workbench
      .tab(/Untitled-\d/)
      .first()
      .waitFor();
  });
});
