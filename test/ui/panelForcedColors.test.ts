import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { teamStory } from '../support/teamStory.js';
import { panelTest } from './support/panelTest.js';
import { pictures } from './support/uiTest.js';

/** What an element looks like where the system gives the colours; a colour of the page is none of them. */
const look = (element: Locator, property: string): Promise<string> =>
  element.evaluate((it, name) => getComputedStyle(it).getPropertyValue(name), property);

panelTest(
  'where the system gives the colours it is seen which view, row and filter is chosen',
  async ({ open }) => {
    const panel = await open({
      story: teamStory(),
      prepare: (page) => page.emulateMedia({ forcedColors: 'active' }),
    });
    const { page } = panel;
    await mkdir(join(pictures, 'panel'), { recursive: true });
    const canvas = await look(page.locator('#tab-tools'), 'border-bottom-color');
    expect(await look(page.locator('#tab-messages'), 'border-bottom-color')).not.toBe(canvas);
    expect(await look(page.locator('#tab-timeline'), 'border-bottom-color')).toBe(canvas);
    await page.locator('.facet', { hasText: 'Errors' }).click();
    const chosen = page.locator('.facet.pressed');
    await chosen.waitFor();
    await page.locator('.row').first().focus();
    const row = page.locator('.row.selected .row-main');
    await row.waitFor();
    await page.screenshot({ path: join(pictures, 'panel/forced-colors-messages.png') });
    expect(await look(chosen, 'outline-style')).toBe('solid');
    expect(await look(page.locator('.facet:not(.pressed)').first(), 'outline-style')).toBe('none');
    expect(await look(row, 'border-left-style')).toBe('solid');
    await panel.show('timeline');
    await page.screenshot({ path: join(pictures, 'panel/forced-colors-timeline.png') });
    const failed = await look(page.locator('.key-failed'), 'background-color');
    expect(await look(page.locator('.key-model'), 'background-color')).not.toBe(failed);
  },
);
