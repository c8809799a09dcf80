import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { largeStory } from '../support/largeStory.js';
import { StoryTeller } from '../support/storyTeller.js';
import { teamStory } from '../support/teamStory.js';
import { THEMES, type ThemeName } from '../support/themes.js';
import { focused, type Focused } from './support/focusRing.js';
import { inEachTheme } from './support/inEachTheme.js';
import { panelTest } from './support/panelTest.js';
import { violationsIn } from './support/violations.js';

/** The least contrast of what shows the focus (WCAG 2.2, 1.4.11). */
const VISIBLE = 3;

/** Everything that Tab stops at on one way through the page, from where the focus is. */
async function stops(page: Page): Promise<Focused[]> {
  const reached: Focused[] = [];
  for (let at = 0; at < 60; at++) {
    await page.keyboard.press('Tab');
    const stop = await focused(page);
    if (stop.name === '') break;
    reached.push(stop);
  }
  return reached;
}

/** Resolves when the row that has the focus is called so. */
async function rowFocused(page: Page, label: RegExp | string): Promise<void> {
  const row = async () => {
    const { isRow, row: name } = await focused(page);
    return isRow ? name : undefined;
  };
  await expect.poll(row).toMatch(label);
}

const position = (page: Page): Promise<number> =>
  page.evaluate(() => Number(document.activeElement?.getAttribute('aria-posinset') ?? 0));

for (const theme of THEMES) {
  panelTest(
    `Tab reaches every control once, the list is one stop, each shows it, ${theme}`,
    async ({ open }) => {
      const panel = await open({ story: teamStory(), theme });
      const { page } = panel;
      const reached = await stops(page);
      for (const { name, contrast } of reached) expect.soft(contrast, name).toBeGreaterThan(VISIBLE);
      const names = reached.map(({ name, isRow }) => (isRow ? 'a row' : name));
      const isCount = (name: string) => /Go to the next one|^\d+ errors?$/.test(name);
      expect(names.filter(isCount)).toHaveLength(1);
      expect(names.filter((name) => !isCount(name))).toEqual([
        'Export',
        'Keys (?)',
        expect.stringMatching(/^First error: /),
        'Messages',
        'What to find',
        'Question about this transcript',
        expect.stringMatching('Roles'),
        expect.stringMatching('Agents'),
        expect.stringMatching('Tools'),
        'Errors',
        'Saved questions',
        'Next prompt (P)',
        'Show the conversations of all dispatches',
        'a row',
        'Continue the conversation',
      ]);
      await page.keyboard.press('Home');
      await panel.row('Find out why').focus();
      await page.keyboard.press('b');
      await page.screenshot({ path: `out/ui/panel/focus-${theme}.png` });
      const first = await focused(page);
      expect(first.name).toBe('Bookmark, or take it away (M)');
      expect(first.row).toMatch(/^user message/);
      expect(first.contrast).toBeGreaterThan(VISIBLE);
    },
  );
}

panelTest('a key leads into the buttons of a row, Tab through them, Escape back', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { page } = panel;
  await panel.row('Show the conversation of researcher').focus();
  await page.keyboard.press('Enter');
  await panel.row('Task').locator('.card-body').first().waitFor();
  await rowFocused(page, 'planner dispatched researcher, done');
  await page.keyboard.press('F2');
  const inside: string[] = [];
  for (let stop = await focused(page); stop.row !== undefined && !stop.isRow; stop = await focused(page)) {
    inside.push(stop.name);
    await page.keyboard.press('Tab');
  }
  expect(inside.map((name) => name.split(/researcher|\(/)[0]?.trim())).toEqual([
    '→',
    'Show the conversation of',
    'Bookmark, or take it away',
    'Write a note',
    'Copy the text',
    'Copy as Markdown',
    'Copy a link to it',
    'Go on from here',
    'Open in an editor',
    'Next by this agent',
  ]);
  expect((await focused(page)).name).toBe('Continue the conversation');
  await page.keyboard.press('Shift+Tab');
  await rowFocused(page, 'planner dispatched researcher, done');
  await page.keyboard.press('b');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await rowFocused(page, 'planner dispatched researcher, done');
  await page.keyboard.press('ArrowDown');
  expect((await stops(page)).filter(({ row }) => row !== undefined)).toEqual([]);
});

panelTest(
  'a long argument is scrolled by keys by whoever goes into its row, and is no stop before',
  async ({ open }) => {
    const story = new StoryTeller();
    const script = 'echo a line\n'.repeat(80);
    story.run('planner', 'Go').useTool('note_down', { words: script }, 'done');
    const panel = await open({ story });
    const { page } = panel;
    await panel.row('note_down').locator('.card-head').click();
    await panel.row('note_down').locator('.json-block').waitFor();
    await page.keyboard.press('Escape');
    await rowFocused(page, 'Tool note_down');
    await page.locator('#tab-messages').focus();
    const rows = (await stops(page)).filter(({ row }) => row !== undefined);
    expect(rows).toEqual([expect.objectContaining({ isRow: true })]);
    await panel.row('note_down').focus();
    await page.keyboard.press('F2');
    await expect.poll(async () => (await focused(page)).isRow).toBe(false);
    const inside = await stops(page);
    expect(inside.map(({ name }) => name)).toContain('Text words');
  },
);

panelTest('what a key opens in a row keeps the focus where it is', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { page } = panel;
  await panel.row('Show the conversation of researcher').focus();
  await page.keyboard.press('b');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await panel.row('Hide the conversation of researcher').waitFor();
  await expect.poll(async () => (await focused(page)).name).toContain('Hide the conversation of researcher');
  await page.keyboard.press('Enter');
  await panel.row('Show the conversation of researcher').waitFor();
  await expect.poll(async () => (await focused(page)).name).toContain('Show the conversation of researcher');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  const { isRow, name, row } = await focused(page);
  expect({ isRow, name }).toEqual({ isRow: false, name: 'Bookmark, or take it away (M)' });
  expect(row).toMatch(/^assistant message, planner: I will first/);
});

panelTest('pages are turned by keys, through rows that are longer than the window too', async ({ open }) => {
  const story = largeStory(400);
  story.run('planner', 'A long one').say('A line of a very long answer.\n\n'.repeat(80));
  const panel = await open({ story });
  const { page } = panel;
  await page.keyboard.press('Home');
  await expect.poll(() => position(page)).toBe(1);
  await page.keyboard.press('PageDown');
  await expect.poll(() => position(page)).toBeGreaterThan(5);
  const second = await position(page);
  await page.keyboard.press('PageDown');
  await expect.poll(() => position(page)).toBeGreaterThan(second + 3);
  await page.keyboard.press('PageUp');
  await page.keyboard.press('PageUp');
  await expect.poll(() => position(page)).toBeLessThanOrEqual(2);
  await page.keyboard.press('End');
  await page.locator('.row[aria-posinset]', { hasText: 'A line of a very long answer' }).focus();
  const long = await position(page);
  await page.keyboard.press('Home');
  await expect.poll(() => position(page)).toBe(1);
  await page.keyboard.press('End');
  await expect.poll(() => position(page)).toBeGreaterThanOrEqual(long);
  while ((await position(page)) >= long) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => position(page)).toBe(long);
  const window = await page.locator('.list').evaluate(({ clientHeight }) => clientHeight);
  const seen = () =>
    page.evaluate(() => {
      const [row, list] = [document.activeElement, document.querySelector('.list')];
      return (list?.getBoundingClientRect().top ?? 0) - (row?.getBoundingClientRect().top ?? 0);
    });
  await expect.poll(seen).toBeLessThan(20);
  for (let pages = 1; pages <= 2; pages++) {
    await page.keyboard.press('PageDown');
    await expect.poll(seen).toBeGreaterThan(pages * (window - 60));
    expect(await seen()).toBeLessThan(pages * window);
    expect(await position(page)).toBe(long);
  }
});

panelTest('who scrolls away from the row with the focus does not lose the place', async ({ open }) => {
  const panel = await open({ story: largeStory(400) });
  const { page } = panel;
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => position(page)).toBe(2);
  await page.locator('.list').hover();
  await page.mouse.wheel(0, 6_000);
  await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toContain('list');
  const list = await page.locator('.list').boundingBox();
  await panel.settled();
  await page.keyboard.press('Tab');
  const stop = await page.locator('.row:focus').boundingBox();
  expect((stop?.y ?? 0) + (stop?.height ?? 0)).toBeGreaterThan(list?.y ?? 0);
  expect(await position(page)).toBeGreaterThan(20);
  await page.keyboard.press('Shift+Tab');
  expect((await focused(page)).name).toBe('Show the conversations of all dispatches');
});

panelTest('a row that is far away gets the focus as soon as it is there', async ({ open }) => {
  const panel = await open({ story: largeStory(2_000) });
  const { page } = panel;
  await page.locator('.count-of-messages', { hasText: /^[\d,]+ messages$/ }).waitFor();
  await page.locator('#tab-timeline').focus();
  await page.keyboard.press('End');
  const rows = Number(await page.locator('.row[aria-setsize]').first().getAttribute('aria-setsize'));
  expect(rows).toBeGreaterThan(900);
  await expect.poll(() => position(page)).toBe(rows);
  await page.keyboard.press('Home');
  await expect.poll(() => position(page)).toBe(1);
});

panelTest('Enter in the filter steps through what it found, the arrow goes there', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { page } = panel;
  const selected = () => page.locator('.row.selected').getAttribute('aria-posinset');
  await page.keyboard.press('/');
  await page.keyboard.type('zoneddatetime');
  await expect.poll(() => page.locator('.count').textContent()).toBe('3 of 48 rows');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  expect(await selected()).toBe('2');
  expect((await focused(page)).name).toBe('Question about this transcript');
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).toMatchObject({ isRow: true });
  expect(await selected()).toBe('2');
  await page.keyboard.press('ArrowDown');
  expect(await selected()).toBe('3');
});

panelTest('with everything open and a row gone into, axe finds nothing serious', async ({ open }) => {
  const panel = await open({ story: teamStory(), viewport: { width: 700, height: 900 } });
  const { page } = panel;
  const look = (theme: ThemeName) =>
    violationsIn(page, theme).then((found) => expect.soft(found, theme).toEqual([]));
  await page.locator('vscode-button[aria-label="Show the conversations of all dispatches"]').click();
  await panel.row('run_command').waitFor();
  await panel.row('run_command').locator('.card-head').click();
  await panel.row('run_command').locator('.card-body').waitFor();
  await inEachTheme(page, look);
  await page.keyboard.press('Escape');
  await rowFocused(page, 'Tool run_command');
  await inEachTheme(page, look);
});

panelTest('a screen reader is told what a row is, what it says and where it stands', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { page } = panel;
  await page.getByRole('feed', { name: 'Messages' }).waitFor();
  await page
    .getByRole('article', { name: 'user message, planner: The nightly export of invoices' })
    .waitFor();
  await page
    .getByRole('article', { name: 'planner dispatched researcher, done: Find what changed' })
    .waitFor();
  await panel.row('Show the conversation of researcher').focus();
  await page.keyboard.press('ArrowRight');
  const nested = 'Tool search, done, researcher, depth 1:';
  const row = page.getByRole('article', { name: nested });
  await row.waitFor();
  expect(await row.getAttribute('aria-label')).toMatch(/depth 1: .*exportInvoices/);
  const size = Number(await row.getAttribute('aria-setsize'));
  expect(size).toBeGreaterThan(20);
  expect(Number(await row.getAttribute('aria-posinset'))).toBeLessThan(size);
});
