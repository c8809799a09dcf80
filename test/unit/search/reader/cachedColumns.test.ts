import { appendFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../../../src/node/patterns/timeGuard.js';
import { SessionAnswers, type CachedFacts } from '../../../../src/page/panel/filter/sessionAnswers.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import { planQuery } from '../../../../src/query/language/plan.js';
import { ROW_KINDS } from '../../../../src/query/language/syntax.js';
import { CachedColumns } from '../../../../src/search/reader/openedTranscript.js';
import { ColumnCache } from '../../../../src/search/columns/columnCache.js';
import { StoredSession } from '../../../../src/search/sessions/storedSession.js';
import { pathsOf } from '../../../../src/store/files/storePaths.js';
import { encodeLine } from '../../../../src/store/format/lineFormat.js';
import { openLines } from '../../../../src/store/read/openLines.js';
import { FollowedLines } from '../../../../src/store/read/followedLines.js';
import { StoredTranscript } from '../../../../src/store/read/storedTranscript.js';
import { restoredRecord } from '../../../../src/store/read/restoredRecords.js';
import { recordOf, said, temporaryStore } from '../../../support/storeFixture.js';
import { teamStory } from '../../../support/teamStory.js';
import { PRICES } from '../../query/language/judge.js';

const prices = { prices: PRICES, mark: 'of the judge' };
const never = new AbortController().signal;

/** A conversation that the search has read once, and how often records of it are read from then on. */
async function searchedConversation() {
  const { store, root } = await temporaryStore();
  const { records } = teamStory();
  await store.importConversation(
    'c1',
    records.map((record, at) => ({ ...record, seq: at + 1, conversation: 'c1' })),
  );
  const paths = pathsOf(root, 'c1');
  const options = { readOnly: false, log: silentLog, cache: new ColumnCache() };
  await new StoredSession(paths, options).read(prices, undefined);
  const stored = new StoredTranscript(paths, new FollowedLines(await openLines(paths, silentLog), silentLog));
  onTestFinished(() => stored.close());
  const reads = { records: 0 };
  const transcript = {
    get length() {
      return stored.length;
    },
    read: async (start: number, end: number) => {
      const found = await stored.read(start, end);
      reads.records += found.length;
      return found;
    },
  };
  const isWrittenHere = { now: false };
  const kept = (priced = prices) =>
    new CachedColumns(paths, {
      prices: priced,
      readOnly: true,
      log: silentLog,
      isWrittenHere: () => isWrittenHere.now,
    });
  const answers = (of: CachedFacts | undefined) =>
    new SessionAnswers({
      transcript,
      prices: PRICES,
      info: () => ({ session: 'c1', live: false }),
      kept: of,
      whole: (record) => restoredRecord(record, paths),
      guard: (work) => endsWithin(MAX_TEXT_TEST_MS, work),
    });
  return { paths, records, reads, kept, answers, isWrittenHere };
}

function planned(text: string, rows: (typeof ROW_KINDS)[number]) {
  const plan = planQuery(text, { rows, now: Date.now(), timeZone: 'UTC' });
  if (!plan.ok) throw new Error(plan.problems[0]?.message);
  return plan.plan;
}

const STRUCTURED = [
  'is:error',
  '-is:error',
  'tool:read_file after tool:subagent_dispatch',
  'in:(is:error)',
  'under:(role:assistant)',
  'tokens:>1',
  'duration:>1ms',
  '(is:error) (role:user)',
  'depth:>0',
  'role:assistant after role:user within:3',
  'since:2020-01-01',
  'cost:>0',
  'is:subagent',
] as const;

test('what the search keeps answers as the records do, without any of them', async () => {
  const { reads, kept, answers } = await searchedConversation();
  const [beside, gathered] = [answers(kept()), answers(undefined)];
  let found = 0;
  for (const rows of ROW_KINDS)
    for (const text of STRUCTURED) {
      if (rows === 'toolCalls' && /tokens|cost|role/.test(text)) continue;
      reads.records = 0;
      const answer = await beside.answer(planned(text, rows), never);
      expect([text, rows, reads.records]).toEqual([text, rows, 0]);
      const judged = await gathered.answer(planned(text, rows), never);
      expect([text, rows, answer?.found, answer?.length]).toEqual([
        text,
        rows,
        judged?.found,
        judged?.length,
      ]);
      if (judged?.found.ok === true) found += judged.found.indexes.length;
    }
  expect(found).toBeGreaterThan(100);
});

test('texts are asked for of what is left', async () => {
  const { records, reads, kept, answers } = await searchedConversation();
  const question = planned('the tool:read_file', 'toolCalls');
  const answer = await answers(kept()).answer(question, never);
  expect(reads.records).toBeLessThan(records.length);
  expect(answer?.found).toEqual((await answers(undefined).answer(question, never))?.found);
});

test('a conversation that has grown, or is written here, is asked by its records; so are costs at other prices', async () => {
  const { paths, records, reads, kept, answers, isWrittenHere } = await searchedConversation();
  const readFor = async (text: string, facts: CachedFacts) => {
    reads.records = 0;
    const answer = await answers(facts).answer(planned(text, 'runs'), never);
    return [reads.records, answer?.length];
  };
  const all = [records.length, records.length];
  expect(await readFor('cost:>0', kept({ ...prices, mark: 'other' }))).toEqual(all);
  expect(await readFor('is:error', kept({ ...prices, mark: 'other' }))).toEqual([0, records.length]);
  isWrittenHere.now = true;
  expect(await readFor('is:error', kept())).toEqual(all);
  isWrittenHere.now = false;
  const line = encodeLine({ ...recordOf(records.length + 1, said('more')), conversation: 'c1' });
  await appendFile(paths.segment(0), Buffer.concat([line, Buffer.from('\n')]));
  expect(await readFor('is:error', kept())).toEqual(all);
});
