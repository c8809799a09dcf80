import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { teamStory } from '../support/teamStory.js';
import { panelTest } from './support/panelTest.js';

const selected = (page: Page) => page.locator('.row.selected');

panelTest('everything about rows is done by keys', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { page } = panel;
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  expect(await selected(page).getAttribute('aria-posinset')).toBe('3');
  await page.keyboard.press('k');
  expect(await selected(page).getAttribute('aria-posinset')).toBe('2');
  await page.keyboard.press('p');
  await page.locator('.row.selected', { hasText: 'The nightly export of invoices fails' }).waitFor();
  await page.keyboard.press('c');
  expect(await panel.wasDone('copy The nightly')).toContain('Find out why');
  await page.keyboard.press('Shift+C');
  await panel.wasDone('copy **planner**');
  await page.keyboard.press('e');
  await panel.wasDone('showText markdown The nightly');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.locator('.row.selected', { hasText: 'Show the conversation of researcher' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.locator('.row.selected', { hasText: 'Hide the conversation of researcher' }).waitFor();
  await page.keyboard.press('Enter');
  await selected(page).locator('.card-body').waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.row.selected', { hasText: 'Show the conversation of researcher' }).waitFor();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.locator('.row.selected', { hasText: 'ask_human' }).waitFor();
  await page.keyboard.press('Home');
  expect(await selected(page).getAttribute('aria-posinset')).toBe('1');
});

panelTest('a tool that names a file opens it by a key', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await panel.page.locator('vscode-button[aria-label="Show the conversations of all dispatches"]').click();
  await panel.row('src/export/invoices.ts').first().waitFor();
  await panel.page.keyboard.press('/');
  await panel.page.keyboard.type('"Changed 1 place"');
  await expect.poll(() => panel.page.locator('.count').textContent()).toMatch(/^1 of 48 rows$/);
  await panel.page.locator('.card-tool .tool-name', { hasText: 'edit_file' }).first().click();
  await panel.page.keyboard.press('o');
  expect(await panel.wasDone('openFile')).toBe('openFile src/export/invoices.ts 13');
});

panelTest('the filter, the views, the export and the field for a prompt have keys', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { page } = panel;
  const focused = () => page.evaluate(() => document.activeElement?.className ?? '');
  await page.keyboard.press('/');
  expect(await focused()).toContain('question-input');
  await page.keyboard.type('zoneddatetime');
  await expect.poll(() => page.locator('.count').textContent()).toBe('3 of 48 rows');
  await page.keyboard.press('Enter');
  expect(await selected(page).getAttribute('aria-posinset')).toBe('1');
  await page.keyboard.press('F3');
  expect(await selected(page).getAttribute('aria-posinset')).toBe('2');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('.count').textContent()).toBe('');
  await panel.row('The nightly export').locator('.text').click();
  for (const [key, tab] of [
    ['2', 'timeline'],
    ['3', 'statistics'],
    ['4', 'tools'],
    ['1', 'messages'],
  ] as const) {
    await page.keyboard.press(key);
    await page.locator(`#tab-${tab}[aria-selected="true"]`).waitFor();
  }
  await page.keyboard.press('t');
  expect(await focused()).toContain('chat-text');
  await page.keyboard.press('Shift+Tab');
  await panel.row('The nightly export').locator('.text').click();
  await page.keyboard.press('x');
  await page.locator('.popover:popover-open').waitFor();
  expect(await page.evaluate(() => document.activeElement?.closest('.popover') !== null)).toBe(true);
  await page.keyboard.press('Escape');
  await expect.poll(focused).toMatch(/^row /);
});

panelTest('a question mark lists the keys, Escape closes the list', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await panel.page.keyboard.press('?');
  const help = panel.page.getByRole('dialog', { name: 'Keys' });
  await help.waitFor();
  const keys = await help.locator('kbd').allInnerTexts();
  expect(keys).toEqual(
    expect.arrayContaining(['?', '/', 'F3', 'P', 'Enter', 'PageDown', 'B', 'F2', 'Ctrl+Space']),
  );
  await panel.page.screenshot({ path: 'out/ui/panel/keys.png' });
  await panel.page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });
});

panelTest('nothing moves for who asked for less motion', async ({ open }) => {
  const panel = await open({
    story: teamStory(),
    live: { state: 'running', canStop: true, canContinue: false },
  });
  const moving = () => panel.page.evaluate(() => document.getAnimations().length);
  expect(await moving()).toBe(0);
  await panel.page.emulateMedia({ reducedMotion: 'no-preference' });
  expect(await moving()).toBeGreaterThan(0);
});

panelTest('at 200 % the page is whole', async ({ open }) => {
  const panel = await open({ story: teamStory(), viewport: { width: 700, height: 450 } });
  for (const tab of ['messages', 'timeline', 'statistics', 'tools'] as const) {
    await panel.show(tab);
    await panel.page.screenshot({ path: `out/ui/panel/zoom-${tab}.png` });
    expect.soft(await panel.overflow(), tab).toEqual([]);
    const list = await panel.page.locator(`#view-${tab}`).boundingBox();
    expect.soft(list?.height ?? 0, tab).toBeGreaterThan(150);
  }
});

panelTest('roles and names tell a screen reader what is what', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { page } = panel;
  await page.getByRole('tab', { name: 'Timeline' }).waitFor();
  await page.getByRole('tabpanel', { name: 'Messages' }).waitFor();
  await page.getByRole('search', { name: 'Question' }).waitFor();
});
