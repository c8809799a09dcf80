import { describe, expect, it } from 'vitest';
import type { CountTokens } from '../../../../src/page/panel/ports.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';
import { StoryTeller } from '../../../support/storyTeller.js';

/** As many moments are looked at in one go, and that are many times as many. */
const BITE = 20_000;
const MOMENTS = 200_000;

/** A page over a transcript in which very much happened, and how many of its moments were looked at so far. */
async function openLong() {
  const story = new StoryTeller();
  story.run('planner', 'Go').say('Done.');
  const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records));
  await page.client.ask('ready', {});
  const { moments } = page.reading.projection.timeline;
  const [call] = page.reading.projection.index.calls.all;
  if (!call) throw new Error('There is no call.');
  for (let at = 0; at < MOMENTS; at++) {
    const time = call.start + at;
    moments.add({
      kind: 'tool',
      call,
      agent: call.agent,
      position: 0,
      start: time,
      end: time,
      state: 'done',
      label: 'search',
    });
  }
  const seen = { moments: 0 };
  const within = moments.within.bind(moments);
  moments.within = (at, from, to, countsSteps) => {
    seen.moments++;
    return within(at, from, to, countsSteps);
  };
  return { page, seen, all: moments.length };
}

describe('what nobody waits for any longer', () => {
  it('is a timeline of another part: only the last is drawn to its end', async () => {
    const { page, seen, all } = await openLong();
    const asked = [100, 200, 300].map((pixels) => page.client.ask('timeline', { pixels }));
    const [, , last] = await Promise.all(asked);
    expect(last?.spans.length).toBeGreaterThan(0);
    expect(seen.moments).toBeGreaterThanOrEqual(all);
    expect(seen.moments).toBeLessThanOrEqual(all + 2 * BITE);
  });

  it.each(['leave', 'hide'] as const)('is a timeline when the page does this: %s', async (what) => {
    const { page, seen } = await openLong();
    const asked = page.client.ask('timeline', { pixels: 100 });
    if (what === 'leave') await page.client.ask('leave', {});
    else page.session.hide();
    await asked;
    expect(seen.moments).toBeLessThanOrEqual(BITE);
  });

  it('are tokens that are counted for sums; they are counted on when the sums are looked at again', async () => {
    const story = new StoryTeller();
    const call = story.run('planner', 'Go');
    for (let at = 0; at < 600; at++) call.say('Yes.');
    const counted: { readonly start: number; readonly signal: AbortSignal }[] = [];
    let held = true;
    const countTokens: CountTokens = async (_, start, __, signal) => {
      counted.push({ start, signal });
      if (counted.length === 2 && held)
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return [];
    };
    const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records), { countTokens });
    await page.client.ask('ready', {});
    await page.until(() => page.reading.projection.index.records === story.records.length);
    await page.client.ask('statistics', {});
    while (counted.length < 2) await page.client.ask('statistics', {});
    expect(counted[1]?.signal.aborted).toBe(false);
    await page.client.ask('leave', {});
    expect(counted[1]?.signal.aborted).toBe(true);
    held = false;
    while ((await page.client.ask('statistics', {})).counting);
    expect(counted[2]?.start).toBe(counted[1]?.start);
  });
});
