import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { query, type QueryTarget } from '../../../src/app/transcripts/queryTranscripts.js';
import type { LogRecord } from '../../../src/core/record.js';
import { importFile } from '../../../src/import/importFile.js';
import { silentLog } from '../../../src/core/ports/log.js';
import type { SearchUpdate } from '../../../src/page/protocol/search.js';
import { sessionFacts } from '../../../src/query/language/sessionFactsBuilder.js';
import { ROW_KINDS, type RowKind } from '../../../src/query/language/syntax.js';
import { ColumnCache } from '../../../src/search/columns/columnCache.js';
import { search } from '../../../src/search/search.js';
import { StoreSource } from '../../../src/search/sessions/storeSource.js';
import type { Resumed } from '../../../src/store/write/openConversations.js';
import type { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { inRuns, runs, seed } from '../../support/fixedInputs.js';
import { STORY_START } from '../../support/storyTeller.js';
import { temporaryStore } from '../../support/storeFixture.js';
import { teamStory } from '../../support/teamStory.js';
import { PRICES } from '../query/language/judge.js';
import { anyQuestion, type Vocabulary } from '../query/language/questionArbitrary.js';
import { vocabularyOf } from '../query/language/vocabularyOf.js';

const clock = { now: STORY_START + 3 * 3_600_000, timeZone: 'Europe/Berlin' };
const never = new AbortController().signal;

/** How many rows of each session match; of messages and records also which. */
type Rows = Readonly<Record<string, readonly number[] | number>>;

/** What the engine says, with all of its updates. */
async function found(source: StoreSource, text: string, rows: RowKind): Promise<Rows | string> {
  const limits = { sessions: 1_000, hitsOfSession: 100_000 };
  const question = { text, rows, ...clock, order: 'newest', limits } as const;
  const updates: SearchUpdate[] = [];
  const prices = { prices: PRICES, mark: 'of the judge' };
  for await (const update of search([source], question, prices, never)) updates.push(update);
  const last = updates.at(-1);
  if (last?.state !== 'done') return last?.state ?? 'nothing';
  expect(last.unread.count).toBe(0);
  const groups = updates.flatMap((update) => update.groups);
  expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(last.totals.rows);
  return Object.fromEntries(
    groups.map(({ place: location, hits, count }) => [
      location.conversation,
      rows === 'messages' || rows === 'records' ? hits.map(({ position }) => position) : count,
    ]),
  );
}

/** What `query` says, which reads every record of every session. */
async function judged(store: TranscriptStore, text: string, rows: RowKind): Promise<Rows | string> {
  const targets: QueryTarget[] = [];
  for (const { conversation, title, source, project, state } of store.catalog.entries()) {
    const about = { title, source, project, live: state === 'running' };
    targets.push({ transcript: await store.openTranscript(conversation), ...about });
  }
  const answer = await query(targets, text, { rows, ...clock, prices: PRICES });
  if (!answer.ok) return 'refused';
  const bySession = new Map<string, number[]>();
  for (const row of answer.found)
    bySession.set(row.session, [
      ...(bySession.get(row.session) ?? []),
      'position' in row ? row.position : -1,
    ]);
  const isRecords = rows === 'messages' || rows === 'records';
  return Object.fromEntries(
    [...bySession].map(([session, positions]) => [session, isRecords ? positions : positions.length]),
  );
}

const newSource = (root: string) =>
  new StoreSource(root, false, { log: silentLog, cache: new ColumnCache() });

const keptOf = (root: string) =>
  readdirSync(join(root, 'conversations')).map((name) => join(root, 'conversations', name, 'search.bin'));

/** Holds the engine against `query` in all states that what it keeps may be in. */
async function expectAgreement(
  { store, root }: { store: TranscriptStore; root: string },
  questions: readonly string[],
  seed: number,
): Promise<number> {
  await store.catalog.refresh();
  let matches = 0;
  const warm = newSource(root);
  for (const [at, text] of questions.entries()) {
    const rows = ROW_KINDS[(at + seed) % ROW_KINDS.length] ?? 'messages';
    const wanted = await judged(store, text, rows);
    const states: Readonly<Record<string, () => StoreSource>> = {
      'nothing kept': () => {
        for (const path of keptOf(root)) rmSync(path, { force: true });
        return newSource(root);
      },
      'in memory': () => warm,
      'from the disk': () => newSource(root),
      damaged: () => {
        for (const [number, path] of keptOf(root).entries())
          if (existsSync(path)) harm(path, seed + at + number);
        return newSource(root);
      },
    };
    for (const [state, sourceIn] of Object.entries(states))
      expect({ text, rows, state, found: await found(sourceIn(), text, rows) }).toEqual({
        text,
        rows,
        state,
        found: wanted,
      });
    if (typeof wanted !== 'string') matches += Object.keys(wanted).length;
  }
  return matches;
}

/** Cuts a file, or flips a bit of it, at a place that the number decides. */
function harm(path: string, number: number): void {
  const bytes = readFileSync(path);
  const at = (number * 7_919) % bytes.length;
  if (number % 3 === 0) writeFileSync(path, bytes.subarray(0, at));
  else {
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (number % 8));
    writeFileSync(path, bytes);
  }
}

const story = teamStory().records;
const inConversation = (records: readonly LogRecord[], conversation: string): LogRecord[] =>
  records.map((record, at) => ({ ...record, conversation, seq: at + 1 }));

/** A store of parts of a story, and the words in it. */
async function storeOfStories() {
  const made = await temporaryStore();
  const part = Math.floor(story.length / 4);
  for (const at of [0, 1, 2, 3]) {
    const records = story.slice(at * part, (at + 1) * part);
    await made.store.importConversation(`s${at}`, inConversation(records, `s${at}`));
  }
  const vocabulary = vocabularyOf(sessionFacts(story, { session: 's0' }), story);
  return { ...made, vocabulary };
}

const sampled = (vocabulary: Vocabulary, full: number, own: number) =>
  fc.sample(anyQuestion(vocabulary), { numRuns: runs(full), seed: seed + own });

test('the engine finds what query() finds, whatever is kept and in what state', async () => {
  const { vocabulary, ...made } = await storeOfStories();
  expect(await expectAgreement(made, sampled(vocabulary, 60, 3), 3)).toBeGreaterThan(inRuns(30));
}, 240_000);

test('it agrees while journals grow', async () => {
  const { vocabulary, store, root } = await storeOfStories();
  const source = newSource(root);
  const writers = new Map<string, Resumed>();
  for (const [step, text] of sampled(vocabulary, 24, 5).entries()) {
    const id = `s${step % 4}`;
    const writer = writers.get(id) ?? (await store.resumeConversation(id));
    if ('refused' in writer) throw new Error(writer.refused);
    writers.set(id, writer);
    const lastSeq = writer.lastSeq + 3 * step;
    for (const [at, record] of inConversation(story.slice(2 * step, 2 * step + 3), id).entries())
      writer.journal.append({ ...record, id: `m_grown_${step}_${at}`, seq: lastSeq + 1 + at });
    await writer.journal.flush();
    await store.catalog.refresh();
    const rows = ROW_KINDS[step % ROW_KINDS.length] ?? 'messages';
    expect({ text, rows, found: await found(source, text, rows) }).toEqual({
      text,
      rows,
      found: await judged(store, text, rows),
    });
  }
}, 240_000);

const folder = join(import.meta.dirname, '../../../../shared/transcripts');

describe.runIf(existsSync(folder))('over real transcripts', () => {
  test('the engine finds what query() finds', async () => {
    const made = await temporaryStore();
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name) && entry.name !== 'facts.json')
      .filter((_, at) => at % 9 === 0);
    const all: LogRecord[] = [];
    for (const entry of files) {
      const { conversations } = await importFile(join(entry.parentPath, entry.name), { alone: true });
      for (const { records } of conversations.slice(0, 1)) {
        const some = records.slice(0, 150) as LogRecord[];
        const { name } = entry;
        await made.store.importSession({
          records: some,
          source: { tool: 'codex', session: `${name} ${all.length}` },
        });
        all.push(...some);
      }
    }
    const vocabulary = vocabularyOf(sessionFacts(all, { session: 'all' }), all);
    // What few records have, and a sample seldom asks for.
    const rare = ['is:compaction', 'context:>20k', 'context:>100k tool:*'];
    expect(await expectAgreement(made, [...sampled(vocabulary, 18, 7), ...rare], 7)).toBeGreaterThan(
      inRuns(10),
    );
  }, 300_000);
});
