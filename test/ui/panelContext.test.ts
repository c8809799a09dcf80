import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { contextStory } from '../support/contextStory.js';
import { inEachTheme } from './support/inEachTheme.js';
import { panelTest } from './support/panelTest.js';
import { violationsIn } from './support/violations.js';
import { pictures } from './support/uiTest.js';

panelTest('the context view of a long session is whole and accessible, in every theme', async ({ open }) => {
  const folder = join(pictures, 'panel');
  await mkdir(folder, { recursive: true });
  const panel = await open({ story: contextStory(), viewport: { width: 1200, height: 2300 } });
  const { page } = panel;
  await panel.show('context');
  await page.locator('.context-chart .part').first().waitFor();
  await page.getByRole('button', { name: 'Uncompact' }).click();
  await page.locator('.dropped-list li').first().waitFor();
  await panel.settled();
  await inEachTheme(page, async (theme) => {
    await page.screenshot({ path: join(folder, `context-long-${theme}.png`) });
    expect.soft(await panel.overflow(), theme).toEqual([]);
    expect.soft(await violationsIn(page, theme), theme).toEqual([]);
  });
});

panelTest('keys step through the requests, and Enter goes to the answer', async ({ open }) => {
  const panel = await open({ story: contextStory() });
  const { page } = panel;
  await panel.show('context');
  const chart = page.getByRole('slider', { name: /filled its window/ });
  await chart.focus();
  await page.keyboard.press('Home');
  await page.getByRole('heading', { name: /^Request 1 of / }).waitFor();
  expect(await chart.getAttribute('aria-valuetext')).toMatch(
    /^Request 1: [\d,]+ tokens, mostly Not recorded/,
  );
  await page.keyboard.press('ArrowRight');
  await page.getByRole('heading', { name: /^Request 2 of / }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Messages', selected: true }).waitFor();
});

panelTest('parts are listed by file, tool and server, and lead to their messages', async ({ open }) => {
  const panel = await open({ story: contextStory() });
  const { page } = panel;
  await panel.show('context');
  await page.getByRole('button', { name: 'By file' }).click();
  // What was read of a file and the calls that read it are one part.
  const file = page.getByRole('button', { name: '/work/src/export/invoices2.ts' });
  await expect.poll(() => file.count()).toBe(1);
  await page.getByRole('button', { name: 'By server' }).click();
  await page.getByRole('button', { name: 'github', exact: true }).click();
  await page.getByRole('tab', { name: 'Messages', selected: true }).waitFor();
});

panelTest('what a compaction took out is copied back into the chat box', async ({ open }) => {
  const live = { state: 'done', canStop: false, canContinue: true } as const;
  const panel = await open({ story: contextStory(), live });
  const { page } = panel;
  await panel.show('context');
  await page.getByRole('button', { name: 'Uncompact' }).click();
  const boxes = page.locator('.dropped-list vscode-checkbox');
  await boxes.nth(0).click();
  await boxes.nth(2).click();
  await page.getByText(/^2 of \d+ messages chosen, ≈ [\d,]+ tokens$/).waitFor();
  await page.getByRole('button', { name: 'Copy into the chat box' }).click();
  const text = () => page.locator('.chat-text').evaluate((field) => (field as HTMLTextAreaElement).value);
  await expect.poll(text).toContain('[user]\nThe nightly export of invoices fails since Tuesday.');
  expect(await text()).toContain('const x = 1;');
});

panelTest('where nothing can be said, it is copied', async ({ open }) => {
  const live = { state: 'unknown', canStop: false, canContinue: false } as const;
  const panel = await open({ story: contextStory(), live });
  const { page } = panel;
  await panel.show('context');
  await page.getByRole('button', { name: 'Uncompact' }).click();
  await page.locator('.dropped-list vscode-checkbox').first().click();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(() => panel.done.join('\n')).toContain('The nightly export of invoices fails');
});
