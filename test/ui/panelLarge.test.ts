import { expect } from 'vitest';
import { largeStory } from '../support/largeStory.js';
import { MESSAGE_CHARACTERS } from '../../src/protocol/protocol.js';
import { StoryTeller } from '../support/storyTeller.js';
import { panelTest } from './support/panelTest.js';

/** More than a page may ever hold in its list at once. */
const MOST_DRAWN = 80;

panelTest(
  '100,000 messages are opened, scrolled and filtered with few rows and small messages',
  async ({ open }) => {
    const story = largeStory(100_000);
    const panel = await open({ story });
    const { page } = panel;
    const drawn = () => page.locator('.row').count();
    await panel.row('Prompt 0').waitFor();
    await expect.poll(() => panel.session.view.state.read, { timeout: 60_000 }).toBe(story.records.length);
    await expect.poll(() => page.locator('.facts').textContent()).toMatch(/^100,\d{3} messages$/);
    expect(await drawn()).toBeLessThan(MOST_DRAWN);

    await page.locator('.list').focus();
    await page.keyboard.press('End');
    await panel.settled();
    const { rows } = panel.session.view.state;
    await page.locator(`.row[aria-posinset="${rows}"]`).waitFor();
    expect(await drawn()).toBeLessThan(MOST_DRAWN);
    await page.keyboard.press('Home');
    await panel.row('Prompt 0').waitFor();

    for (const part of [0.5, 0.25, 0.9]) {
      await page.locator('.list').evaluate((list, to) => (list.scrollTop = list.scrollHeight * to), part);
      await panel.settled();
      expect(await drawn()).toBeLessThan(MOST_DRAWN);
    }

    await page.locator('.filter-text input').pressSequentially('needle', { delay: 30 });
    const matches = story.records.filter((record) => JSON.stringify(record).includes('needle')).length;
    await expect
      .poll(() => page.locator('.count').textContent(), { timeout: 60_000 })
      .toBe(`${matches} of ${panel.session.view.state.allRows.toLocaleString('en-US')}`);
    await page.locator('mark', { hasText: 'needle' }).first().waitFor();
    expect(await drawn()).toBeLessThan(MOST_DRAWN);
    expect(panel.scans.slice(0, -1).every(({ aborted }) => aborted)).toBe(true);

    expect(Math.max(...panel.sizes)).toBeLessThan(MESSAGE_CHARACTERS * 2);
    expect(panel.mostWaiting).toBeLessThan(10);
  },
);

panelTest('a list longer than a browser can scroll through is shown in parts', async ({ open }) => {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  while (story.records.length < 255_000)
    call.message({ role: 'user', content: `Line ${story.records.length}` });
  const panel = await open({ story });
  const { page } = panel;
  const words = () => page.locator('.parts').innerText();
  await expect.poll(() => panel.session.view.state.read, { timeout: 60_000 }).toBe(story.records.length);
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
