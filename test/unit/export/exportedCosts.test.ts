import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { CostShares } from '../../../src/query/numbers/costShares.js';
import { exportChunks, exportMessages } from '../../../src/export/exportMessages.js';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import type { TextFormat } from '../../../src/core/ports/exportFormats.js';
import { loadPrices } from '../../../src/query/pricing/loadPrices.js';
import { formatCost } from '../../../src/core/cost.js';
import { factsOf } from '../../../src/query/numbers/facts.js';
import { TranscriptProjection } from '../../../src/page/panel/projection/transcriptProjection.js';

const prices = await loadPrices();
const TIME = Date.UTC(2026, 2, 1);

const record = (seq: number, body: object) => ({
  seq,
  id: `m${seq}`,
  time: TIME + seq,
  conversation: 'c',
  run: 'r',
  call: 'k',
  agent: 'a',
  depth: 0,
  type: 'message',
  model: 'gpt-4o',
  ...body,
});
const usage = (inputTokens: number, more: object = {}) => ({
  usage: { inputTokens, outputTokens: 0, estimated: false, ...more },
});
const said = (content: string, more: object = {}) => ({
  message: { role: 'assistant', content },
  ...more,
});

/** Three answers: one priced, of 4 cached tokens at 1.25 dollars for a million; one that was paid for; one of no known price. */
const records = [
  record(1, { message: { role: 'user', content: 'Go' } }),
  record(2, said('cached', usage(4, { cachedInputTokens: 4 }))),
  record(3, said('paid', usage(10, { cost: 420_000_000 }))),
  record(4, said('odd', { ...usage(10), model: 'nobody-knows' })),
];
const TOTAL = '≥ $0.42, 1 of 3 unknown';

const full = (format: TextFormat, more: object = {}) =>
  exportMessages(records, format, { full: true, includeMetadata: true, redact: false, prices, ...more });

test('CSV in full has what each message cost in dollars, unrounded, and how that is known', () => {
  const [head = '', ...rows] = full('csv').trim().split('\r\n');
  expect(head).toMatch(/,output_tokens,prices,cost_usd,cost_provenance$/);
  expect(rows.map((row) => row.split(',').slice(-3))).toEqual([
    ['', '', ''],
    [prices.version, '0.000005', 'priced'],
    ['', '0.42', 'exact'],
    ['', '', 'unknown'],
  ]);
});

test('JSON in full has the same beside each message, and null for what is unknown', () => {
  const elements = JSON.parse(full('json')) as Record<string, unknown>[];
  expect(elements.map((each) => [each.cost_usd, each.cost_provenance])).toEqual([
    [undefined, undefined],
    [0.000005, 'priced'],
    [0.42, 'exact'],
    [null, 'unknown'],
    // What filled the windows.
    [undefined, undefined],
  ]);
});

/** An answer, the request that it is the answer to, and a request that nothing answers. */
const asked = [
  records[0],
  record(2, { type: 'request', ...usage(20_000) }),
  record(3, said('answered', usage(20_000))),
  record(4, { type: 'request', ...usage(40_000) }),
];

test('a request that is told twice costs once, at its answer, and one without an answer has a row of its own', async () => {
  const options = { full: true, includeMetadata: true, redact: false, prices } as const;
  const [, ...rows] = exportMessages(asked, 'csv', options).trim().split('\r\n');
  expect(rows.map((row) => row.split(',').slice(-2))).toEqual([
    ['', ''],
    ['0.05', 'priced'],
    ['0.1', 'priced'],
  ]);
  expect(rows[2]).toContain(',request,gpt-4o,');
  const json = exportMessages(asked, 'json', options);
  const elements = JSON.parse(json) as { cost_usd?: number }[];
  expect(elements.map(({ cost_usd }) => cost_usd)).toEqual([undefined, undefined, 0.05, 0.1, undefined]);
  const { conversations, problems } = await importTranscript(json, 'export.json');
  expect(problems).toEqual([]);
  expect(conversations.map((each) => each.records.map(({ type }) => type))).toEqual([
    ['message', 'request', 'message', 'request'],
  ]);
});

test('what is exported bit by bit adds up where its shares are handed in, a part of it to its part', async () => {
  const options = { full: true, includeMetadata: true, redact: false, prices } as const;
  const shares = new CostShares(prices);
  for (const each of asked) shares.add(each);
  const exported = async (positions: readonly number[]) => {
    const one = Readable.from(positions.map((at) => asked[at]));
    let text = '';
    for await (const chunk of exportChunks(one, 'csv', { ...options, shares: shares.finish(positions) }))
      text += chunk;
    return text;
  };
  expect(await exported([0, 1, 2, 3])).toBe(exportMessages(asked, 'csv', options));
  const part = await exported([2, 3]);
  expect(
    part
      .trim()
      .split('\r\n')
      .slice(1)
      .map((row) => row.split(',').at(-2)),
  ).toEqual(['0.05', '0.1']);
});

test('a JSON export that is read again has its own fields back, and none of the costs that were added', async () => {
  const own = [
    ...records,
    record(5, { message: { role: 'user', content: 'mine', cost_usd: 7 } }),
    record(6, { message: { role: 'assistant', content: 'mine', cost_provenance: 'x' }, ...usage(1) }),
  ];
  const text = exportMessages(own, 'json', { full: true, includeMetadata: true, redact: false, prices });
  const { conversations } = await importTranscript(text, 'export.json');
  const again = conversations.flatMap((each) =>
    each.records.map((each) => (each as { message?: object }).message),
  );
  expect(again).toEqual(own.map(({ ...each }) => (each as { message?: object }).message));
});

test.each(['markdown', 'html'] as const)(
  '%s in full ends with the total, in the words of the panel',
  (format) => {
    const text = full(format);
    const end = text.slice(text.lastIndexOf('Cost: '));
    expect(end).toContain(`Cost: ${TOTAL}. $0.42 recorded by the source (1 request).`);
    expect(end).toContain(`Prices: ${prices.version}.`);
    expect(text).toContain('10 tokens in, 0 out · $0.42');
  },
);

test('the total of an export is that of the panel', () => {
  const projection = new TranscriptProjection(prices);
  projection.add(records.map(factsOf));
  expect(formatCost(projection.facts().cost)).toBe(TOTAL);
});

test('a request and its message are one request in the total', () => {
  const both = [record(1, { type: 'request', ...usage(1_000) }), record(2, said('a', usage(1_000)))];
  const text = exportMessages(both, 'markdown', { full: true, prices });
  expect(text).toMatch(/Cost: \$0\.0025\. \$0\.0025 recorded tokens times dated prices \(1 request\)\./);
});

test.each(['markdown', 'html'] as const)(
  '%s says nothing of money where there are no prices and none was recorded',
  (format) => {
    const free = [record(1, said('a', usage(1_000)))];
    expect(exportMessages(free, format, { full: true })).not.toContain('Cost');
    expect(full(format, { prices: undefined })).toContain('Cost: ≥ $0.42, 2 of 3 unknown');
  },
);

test.each(['csv', 'json', 'markdown', 'html'] as const)('%s that is not full is what it was', (format) => {
  const plain = (more: object) => exportMessages(records, format, { includeMetadata: true, ...more });
  expect(plain({ prices })).toBe(plain({}));
  expect(plain({ prices })).not.toContain('cost');
});

test('an export of nothing is an empty one, with prices too', () => {
  expect(exportMessages([], 'markdown', { full: true, prices })).toBe('# Empty conversation');
});

test('statistics tell the cost with its shares where prices are given', () => {
  const stats = new MessageQuery(records, { prices }).stats();
  expect(stats.cost).toEqual({
    exact: { amount: 420_000_000, requests: 1 },
    priced: { amount: 5_000, requests: 1 },
    estimated: { amount: 0, requests: 0 },
    unknown: 1,
    why: { price: 1 },
  });
  expect(String(stats)).toContain(`Cost:           ${TOTAL}`);
  const without = new MessageQuery(records).stats();
  expect(without).not.toHaveProperty('cost');
  expect(String(without)).not.toContain('Cost');
});
