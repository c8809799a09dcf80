import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { teamStory } from '../support/teamStory.js';
import type { PanelPage } from './support/panelPage.js';
import { inEachTheme } from './support/inEachTheme.js';
import { panelTest } from './support/panelTest.js';
import { violationsIn } from './support/violations.js';
import { pictures } from './support/uiTest.js';

const notes = (panel: PanelPage) => panel.page.locator('.own-note');
const box = (panel: PanelPage) => panel.page.getByRole('dialog', { name: 'Note' });

/** Chooses the first tool call, by pointing at it and by the keyboard; gives what it says. */
async function chooseTool(panel: PanelPage): Promise<string> {
  await panel.page.locator('vscode-button[aria-label="Show the conversations of all dispatches"]').click();
  const row = panel.page.locator('.row-tool').first();
  await row.waitFor();
  await panel.settled();
  await row.focus();
  await row.hover({ position: { x: 200, y: 10 } });
  return row.innerText();
}

panelTest('a message is bookmarked and commented by keys, and each of it undone', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { keyboard } = panel.page;
  await panel.settled();
  await keyboard.press('End');
  await panel.settled();
  await keyboard.press('m');
  await expect.poll(() => notes(panel).allInnerTexts()).toEqual(['Bookmarked']);
  await keyboard.press('n');
  await box(panel).waitFor();
  await keyboard.type('Ask for less next time.');
  await keyboard.press('Control+Enter');
  await expect.poll(() => notes(panel).allInnerTexts()).toEqual(['Ask for less next time.']);
  const label = await panel.page.locator('.row:has(.own-note)').getAttribute('aria-label');
  expect(label).toContain('your note: Ask for less next time.');
  await keyboard.press('Control+z');
  await expect.poll(() => notes(panel).allInnerTexts()).toEqual(['Bookmarked']);
  await keyboard.press('m');
  await expect.poll(() => notes(panel).count()).toBe(0);
  await panel.page.locator('.notice').getByText('Undo').click();
  await expect.poll(() => notes(panel).allInnerTexts()).toEqual(['Bookmarked']);
});

panelTest('the buttons of a row write a note, open it again and remove it', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await panel.settled();
  const said = await chooseTool(panel);
  await panel.page.locator('.row-toolbar').getByTitle('Write a note (N)').click();
  await box(panel).waitFor();
  expect(await box(panel).locator('.note-about').innerText()).toContain(said.split('\n')[0]);
  await panel.page.keyboard.type('Too much of it');
  await box(panel).getByText('Save').click();
  await notes(panel).click();
  await box(panel).getByText('Remove').click();
  await expect.poll(() => notes(panel).count()).toBe(0);
});

panelTest(
  'a box that is left by Escape writes nothing, and no key of the page works in it',
  async ({ open }) => {
    const panel = await open({ story: teamStory() });
    await panel.settled();
    await panel.page.keyboard.press('End');
    await panel.settled();
    await panel.page.keyboard.press('n');
    await box(panel).waitFor();
    await panel.page.keyboard.type('x?/t');
    expect(await panel.page.locator('dialog[open]').count()).toBe(1);
    await panel.page.keyboard.press('Escape');
    await box(panel).waitFor({ state: 'hidden' });
    expect(await notes(panel).count()).toBe(0);
  },
);

panelTest('what notes are asked for is completed, found and shown', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await panel.settled();
  await chooseTool(panel);
  await panel.page.keyboard.press('m');
  await notes(panel).waitFor();
  const field = panel.page.getByRole('combobox', { name: 'Question about this transcript' });
  await field.fill('has:n');
  await panel.page.keyboard.press('Control+Space');
  await panel.page.getByRole('option', { name: 'note' }).click();
  await expect.poll(() => field.inputValue()).toBe('has:note');
  await expect.poll(() => panel.page.locator('.list .row').count()).toBeLessThan(4);
  await notes(panel).first().waitFor();
});

panelTest('notes look whole and are accessible, in every theme', async ({ open }) => {
  const folder = join(pictures, 'notes');
  await mkdir(folder, { recursive: true });
  const panel = await open({ story: teamStory(), viewport: { width: 1000, height: 900 } });
  const { page } = panel;
  await panel.settled();
  await page.keyboard.press('Home');
  await page.keyboard.press('m');
  await notes(panel).first().waitFor();
  for (const words of ['Why this one?', `A long note.\n\n${'It goes on and on. '.repeat(12)}`]) {
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('n');
    await page.keyboard.type(words);
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(() =>
        notes(panel)
          .filter({ hasText: words.slice(0, 12) })
          .count(),
      )
      .toBe(1);
  }
  await inEachTheme(page, async (theme) => {
    await page.screenshot({ path: join(folder, `rows-${theme}.png`) });
    expect.soft(await panel.overflow(), theme).toEqual([]);
    expect.soft(await violationsIn(page, theme), theme).toEqual([]);
  });
  await notes(panel).last().click();
  await box(panel).waitFor();
  await inEachTheme(page, async (theme) => {
    await page.screenshot({ path: join(folder, `box-${theme}.png`) });
    expect.soft(await violationsIn(page, theme), theme).toEqual([]);
  });
});
