import { describe, expect, it } from 'vitest';
import {
  CONTEXT_GROUPS,
  MAX_CONTEXT_COLUMNS,
  type ContextAnswer,
} from '../../../../src/page/protocol/context.js';
import { contextStory } from '../../../support/contextStory.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';

/** A page over a session of an agent with so many turns. */
async function open(turns?: number) {
  const { conversation, records } = contextStory(turns);
  const transcript = new MemoryTranscript(conversation, records);
  const page = new PlayedPage(transcript);
  await page.client.ask('ready', {});
  return { page, transcript };
}

/** What the page is told when all was looked at. */
async function contextOf(page: PlayedPage, more: object = {}): Promise<ContextAnswer> {
  for (;;) {
    const answer = await page.client.ask('context', { by: 'each', columns: 100, ...more });
    if (answer.looked === answer.records) return answer;
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

describe('the context of a transcript', () => {
  it.each(CONTEXT_GROUPS)('is whole by %s: the parts of each request add up to it', async (by) => {
    const { page } = await open();
    const { columns } = await contextOf(page);
    expect(columns.length).toBeGreaterThan(20);
    for (const { request, total, parts } of columns) {
      const { detail } = await contextOf(page, { request, by });
      expect(detail).toMatchObject({ request, total, parts });
      expect(sum(parts)).toBe(total);
      expect(sum(detail!.shares.map(({ tokens }) => tokens)) + detail!.more.tokens).toBe(total);
    }
  });

  it('has a window for each agent, and tells compactions and broken prefixes of the chosen one', async () => {
    const { page } = await open();
    const own = await contextOf(page);
    expect(own.windows.map(({ agent, compactions }) => [agent, compactions])).toEqual([
      ['Claude', 1],
      ['searcher', 0],
    ]);
    expect(own.breaks.map(({ reasons }) => reasons)).toEqual([['fiveMinutes'], ['compaction']]);
    expect(own.cache).toMatchObject({ broken: 2 });
    expect(own.cache!.lost).toBe(sum(own.breaks.map(({ held, read }) => held - read)));
    const [, searcher] = own.windows;
    const other = await contextOf(page, { window: 1 });
    expect([other.columns.length, other.compactions]).toEqual([searcher?.requests, []]);
  });

  it('is of a bounded size, whatever the length: each column is a request, and none is forgotten', async () => {
    const { page } = await open(600);
    const { columns, windows } = await contextOf(page, { columns: MAX_CONTEXT_COLUMNS });
    expect(windows[0]?.requests).toBeGreaterThan(2 * MAX_CONTEXT_COLUMNS);
    expect(columns.length).toBeLessThanOrEqual(MAX_CONTEXT_COLUMNS);
    expect(sum(columns.map(({ requests }) => requests))).toBe(windows[0]?.requests);
    expect(columns.filter(({ isCompacted }) => isCompacted)).toHaveLength(1);
    expect(Math.max(...page.sizes)).toBeLessThan(250_000);
  });

  it('reads each record once, also as the transcript grows', async () => {
    const { page, transcript } = await open();
    await contextOf(page);
    const before = transcript.readCount;
    const { columns } = await contextOf(page);
    expect(transcript.readCount).toBe(before);
    transcript.append(contextStory().records.slice(-1));
    expect((await contextOf(page)).columns).toHaveLength(columns.length + 1);
  });

  it('lists what a compaction took out in pages, and gives whole texts to say again', async () => {
    const { page } = await open(60);
    const { compactions } = await contextOf(page);
    const [{ messages, tokens } = { messages: 0, tokens: 0 }] = compactions;
    const listed = await page.client.ask('dropped', { window: 0, compaction: 0, start: 0 });
    expect([listed.total, listed.tokens]).toEqual([messages, tokens]);
    expect(listed.messages[0]).toMatchObject({
      role: 'user',
      preview: expect.stringMatching(/^The nightly/) as string,
    });
    expect(listed.messages[1]).toMatchObject({ tool: 'Read', preview: '/work/src/export/invoices0.ts' });
    expect(listed.messages[2]?.tool).toBe('Read /work/src/export/invoices0.ts');
    expect(sum(listed.messages.map((each) => each.tokens))).toBe(tokens);
    const [first, second, third] = listed.messages.map(({ position }) => position);
    const { text, rest } = await page.client.ask('quote', { positions: [first!, second!, third!] });
    expect(rest).toBe(0);
    expect(text).toMatch(
      /^\[user\]\nThe nightly export.*\n\n\[assistant\]\nRead\(\{.*\}\)\n\n\[result of Read\]\nconst x = 1;/s,
    );
  });
});
