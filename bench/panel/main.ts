import type { Page } from 'playwright-core';
import { launchBrowser } from '../../test/vscode/host/browser.mjs';
import { largeStory } from '../../test/support/largeStory.js';
import { PanelPage } from '../../test/ui/support/panelPage.js';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { median, quantile } from '../harness/statistics.js';
import { tasksDuring, type PageTask } from './tasksDuring.js';
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

/** The times between the page's frames while something is done. */
async function framesDuring(panel: PanelPage, act: () => Promise<void>): Promise<readonly number[]> {
  const before = await watched(panel);
  await act();
  return (await watched(panel)).frames.slice(before.frames.length);
}

const firstRows: number[] = [];
const found: number[] = [];
/** What the page's main thread did until its first rows, in milliseconds on the processor. */
const opened: number[] = [];
const scrolled = { tasks: [] as PageTask[], frames: [] as number[], drawn: 0 };
const typed: PageTask[] = [];
let largest = 0;
for (let round = 0; round < ROUNDS; round++) {
  let panel!: PanelPage;
  const first = await tasksDuring(browser, async () => {
    panel = await PanelPage.open(browser, { story, prepare: watch });
    await panel.page.locator('.row:not(.row-skeleton)').first().waitFor();
  });
  opened.push(first.reduce((sum, { processorMs }) => sum + processorMs, 0));
  const { page } = panel;
  firstRows.push((await watched(panel)).firstRows ?? NaN);
  await page.locator('.count-of-messages', { hasNotText: 'read' }).waitFor({ timeout: 120_000 });
  await page.locator('.list').hover();
  const scroll = await tasksDuring(browser, async () => {
    const frames = await framesDuring(panel, async () => {
      for (let turn = 0; turn < WHEEL.turns; turn++) await page.mouse.wheel(0, WHEEL.pixels);
      scrolled.drawn = Math.max(scrolled.drawn, await page.locator('.row').count());
    });
    scrolled.frames.push(...frames);
  });
  scrolled.tasks.push(...scroll);
  const typing = await tasksDuring(browser, async () => {
    await page.locator('.filter-text input').pressSequentially('needle', { delay: 60 });
    const start = performance.now();
    await page.locator('.count', { hasText: /^\d[\d,]* of [\d,]+$/ }).waitFor({ timeout: 120_000 });
    found.push(performance.now() - start);
  });
  typed.push(...typing);
  largest = Math.max(largest, ...panel.sizes);
  await panel.close();
}
await browser.close();

/** The longest task, on the processor and on the clock. */
const longest = (tasks: readonly PageTask[]) => {
  const most = (times: readonly number[]) => duration(times.reduce((a, b) => Math.max(a, b), 0));
  return `${most(tasks.map((task) => task.processorMs))} (${most(tasks.map((task) => task.ms))})`;
};
console.log(
  `## The panel (${MESSAGES.toLocaleString('en-US')} messages, Chromium without a screen, median of ${ROUNDS})\n\n${markdownTable(
    ['what', 'result', 'goal'],
    [
      ['from the page’s first byte to its first rows', duration(median(firstRows)), '300 ms'],
      ['of these, the page’s own work', duration(median(opened)), ''],
      ['longest task while scrolling: processor (clock)', longest(scrolled.tasks), '50 ms'],
      ['95 of 100 frames while scrolling within', duration(quantile(scrolled.frames, 0.95)), ''],
      ['rows in the page at most', figures(scrolled.drawn), ''],
      ['longest task while typing a filter: processor (clock)', longest(typed), '50 ms'],
      ['from the last key to the last match, without an index', duration(median(found)), ''],
      ['largest message to the page', `${figures(largest / 1000)} KB`, '1,000 KB'],
    ],
  )}\n`,
);
