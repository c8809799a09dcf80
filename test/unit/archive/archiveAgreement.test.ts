import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArchiveReader } from '../../../src/archive/archiveReader.js';
import { ArchiveSource } from '../../../src/archive/archiveSource.js';
import { ConversationPush } from '../../../src/archive/conversationPush.js';
import type { ArchiveConnection } from '../../../src/archive/archiveConnection.js';
import type { ArchiveMode } from '../../../src/archive/archiveMode.js';
import { query } from '../../../src/app/transcripts/queryTranscripts.js';
import { DEFAULT_RULES } from '../../../src/export/sharing/sharingPolicy.js';
import type { ReadRecord } from '../../../src/core/ports/transcript.js';
import type { SearchUpdate } from '../../../src/page/protocol/search.js';
import { planQuery } from '../../../src/query/language/plan.js';
import { sessionFacts } from '../../../src/query/language/sessionFactsBuilder.js';
import { ROW_KINDS, type RowKind } from '../../../src/query/language/syntax.js';
import { search } from '../../../src/search/search.js';
import { runs, seed } from '../../support/fixedInputs.js';
import { hostileStory } from '../../support/hostileStory.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { hasRealTranscripts, realTranscripts } from '../../support/realTranscripts.js';
import { STORY_START } from '../../support/storyTeller.js';
import { teamStory } from '../../support/teamStory.js';
import { testArchives } from '../../support/testArchive.js';
import { PRICES } from '../query/language/judge.js';
import { anyQuestion } from '../query/language/questionArbitrary.js';
import { vocabularyOf } from '../query/language/vocabularyOf.js';

const { archive } = testArchives();

const clock = { now: STORY_START + 3 * 3_600_000, timeZone: 'Europe/Berlin' };
const never = new AbortController().signal;
const prices = { prices: PRICES, mark: 'of the judge' };

/** How many rows of each session match; of messages and records also which. */
type Rows = Readonly<Record<string, readonly number[] | number>>;

/** What the archive says, where SQL has left out what cannot match. */
async function found(connection: ArchiveConnection, text: string, rows: RowKind): Promise<Rows | string> {
  const planned = planQuery(text, { rows, ...clock });
  if (!planned.ok) return 'refused';
  const reader = new ArchiveReader(() => Promise.resolve(connection));
  const source = new ArchiveSource('archive', reader, planned.plan);
  const limits = { sessions: 1_000, hitsOfSession: 100_000 };
  const updates: SearchUpdate[] = [];
  const question = { text, rows, ...clock, order: 'newest', limits } as const;
  for await (const update of search([source], question, prices, never)) updates.push(update);
  const last = updates.at(-1);
  if (last?.state !== 'done') return last?.state ?? 'nothing';
  expect(last.unread).toMatchObject({ count: 0 });
  const groups = updates.flatMap((update) => update.groups);
  return Object.fromEntries(
    groups.map(({ place: location, hits, count }) => [
      location.conversation,
      rows === 'messages' || rows === 'records' ? hits.map(({ position }) => position) : count,
    ]),
  );
}

/** What the one evaluator says, which reads every record of every transcript. */
async function judged(
  transcripts: readonly MemoryTranscript[],
  text: string,
  rows: RowKind,
): Promise<Rows | string> {
  const targets = transcripts.map((transcript) => ({
    transcript,
    title: titleOf(transcript),
    source: sourceOf(transcript),
    project: 'bakery',
  }));
  const answer = await query(targets, text, { rows, ...clock, prices: PRICES });
  if (!answer.ok) return 'refused';
  const bySession = new Map<string, number[]>();
  for (const row of answer.found) {
    const positions = bySession.get(row.session) ?? [];
    positions.push('position' in row ? row.position : -1);
    bySession.set(row.session, positions);
  }
  const isRecords = rows === 'messages' || rows === 'records';
  return Object.fromEntries(
    [...bySession].map(([session, positions]) => [session, isRecords ? positions : positions.length]),
  );
}

const titleOf = ({ conversation }: { readonly conversation: string }) => `Baking ${conversation}`;

/** Each is of a tool of its own: of what several sessions of one tool tell, an archive finds each row once. */
const sourceOf = ({ conversation }: { readonly conversation: string }) => `oven of ${conversation}`;

async function pushAll(
  connection: ArchiveConnection,
  transcripts: readonly MemoryTranscript[],
  mode: ArchiveMode,
) {
  for (const transcript of transcripts) {
    const about = { title: titleOf(transcript), source: sourceOf(transcript), project: 'bakery' };
    const options = { mode, rules: DEFAULT_RULES, prices, signal: never };
    await new ConversationPush({ id: transcript.conversation, about, transcript }, options).push(connection);
  }
}

function conversation(id: string, records: readonly ReadRecord[]): MemoryTranscript {
  return new MemoryTranscript(
    id,
    records.map((record, at) => ({ ...record, conversation: id, seq: at + 1 })),
  );
}

async function expectAgreement(
  transcripts: readonly MemoryTranscript[],
  { numRuns, own, mode }: { readonly numRuns: number; readonly own: number; readonly mode: ArchiveMode },
): Promise<void> {
  const { connection } = await archive();
  await pushAll(connection, transcripts, mode);
  let matches = 0;
  const all = transcripts.flatMap(({ records }) => records);
  const vocabulary = vocabularyOf(sessionFacts(all, { session: 's0' }), all);
  for (const [at, text] of fc.sample(anyQuestion(vocabulary), { numRuns, seed: seed + own }).entries()) {
    const rows = ROW_KINDS[(at + own) % ROW_KINDS.length] ?? 'messages';
    const wanted = await judged(transcripts, text, rows);
    expect({ text, rows, found: await found(connection, text, rows) }).toEqual({ text, rows, found: wanted });
    if (typeof wanted !== 'string') matches += Object.keys(wanted).length;
  }
  expect(matches).toBeGreaterThan(0);
  await connection.close();
}

const story = teamStory().records;
const part = Math.floor(story.length / 4);
const stories = () =>
  [0, 1, 2, 3].map((at) => conversation(`s${at}`, story.slice(at * part, (at + 1) * part)));

test.each(['full', 'redacted'] as const)(
  'an archive in %s gives the answers of the one evaluator',
  async (mode) => {
    await expectAgreement(stories(), { numRuns: runs(80), own: mode === 'full' ? 1 : 2, mode });
  },
);

test('SQL leaves out what cannot match', async () => {
  const { connection } = await archive();
  await pushAll(connection, stories(), 'full');
  const reader = new ArchiveReader(() => Promise.resolve(connection));
  const countOf = async (text: string) => {
    const planned = planQuery(text, { rows: 'messages', ...clock });
    return planned.ok ? (await reader.conversations(planned.plan)).length : -1;
  };
  const one = [...new Set(stories()[0]?.records.map(({ agent }) => agent))].at(-1) ?? '';
  expect(await countOf('anything')).toBe(4);
  expect(await countOf(`agent:"${one}"`)).toBeGreaterThan(0);
  for (const text of [
    'agent:nobody',
    'tool:no*',
    'model:=none',
    'role:(developer OR injected)',
    'since:2030-01',
    'before:2020-01',
  ])
    expect({ text, count: await countOf(text) }).toEqual({ text, count: 0 });
  expect(await countOf('-agent:nobody')).toBe(4);
  // Neither questions about texts nor others need the records to know what they may find.
  for (const text of ['flour', 'is:error']) {
    const planned = planQuery(text, { rows: 'messages', ...clock });
    for (const each of planned.ok ? await reader.conversations(planned.plan) : [])
      expect(await reader.factsOf(each)).toMatchObject({ info: { session: each.id } });
  }
  await connection.close();
});

test('so it does where every value is hostile', async () => {
  await expectAgreement([conversation('evil', hostileStory(100).records), ...stories().slice(0, 1)], {
    numRuns: runs(100),
    own: 3,
    mode: 'full',
  });
});

test.runIf(hasRealTranscripts)('so it does for real transcripts', async () => {
  const transcripts: MemoryTranscript[] = [];
  for await (const records of realTranscripts())
    if (records.length > 0 && transcripts.length < 20)
      transcripts.push(conversation(`t${transcripts.length}`, records.slice(0, 150)));
  await expectAgreement(transcripts, { numRuns: runs(25), own: 4, mode: 'full' });
});
