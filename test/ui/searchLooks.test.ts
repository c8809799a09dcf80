import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { THEMES } from '../support/themes.js';
import { inEachTheme } from './support/inEachTheme.js';
import { searchTest } from './support/searchTest.js';
import { violationsIn } from './support/seriousViolations.js';
import { pictures } from './support/uiTest.js';

const WIDTHS = [1400, 800, 250];

for (const width of WIDTHS) {
  searchTest(`the search is whole and accessible in every theme, ${width} px`, async ({ search }) => {
    const folder = join(pictures, 'search');
    await mkdir(folder, { recursive: true });
    const opened = await search({ viewport: { width, height: 900 }, isEditor: width > 300 });
    const { page } = opened;
    const look = async (name: string) => {
      await inEachTheme(page, async (theme) => {
        const at = `${name} at ${width} px, ${theme}`;
        if (theme === THEMES[0] || width === 800)
          await page.screenshot({ path: join(folder, `${name}-${theme}-${width}.png`) });
        expect.soft(await opened.overflow(), at).toEqual([]);
        expect.soft(await violationsIn(page, theme), at).toEqual([]);
      });
    };
    await page.getByText('Ask all conversations').waitFor();
    await look('examples');
    await opened.ask('temperature');
    await page.getByText(/messages in 4 sessions/).waitFor();
    await opened.field.press('Enter');
    await opened.chosen.waitFor();
    await page.keyboard.press('ArrowDown');
    if (width >= 1000) await page.locator('.near.is-hit').waitFor();
    await look('found');
    await page.getByTitle('Saved questions').click();
    await page.getByRole('dialog', { name: 'Saved questions' }).waitFor();
    await look('questions');
    await page.keyboard.press('Escape');
    if (width < 720) {
      await page.locator('.refine > summary').click();
      await look('refine');
    }
    await opened.ask('temperature role:assistant -agent:Crumb');
    await page.getByRole('group', { name: 'Parts of the question' }).waitFor();
    await look('parts');
    const field = await opened.field.boundingBox();
    if (field) await page.mouse.move(field.x + 40, field.y + field.height / 2);
    await page.locator('.question-summary', { hasText: 'It holds where' }).waitFor();
    await look('described');
    await page.mouse.move(0, 0);
    await opened.field.fill('');
    await page.keyboard.type('args.');
    await page.getByRole('option', { name: 'args.path:' }).waitFor();
    await look('completed');
    await page.keyboard.press('Escape');
    await opened.ask('has:note');
    await page.locator('.hit-note', { hasText: 'the migration on Tuesday' }).waitFor();
    await look('note');
    await opened.ask('temperature agent:Nobody');
    await page.getByText('Nothing found').waitFor();
    await look('nothing');
    await opened.ask('agnt:Cookie');
    await page.locator('.question-problem').waitFor();
    await look('problem');
  });
}
