import { expect, test } from 'vitest';
import type { ReadRecord } from '../../../../src/core/ports/transcript.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';

const place = { conversation: 'c', run: 'r', call: 'k', agent: 'captain', depth: 0, time: 0 };
const records = (count: number): ReadRecord[] =>
  Array.from({ length: count }, (_, at) => ({
    ...place,
    seq: at + 1,
    id: `m${at}`,
    ...(at % 3 === 0
      ? { type: 'message', message: { role: 'user', content: `words ${at}` } }
      : { type: 'imported', kind: 'span', value: at }),
  }));

test('raw events are counted, folded away, and shown by one request', async () => {
  const page = new PlayedPage(new MemoryTranscript('c', records(9)));
  const { list } = await page.client.ask('ready', {});
  expect(list).toMatchObject({ rows: 3, allRows: 3, rawRows: 6, showsRaw: false });
  await page.client.ask('showRaw', { shown: true });
  expect(page.last('list')).toMatchObject({ rows: 9, allRows: 9, replaced: true, showsRaw: true });
  await page.client.ask('showRaw', { shown: false });
  expect(page.last('list')).toMatchObject({ rows: 3, showsRaw: false });
});

test('a page that showed them shows them again when it comes back', async () => {
  const page = new PlayedPage(new MemoryTranscript('c', records(9)));
  const { list } = await page.client.ask('ready', { showsRaw: true });
  expect(list).toMatchObject({ rows: 9, showsRaw: true });
});

test('who goes to a raw event sees it, among all others', async () => {
  const page = new PlayedPage(new MemoryTranscript('c', records(9)));
  await page.client.ask('ready', {});
  const { index } = await page.client.ask('reveal', { position: 4 });
  expect(index).toBe(4);
  expect(page.last('list')).toMatchObject({ rows: 9, showsRaw: true });
});

test('what comes while they are folded away is counted, and only messages join the list', async () => {
  const transcript = new MemoryTranscript('c', records(3));
  const page = new PlayedPage(transcript);
  await page.client.ask('ready', {});
  transcript.append(records(9).slice(3));
  await page.until(() => page.last('list')?.read === 9);
  expect(page.last('list')).toMatchObject({ rows: 3, rawRows: 6 });
});
