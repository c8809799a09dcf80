import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { decidedStory } from '../support/decidedStory.js';
import { StoryTeller } from '../support/storyTeller.js';
import { teamStory } from '../support/teamStory.js';
import { inEachTheme } from './support/inEachTheme.js';
import { PlayedApprovalLog, type PlayedApprovalLogOptions } from './support/playedApprovalLog.js';
import { browserTest } from './support/panelTest.js';
import { SEARCHED, searchOver } from './support/searchedStories.js';
import { violationsIn } from './support/violations.js';
import { pictures } from './support/uiTest.js';

const STORIES = [
  { title: 'The timetable reads a new source', daysAgo: 0.5, story: decidedStory() },
  { title: 'The timetable reads a new source, again', daysAgo: 2, story: decidedStory() },
  { title: 'Nightly export of invoices fails', daysAgo: 4, story: teamStory() },
  ...SEARCHED.slice(1, 3),
];

const approvalLogTest = browserTest
  .extend('searched', { scope: 'file' }, async ({}, { onCleanup }) => {
    const searched = await searchOver(STORIES);
    onCleanup(() => searched.end());
    return searched;
  })
  .extend('ledger', ({ browser, searched: { engine, root } }, { onCleanup }) => {
    const opened: PlayedApprovalLog[] = [];
    onCleanup(async () => {
      for (const approvalLog of opened) await approvalLog.close();
      expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);
    });
    return async (options: Partial<PlayedApprovalLogOptions> = {}) => {
      const approvalLog = await PlayedApprovalLog.open(browser, { engine, root, ...options });
      opened.push(approvalLog);
      await approvalLog.page
        .locator('.ledger-top .faint')
        .filter({ hasText: /^5 transcripts$/ })
        .waitFor();
      return approvalLog;
    };
  });

approvalLogTest(
  'all decisions are chosen, found, opened and exported by keyboard alone',
  async ({ ledger: approvalLog, searched }) => {
    const { page, opened, exported } = await approvalLog();
    const rows = page.locator('tbody tr');
    const summary = page.locator('.ledger-summary');
    expect(await summary.innerText()).toMatch(/^\d+ approved, 2 denied, waited /);
    const all = await rows.count();
    expect(all).toBe(14);
    await page.getByRole('textbox', { name: 'Find in what was asked' }).focus();
    await page.keyboard.type('CURL');
    await summary.filter({ hasText: /^2 of \d+ decisions$/ }).waitFor();
    await page.locator('.ledger-choice', { hasText: 'again' }).focus();
    await page.keyboard.press('Enter');
    await summary.filter({ hasText: /^1 of/ }).waitFor();
    expect(await rows.innerText()).toContain('use the fixture instead');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-pressed'))).toBe('true');
    await page.locator('.ledger-exports vscode-button').nth(1).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => exported.length).toBe(1);
    const [[format, chosen] = ['', []]] = exported;
    expect(format).toBe('json');
    expect(chosen.map(({ place: location, positions }) => [location.conversation, positions.size])).toEqual([
      [searched.conversations[1], 1],
    ]);
    await rows.locator('.ledger-what').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => opened).toHaveLength(1);
    expect(opened[0]).toContain(searched.conversations[1]);
  },
);

approvalLogTest('what is asked of facets stands in the sums', async ({ ledger: approvalLog }) => {
  const { page } = await approvalLog();
  const summary = page.locator('.ledger-summary');
  const all = await page.locator('tbody tr').count();
  const choices = page.getByRole('group', { name: 'Transcript' }).locator('.ledger-choice');
  const counts = (await choices.locator('.ledger-count').allInnerTexts()).map(Number);
  expect(counts.reduce((sum, each) => sum + each, 0)).toBe(all);
  for (const [at, count] of counts.entries()) {
    await choices.nth(at).click();
    await summary.filter({ hasText: new RegExp(`^${count} of ${all} decisions$`) }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(count);
    await choices.nth(at).click();
    await summary.filter({ hasText: 'approved' }).waitFor();
  }
});

/** Each of twenty tools was decided on. */
function manyTools(): StoryTeller {
  const story = new StoryTeller();
  const agent = story.run('toolsmith', 'Try every tool.');
  for (let number = 1; number <= 20; number++) {
    const asked = agent.toolCall(`tool_${number}`, { number });
    agent.say(null, 300, [asked]);
    agent.add({
      type: 'approval',
      toolName: `tool_${number}`,
      toolCallId: asked.id,
      subject: `${number}`,
      decision: 'approved',
      decidedBy: 'user',
      waitedMs: 0,
    });
    agent.answer(asked, 'Done.', 10, false);
  }
  return story;
}

approvalLogTest(
  'values beyond the first are offered, and what is chosen is chosen in the page that comes after',
  async ({ ledger: approvalLog }) => {
    const searched = await searchOver([
      ...STORIES.slice(0, 4),
      { title: 'Every tool is tried', daysAgo: 1, story: manyTools() },
    ]);
    const { engine, root } = searched;
    onTestFinished(() => searched.end());
    const first = await approvalLog({ engine, root });
    const tools = first.page.getByRole('group', { name: 'Tool', exact: true });
    await expect.poll(() => tools.locator('.ledger-choice').count()).toBe(12);
    const more = tools.locator('.ledger-more');
    expect(await more.innerText()).toMatch(/^\d+ more$/);
    await more.focus();
    await first.page.keyboard.press('Enter');
    await expect.poll(() => more.getAttribute('aria-expanded')).toBe('true');
    expect(await tools.locator('.ledger-choice').count()).toBeGreaterThan(20);
    expect(await more.evaluate((button) => button === document.activeElement)).toBe(true);
    await first.page.screenshot({ path: join(pictures, 'approvals', 'more.png') });
    const choice = tools.locator('.ledger-choice', { hasText: 'tool_20' });
    // Who goes on before the answer has come stays where they went.
    await choice.evaluate((button: HTMLElement) => {
      button.focus();
      button.click();
      document.querySelector<HTMLElement>('.ledger-find')?.focus();
    });
    await first.page.locator('.ledger-choice[aria-pressed="true"]').waitFor();
    await first.page.keyboard.type('20');
    await expect.poll(() => first.kept).toEqual({ filter: { tool: 'tool_20' }, text: '20' });
    const second = await approvalLog({ engine, root, state: first.kept });
    await second.page.locator('.ledger-summary').filter({ hasText: /^1 of/ }).waitFor();
    expect(await second.page.locator('.ledger-choice[aria-pressed="true"]').innerText()).toContain('tool_20');
    expect(await second.page.getByRole('textbox', { name: 'Find in what was asked' }).inputValue()).toBe(
      '20',
    );
  },
);

approvalLogTest('all decisions, in every theme', async ({ ledger: approvalLog }) => {
  const folder = join(pictures, 'approvals');
  await mkdir(folder, { recursive: true });
  const { page } = await approvalLog({ viewport: { width: 1200, height: 760 } });
  await inEachTheme(page, async (theme) => {
    await page.screenshot({ path: join(folder, `all-${theme}.png`) });
    expect.soft(await violationsIn(page, theme), theme).toEqual([]);
  });
  await page.setViewportSize({ width: 520, height: 760 });
  await inEachTheme(page, async (theme) => {
    await page.screenshot({ path: join(folder, `all-narrow-${theme}.png`) });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect.soft(wide, theme).toBeLessThanOrEqual(520);
  });
});
