import { expect, test } from 'vitest';
import { GramFilterBuilder } from '../../../src/search/stored/columns/gramFilter.js';

/** Texts of records; the first fills a block, so that there are two. */
const SESSIONS = [
  ['loaf of bread '.repeat(300_000), 'rye and spelt', 'an oven, and flour', 'crumbs'],
  ['a loaf of bread', 'flour, water and salt', 'sourdough '.repeat(420_000), 'crumbs of rye'],
] as const;

/** Adds the text of one record, and then some to the first of all. */
function addAt(builder: GramFilterBuilder, texts: readonly string[], at: number): void {
  builder.add([texts[at] ?? '']);
  builder.addTo(0, [`late ${at} of ${texts.length}`]);
}

test('sessions that are read by turns have the grams that each has alone', () => {
  const alone = SESSIONS.map((texts) => {
    const builder = new GramFilterBuilder();
    for (const at of texts.keys()) addAt(builder, texts, at);
    return builder.blocks();
  });
  expect(alone.map((blocks) => blocks.length)).toEqual([2, 2]);
  const byTurns = SESSIONS.map(() => new GramFilterBuilder());
  for (const at of SESSIONS[0].keys())
    for (const [session, texts] of SESSIONS.entries()) {
      const builder = byTurns[session];
      if (builder) addAt(builder, texts, at);
    }
  expect(byTurns.map((builder) => builder.blocks())).toEqual(alone);
});
