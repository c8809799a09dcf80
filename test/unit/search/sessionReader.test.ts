import fc from 'fast-check';
import { appendFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { GatheredFacts } from '../../../src/query/language/sessionFacts.js';
import { SessionFactsBuilder } from '../../../src/query/language/sessionFactsBuilder.js';
import { SessionReader } from '../../../src/search/columns/readSession.js';
import { encodeLine } from '../../../src/store/format/lineFormat.js';
import { pathsOf } from '../../../src/store/files/storePaths.js';
import { costlyRecords } from '../../support/costlyRecords.js';
import { temporaryStore } from '../../support/storeFixture.js';
import { teamStory } from '../../support/teamStory.js';
import { PRICES } from '../query/language/judge.js';

const prices = { prices: PRICES, mark: 'of the judge' };
const story = teamStory().records.map((record, at) => ({ ...record, conversation: 's1', seq: at + 1 }));

test('a session that has grown is read from where it ended, and known as if it were read whole', async () => {
  const { store, root } = await temporaryStore();
  const half = Math.floor(story.length / 2);
  await store.importConversation('s1', story.slice(0, half));
  const paths = pathsOf(root, 's1');
  const reader = new SessionReader(paths, prices);
  await reader.read(undefined);
  for (const record of story.slice(half))
    await appendFile(paths.segment(0), Buffer.concat([encodeLine(record), Buffer.from('\n')]));
  const grown = await reader.read(undefined);
  expect(reader.linesRead).toBe(story.length);
  const whole = await new SessionReader(paths, prices).read(undefined);
  expect(plain(grown.facts)).toEqual(plain(whole.facts));
  expect(grown.columns).toEqual(whole.columns);
});

test('what is asked but once is known alike, and nothing is made for the next question', async () => {
  const { store, root } = await temporaryStore();
  await store.importConversation('s1', story);
  const paths = pathsOf(root, 's1');
  const once = await new SessionReader(paths, prices, 'nothing').read(undefined);
  const often = await new SessionReader(paths, prices).read(undefined);
  expect(plain(once.facts)).toEqual(plain(often.facts));
  expect([once.columns, often.columns?.head.records]).toEqual([undefined, story.length]);
});

/** Facts with all that their lists make. */
const plain = (facts: GatheredFacts) => ({
  ...facts,
  records: [...facts.records],
  toolCalls: [...facts.toolCalls],
  runs: [...facts.runs],
});

/** Facts of records of which some were taken after each of these positions are those of all. */
function expectSameFacts(records: readonly unknown[], stops: ReadonlySet<number>): void {
  const [whole, parted] = [new SessionFactsBuilder(PRICES), new SessionFactsBuilder(PRICES)];
  for (const [position, record] of records.entries()) {
    if (stops.has(position)) parted.finish({ session: 's1' });
    whole.add(record);
    parted.add(record);
  }
  expect(plain(parted.finish({ session: 's1' }))).toEqual(plain(whole.finish({ session: 's1' })));
}

test('facts that are taken on the way change nothing', () => {
  for (let at = 1; at < story.length; at += 7) expectSameFacts(story, new Set([at]));
  fc.assert(
    fc.property(costlyRecords, fc.array(fc.nat({ max: 14 })), (records, stops) =>
      expectSameFacts(records, new Set(stops)),
    ),
  );
});
