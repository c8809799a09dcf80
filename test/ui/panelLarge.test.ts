import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { largeStory } from '../support/largeStory.js';
import { MESSAGE_CHARACTERS } from '../../src/page/protocol/protocol.js';
import { StoryTeller } from '../support/storyTeller.js';
import { panelTest } from './support/panelTest.js';

/** More than a page may ever hold in its list at once. */
const MAX_DRAWN = 80;

panelTest(
  '100,000 messages are opened, scrolled and filtered with few rows and small messages',
  async ({ open }) => {
    const story = largeStory(100_000);
    const panel = await open({ story });
    const { page } = panel;
    const drawn = () => page.locator('.row').count();
    await panel.row('Prompt 0').waitFor();
    await expect.poll(() => panel.reading.view.state.read, { timeout: 60_000 }).toBe(story.records.length);
    await expect.poll(() => page.locator('.count-of-messages').textContent()).toMatch(/^100,\d{3} messages$/);
    expect(await drawn()).toBeLessThan(MAX_DRAWN);

    await page.locator('.list').focus();
    await page.keyboard.press('End');
    await panel.settled();
    const { rows } = panel.reading.view.state;
    await page.locator(`.row[aria-posinset="${rows}"]`).waitFor();
    expect(await drawn()).toBeLessThan(MAX_DRAWN);
    await page.keyboard.press('Home');
    await panel.row('Prompt 0').waitFor();

    for (const part of [0.5, 0.25, 0.9]) {
      await page.locator('.list').evaluate((list, to) => (list.scrollTop = list.scrollHeight * to), part);
      await panel.settled();
      expect(await drawn()).toBeLessThan(MAX_DRAWN);
    }

    await page.locator('.question-input').pressSequentially('needle', { delay: 30 });
    const matches = story.records.filter((record) => JSON.stringify(record).includes('needle')).length;
    await expect
      .poll(() => page.locator('.count').textContent(), { timeout: 60_000 })
      .toBe(`${matches} of ${panel.reading.view.state.allRows.toLocaleString('en-US')} rows`);
    await page.locator('mark', { hasText: 'needle' }).first().waitFor();
    expect(await drawn()).toBeLessThan(MAX_DRAWN);
    expect(panel.scans.slice(0, -1).every(({ aborted }) => aborted)).toBe(true);

    expect(Math.max(...panel.sizes)).toBeLessThan(MESSAGE_CHARACTERS * 2);
    expect(panel.mostWaiting).toBeLessThan(10);
  },
);

/** A prompt with so many messages in all, of which each makes a row. */
function lines(count: number): StoryTeller {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  while (story.records.length < count)
    call.message({ role: 'user', content: `Line ${story.records.length}` });
  return story;
}

/** The row that is selected, if it stays whole within the list's window for some frames. */
function selectedInSight(page: Page): Promise<number> {
  return page.evaluate(async () => {
    let at = 0;
    for (let frame = 0; frame < 6; frame++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const row = document.querySelector('.row.selected');
      const list = document.querySelector('.list')?.getBoundingClientRect();
      const { top, bottom } = row?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
      if (!row || !list || top < list.top - 1 || bottom > list.bottom + 1) return 0;
      at = Number(row.getAttribute('aria-posinset'));
    }
    return at;
  });
}

panelTest('a step or a jump to any row of a long list ends at that row', async ({ open }) => {
  const panel = await open({ story: lines(10_000) });
  const { page } = panel;
  await expect.poll(() => panel.reading.view.state.read, { timeout: 60_000 }).toBe(10_000);
  const list = page.locator('.list');
  await list.focus();
  await page.keyboard.press('Home');
  await panel.row('Run 1').waitFor();

  // Nothing was drawn yet between, so a row is as high as was estimated.
  await list.evaluate((element) => (element.scrollTop = 64 * 1_770));
  await panel.settled();
  const first = panel.row(/Line 17[78]\d/);
  const from = Number(await first.getAttribute('aria-posinset'));
  await first.click();
  for (let row = from + 1; row < from + 50; row++) {
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => selectedInSight(page)).toBe(row);
  }
  for (const position of [1_795, 10, 1_799, 20, 1_805, 9_999, 8_205, 9_999, 8_195]) {
    panel.session.show({ position });
    await page.locator(`.row.selected[aria-posinset="${position + 1}"]`).waitFor();
    await expect.poll(() => selectedInSight(page)).toBe(position + 1);
  }
});

panelTest('a list longer than a browser can scroll through is shown in parts', async ({ open }) => {
  const story = lines(255_000);
  const panel = await open({ story });
  const { page } = panel;
  const words = () => page.locator('.parts').innerText();
  await expect.poll(() => panel.reading.view.state.read, { timeout: 60_000 }).toBe(story.records.length);
  await expect.poll(words, { timeout: 20_000 }).toMatch(/^Rows 1 to 250,000 of 255,000/);
  await page.locator('.parts vscode-button', { hasText: 'Later part' }).click();
  await page.locator('.row[aria-posinset="250001"]').waitFor();
  expect(await words()).toMatch(/Rows 250,001 to 255,000 of 255,000$/);
  await page.locator('.list').focus();
  await page.keyboard.press('Home');
  await panel.row('Run 1').waitFor();
  await page.keyboard.press('End');
  await panel.row('Line 254999').waitFor();
});
