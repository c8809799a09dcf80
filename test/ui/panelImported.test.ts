import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LogRecord } from '../../src/core/record.js';
import { StoryTeller } from '../support/storyTeller.js';
import { teamStory } from '../support/teamStory.js';
import { THEMES } from '../support/themes.js';
import { inEachTheme } from './support/inEachTheme.js';
import { panelTest } from './support/panelTest.js';
import { violationsIn } from './support/violations.js';
import { pictures } from './support/uiTest.js';

/** What an import of a group chat without times leaves: several speakers in one call, and raw events between them. */
function groupChat(): StoryTeller {
  const story = new StoryTeller();
  story.now = 0;
  const entry = { run: 'r1', call: 'k1', agent: 'captain', depth: 0 };
  const add = (agent: string, body: object) => story.add({ ...entry, agent }, body as never);
  const say = (agent: string, content: string, rest = {}) =>
    add(agent, { type: 'message', message: { role: 'assistant', content, ...rest } });
  for (let at = 0; at < 61; at++) add('captain', { type: 'imported', kind: 'span', value: { at } });
  add('captain', { type: 'message', message: { role: 'user', content: 'Which flights leave before noon?' } });
  const path = `/home/team/projects/flights/packages/timetable/src/readers/${'deep/'.repeat(6)}timetableReader.ts`;
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'read_file', arguments: JSON.stringify({ path }) },
  };
  say('captain', 'The clerk looks into the timetable.');
  say('clerk', '', { tool_calls: [call] });
  add('clerk', {
    type: 'message',
    message: {
      role: 'tool',
      tool_call_id: 'c1',
      content: 'reading  10 %\rreading 100 %\n\u001b[2K\u001b[32mdone\u001b[0m\n',
    },
  });
  say('clerk', 'Two: LH 17 at 9:10 and LH 23 at 11:40.', {
    reasoning_content: 'The table is sorted by gate, so I compare the times.',
  });
  say('captain', 'Two flights leave before noon: LH 17 and LH 23.');
  return story;
}

const provenance = {
  tool: 'Inspect',
  path: '/home/team/logs/2026-11-21T09-30-15_flights_before_noon_evaluation.eval',
  folder: '/home/team/projects/flights',
  details: [
    { name: 'score', value: 'C' },
    { name: 'target', value: 'LH 17, LH 23' },
    { name: 'accuracy', value: '0.87' },
  ],
};

panelTest('raw events are folded away, counted, shown by one switch and never lost', async ({ open }) => {
  const panel = await open({ story: groupChat() });
  const { page } = panel;
  expect(await page.locator('.row').first().innerText()).toContain('Which flights leave before noon?');
  const raw = page.locator('.raw-events');
  expect(await raw.innerText()).toBe('61 raw events');
  await raw.click();
  await panel.row('Imported as it was: span').waitFor();
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, 'raw-events.png') });
  await raw.click();
  await expect.poll(() => page.locator('.row', { hasText: 'Imported as it was' }).count()).toBe(0);
});

panelTest(
  'where no time is known none is shown, and the timeline counts steps, a lane for each speaker',
  async ({ open }) => {
    const panel = await open({ story: groupChat() });
    const { page } = panel;
    expect(await page.locator('.row time').count()).toBe(0);
    await panel.show('timeline');
    expect(await page.locator('.lane-name').allInnerTexts()).toEqual(['captain', 'clerk']);
    const ticks = await page.locator('.timeline-svg .grid + .tick:not([visibility])').allTextContents();
    expect(ticks[0]).toBe('1');
    expect(Number(ticks.at(-1))).toBeGreaterThan(50);
    await page.getByText('the axis counts steps').waitFor();
    expect(await page.locator('.span-answer').count()).toBeGreaterThan(2);
    const { drawn, there } = await page.evaluate(() => ({
      drawn: document.querySelector('.timeline-svg')?.clientHeight ?? 0,
      there: document.querySelector('.timeline-frame')?.clientHeight ?? 0,
    }));
    expect(drawn).toBeGreaterThan(200);
    expect(drawn).toBeLessThanOrEqual(there);
  },
);

panelTest('the header tells when, how long, how much, from where and how well', async ({ open }) => {
  const story = teamStory();
  const panel = await open({
    story,
    provenance,
    live: { state: 'failed', canStop: false, canContinue: true },
  });
  const facts = panel.page.locator('.fact');
  const words = (await facts.allTextContents()).map((text) => text.replace(/\s+/g, ' '));
  expect(words).toEqual([
    expect.stringMatching(/./),
    expect.stringMatching(/^2026-11-21 \d\d:\d\d$/),
    expect.stringMatching(/ s$/),
    '12k tokens',
    '7 errors',
    'Inspect',
    provenance.path,
    'flights',
    'score: C',
    'target: LH 17, LH 23',
    'accuracy: 0.87',
  ]);
  for (const width of [1400, 700, 350]) {
    await panel.page.setViewportSize({ width, height: 800 });
    const count = panel.page.locator('.count-of-messages');
    expect(await count.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
  }
});

panelTest('where it comes from and how well it did is there at every width', async ({ open }) => {
  const panel = await open({ story: teamStory(), provenance });
  const facts = panel.page.locator('.fact');
  const all = await facts.count();
  for (const width of [1400, 700, 500, 350]) {
    await panel.page.setViewportSize({ width, height: 800 });
    expect(await facts.filter({ visible: true }).count(), `${width} px`).toBe(all);
    const end = panel.page.locator('header .path-end').filter({ visible: true }).first();
    expect(await end.innerText()).toBe('2026-11-21T09-30-15_flights_before_noon_evaluation.eval');
    expect(await panel.overflow('header, .facts'), `${width} px`).toEqual([]);
  }
});

panelTest('of a long path the end is seen, and output is as a terminal leaves it', async ({ open }) => {
  const panel = await open({ story: groupChat(), viewport: { width: 700, height: 800 } });
  const row = panel.row('read_file');
  const end = row.locator('.path-end');
  expect(await end.innerText()).toBe('timetableReader.ts');
  expect(await end.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
  await row.locator('.card-head').click();
  await expect.poll(() => row.locator('.plain').last().innerText()).toBe('reading 100 %\ndone\n');
});

panelTest('what a search found is unfolded, marked and in sight', async ({ open }) => {
  const story = groupChat();
  const panel = await open({ story, viewport: { width: 900, height: 500 } });
  const position = story.records.findIndex((record: LogRecord) =>
    JSON.stringify(record).includes('sorted by gate'),
  );
  panel.session.show({ position, found: { text: 'sorted by GATE', matchCase: false, wholeWord: false } });
  const mark = panel.page.locator('.fold-body mark', { hasText: 'sorted by gate' });
  await mark.waitFor();
  await expect.poll(() => mark.evaluate((found) => found.getBoundingClientRect().top)).toBeLessThan(480);
});

panelTest(
  'a card that is opened keeps its head in sight, also where the list follows a run',
  async ({ open }) => {
    const story = new StoryTeller();
    const run = story.run('planner', 'Read them.');
    for (let at = 0; at < 12; at++) run.useTool('read_file', { path: `f${at}.txt` }, 'line\n'.repeat(120));
    const live = { state: 'running', canStop: true, canContinue: false } as const;
    const panel = await open({ story, live, viewport: { width: 900, height: 600 } });
    const head = panel.page.locator('.card-head').last();
    await head.click();
    await panel.settled();
    await expect.poll(() => head.getAttribute('aria-expanded')).toBe('true');
    const { top, bottom } = await head.evaluate((element) => {
      const { top: above } = element.getBoundingClientRect();
      const list = document.querySelector('.list')?.getBoundingClientRect();
      return { top: above - (list?.top ?? 0), bottom: (list?.bottom ?? 0) - above };
    });
    expect(top).toBeGreaterThanOrEqual(-1);
    expect(bottom).toBeGreaterThan(10);
  },
);

panelTest('an import is whole and accessible, in every theme', async ({ open }) => {
  const folder = join(pictures, 'panel');
  await mkdir(folder, { recursive: true });
  const panel = await open({ story: groupChat(), provenance });
  const { page } = panel;
  for (const tab of ['messages', 'timeline'] as const) {
    await panel.show(tab);
    for (const width of [1400, 700, 350]) {
      await page.setViewportSize({ width, height: 800 });
      await panel.settled();
      await inEachTheme(page, async (theme) => {
        if (theme === THEMES[0] || width === 700)
          await page.screenshot({ path: join(folder, `imported-${tab}-${theme}-${width}.png`) });
        expect.soft(await panel.overflow(), `${tab} at ${width} px, ${theme}`).toEqual([]);
      });
    }
    await inEachTheme(page, async (theme) => {
      expect.soft(await violationsIn(page, theme), `${tab}, ${theme}`).toEqual([]);
    });
  }
});
