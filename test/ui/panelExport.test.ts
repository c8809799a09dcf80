import { expect } from 'vitest';
import { SAVED_FORMATS } from '../../src/core/ports/exportFormats.js';
import { teamStory } from '../support/teamStory.js';
import { inEachTheme } from './support/inEachTheme.js';
import { panelTest } from './support/panelTest.js';
import { pictures } from './support/uiTest.js';

panelTest('every format is offered, with what it is for, and what to do with it', async ({ open }) => {
  const panel = await open({ story: teamStory(), viewport: { width: 1200, height: 480 } });
  const { page } = panel;
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const groups = page.getByRole('group', { name: /^(To read|To work with|For other tools)$/ });
  const formats = groups.getByRole('radio');
  await formats.first().waitFor();
  const values = await formats.evaluateAll((radios) => radios.map((radio) => radio.getAttribute('value')));
  expect(values.toSorted()).toEqual([...SAVED_FORMATS].toSorted());
  for (const height of [480, 900]) {
    await page.setViewportSize({ width: 1200, height });
    await inEachTheme(page, async (theme) => {
      // Whatever scrolls, the buttons are in the window and nothing lies over them.
      await page.getByRole('button', { name: 'Save as file…' }).click({ trial: true });
      await page.screenshot({ path: `${pictures}/export-menu-${theme}-${height}.png` });
      expect.soft(await panel.overflow(), `${height} px, ${theme}`).toEqual([]);
    });
    await page.getByText('for tools that read or resume trajectories').click();
    expect(await page.getByRole('radio', { name: /^ATIF trajectory/ }).isChecked()).toBe(true);
    expect(await panel.overflow()).toEqual([]);
  }
});
