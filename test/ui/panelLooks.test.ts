import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { loadPrices } from '../../src/query/pricing/loadPrices.js';
import { StoryTeller } from '../support/storyTeller.js';
import { teamStory } from '../support/teamStory.js';
import { THEMES } from '../support/themes.js';
import { TABS } from '../../webview/state.js';
import { inEachTheme } from './support/inEachTheme.js';
import { panelTest } from './support/panelTest.js';
import { violationsIn } from './support/violations.js';
import { pictures } from './support/uiTest.js';

const WIDTHS = [1400, 1000, 700, 350];

/** So that every view has costs beside its errors. */
const prices = await loadPrices();

panelTest('all views are whole and accessible at every width, in every theme', async ({ open }) => {
  const folder = join(pictures, 'panel');
  await mkdir(folder, { recursive: true });
  const panel = await open({ story: teamStory(), prices });
  const { page } = panel;
  for (const tab of TABS) {
    await panel.show(tab);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await panel.settled();
      await inEachTheme(page, async (theme) => {
        const at = `${tab} at ${width} px, ${theme}`;
        if (theme === THEMES[0] || width === 1000)
          await page.screenshot({ path: join(folder, `${tab}-${theme}-${width}.png`) });
        expect.soft(await panel.overflow(), at).toEqual([]);
        if (width >= 1000) expect.soft(await panel.overflow('.table'), at).toEqual([]);
      });
    }
    await inEachTheme(page, async (theme) => {
      expect.soft(await violationsIn(page, theme), `${tab}, ${theme}`).toEqual([]);
    });
  }
});

panelTest('what belongs to a question is whole and accessible, in every theme', async ({ open }) => {
  const folder = join(pictures, 'panel');
  await mkdir(folder, { recursive: true });
  const panel = await open({ story: teamStory(), prices });
  const { page } = panel;
  const field = page.getByRole('combobox', { name: 'Question about this transcript' });
  for (const width of [1000, 350]) {
    await page.setViewportSize({ width, height: 700 });
    const look = async (name: string) => {
      await panel.settled();
      await inEachTheme(page, async (theme) => {
        const at = `${name} at ${width} px, ${theme}`;
        if (theme === THEMES[0] || width === 1000)
          await page.screenshot({ path: join(folder, `question-${name}-${theme}-${width}.png`) });
        expect.soft(await panel.overflow(), at).toEqual([]);
        // Narrow, code in a row scrolls, which the arrow keys of the list reach.
        if (width >= 1000) expect.soft(await violationsIn(page, theme), at).toEqual([]);
      });
    };
    await field.fill('');
    await page.keyboard.type('is:');
    await page.locator('.question-option').first().waitFor();
    await look('completed');
    await field.fill('tool:edit_file after tool:read_file same:path');
    await page.keyboard.press('ArrowLeft');
    await page.locator('.question-summary').waitFor();
    await look('described');
    await page.keyboard.press('Escape');
    await page.locator('vscode-button[aria-label="Saved questions"]').click();
    await page.getByRole('dialog', { name: 'Saved questions' }).waitFor();
    await look('saved');
    await page.keyboard.press('Escape');
    await field.fill('epoch -agent:reviewer (is:error OR tokens:>1000) has:image');
    await page.getByRole('group', { name: 'Parts of the question' }).waitFor();
    await look('parts');
    await field.fill('agnt:planner is:error');
    await page.locator('.question-problem').waitFor();
    await look('problem');
  }
});

panelTest('what came since one looked stands below one line, in every theme', async ({ open }) => {
  const folder = join(pictures, 'panel');
  await mkdir(folder, { recursive: true });
  const story = teamStory();
  const seen = { at: new Date().setHours(14, 2), records: story.records.length - 12 };
  const panel = await open({ story, prices, seen });
  const { page } = panel;
  await page.locator('.list').press('End');
  const line = page.locator('.new-since');
  await line.waitFor();
  expect([await line.innerText(), await line.count()]).toEqual(['new since 14:02', 1]);
  const row = page.locator('.row', { has: line });
  expect(await row.getAttribute('aria-label')).toMatch(/^new since 14:02, /);
  for (const [width, height] of [
    [1400, 900],
    [700, 450],
  ] as const) {
    await page.setViewportSize({ width, height });
    await line.scrollIntoViewIfNeeded();
    await row.hover();
    await panel.settled();
    await inEachTheme(page, async (theme) => {
      await page.screenshot({ path: join(folder, `new-since-${theme}-${width}.png`) });
      expect.soft(await panel.overflow('html, body, .page, .list, .row'), theme).toEqual([]);
      expect.soft(await violationsIn(page, theme), theme).toEqual([]);
    });
  }
});

panelTest('a transcript opens at its first new row, however late rows come', async ({ open }) => {
  const story = new StoryTeller();
  const tell = (prompt: string, answer: string) => {
    const baker = story.run('baker', prompt);
    baker.say(answer);
    baker.end();
  };
  for (let day = 1; day <= 60; day++) tell(`What is for day ${day}?`, 'Bread.');
  const seen = { at: new Date().setHours(14, 2), records: story.records.length };
  // Few rows, of which the last is much higher than is assumed before it is there.
  tell('The news', Array.from({ length: 80 }, (_, line) => `${line + 1}. Knead it.`).join('\n'));
  // More than is read before the page stands.
  expect(seen.records).toBeGreaterThan(100);
  for (const isLate of [false, true]) {
    const panel = await open({ story, seen, ...(isLate && { prepare: delayRows }) });
    const line = panel.page.locator('.new-since');
    await line.waitFor();
    await panel.settled();
    const place = await line.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      const list = element.closest('.list')?.getBoundingClientRect();
      return { isBelow: top - (list?.top ?? NaN) >= 0, isAbove: (list?.bottom ?? NaN) - bottom >= 0 };
    });
    expect(place).toEqual({ isBelow: true, isAbove: true });
    await panel.page.screenshot({ path: join(pictures, `opened-at-news-${isLate ? 'late' : 'soon'}.png`) });
    expect(await panel.page.locator('.row.selected .new-since').count()).toBe(1);
  }
});

/** Hands a page its rows only when it has been drawn, and has heard how far it was scrolled, without them. */
async function delayRows(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const late = new Set<string>();
    window.addEventListener('message', (event: MessageEvent<{ readonly kind?: string }>) => {
      const text = JSON.stringify(event.data);
      if (event.data.kind !== 'answer' || !text.includes('"rows":[{') || late.has(text)) return;
      late.add(text);
      event.stopImmediatePropagation();
      const again = (frames: number) =>
        frames === 0
          ? window.postMessage(event.data, '*')
          : void requestAnimationFrame(() => again(frames - 1));
      again(6);
    });
  });
}

for (const width of [500, 800, 1321, 1322]) {
  panelTest(
    `the buttons of a row cover no other row and none of its facts, ${width} px`,
    async ({ open }) => {
      const story = teamStory();
      story.run('planner', 'x'.repeat(300)).say('Done.');
      const panel = await open({ story, viewport: { width, height: 4_000 } });
      await panel.page
        .locator('vscode-button[aria-label="Show the conversations of all dispatches"]')
        .click();
      await panel.row('run_command').waitFor();
      await panel.settled();
      const rows = panel.page.locator('.list .row');
      const looks = await rows.evaluateAll((all) =>
        all.map((row) => row.querySelector('.row-main')?.firstElementChild?.className ?? ''),
      );
      // One row of each look.
      const chosen = [...new Set(looks)].map((look) => looks.indexOf(look));
      expect(chosen.length).toBeGreaterThan(8);
      for (const at of chosen) {
        const row = rows.nth(at);
        const before = await row.evaluate(({ clientHeight }) => clientHeight);
        await row.hover({ position: { x: width / 2, y: 12 } });
        await row.locator('.row-toolbar').waitFor();
        const found = await row.evaluate((element) => {
          const box = (selector: string) => element.querySelector(selector)?.getBoundingClientRect();
          const [whole, buttons, facts] = [
            element.getBoundingClientRect(),
            box('.row-toolbar'),
            box('.meta'),
          ];
          if (!buttons) return { name: 'no buttons' };
          const isBeside = !facts || facts.right <= buttons.left || buttons.right <= facts.left;
          return {
            height: element.clientHeight,
            isInside: buttons.top >= whole.top && buttons.bottom <= whole.bottom,
            isBeside: isBeside || facts.width === 0,
          };
        });
        expect.soft(found, await row.innerText()).toEqual({ height: before, isInside: true, isBeside: true });
      }
    },
  );
}
