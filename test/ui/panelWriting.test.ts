import { expect } from 'vitest';
import type { LiveText } from '../../src/page/panel/ports.js';
import type { LiveState } from '../../src/page/protocol/panelState.js';
import { loremOf } from '../support/largeStory.js';
import { StoryTeller } from '../support/storyTeller.js';
import type { PanelPage } from './support/panelPage.js';
import { panelTest } from './support/panelTest.js';

const RUNNING: LiveState = { state: 'running', canStop: true, canContinue: false };

const textBy = (agent: string, text: string, rest: Partial<LiveText> = {}): LiveText => ({
  call: `call of ${agent}`,
  agent,
  depth: 0,
  text,
  reasoning: '',
  isCut: false,
  ...rest,
});

/** A run that has said so much, and says more when told to. */
function runningStory(messages: number) {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  for (let at = 0; at < messages; at++) call.say(`Step ${at}. ${loremOf(at, 200)}`);
  const say = (panel: PanelPage, text: string): void => {
    const before = story.records.length;
    call.say(text);
    panel.transcript.append(story.records.slice(before));
  };
  return { story, say };
}

const distanceFromEnd = (panel: PanelPage): Promise<number> =>
  panel.page.locator('.list').evaluate((list) => list.scrollHeight - list.clientHeight - list.scrollTop);

for (const theme of ['dark', 'light', 'highContrast'] as const) {
  panelTest(
    `what agents write stands below the last message until it is one (${theme})`,
    async ({ open }) => {
      const { story, say } = runningStory(3);
      const panel = await open({ story, live: RUNNING, theme });
      const writers = panel.page.locator('.writer:visible');
      const thought = 'The export fails at night only, so the time zone is a candidate.';
      panel.write(textBy('planner', '', { reasoning: thought }));
      await expect
        .poll(() => writers.allTextContents())
        .toEqual([expect.stringContaining('planner is thinking…')]);
      panel.write(
        textBy('planner', 'I look at **the cron job** first.\n\n- <b>one</b>\n- two', { reasoning: thought }),
        textBy('coder', loremOf(1, 300), { depth: 1 }),
      );
      await expect.poll(() => writers.count()).toBe(2);
      const words = await writers.first().textContent();
      expect(words).toContain('planner is writing…');
      expect(words).toContain('**the cron job** first.\n\n- <b>one</b>');
      await panel.page.locator('.writer .fold-head').first().click();
      expect(await writers.first().textContent()).toContain(thought);
      expect(await panel.overflow()).toEqual([]);
      panel.write();
      say(panel, 'I look at **the cron job** first.');
      await panel.row('I look at the cron job first.').waitFor();
      await expect.poll(() => writers.count()).toBe(0);
      expect(panel.complaints).toEqual([]);
    },
  );
}

panelTest('the end is followed while a text grows, unless the reader has left it', async ({ open }) => {
  const { story } = runningStory(40);
  const panel = await open({ story, live: RUNNING });
  await panel.row('Step 39.').waitFor();
  const write = async (length: number) => {
    panel.write(textBy('planner', `${loremOf(1, length)} end${length}`));
    await panel.page.locator('.writer', { hasText: `end${length}` }).waitFor();
    await panel.settled();
  };
  await write(3_000);
  await write(6_000);
  await expect.poll(() => distanceFromEnd(panel)).toBeLessThanOrEqual(24);
  await panel.page.locator('.list').hover();
  await panel.page.mouse.wheel(0, -300);
  await expect.poll(() => distanceFromEnd(panel)).toBeGreaterThan(200);
  const left = await panel.page.locator('.list').evaluate((list) => list.scrollTop);
  await write(8_000);
  expect(await panel.page.locator('.list').evaluate((list) => list.scrollTop)).toBe(left);
});

panelTest('a filtered list shows messages only', async ({ open }) => {
  const { story } = runningStory(3);
  const panel = await open({ story, live: RUNNING });
  panel.write(textBy('planner', 'Hello'));
  await panel.page.locator('.writer:visible').waitFor();
  await panel.page.locator('.filter input').first().fill('Step 1');
  await panel.page.locator('.writer').waitFor({ state: 'hidden' });
});

panelTest('a screen reader is told once who writes, and not of the pieces', async ({ open }) => {
  const { story } = runningStory(3);
  const panel = await open({ story, live: RUNNING });
  await panel.page.evaluate(() => {
    const told: string[] = [];
    Object.assign(window, { told });
    const look = new MutationObserver((changes) => {
      for (const { target } of changes) told.push(target.textContent ?? '');
    });
    for (const live of document.querySelectorAll('[aria-live]')) look.observe(live, { childList: true });
  });
  for (const text of ['I', 'I look', 'I look at it']) {
    panel.write(textBy('planner', text));
    await panel.page.locator('.writer', { hasText: text }).waitFor();
  }
  await panel.settled();
  const told = await panel.page.evaluate(() => (window as unknown as { told: string[] }).told);
  expect(told).toEqual(['planner is writing']);
});

panelTest('what a retry makes void goes, and leaves no row behind', async ({ open }) => {
  const { story } = runningStory(3);
  const panel = await open({ story, live: RUNNING });
  panel.write(textBy('planner', 'Once up'));
  await panel.page.locator('.writer:visible').waitFor();
  panel.write();
  await panel.page.locator('.writer').waitFor({ state: 'detached' });
  expect(await panel.row('Once up').count()).toBe(0);
});
