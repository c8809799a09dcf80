import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { duration, figures, markdownTable } from '../../bench/harness/markdown.js';
import { pictures, uiTest } from '../ui/support/uiTest.js';
import type { Workbench } from '../ui/support/workbench.js';
import { hostMemory } from './hostMemory.js';
import { keepLarge } from './keepLarge.js';

/** About 1 KB each in the journal; 100,000 make 100 MB. */
const MESSAGES = Number(process.env.AGENT_LOGBOOK_LARGE_MESSAGES ?? 850_000);
const MINUTES = 60_000;
/** As many rows as a page may ever draw, and what the host may take for a transcript, in megabytes. */
const MAX_DRAWN = 80;
const MAX_HOST_MEMORY = 1_500;

let bytes = 0;
const test = uiTest({
  prepare: async (folder) => {
    bytes = await keepLarge(folder, MESSAGES, 'The large one');
  },
});

const rows: string[][] = [];
let mostMemory = 0;

/** Does something, and notes how long it took, the host's memory after it and the page's. */
async function noted(workbench: Workbench, what: string, act: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await act();
  const ms = performance.now() - start;
  const host = hostMemory();
  mostMemory = Math.max(mostMemory, host);
  rows.push([what, duration(ms), figures(host), figures(await pageMemory(workbench))]);
  console.log(rows.at(-1)?.join(' | '));
}

/** The size of the page's heap, in megabytes; 0 where there is no page. */
async function pageMemory(workbench: Workbench): Promise<number> {
  if ((await workbench.page.locator('iframe.webview.ready').count()) === 0) return 0;
  return workbench
    .webview()
    .locator('body')
    .evaluate(
      () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 1e6,
    );
}

describe('a transcript of about 1 GB', { timeout: 60 * MINUTES }, () => {
  test('is opened, scrolled, filtered and summed up with bounded memory', async ({ workbench }) => {
    await mkdir(pictures, { recursive: true });
    const panel = workbench.webview();
    const drawn = () => panel.locator('.row').count();
    const picture = (name: string) => workbench.screenshot(join(pictures, `large-${name}.png`));
    const row = (text: string) => panel.locator('.row', { hasText: text }).first();
    /** Resolves when a row this far down, or further, is shown. */
    const reached = async (least: number) => {
      const shown = panel.locator('.row[data-row]').last();
      const far = async () => Number(await shown.getAttribute('aria-posinset'));
      await expect.poll(far, { timeout: MINUTES }).toBeGreaterThanOrEqual(least);
    };
    await workbench.view('Agent Logbook');
    await workbench.treeItem('The large one').first().waitFor();
    await noted(workbench, 'before it is opened', () => Promise.resolve());
    await noted(workbench, 'its first rows', async () => {
      await workbench.treeItem('The large one').first().click();
      await row('Prompt 0').waitFor();
    });
    await picture('first');
    await noted(workbench, 'the end of what is read by then', async () => {
      await panel.locator('.list').press('End');
      await reached(300);
    });
    expect(await drawn()).toBeLessThan(MAX_DRAWN);
    await noted(workbench, 'back to the beginning', async () => {
      await panel.locator('.list').press('Home');
      await row('Prompt 0').waitFor();
    });
    for (const name of ['Timeline', 'Statistics', 'Tools']) {
      await noted(workbench, `${name}, while it is still read`, async () => {
        await panel.getByRole('tab', { name }).click();
        await panel.locator(`#view-${name.toLowerCase()} :is(.timeline-svg, table)`).first().waitFor();
      });
      await picture(`${name}-early`);
    }
    await panel.getByRole('tab', { name: 'Messages' }).click();
    await noted(workbench, 'all of it is read', () =>
      panel.locator('.count-of-messages', { hasNotText: 'read' }).waitFor({ timeout: 20 * MINUTES }),
    );
    await noted(workbench, 'its last row', async () => {
      await panel.locator('.list').press('End');
      await reached(MESSAGES / 3);
    });
    await picture('end');
    expect(await drawn()).toBeLessThan(MAX_DRAWN);
    await noted(workbench, 'half way down', async () => {
      await panel.locator('.list').evaluate((list) => (list.scrollTop = list.scrollHeight / 2));
      await expect.poll(() => panel.locator('.row-skeleton').count(), { timeout: MINUTES }).toBe(0);
    });
    await noted(workbench, '100 turns of the wheel', async () => {
      await panel.locator('.list').hover();
      for (let turn = 0; turn < 100; turn++) await workbench.page.mouse.wheel(0, 600);
      await expect.poll(() => panel.locator('.row-skeleton').count(), { timeout: MINUTES }).toBe(0);
    });
    expect(await drawn()).toBeLessThan(MAX_DRAWN);
    for (const name of ['Timeline', 'Statistics', 'Tools']) {
      await noted(workbench, name, async () => {
        await panel.getByRole('tab', { name }).click();
        await panel.locator(`#view-${name.toLowerCase()} :is(.timeline-svg, table)`).first().waitFor();
      });
      await picture(name);
    }
    await panel.getByRole('tab', { name: 'Messages' }).click();
    await noted(workbench, 'the first matches of a filter', async () => {
      await panel.locator('.question-input').pressSequentially('needle', { delay: 60 });
      await panel.locator('mark', { hasText: 'needle' }).first().waitFor();
    });
    await noted(workbench, 'all of its matches', () =>
      panel.locator('.count', { hasText: /^\d[\d,]* of [\d,]+ rows$/ }).waitFor({ timeout: 5 * MINUTES }),
    );
    await picture('filter');
    expect(await drawn()).toBeLessThan(MAX_DRAWN);
    await noted(workbench, 'without the filter again', async () => {
      await panel.locator('.question-input').fill('');
      await row('Prompt 0').waitFor();
    });
    const table = markdownTable([`${figures(bytes / 1e6)} MB`, 'after', 'host, MB', 'page, MB'], rows);
    console.log(`\n${table}\n`);
    await writeFile(join(pictures, 'large.md'), `${table}\n`);
    expect(mostMemory).toBeLessThan(MAX_HOST_MEMORY);
  });
});
