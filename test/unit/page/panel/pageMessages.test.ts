import { describe, expect, it } from 'vitest';
import { BATCH_MS } from '../../../../src/page/panel/batcher.js';
import { hostileStory } from '../../../support/hostileStory.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';
import { StoryTeller } from '../../../support/storyTeller.js';

describe('the messages from the host to a page', () => {
  it('piles up no messages before a page that takes none, and goes on with the page after it', async () => {
    const story = new StoryTeller();
    const call = story.run('planner', 'Go');
    const sent: string[] = [];
    let isStuck = true;
    const transcript = new MemoryTranscript(story.conversation, story.records);
    const page: PlayedPage = new PlayedPage(transcript, {
      post: (message) => {
        sent.push(message.kind);
        page.client.receive(structuredClone(message));
        return isStuck ? new Promise(() => undefined) : Promise.resolve();
      },
    });
    await page.client.ask('ready', {});
    for (let at = 0; at < 5; at++) {
      const before = story.records.length;
      call.say(`Message ${at}`);
      transcript.append(story.records.slice(before));
      await new Promise((resolve) => setTimeout(resolve, 2 * BATCH_MS));
    }
    expect(sent.filter((kind) => kind === 'event').length).toBeLessThan(5);
    page.session.hide();
    isStuck = false;
    await page.client.ask('ready', {});
    const before = story.records.length;
    call.say('The last');
    const heard = page.heard.length;
    transcript.append(story.records.slice(before));
    await page.until(() => page.heard.slice(heard).some(({ name }) => name === 'list'));
  });

  it('sends no message over a megabyte, whatever the transcript holds', async () => {
    const story = hostileStory(2_000);
    const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records));
    const snapshot = await page.client.ask('ready', {});
    await page.client.ask('expandAll', { expanded: true });
    const { rows, generation } = page.last('list') ?? snapshot.list;
    for (let start = 0; start < rows;) {
      const answer = await page.client.ask('rows', { generation, start, end: rows });
      start += answer.rows.length;
      expect(answer.rows.length).toBeGreaterThan(0);
    }
    await page.client.ask('statistics', {});
    await page.client.ask('timeline', { pixels: 2_000 });
    await page.client.ask('tools', {});
    await page.client.ask('turns', { start: 0, count: 500 });
    expect(Math.max(...page.sizes)).toBeLessThan(1_000_000 / 3);
    expect(page.strays).toEqual([]);
  });
});
