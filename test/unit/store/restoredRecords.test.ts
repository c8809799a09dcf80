import { expect, test } from 'vitest';
import type { ReadRecord, Transcript } from '../../../src/core/ports/transcript.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { SharedTokens } from '../../../src/app/services/sharedTokens.js';
import { restoredRecords } from '../../../src/store/read/restoredRecords.js';
import { recordOf, said } from '../../support/storeFixture.js';

const never = new AbortController().signal;

/** A transcript of so many records that tells which pages are read; reading from `broken` on fails. */
function transcriptOf(length: number, broken = Infinity) {
  const reads: [number, number][] = [];
  const transcript: Transcript = {
    conversation: 'c',
    length,
    damaged: [],
    onDidGrow: () => ({ dispose: () => undefined }),
    read(start, end) {
      reads.push([start, end]);
      if (start >= broken) return Promise.reject(new Error('the disk is gone'));
      const count = Math.max(0, Math.min(end, length) - start);
      return Promise.resolve(
        Array.from({ length: count }, (_, at) => recordOf(start + at + 1, said('salt'))),
      );
    },
    readSpill: (path) => Promise.resolve(`all of ${path}`),
    close: () => Promise.resolve(),
  };
  return { transcript, reads };
}

async function seqsOf(records: AsyncIterable<ReadRecord>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of records) seqs.push(seq);
  return seqs;
}

const upTo = (length: number) => Array.from({ length }, (_, at) => at + 1);

test.each([0, 1, 499, 500, 501, 1700])('all of %i records come, each once and in order', async (length) => {
  const { transcript } = transcriptOf(length);
  expect(await seqsOf(restoredRecords(transcript))).toEqual(upTo(length));
});

test.each([0, 199, 200, 201, 1000])(
  'all of %i records pass the counter of tokens in order',
  async (length) => {
    const tokens = new SharedTokens(silentLog);
    const { records } = tokens.counted(restoredRecords(transcriptOf(length).transcript), never);
    expect(await seqsOf(records)).toEqual(upTo(length));
    tokens.dispose();
  },
);

test('one page is read ahead, and none of which nothing is wanted', async () => {
  const { transcript, reads } = transcriptOf(5000);
  const records = restoredRecords(transcript, [3, 700, 1200, 4200]);
  await records.next();
  expect(reads).toEqual([
    [3, 503],
    [700, 1200],
  ]);
  expect(await seqsOf(records)).toEqual([701, 1201, 4201]);
  expect(reads.slice(2)).toEqual([
    [1200, 1700],
    [4200, 4201],
  ]);
});

test('a page that cannot be read ends the records with its error, after those before it', async () => {
  const records = restoredRecords(transcriptOf(2000, 500).transcript);
  for (let seq = 1; seq <= 500; seq++) expect((await records.next()).value).toMatchObject({ seq });
  await expect(records.next()).rejects.toThrow('the disk is gone');
});

test('who stops in time never hears of a page ahead that cannot be read', async () => {
  const records = restoredRecords(transcriptOf(2000, 500).transcript);
  await records.next();
  await records.return();
  expect(await records.next()).toEqual({ done: true, value: undefined });
});

test('nothing more comes once the signal is aborted', async () => {
  const stop = new AbortController();
  const records = restoredRecords(transcriptOf(2000).transcript, undefined, stop.signal);
  for (let seq = 1; seq <= 500; seq++) await records.next();
  stop.abort();
  expect(await records.next()).toEqual({ done: true, value: undefined });
});

test('large texts that lie in files of their own are put back', async () => {
  const { transcript } = transcriptOf(0);
  const spill = [{ field: 'content' as const, path: 'a/b.json', bytes: 1, sha256: '' }];
  const spilled = { ...recordOf(1, said('all…')), spill };
  const whole = { ...transcript, length: 1, read: () => Promise.resolve([spilled]) };
  const { value } = await restoredRecords(whole).next();
  expect(value).toMatchObject({ message: { content: 'all of a/b.json' } });
});

test('a large text that is one of several parts is put back in its place, between the others', async () => {
  const { transcript } = transcriptOf(0);
  const spill = [{ field: 'content' as const, index: 1, path: 'a/b.json', bytes: 1, sha256: '' }];
  const parts = (texts: readonly string[]) => texts.map((text) => ({ type: 'text' as const, text }));
  const message = { role: 'user' as const, content: parts(['before', 'all…', 'after']) };
  const spilled = { ...recordOf(1, { type: 'message', message }), spill };
  const whole = { ...transcript, length: 1, read: () => Promise.resolve([spilled]) };
  const { value } = await restoredRecords(whole).next();
  expect(value).toMatchObject({ message: { content: parts(['before', 'all of a/b.json', 'after']) } });
});
