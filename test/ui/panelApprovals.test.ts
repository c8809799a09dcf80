import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { decidedStory } from '../support/decidedStory.js';
import { inEachTheme } from './support/inEachTheme.js';
import { panelTest } from './support/panelTest.js';
import { violationsIn } from './support/violations.js';
import { pictures } from './support/uiTest.js';

const failed = { state: 'failed', canStop: false, canContinue: true } as const;

panelTest('decisions are chosen and opened by keyboard alone', async ({ open }) => {
  const panel = await open({ story: decidedStory(), live: failed });
  const { page } = panel;
  await panel.show('approvals');
  const rows = page.locator('.view-approvals tbody tr');
  await rows.nth(5).waitFor();
  expect(await page.locator('.ledger-summary').innerText()).toBe('5 approved, 1 denied, waited 30 s');
  await page.locator('.ledger-choice', { hasText: 'denied' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.ledger-summary', { hasText: '1 of 6 decisions' }).waitFor();
  expect(await rows.count()).toBe(1);
  expect(await rows.innerText()).toContain('use the fixture instead');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-pressed'))).toBe('true');
  await page.locator('.ledger-exports vscode-button').first().focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => panel.done).toEqual(['approvals csv {"decision":"denied"}']);
  await rows.locator('.ledger-what').focus();
  await page.keyboard.press('Enter');
  await page.locator('.row.selected', { hasText: 'curl' }).waitFor();
});

panelTest('the header of a failed run leads to what went wrong first', async ({ open }) => {
  const panel = await open({ story: decidedStory(), live: failed });
  const { page } = panel;
  const trouble = page.locator('.trouble');
  await trouble.waitFor();
  expect(await trouble.innerText()).toMatch(
    /First error: run_command failed \(coder, asked by planner\)\.\s*\d more errors after it\./,
  );
  await trouble.focus();
  await page.keyboard.press('Enter');
  await page.locator('.row.selected', { hasText: 'npm test' }).waitFor();
  await panel.show('statistics');
  const detours = page.locator('.panel', { hasText: 'Detours and waits' }).locator('tbody tr');
  await detours.first().waitFor();
  expect(
    (await detours.allInnerTexts()).map((text) => text.split('\t').slice(0, 3).join(' ').trim()).sort(),
  ).toEqual([
    expect.stringMatching(/^Compactions 1 /),
    'Files read again 2 1.4 s',
    expect.stringMatching(/^Idle 1 30 s/),
    expect.stringMatching(/^Loops 1 /),
    'Requests tried again 1 1.5 s',
    'Waiting for you 2 30 s',
  ]);
  await detours.filter({ hasText: 'Loops' }).getByRole('button').click();
  await page.locator('.row.selected', { hasText: 'read_file' }).waitFor();
});

panelTest(
  'the timeline marks loops, files read again and compactions, and says what they are',
  async ({ open }) => {
    const panel = await open({ story: decidedStory(), live: failed });
    const { page } = panel;
    await panel.show('timeline');
    expect(await page.locator('.span-loop').count()).toBe(1);
    expect(await page.locator('.span-reread').count()).toBeGreaterThan(0);
    await page.locator('.span-loop').hover();
    await page
      .locator('.tip', { hasText: 'The same calls again and again, the last of read_file' })
      .waitFor();
    await page.locator('.span-reread').first().hover();
    await page
      .locator('.tip', { hasText: 'Read again, although nothing had changed, by read_file' })
      .waitFor();
    const chart = page.locator('.timeline-chart');
    await chart.focus();
    const spoken = page.locator('.timeline [aria-live]');
    for (let step = 0; step < 100 && !(await spoken.innerText()).includes('Compaction'); step++)
      await page.keyboard.press('.');
    expect(await spoken.innerText()).toMatch(/^Compaction: what was said before is no longer sent/);
    await page.keyboard.press('Enter');
    await page.locator('.row.selected', { hasText: 'could not read so much' }).waitFor();
    await panel.show('timeline');
    await page.locator('.span-compaction').click({ position: { x: 6, y: 6 } });
    await page.locator('.row.selected', { hasText: 'could not read so much' }).waitFor();
  },
);

panelTest('approvals, detours and what went wrong, in every theme', async ({ open }) => {
  const folder = join(pictures, 'approvals');
  await mkdir(folder, { recursive: true });
  const viewport = { width: 1200, height: 760 };
  const panel = await open({ story: decidedStory(), live: failed, viewport });
  const { page } = panel;
  for (const tab of ['approvals', 'timeline', 'statistics'] as const) {
    await panel.show(tab);
    await panel.settled();
    await inEachTheme(page, async (theme) => {
      await page.screenshot({ path: join(folder, `${tab}-${theme}.png`) });
      expect.soft(await violationsIn(page, theme), `${tab}, ${theme}`).toEqual([]);
    });
  }
});
