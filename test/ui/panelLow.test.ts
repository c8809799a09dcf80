import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { teamStory } from '../support/teamStory.js';
import { panelTest } from './support/panelTest.js';
import { pictures } from './support/uiTest.js';

panelTest(
  'in a low page at least half of the height is rows as one scrolls, and all of it is back at the top',
  async ({ open }) => {
    const folder = join(pictures, 'panel');
    await mkdir(folder, { recursive: true });
    const panel = await open({ story: teamStory(), viewport: { width: 700, height: 450 } });
    const { page } = panel;
    const list = page.locator('.list');
    // 700 x 450, and what 1000 x 900 has at a zoom of 200 %.
    for (const [width, height] of [
      [700, 450],
      [500, 450],
    ] as const) {
      await page.setViewportSize({ width, height });
      await panel.settled();
      await list.evaluate((element) => (element.scrollTop = 600));
      await page.locator('.page.is-folded').waitFor();
      await page.screenshot({ path: join(folder, `low-${width}.png`) });
      expect(await list.evaluate((element) => element.clientHeight)).toBeGreaterThan(height / 2);
      // What is folded comes back for who goes there by keys.
      await page.keyboard.press('/');
      await expect
        .poll(() => page.locator('.filter').evaluate((element) => element.clientHeight))
        .toBeGreaterThan(20);
      await page.keyboard.press('Escape');
      await list.evaluate((element) => (element.scrollTop = 0));
      await page.locator('.page:not(.is-folded)').waitFor();
    }
  },
);

panelTest('where it cannot be continued, it can be handed over', async ({ open }) => {
  const live = {
    state: 'unknown',
    canStop: false,
    canContinue: false,
    whyNot: 'It was recorded elsewhere.',
  } as const;
  const panel = await open({ story: teamStory(), live });
  await panel.page.getByRole('button', { name: 'Hand Over To…' }).click();
  expect(await panel.wasDone('hand over')).toBe('hand over');
});

panelTest(
  'in a very low page nothing lies over anything else, and all of it can be reached',
  async ({ open }) => {
    const panel = await open({ story: teamStory(), viewport: { width: 340, height: 340 } });
    const { page } = panel;
    const failed = { state: 'failed', canStop: false, canContinue: true } as const;
    panel.setLive({
      ...failed,
      failure: { reason: 'the researcher failed', ways: ['Retry', 'Change Model…'] },
    });
    await page.locator('.failure-dock').waitFor();
    await panel.settled();
    await page.screenshot({ path: join(pictures, 'panel/low-failed.png') });
    const [filter, list, dock] = await Promise.all(
      ['.filter', '.list', '.failure-dock'].map((part) => page.locator(part).boundingBox()),
    );
    expect(list?.height).toBeGreaterThan(60);
    expect(dock?.y).toBeGreaterThanOrEqual(
      (filter?.y ?? 0) + (filter?.height ?? 0) + (list?.height ?? 0) - 1,
    );
    await page.getByRole('button', { name: 'Retry' }).click();
    await panel.wasDone('after failure Retry');
  },
);
