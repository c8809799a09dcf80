import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogRecord } from '../../../src/core/record.js';
import { silentLog } from '../../../src/core/ports/log.js';
import type { SearchUpdate } from '../../../src/page/protocol/search.js';
import { momentOf, readDate } from '../../../src/query/language/amounts.js';
import { toggleRefinement, withinTime } from '../../../src/query/language/refine.js';
import { sessionFacts } from '../../../src/query/language/sessionFactsBuilder.js';
import { ROW_KINDS, type RowKind } from '../../../src/query/language/syntax.js';
import { ColumnCache } from '../../../src/search/columns/columnCache.js';
import { search } from '../../../src/search/search.js';
import { StoreSource } from '../../../src/search/sessions/storeSource.js';
import { runs } from '../../support/fixedInputs.js';
import { STORY_START } from '../../support/storyTeller.js';
import { temporaryStore } from '../../support/storeFixture.js';
import { teamStory } from '../../support/teamStory.js';
import { PRICES } from '../query/language/judge.js';
import { anyQuestion } from '../query/language/questionArbitrary.js';
import { vocabularyOf } from '../query/language/vocabularyOf.js';

const HOUR_MS = 3_600_000;
const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu'];
const story = teamStory().records;
const now = STORY_START + 40 * 24 * HOUR_MS;
const never = new AbortController().signal;

interface TimedQuery {
  readonly text: string;
  readonly rows: RowKind;
  readonly timeZone: string;
}

async function answerOf(source: StoreSource, asked: TimedQuery): Promise<SearchUpdate | undefined> {
  const question = { ...asked, now, order: 'newest', limits: { sessions: 0, hitsOfSession: 0 } } as const;
  let last: SearchUpdate | undefined;
  for await (const update of search([source], question, { prices: PRICES, mark: 'judge' }, never))
    last = update;
  return last?.state === 'done' ? last : undefined;
}

/** Parts of a story as sessions, each of which goes on for some days after some of the others have begun. */
async function storeOfDays(paces: readonly number[]): Promise<StoreSource> {
  const { store, root } = await temporaryStore();
  const part = Math.floor(story.length / 4);
  for (const [at, pace] of paces.entries()) {
    const records = story.slice(at * part, (at + 1) * part).map((record, index): LogRecord => {
      const time = STORY_START + at * 30 * HOUR_MS + (record.time - STORY_START) * pace;
      return { ...record, conversation: `s${at}`, seq: index + 1, time };
    });
    await store.importConversation(`s${at}`, records);
  }
  await store.catalog.refresh();
  return new StoreSource(root, false, { log: silentLog, cache: new ColumnCache() });
}

const vocabulary = vocabularyOf(sessionFacts(story, { session: 's0' }), story);

/** How a bar is written that begins with a stretch of the calendar, in a time zone without changes of its clocks. */
const writtenIn = (moment: number, timeZone: string) => {
  const offset = momentOf(readDate('2026-11-21')!, { now, timeZone }) - Date.UTC(2026, 10, 21);
  return new Date(moment - offset).toISOString().slice(0, 16);
};

test('a day finds as many rows as it is told to have, and so does each bar, of whatever rows', async () => {
  const seen = new Map<RowKind, number>();
  const paces = fc.tuple(...[1, 2, 3, 4].map(() => fc.constantFrom(1, 60, 300)));
  const asked = fc.record({
    text: fc.oneof(
      fc.constant(''),
      fc.constantFrom('since:38d', 'since:2026-11-22'),
      anyQuestion(vocabulary),
    ),
    rows: fc.constantFrom(...ROW_KINDS),
    timeZone: fc.constantFrom(...ZONES),
  });
  await fc.assert(
    fc.asyncProperty(paces, fc.array(asked, { minLength: 12, maxLength: 12 }), async (each, questions) => {
      const source = await storeOfDays(each);
      for (const question of questions) {
        const { text, rows, timeZone } = question;
        const answer = await answerOf(source, question);
        if (!answer) continue;
        const { totals, facets, histogram } = answer;
        const days = facets.find(({ field }) => field === 'day');
        const told = (counts: readonly { readonly count: number }[]) =>
          counts.reduce((sum, { count }) => sum + count, 0);
        expect(told(histogram.bars) + histogram.inNoBar).toBe(totals.rows);
        if (days?.more === 0) expect(told(days.values)).toBe(told(histogram.bars));
        const refined = [
          ...(days?.values ?? []).map(({ value, count, refine }) => ({
            what: value,
            count,
            by: toggleRefinement(text, { refine, with: 'narrows' }, rows),
          })),
          ...histogram.bars.map(({ from, to, count }) => {
            const [since, before] = [writtenIn(from, timeZone), writtenIn(to, timeZone)];
            return { what: since, count, by: withinTime(text, { since, before }, rows) };
          }),
        ];
        for (const { what, count, by } of refined) {
          // One that asks for it already asks for it no more.
          if (by === undefined || by.length < text.length) continue;
          const less = await answerOf(source, { ...question, text: by });
          expect({ text, what, by, rows, found: less?.totals.rows }).toEqual({
            text,
            what,
            by,
            rows,
            found: count,
          });
          if (count < totals.rows) seen.set(rows, (seen.get(rows) ?? 0) + 1);
        }
      }
    }),
    { numRuns: runs(25) },
  );
  for (const rows of ROW_KINDS)
    expect({ rows, seen: (seen.get(rows) ?? 0) > 5 }).toEqual({ rows, seen: true });
}, 240_000);
