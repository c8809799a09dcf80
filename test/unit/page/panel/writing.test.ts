import { expect, it } from 'vitest';
import { BATCH_MS } from '../../../../src/page/panel/batcher.js';
import type { LiveText } from '../../../../src/page/panel/ports.js';
import { MAX_WRITERS } from '../../../../src/page/protocol/panelState.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';
import { StoryTeller } from '../../../support/storyTeller.js';

const textBy = (agent: string, text: string): LiveText => ({
  call: `call of ${agent}`,
  agent,
  depth: 0,
  text,
  reasoning: '',
  isCut: false,
});

async function openRunning() {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  const transcript = new MemoryTranscript(story.conversation, story.records);
  const page = new PlayedPage(transcript);
  await page.client.ask('ready', {});
  const heard = () => page.heard.filter(({ name }) => name === 'writing');
  const say = (text: string) => {
    const before = story.records.length;
    call.say(text);
    transcript.append(story.records.slice(before));
  };
  return { page, heard, say };
}

it('what agents write is sent as it is, once for any number of pieces', async () => {
  const { page, heard } = await openRunning();
  for (let at = 1; at <= 500; at++) page.write(textBy('planner', 'x'.repeat(at)));
  await page.until(() => heard().length > 0);
  expect(heard()).toHaveLength(1);
  expect(page.last('writing')).toEqual({
    texts: [{ ...textBy('planner', 'x'.repeat(500)), hue: 0 }],
    more: 0,
  });
  expect(page.strays).toEqual([]);
});

it('the end of a text is heard before the list has its message', async () => {
  const { page, say } = await openRunning();
  page.write(textBy('planner', 'Hello'));
  await page.until(() => page.last('writing') !== undefined);
  page.heard.length = 0;
  page.write();
  say('Hello');
  await page.until(() => page.last('list') !== undefined);
  const names = page.heard.map(({ name }) => name);
  expect(names.indexOf('writing')).toBeGreaterThanOrEqual(0);
  expect(names.indexOf('writing')).toBeLessThan(names.indexOf('list'));
});

it('a hidden page hears nothing, and all of it when it is shown again', async () => {
  const { page, heard } = await openRunning();
  page.session.hide();
  page.write(textBy('planner', 'Hel'));
  page.changed();
  // By then a page that is shown would have heard of it.
  await new Promise((resolve) => setTimeout(resolve, 2 * BATCH_MS));
  expect(heard()).toEqual([]);
  page.write(textBy('planner', 'Hello'));
  await page.client.ask('ready', {});
  await page.until(() => heard().length > 0);
  expect(page.last('writing')?.texts).toMatchObject([{ text: 'Hello' }]);
});

it('a page that begins while nobody writes is not told so', async () => {
  const { page, heard, say } = await openRunning();
  say('Hello');
  await page.until(() => page.last('list')?.rows !== undefined);
  expect(heard()).toEqual([]);
});

it('of many that write at once some are shown, and the others counted', async () => {
  const { page, heard } = await openRunning();
  page.write(...Array.from({ length: MAX_WRITERS + 3 }, (_, at) => textBy(`agent ${at}`, 'Hi')));
  await page.until(() => heard().length > 0);
  expect(page.last('writing')?.texts).toHaveLength(MAX_WRITERS);
  expect(page.last('writing')?.more).toBe(3);
  expect(page.strays).toEqual([]);
});
