import { expect, it } from 'vitest';
import type { ReadRecord } from '../../../../src/core/ports/transcript.js';
import { largeStory } from '../../../support/largeStory.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';

const FIRST = 100;

/** A transcript of which nothing beyond its first records is read until it is let, or fails. */
class GatedTranscript extends MemoryTranscript {
  goOn: () => void = () => undefined;
  fail: () => void = () => undefined;
  readonly #held = new Promise<void>((resolve, reject) => {
    this.goOn = resolve;
    this.fail = () => reject(new Error('The disk is gone.'));
  });
  #heard: () => void = () => undefined;
  /** Resolves when more was asked for. */
  readonly reached = new Promise<void>((resolve) => (this.#heard = resolve));

  override async read(start: number, end: number): Promise<readonly ReadRecord[]> {
    if (start >= FIRST) {
      this.#heard();
      await this.#held;
    }
    return super.read(start, end);
  }
}

function openLarge() {
  const story = largeStory(2_000);
  const transcript = new GatedTranscript(story.conversation, story.records);
  return { transcript, page: new PlayedPage(transcript) };
}

/** A page that was hidden before its place was read, and what it was answered. */
async function hiddenTooEarly() {
  const { transcript, page } = openLarge();
  const begun = page.client.ask('ready', { top: 900 });
  await transcript.reached;
  page.session.hide();
  transcript.goOn();
  return { page, answer: await begun };
}

it('a page that is hidden before its place was read is answered, and keeps nobody from working', async () => {
  const { answer } = await hiddenTooEarly();
  expect(answer.at).toBeUndefined();
});

it('what is to be shown is told to the next page, not to one that is gone before it could begin', async () => {
  const { page } = await hiddenTooEarly();
  page.session.show({ tab: 'timeline' });
  expect(page.heard).toEqual([]);
  await page.client.ask('ready', {});
  await page.until(() => page.last('show') !== undefined);
  expect(page.last('show')).toEqual({ tab: 'timeline' });
});

it('a page whose place cannot be read gets what there is', async () => {
  const { transcript, page } = openLarge();
  const begun = page.client.ask('ready', { top: 900 });
  await transcript.reached;
  transcript.fail();
  expect((await begun).list.read).toBe(FIRST);
});
