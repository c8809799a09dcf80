import { describe, expect, it } from 'vitest';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';
import { StoryTeller } from '../../../support/storyTeller.js';

/** A page over a short story; it is ready. */
async function openPage() {
  const story = new StoryTeller();
  story.run('planner', 'Go').say('Hello');
  const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records));
  const { draft } = await page.client.ask('ready', {});
  return { page, draft, conversation: story.conversation };
}

describe('the chat box of a panel', () => {
  it('keeps what stands in the chat box for the next page, until it is said', async () => {
    const { page, draft } = await openPage();
    expect(draft).toBe('');
    await page.client.ask('draft', { text: 'half a sentence' });
    expect((await page.client.ask('ready', {})).draft).toBe('half a sentence');
    await page.client.ask('continue', { text: 'half a sentence' });
    expect((await page.client.ask('ready', {})).draft).toBe('');
  });

  it('keeps what is typed while a message is being begun, and the message until it is begun', async () => {
    const { page } = await openPage();
    await page.client.ask('draft', { text: 'sa' });
    const begun = page.holdSaid();
    const said = page.client.ask('continue', { text: 'said' });
    expect((await page.client.ask('ready', {})).draft).toBe('said');
    await page.client.ask('draft', { text: 'the next' });
    begun();
    await said;
    expect((await page.client.ask('ready', {})).draft).toBe('the next');
  });

  it('gives a page what could not be said of its own conversation, and none that cannot be seen', async () => {
    const { page, conversation } = await openPage();
    page.drafts.giveBack('other', 'not mine');
    page.drafts.giveBack(conversation, 'mine');
    await page.until(() => page.last('returned') !== undefined);
    expect(page.last('returned')).toEqual({ text: 'mine' });
    page.drafts.giveBack(conversation, 'mine too', 'The agent is gone.');
    await page.until(() => page.last('returned')?.problem !== undefined);
    expect(page.last('returned')).toEqual({ text: 'mine too', problem: 'The agent is gone.' });
    page.session.hide();
    page.drafts.giveBack(conversation, 'unseen');
    expect(page.heard.filter(({ name }) => name === 'returned')).toHaveLength(2);
  });
});
