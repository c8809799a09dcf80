import { exportIndex } from '../../src/export/files/exportIndex.js';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { exportMessages } from '../../src/export/exportMessages.js';
import { hostileStory } from '../support/hostileStory.js';
import { teamStory } from '../support/teamStory.js';
import { panelTest } from './support/panelTest.js';
import { violationsOf } from './support/violations.js';
import { pictures } from './support/uiTest.js';

const options = { title: 'Nightly export of invoices fails', full: true };
const pages = {
  team: exportMessages(teamStory().records, 'html', options),
  hostile: exportMessages(hostileStory(500).records, 'html', options),
};

for (const [name, html] of Object.entries(pages)) {
  panelTest(
    `the exported page of the ${name} story needs nothing, runs nothing of what was said, and can be read`,
    async ({ browser }) => {
      await mkdir(pictures, { recursive: true });
      const page = await browser.newPage();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.setContent(html);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const width of [1400, 350]) {
          await page.setViewportSize({ width, height: 900 });
          const path = join(pictures, `exported-${name}-${colorScheme}-${width}.png`);
          await page.screenshot({ path, fullPage: name === 'team' });
          const room = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
          expect.soft(room[0], `${colorScheme} at ${width} px`).toBeLessThanOrEqual(room[1] ?? 0);
        }
        if (name === 'team') expect.soft(await violationsOf(page), colorScheme).toEqual([]);
      }
      expect(await page.locator('iframe, link, object, form').count()).toBe(0);
      expect(await page.locator('script').count()).toBe(1);
      const addresses = await page
        .locator('a, img')
        .evaluateAll((all) => all.map((one) => one.getAttribute(one.tagName === 'A' ? 'href' : 'src') ?? ''));
      for (const address of addresses) expect(address).toMatch(/^(?:https?:|mailto:|#|data:image\/)/i);
      expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
      expect(asked).toEqual([]);
      await page.close();
    },
  );
}

panelTest('the index of many sessions can be read', async ({ browser }) => {
  const page = await browser.newPage();
  const entries = ['Fix the oven', 'Wash up'].map((title) => ({
    file: `${title}.html`,
    title,
    source: 'claude-code',
    project: 'kitchen',
    messages: 1_200,
  }));
  await page.setContent(exportIndex(entries, 'html', { heading: '2 sessions', isWhole: false }));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(pictures, `exported-index-${colorScheme}.png`) });
    expect.soft(await violationsOf(page), colorScheme).toEqual([]);
  }
  await page.close();
});
