import { join } from 'node:path';
import { expect } from 'vitest';
import { StoryTeller } from '../support/storyTeller.js';
import { teamStory } from '../support/teamStory.js';
import type { PanelPage, PanelPageOptions } from './support/panelPage.js';
import { column, table } from './support/panelTables.js';
import { panelTest } from './support/panelTest.js';
import { pictures } from './support/uiTest.js';

async function openView(
  open: (options: PanelPageOptions) => Promise<PanelPage>,
  tab: 'timeline' | 'statistics' | 'tools',
) {
  const panel = await open({ story: teamStory() });
  await panel.show(tab);
  return panel;
}

panelTest('the timeline has a lane for each agent, with spans that say what they are', async ({ open }) => {
  const panel = await openView(open, 'timeline');
  const { page } = panel;
  expect(await page.locator('.lane-name').allInnerTexts()).toEqual([
    'planner',
    'researcher',
    'coder',
    'reviewer',
  ]);
  expect(await page.locator('.span-call').count()).toBe(7);
  expect(await page.locator('.dispatch-line').count()).toBe(5);
  expect(await page.locator('.span-tool.span-failed').count()).toBeGreaterThan(0);
  expect(await page.locator('.span-approval').count()).toBe(1);
  expect(await page.locator('.span-error').count()).toBe(1);
  await page.locator('.span-approval').hover();
  await page.locator('.tip', { hasText: 'Waiting for approval of edit_file' }).waitFor();
  expect(await page.locator('.tip').innerText()).toMatch(/3\.9 s/);
  await page.locator('.span-approval').click();
  await page.locator('.row.selected', { hasText: 'edit_file' }).waitFor();
});

panelTest('the timeline zooms and pans by wheel, hand and key', async ({ open }) => {
  const panel = await openView(open, 'timeline');
  const { page } = panel;
  const measure = (name: string) =>
    page.evaluate((of) => Number(document.querySelector('.span-call')?.getAttribute(of)), name);
  const width = () => measure('width');
  const left = () => measure('x');
  const whole = await width();
  const chart = page.locator('.timeline-chart');
  const box = await chart.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 60);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await expect.poll(width).toBeGreaterThan(whole * 1.2);
  const zoomed = await left();
  await page.mouse.move((box?.x ?? 0) + 600, (box?.y ?? 0) + 300);
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) + 400, (box?.y ?? 0) + 300, { steps: 4 });
  await page.mouse.up();
  await expect.poll(left).toBeLessThan(zoomed);
  await chart.focus();
  const panned = await left();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(left).toBeGreaterThan(panned);
  await page.keyboard.press('0');
  await expect.poll(width).toBeCloseTo(whole, 0);
  await page.keyboard.press('+');
  await expect.poll(width).toBeGreaterThan(whole);
  await page.locator('vscode-button[aria-label="Show all of it (0)"]').click();
  await page.keyboard.press('.');
  await page.locator('.span.selected').waitFor();
  await page.locator('.tip').waitFor();
  await chart.focus();
  await page.keyboard.press('.');
  await page.keyboard.press('Enter');
  await page.locator('#tab-messages[aria-selected="true"]').waitFor();
});

panelTest('a night between two runs is drawn short, says how long it was, and zooms', async ({ open }) => {
  const story = new StoryTeller();
  const evening = story.run('planner', 'Begin.');
  evening.say('Begun.', 60_000);
  evening.end();
  story.wait(10 * 3_600_000);
  const morning = story.run('planner', 'Go on.');
  morning.say('Done.', 60_000);
  morning.end();
  const panel = await open({ story });
  await panel.show('timeline');
  const { page } = panel;
  const width = async (selector: string) => (await page.locator(selector).first().boundingBox())?.width ?? 0;
  await page.locator('.pause', { hasText: 'Pause of 10 h 00 min' }).waitFor();
  const whole = await width('.timeline-chart');
  expect(await width('.pause rect')).toBeLessThan(whole / 8);
  const call = await width('.span-call');
  expect(call).toBeGreaterThan(whole / 3);
  await page.locator('.timeline-chart').focus();
  const short = await width('.pause rect');
  for (let times = 0; times < 4; times++) await page.keyboard.press('+');
  await expect.poll(() => width('.pause rect')).toBeGreaterThan(short * 2);
  for (let times = 0; times < 12; times++) await page.keyboard.press('ArrowRight');
  await page.locator('.pause').waitFor({ state: 'detached' });
  for (let times = 0; times < 6; times++) await page.keyboard.press('-');
  await expect.poll(() => width('.span-call')).toBeCloseTo(call, 0);
});

panelTest('the turns are read beside the timeline, each leads to its prompt', async ({ open }) => {
  const panel = await openView(open, 'timeline');
  const turns = panel.page.locator('.turn');
  expect(await turns.count()).toBe(3);
  expect(await turns.first().innerText()).toMatch(
    /The nightly export of invoices fails[^]*What was wrong[^]*44 s\n12 tool calls\n4 dispatches\n2 errors/,
  );
  expect(await turns.nth(1).innerText()).not.toContain('0 ms');
  await turns.nth(2).hover();
  await panel.page.locator('.shade').waitFor();
  await turns.nth(2).click();
  await panel.page.locator('.row.selected', { hasText: 'The picture of the page' }).waitFor();
});

panelTest('many turns are listed page by page, and those of the part that is looked at', async ({ open }) => {
  const story = new StoryTeller();
  for (let turn = 1; turn <= 250; turn++) story.run('planner', `Question ${turn}`).say('Yes.');
  const panel = await open({ story });
  await panel.show('timeline');
  const { page } = panel;
  const turns = page.locator('.turn');
  const listed = async () => [await turns.first().innerText(), await turns.last().innerText()];
  await expect
    .poll(listed)
    .toEqual([expect.stringContaining('Question 1'), expect.stringContaining('Question 100')]);
  await page.getByText('Later turns (150)').focus();
  await page.keyboard.press('Enter');
  await expect
    .poll(listed)
    .toEqual([expect.stringContaining('Question 101'), expect.stringContaining('Question 200')]);
  await page.locator('.turn:focus', { hasText: 'Question 101' }).waitFor();
  await page.getByText('Earlier turns (100)').waitFor();
  await page.locator('.timeline-chart').focus();
  await page.keyboard.press('+');
  await expect.poll(() => turns.first().innerText()).toMatch(/Question (?:[12]\d|3[0-5])$/m);
});

panelTest('statistics tell messages and tokens by agent, role and model', async ({ open }) => {
  const panel = await openView(open, 'statistics');
  // What nobody told is estimated until it is counted.
  await expect.poll(() => column(table(panel, 'By role'), 'Text')).toEqual(['1.5k', '973', '800', '100']);
  const agents = table(panel, 'By agent');
  expect(await column(agents, 'Agent')).toEqual(['planner', 'researcher', 'coder', 'reviewer']);
  expect(await column(agents, 'Messages')).toEqual(['17', '15', '10', '5']);
  expect(await column(agents, 'Tokens')).toEqual(['4.3k', '3.7k', '2.7k', '1.5k']);
  expect(await column(table(panel, 'By model'), 'Failed')).toEqual(['1']);
  const bars = await agents
    .locator('.bar-fill')
    .evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width));
  expect(bars.toSorted((a, b) => b - a)).toEqual(bars);
  const tiles = await panel.page.locator('.tile').allInnerTexts();
  expect(tiles.map((tile) => tile.replace(/\s+/g, ' '))).toContain('messages 47');
});

panelTest('the growth of the contexts is a chart and a table', async ({ open }) => {
  const panel = await openView(open, 'statistics');
  expect(await panel.page.locator('.chart polyline').count()).toBe(5);
  await panel.page
    .locator('section.panel', { hasText: 'Growth of the context' })
    .getByText('As a table')
    .click();
  const growth = table(panel, 'Growth of the context, by call');
  expect(await column(growth, 'Last')).toEqual(['625', '601', '556', '509', '460']);
});

panelTest(
  'who called whom is a picture, whose agents lead to what they said, and a table',
  async ({ open }) => {
    const panel = await openView(open, 'statistics');
    const graph = panel.page.locator('section.panel', { hasText: 'Who called whom' });
    expect(await graph.locator('.graph-agent').allInnerTexts()).toEqual([
      'planner',
      'researcher',
      'coder',
      'reviewer',
    ]);
    await graph.scrollIntoViewIfNeeded();
    await panel.page.screenshot({ path: join(pictures, 'call-graph.png') });
    await graph.getByText('As a table').click();
    const called = table(panel, 'Who called whom');
    expect(await column(called, 'Called')).toEqual(['researcher', 'coder', 'reviewer', 'researcher']);
    expect(await column(called, 'How often')).toEqual(['2', '1', '1', '1']);
    await graph.getByRole('button', { name: 'researcher' }).first().click();
    await panel.page.locator('.row', { hasText: 'researcher' }).first().waitFor();
    await expect.poll(() => panel.page.locator('.question-input').inputValue()).toBe('agent:researcher');
  },
);

panelTest('the slowest and dearest steps lead to their messages', async ({ open }) => {
  const panel = await openView(open, 'statistics');
  expect((await column(table(panel, 'Slowest steps'), 'Took')).slice(0, 3)).toEqual(['28 s', '26 s', '11 s']);
  await table(panel, 'Largest requests').locator('.link').first().click();
  await panel.page.locator('.row.selected', { hasText: 'What was wrong' }).waitFor();
});

panelTest('tools tell calls, failures, durations and arguments, sorted by any of them', async ({ open }) => {
  const panel = await openView(open, 'tools');
  const tools = table(panel, 'Tools');
  expect(await column(tools, 'Tool')).toEqual([
    'subagent_dispatch',
    'run_command',
    'read_file',
    'search',
    'edit_file',
    'ask_human',
  ]);
  expect((await column(tools, 'Failures'))[1]).toBe('1 (33 %)');
  expect((await column(tools, 'Arguments'))[2]?.split(/\s+/)).toEqual(['path', 'line']);
  await tools.getByRole('button', { name: '95 % within' }).click();
  expect(await column(tools, '95 % within')).toEqual(['24 s', '10 s', '6.8 s', '4.2 s', '40 ms', '18 ms']);
  expect(await tools.locator('th[aria-sort="descending"]').innerText()).toContain('95 % within');
  await tools.getByRole('button', { name: '95 % within' }).click();
  expect((await column(tools, '95 % within'))[0]).toBe('18 ms');
  await tools.getByRole('button', { name: 'Median' }).click();
  expect((await column(tools, 'Median'))[0]).toBe('14 s');
});

panelTest('a tool leads to its calls, its failures to those that failed', async ({ open }) => {
  const panel = await openView(open, 'tools');
  await panel.page.getByTitle('Show the failed calls of run_command').click();
  await panel.page.locator('#tab-messages[aria-selected="true"]').waitFor();
  await expect.poll(() => panel.page.locator('.count').textContent()).toBe('1 of 48 rows');
});

panelTest('a transcript is exported in any format, all or filtered, to any place', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { page } = panel;
  const menu = page.locator('.popover:popover-open');
  const exportAs = async (format: string, scope: string, target: string): Promise<void> => {
    await page.locator('#export').click();
    await menu.locator('label', { hasText: format }).locator('input').check();
    await menu.locator('label', { hasText: scope }).locator('input').check();
    await menu.locator('vscode-button', { hasText: target }).click();
  };
  await exportAs('Web page', 'All messages', 'Save as file…');
  expect(await panel.wasDone('export html')).toBe('export html all file');
  await exportAs('CSV', 'All messages', 'Copy');
  expect(await panel.wasDone('export csv')).toBe('export csv all clipboard');
  await page.locator('#export').click();
  expect(await menu.getByText('What the filter shows').count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.locator('.question-input').fill('zoneddatetime');
  await expect.poll(() => page.locator('.count').textContent()).toBe('3 of 48 rows');
  await exportAs('JSON', 'What the filter shows', 'Open in editor');
  expect(await panel.wasDone('export json')).toMatch(/^export json \d+ editor$/);
});

panelTest('tables are saved in a folder, and not shown or copied', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const menu = panel.page.locator('.popover:popover-open');
  const named = (name: string) => menu.getByRole('button', { name, exact: true });
  await panel.page.locator('#export').click();
  await menu.locator('label', { hasText: 'Parquet tables' }).locator('input').check();
  await expect.poll(() => named('Open in editor').isDisabled()).toBe(true);
  await expect.poll(() => named('Copy').isDisabled()).toBe(true);
  await expect.poll(() => menu.getByRole('checkbox', { name: 'With your notes' }).isDisabled()).toBe(true);
  await named('Save in a folder…').click();
  expect(await panel.wasDone('export parquet')).toBe('export parquet all file');
  await panel.page.locator('#export').click();
  await menu.locator('label', { hasText: 'JSON' }).locator('input').check();
  await expect.poll(() => named('Copy').isDisabled()).toBe(false);
  await named('Save as file…').waitFor();
});

panelTest('an export that fails says why', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  panel.exportProblem = 'The disk is full.';
  await panel.page.locator('#export').click();
  await panel.page.locator('.popover vscode-button', { hasText: 'Save as file…' }).click();
  await panel.page.getByRole('alert').filter({ hasText: 'The disk is full.' }).waitFor();
});

for (const width of [1400, 1000, 400]) {
  panelTest(`long names push no number out of sight and make no row tall, ${width} px`, async ({ open }) => {
    const name = 'a-very-long-name-for-an-agent-that-writes-documentation';
    const tool = 'mcp_github_create_pull_request_review_comment_with_suggestions';
    const story = new StoryTeller();
    for (const [at, agent] of [name, `${name}-again`, 'researcher', 'security-auditor'].entries()) {
      const model = `openrouter/meta-llama/llama-4-maverick-17b-128e-instruct-${at}:free`;
      const run = story.run(agent, 'Write it.', { model });
      run.useTool(tool, { path: 'a.md' }, 'Written.');
      run.say('Done.');
    }
    const panel = await open({ story, viewport: { width, height: 900 } });
    await panel.show('statistics');
    for (const caption of ['By agent', 'By model']) {
      await table(panel, caption).getByText('Tokens').waitFor();
      const { scrolled, shown } = await table(panel, caption).evaluate((of) => ({
        scrolled: of.scrollWidth,
        shown: of.clientWidth,
      }));
      expect.soft(scrolled, caption).toBeLessThanOrEqual(shown + 1);
    }
    await panel.show('tools');
    const row = table(panel, 'Tools').locator('tbody tr').first();
    const { height, end, next } = await row.evaluate((of) => ({
      height: of.clientHeight,
      end: of.querySelector('.link')?.getBoundingClientRect().right ?? Infinity,
      next: of.children[1]?.getBoundingClientRect().left ?? 0,
    }));
    expect(height).toBeLessThan(70);
    expect(end).toBeLessThanOrEqual(next);
    await row.locator(`[title="Show the calls of ${tool}"]`).waitFor();
    await row.locator(`[title*="security-auditor"]`).waitFor();
  });
}
