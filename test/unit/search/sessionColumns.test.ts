import { expect, test } from 'vitest';
import { sessionFacts } from '../../../src/query/language/sessionFactsBuilder.js';
import type { Gathered, GatheredFacts } from '../../../src/query/language/sessionFacts.js';
import { LineIndex } from '../../../src/store/read/lineIndex.js';
import { columnsOf } from '../../../src/search/stored/columns/sessionColumns.js';
import { recordOf, said } from '../../support/storeFixture.js';

const RECORDS = 1_000;

/** A list that counts how often it makes an entry. */
function counting<T>(list: Gathered<T>, count: () => void): Gathered<T> {
  return {
    length: list.length,
    at: (index) => (count(), list.at(index)),
    *[Symbol.iterator]() {
      for (let at = 0; at < list.length; at++) {
        count();
        yield list.at(at) as T;
      }
    },
  };
}

test('however many columns there are, each record is made for them twice: for their times, and for all else', () => {
  const facts = sessionFacts(
    Array.from({ length: RECORDS }, (_, at) => recordOf(at + 1, said(`dough ${at}`))),
    { session: 'c1' },
  );
  let made = 0;
  const counted: GatheredFacts = { ...facts, records: counting(facts.records, () => made++) };
  const { head } = columnsOf(counted, new LineIndex(), {
    source: null,
    project: null,
    toolSession: null,
    isOpen: false,
    damaged: 0,
    prices: '',
    blocks: [],
    odd: null,
  });
  expect(head.records).toBe(RECORDS);
  expect(made).toBe(2 * RECORDS);
});
