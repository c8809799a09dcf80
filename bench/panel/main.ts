import type { Page } from 'playwright-core';
import { launchBrowser } from '../../test/vscode/host/browser.mjs';
import { largeStory } from '../../test/support/largeStory.js';
import { PanelPage } from '../../test/ui/support/panelPage.js';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { median, quantile } from '../harness/statistics.js';
import { watchPage, type Watched } from './watchPage.js';

const MESSAGES = 100_000;
const ROUNDS = 5;
/** One turn of a wheel, and how many of them. */
const WHEEL = { pixels: 600, turns: 150 };

const story = largeStory(MESSAGES);
const browser = await launchBrowser();
const watched = (panel: PanelPage): Promise<Watched> =>
  panel.page.evaluate(() => (window as unknown as { watched: Watched }).watched);

const watch = async (page: Page): Promise<void> => {
  await page.addInitScript(watchPage);
};

/** What happened in the page since it was asked last. */
async function during(panel: PanelPage, act: () => Promise<void>) {
  const before = await watched(panel);
  await act();
  const after = await watched(panel);
  const longTasks = after.longTasks.slice(before.longTasks.length);
  return { longTasks, frames: after.frames.slice(before.frames.length) };
}

const firstRows: number[] = [];
const found: number[] = [];
const scrolled = { longTasks: [] as number[], frames: [] as number[], drawn: 0 };
const typed: number[] = [];
let largest = 0;
for (let round = 0; round < ROUNDS; round++) {
  const panel = await PanelPage.open(browser, {
    story,
    prepare: watch,
  });
  const { page } = panel;
  await page.locator('.row:not(.row-skeleton)').first().waitFor();
  firstRows.push((await watched(panel)).firstRows ?? NaN);
  await page.locator('.facts', { hasNotText: 'read' }).waitFor({ timeout: 120_000 });
  await page.locator('.list').hover();
  const scroll = await during(panel, async () => {
    for (let turn = 0; turn < WHEEL.turns; turn++) await page.mouse.wheel(0, WHEEL.pixels);
    scrolled.drawn = Math.max(scrolled.drawn, await page.locator('.row').count());
  });
  scrolled.longTasks.push(...scroll.longTasks);
  scrolled.frames.push(...scroll.frames);
  const typing = await during(panel, async () => {
    await page.locator('.filter-text input').pressSequentially('needle', { delay: 60 });
    const start = performance.now();
    await page.locator('.count', { hasText: /^\d[\d,]* of [\d,]+$/ }).waitFor({ timeout: 120_000 });
    found.push(performance.now() - start);
  });
  typed.push(...typing.longTasks);
  largest = Math.max(largest, ...panel.sizes);
  await panel.close();
}
await browser.close();

const longest = (tasks: readonly number[]) => (tasks.length === 0 ? 'none' : duration(Math.max(...tasks)));
console.log(
  `## The panel (${MESSAGES.toLocaleString('en-US')} messages, Chromium without a screen, median of ${ROUNDS})\n\n${markdownTable(
    ['what', 'result', 'goal'],
    [
      ['from the page’s first byte to its first rows', duration(median(firstRows)), '300 ms'],
      ['longest task over 50 ms while scrolling', longest(scrolled.longTasks), 'none'],
      ['95 of 100 frames while scrolling within', duration(quantile(scrolled.frames, 0.95)), ''],
      ['rows in the page at most', figures(scrolled.drawn), ''],
      ['longest task over 50 ms while typing a filter', longest(typed), 'none'],
      ['from the last key to the last match', duration(median(found)), ''],
      ['largest message to the page', `${figures(largest / 1000)} KB`, '1,000 KB'],
    ],
  )}\n`,
);
