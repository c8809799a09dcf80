import { expect, test } from 'vitest';
import { addingRests } from '../../../src/import/rest/addingRests.js';
import { atOnce } from '../../../src/import/reading/steps.js';
import { Drafts } from '../../../src/import/spool/drafts.js';
import { Spool } from '../../../src/import/spool/spool.js';

/** What is made of one value with so many parts, one message of each, and how often one of the parts was looked at. */
function madeOfParts(count: number) {
  let looks = 0;
  const part = (at: number) =>
    new Proxy(
      {
        type: 'tool_result',
        content: `the result of call ${at}, as it was`,
        more: 'a long text that no message says',
      },
      { ownKeys: (target) => Reflect.ownKeys((looks++, target)) },
    );
  const raw = {
    uuid: 'u1',
    isMeta: true,
    told: 'a long text beside the parts',
    parts: Array.from({ length: count }, (_, at) => part(at)),
  };
  const made = raw.parts.map(({ content }) => ({
    time: 0,
    body: { type: 'message', message: { role: 'tool', content } },
    raws: [raw],
    beside: [],
  }));
  const records = atOnce(addingRests(made));
  return { looks, sources: records.map(({ body }) => (body as { source?: unknown }).source) };
}

test('a value of which thousands of messages were made is compared with them once', () => {
  const { looks } = madeOfParts(100);
  expect(looks).toBeGreaterThanOrEqual(100);
  expect(madeOfParts(1000).looks).toBe(looks * 10);
});

test('of such a value the first message has what no message says, and each further one what is short beside the parts', () => {
  const [first, second, ...others] = madeOfParts(4).sources;
  const rest = { type: 'tool_result', more: 'a long text that no message says' };
  const short = { uuid: 'u1', isMeta: true };
  expect(first).toEqual({ ...short, told: 'a long text beside the parts', parts: [rest, rest, rest, rest] });
  expect([second, ...others]).toEqual([short, short, short]);
});

test('a line of which many drafts on the disk were made is read again once for all of them', () => {
  const spool = new Spool();
  const drafts = new Drafts(spool);
  let reads = 0;
  const raw = { type: 'user', parts: ['one', 'two', 'three'] };
  drafts.take(raw, { valueAt: () => (reads++, structuredClone(raw)) });
  for (const content of raw.parts) {
    const place = { run: 'r1', call: 'k1', agent: 'a', depth: 0 };
    drafts.make(place, 0, { type: 'message', content }).raws.push(raw);
  }
  drafts.complete();
  const again = raw.parts.map((_, at) => drafts.at(at).raws[0]);
  expect(again).toEqual([raw, raw, raw]);
  expect(reads).toBe(1);
  spool.close();
});
