import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { teamStory } from '../support/teamStory.js';
import { THEMES } from '../support/themes.js';
import { TABS } from '../../webview/state.js';
import { panelTest } from './support/panelTest.js';
import { seriousViolations } from './support/seriousViolations.js';
import { pictures } from './support/uiTest.js';

const WIDTHS = [1400, 1000, 700, 350];

for (const theme of THEMES) {
  panelTest(`all views are whole and accessible at every width, ${theme}`, async ({ open }) => {
    const folder = join(pictures, 'panel');
    await mkdir(folder, { recursive: true });
    const panel = await open({ story: teamStory(), theme });
    const { page } = panel;
    for (const tab of TABS) {
      await panel.show(tab);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await panel.settled();
        await page.screenshot({ path: join(folder, `${tab}-${theme}-${width}.png`) });
        expect.soft(await panel.overflow(), `${tab} at ${width} px`).toEqual([]);
        if (width >= 1000) expect.soft(await panel.overflow('.table'), `${tab} at ${width} px`).toEqual([]);
      }
      expect.soft(await seriousViolations(page), tab).toEqual([]);
    }
  });
}
