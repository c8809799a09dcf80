import { expect, test } from 'vitest';
import { ArchivedTranscript } from '../../../src/archive/archivedTranscript.js';
import type { ArchiveConnection } from '../../../src/archive/archiveConnection.js';
import type { ArchiveMode } from '../../../src/archive/archiveMode.js';
import { ConversationPush } from '../../../src/archive/conversationPush.js';
import { DEFAULT_RULES } from '../../../src/export/sharing/sharingPolicy.js';
import type { LogRecord } from '../../../src/core/record.js';
import type { Transcript } from '../../../src/ports/transcript.js';
import { NO_PRICES } from '../../../src/ports/prices.js';
import { hostileStory } from '../../support/hostileStory.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { testArchives } from '../../support/testArchive.js';

const { archive } = testArchives();

const never = new AbortController().signal;

/** A way to push a transcript. */
function pushOf(transcript: Transcript, mode: ArchiveMode = 'full', title = 'Bread') {
  return new ConversationPush(
    { id: transcript.conversation, about: { title, source: 'oven', project: 'bakery' }, transcript },
    { mode, rules: DEFAULT_RULES, prices: { prices: NO_PRICES, mark: 'none' }, signal: never },
  );
}

const archived = (
  connection: ArchiveConnection,
  { conversation, length }: Pick<Transcript, 'conversation' | 'length'>,
) => new ArchivedTranscript(conversation, length, () => Promise.resolve(connection));

const story = (from: number, to: number): LogRecord[] =>
  Array.from({ length: to - from }, (_, at) => recordOf(from + at + 1, said(`loaf ${from + at}`)));

test('a conversation comes back as it was, and grows by what is new', async () => {
  const { connection } = await archive();
  const transcript = new MemoryTranscript('c1', story(0, 1_500));
  const push = pushOf(transcript);
  expect(await push.push(connection)).toMatchObject({ kind: 'new', added: 1_500, records: 1_500 });
  expect(await archived(connection, transcript).read(0, 2_000)).toEqual(transcript.records);
  expect(await push.push(connection)).toMatchObject({ kind: 'unchanged', added: 0 });
  transcript.append(story(1_500, 1_510));
  expect(await push.push(connection)).toMatchObject({ kind: 'grown', added: 10 });
  // Another machine, or another start of this one, goes on where it ended.
  transcript.append(story(1_510, 1_520));
  expect(await pushOf(transcript).push(connection)).toMatchObject({
    kind: 'grown',
    added: 10,
    records: 1_520,
  });
  expect(await archived(connection, transcript).read(0, 2_000)).toEqual(transcript.records);
  await connection.close();
});

test('in full, lines are there byte for byte, large texts too', async () => {
  const { connection } = await archive();
  const { store } = await temporaryStore();
  const records = hostileStory(100).records;
  const own = records.map((record, at) => ({ ...record, conversation: 'c1', seq: at + 1 }));
  await store.importConversation('c1', [
    ...own,
    recordOf(own.length + 1, said('x'.repeat(200_000))),
    recordOf(own.length + 2, said('\ud800'.repeat(60_000))),
  ]);
  const transcript = await store.openTranscript('c1');
  await pushOf(transcript).push(connection);
  const back = archived(connection, transcript);
  const lines = await (
    transcript as unknown as { readLines(from: number, to: number): Promise<Buffer[]> }
  ).readLines(0, 1_000);
  expect(lines).toHaveLength(own.length + 2);
  expect(await back.readLines(0, 1_000)).toEqual(lines);
  expect(await back.read(0, 1_000)).toEqual(await transcript.read(0, 1_000));
  const [large, lone] = await back.read(own.length, own.length + 2);
  for (const record of [large, lone])
    for (const { path } of (record as { spill?: { path: string }[] }).spill ?? [])
      expect(await back.readSpill(path)).toBe(await transcript.readSpill(path));
  await connection.close();
});
