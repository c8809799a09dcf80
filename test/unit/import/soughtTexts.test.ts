import { expect, test } from 'vitest';
import { lostTexts, type LostText } from '../../../src/import/rest/lostTexts.js';
import { SoughtTexts } from '../../../src/import/rest/soughtTexts.js';
import { StandingTexts } from '../../../src/import/rest/standingTexts.js';

const RECORDS = [
  { content: 'The lid is closed.\n  The label says when it was baked.', time: 1_767_225_600_000 },
  { arguments: '{"path":"kitchen/shelf","size":123456}', 'a key that is long': 'x' },
  { content: 'Words around a piece of an answer that was streamed' },
  { url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg' },
  { escaped: String.raw`{"path":"pantry\/jar","name":"pot\u002dlid"}` },
  { content: '[{"text":"a text within JSON within a text"}]', number: 98_765 },
];
const SOUGHT: readonly (string | number)[] = [
  'The lid is closed.',
  'The label says when it was baked.',
  'The label says when it was sold.',

  'kitchen/shelf',
  'kitchen/shelves',
  'pantry/jar',
  'pot-lid',
  'pot-lids',
  'a key that is long',
  'a piece of an answer',
  'a piece of no answer',
  '2026-01-01T00:00:00Z',
  '2026-01-02T00:00:00Z',
  'iVBORw0KGgoAAAANSUhEUg',
  'iVBORw0KGgoAAAANSUhEUgg',

  'a text within JSON within a text',
  '{"text":"a text within JSON within a text"}',
  '   The lid is closed.  ',
  'attachment://a key that is long',
  'attachment://a key that is short',
  123_456,
  98_765,
  98_766,
  1_767_225_600,
  1_767_225_600_000,
  1_767_225_600_001,
];

/** What of the sought texts and numbers stands nowhere, when all records are held, and `more`. */
function missing(records: readonly unknown[] = RECORDS, more = ''): LostText[] {
  const standing = new StandingTexts();
  for (const record of records) standing.add(record);
  standing.add(more);
  return SOUGHT.flatMap((value) => [...lostTexts(value, 'here', standing)]);
}

test('a text that is sought in records which pass stands where it does when all are held', () => {
  const all = SOUGHT.flatMap((value) => [...lostTexts(value, 'here', new StandingTexts())]);
  const sought = new SoughtTexts(all);
  for (const record of RECORDS) sought.lookIn(record);
  const lost = all.filter((each) => !sought.has(each));
  expect(lost).toEqual(missing());
  expect(lost.length).toBeGreaterThan(5);
  expect(lost.length).toBeLessThan(all.length - 8);
});

test('a text stands where it does, however much else there is to be looked through', () => {
  const much = 'Nothing of it. '.repeat(10_000);
  expect(missing(RECORDS, much)).toEqual(missing());
  const each = RECORDS.filter((record) => !('escaped' in record));
  expect(missing(each, much)).toEqual(missing(each));
});

test.each([
  [String.raw`{"path":"pantry\/jar"}`, 'pantry/jar'],
  [String.raw`{"name":"pot\u002dlid\n"}`, 'pot-lid'],
  [String.raw`{"says":"\"a-lid-of-a-pot\"\n"}`, 'a-lid-of-a-pot'],
  [String.raw`Someone wrote C:\kitchen\and-nothing-else`, 'and-nothing-else'],
])('in %s stands %s, however that is written', (text, plain) => {
  const much = 'Nothing of it. '.repeat(10_000);
  for (const more of ['', much]) {
    const standing = new StandingTexts();
    standing.add([text, more]);
    expect(standing.hasText(plain)).toBe(true);
    expect(standing.hasText(`${plain}s`)).toBe(false);
    expect([...lostTexts({ plain }, 'here', standing)]).toEqual([]);
    expect([...lostTexts([{ plain }, { other: `${plain}s` }], 'here', standing)]).toEqual([
      { path: 'here[1].other', value: `${plain}s` },
    ]);
  }
});

test('a short word that no reader has kept is found beside texts that stand as they are', () => {
  const standing = new StandingTexts();
  standing.add({ content: 'The lid is closed.', kept: 'x' });
  const value = { content: 'The lid is closed.', kept: 'word', lost: { odd: 'other' } };
  expect([...lostTexts(value, 'here', standing)]).toEqual([
    { path: 'here.lost.odd', value: 'other', isPart: true },
  ]);
  expect([...lostTexts({ ...value, lost: undefined }, 'here', standing)]).toEqual([]);
});

test.each([1, 15, 16, 17, 18, 40])('of %i long texts and short ones each is found, and no other', (count) => {
  const long = (at: number) => `Long text ${at}: ${'it goes on and on '.repeat(20)}`;
  const standing = new StandingTexts();
  const texts = Array.from({ length: count }, (_, at) => [long(at), `Short text number ${at}`, long(0)]);
  standing.add(texts);
  standing.add({ [long(1_000)]: 'the value of a long key' });
  for (const text of [...texts.flat(), long(1_000)]) expect(standing.hasText(text)).toBe(true);
  for (const text of [long(count), `Short text number ${count}`]) expect(standing.hasText(text)).toBe(false);
});
