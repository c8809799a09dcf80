import { expect } from 'vitest';
import { StoryTeller } from '../support/storyTeller.js';
import type { PanelPage, PanelPageOptions } from './support/panelPage.js';
import { column, table } from './support/panelTables.js';
import { panelTest } from './support/panelTest.js';

/** A run that has used a tool and goes on; `more` shows what was said since. */
async function openRunning(open: (options: PanelPageOptions) => Promise<PanelPage>) {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  call.useTool('read_file', { path: 'a.ts' }, 'const a = 1;');
  call.say('It says that a is 1.');
  const panel = await open({ story, live: { state: 'running', canStop: true, canContinue: false } });
  const more = (): void => panel.transcript.append(story.records.slice(panel.transcript.length));
  return { story, call, panel, more };
}

panelTest('what was stepped to in the timeline stays chosen while it is drawn anew', async ({ open }) => {
  const { call, more, panel } = await openRunning(open);
  await panel.show('timeline');
  const { page } = panel;
  await page.locator('.timeline-chart').focus();
  for (let step = 1; step <= 3; step++) await page.keyboard.press('.');
  const chosen = page.locator('.span-tool.selected');
  const tip = page.locator('.tip', { hasText: 'Tool read_file' });
  /** How far the tip stands below the end of what it is about. */
  const distance = async () => {
    const [span, words] = [await chosen.boundingBox(), await tip.boundingBox()];
    return Math.round((words?.y ?? 0) - (span?.y ?? 0) - (span?.height ?? 0));
  };
  await chosen.waitFor();
  await tip.waitFor();
  const beside = await distance();
  const width = async () => (await chosen.boundingBox())?.width ?? 0;
  const before = await width();
  call.say('A long thought', 60_000);
  more();
  await expect.poll(width).toBeLessThan(before / 2);
  expect(await tip.isVisible()).toBe(true);
  expect(await distance()).toBe(beside);
  for (let times = 0; times < 12; times++) await page.keyboard.press('+');
  await tip.waitFor({ state: 'hidden' });
  await page.keyboard.press('0');
  await tip.waitFor();
  await chosen.waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.row.selected', { hasText: 'read_file' }).waitFor();
});

panelTest(
  'the turn that has the focus keeps it, and stays shaded, while more turns come',
  async ({ open }) => {
    const { story, more, panel } = await openRunning(open);
    const { page } = panel;
    story.run('planner', 'The second question').say('Yes.');
    more();
    await panel.show('timeline');
    const second = page.locator('.turn', { hasText: 'The second question' });
    await second.focus();
    await page.locator('.shade').waitFor();
    for (const question of ['third', 'fourth']) {
      story.run('planner', `The ${question} question`).say('Yes.');
      more();
      await page.locator('.turn', { hasText: question }).waitFor();
      await page.locator('.turn:focus', { hasText: 'The second question' }).waitFor();
      expect(await page.locator('.shade').count()).toBe(1);
    }
    await page.keyboard.press('Enter');
    await page.locator('.row.selected', { hasText: 'The second question' }).waitFor();
  },
);

panelTest('what was sorted, unfolded and focused outlasts new numbers', async ({ open }) => {
  const { story, more, panel } = await openRunning(open);
  const { page } = panel;
  for (const text of ['One', 'Two']) story.run('coder', text).say(text);
  more();
  await panel.show('statistics');
  const agents = table(panel, 'By agent');
  await expect.poll(() => column(agents, 'Agent')).toEqual(['planner', 'coder']);
  for (let clicks = 0; clicks < 2; clicks++) await agents.getByRole('button', { name: 'Agent' }).click();
  await page.locator('section.panel', { hasText: 'Growth of the context' }).getByText('As a table').click();
  const steps = table(panel, 'Slowest steps');
  await steps.locator('.link').nth(1).focus();
  const focused = () => steps.locator('tr', { has: page.locator(':focus') }).innerText();
  const took = await focused();
  story.run('reviewer', 'Three').say('A long thought', 600_000);
  more();
  await expect.poll(() => column(agents, 'Agent')).toEqual(['reviewer', 'planner', 'coder']);
  expect((await column(steps, 'Took'))[0]).toMatch(/^10 min/);
  expect(await focused()).toBe(took);
  await table(panel, 'Growth of the context, by call').waitFor();
});

panelTest(
  'the host is told when a view is left, and draws the part that was asked for last',
  async ({ open }) => {
    const { panel } = await openRunning(open);
    const { reading } = panel;
    let left = 0;
    const ask = reading.ask.bind(reading);
    reading.ask = (name, params) => {
      if (name === 'leave') left++;
      return ask(name, params);
    };
    await panel.show('timeline');
    const { page } = panel;
    const calls = page.locator('.span-call');
    const width = async () => Number(await calls.first().getAttribute('width'));
    const whole = await width();
    await page.locator('.timeline-chart').focus();
    for (let times = 0; times < 6; times++) await page.keyboard.press('+');
    await expect.poll(width).toBeGreaterThan(whole * 3);
    expect(left).toBe(0);
    await panel.show('statistics');
    await expect.poll(() => left).toBe(1);
    await panel.show('messages');
    await expect.poll(() => left).toBe(2);
    await panel.show('timeline');
    await calls.first().waitFor();
    expect(left).toBe(2);
  },
);
