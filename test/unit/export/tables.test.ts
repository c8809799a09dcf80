import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { CostSum } from '../../../src/query/numbers/costSum.js';
import { factsOf } from '../../../src/query/numbers/facts.js';
import { ToolUse } from '../../../src/query/numbers/toolUse.js';
import { TranscriptReader } from '../../../src/query/numbers/transcriptReader.js';
import { inDollars } from '../../../src/core/money.js';
import { knownAmount } from '../../../src/core/cost.js';
import { exportMessages } from '../../../src/export/exportMessages.js';
import {
  exportTables,
  type ExportTablesOptions,
  type TableSession,
} from '../../../src/export/tables/exportTables.js';
import { MAX_HELD_CALLS } from '../../../src/export/tables/sessionRows.js';
import { TABLE_NAMES, type TableName } from '../../../src/export/tables/tableColumns.js';
import { bakery } from '../../support/bakeryStory.js';
import { duckDb } from '../../support/duckDb.js';
import { isDeep, runs } from '../../support/fixedInputs.js';
import { nastyText } from '../../support/nastyTexts.js';
import { plants } from '../../support/plantedSecrets.js';
import { hasRealTranscripts, realTranscripts } from '../../support/realTranscripts.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import { teamStory } from '../../support/teamStory.js';
import { anyItems, anyRecords } from '../query/arbitraries.js';
import { PRICES } from '../query/language/judge.js';

type Value = string | number | bigint | boolean | Date | null;
type Read = Readonly<Record<TableName, readonly Readonly<Record<string, Value>>[]>>;

async function fileOf(folder: string, name: TableName): Promise<ArrayBuffer> {
  const bytes = await readFile(join(folder, `${name}.parquet`));
  return new Uint8Array(bytes).buffer;
}

/** What another program reads of the tables in a folder. */
async function readTables(folder: string): Promise<Read> {
  const tables = TABLE_NAMES.map(async (name) => {
    const rows = await parquetReadObjects({ file: await fileOf(folder, name) });
    return [name, rows] as const;
  });
  return Object.fromEntries(await Promise.all(tables)) as unknown as Read;
}

async function exported(sessions: readonly TableSession[], options: ExportTablesOptions = {}) {
  const folder = join(await temporaryFolder(), 'tables');
  const report = await exportTables(sessions, folder, { prices: PRICES, ...options });
  return { folder, report, tables: await readTables(folder) };
}

const session = (records: Iterable<unknown>, name = 's1'): TableSession => ({ session: name, records });
const ofMessage = (seq: number, message: object, more: object = {}) => ({
  seq,
  id: `m${seq}`,
  time: 1_790_000_000_000 + seq,
  conversation: 's1',
  run: 'r',
  call: 'k',
  agent: 'Baker',
  depth: 0,
  type: 'message',
  message,
  ...more,
});
const calling = (seq: number, id: string, args = '{}') =>
  ofMessage(seq, {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: args } }],
  });
const answer = (seq: number, id: string, content = 'seen') =>
  ofMessage(seq, { role: 'tool', tool_call_id: id, content }, { toolName: 'look', durationMs: 7 });

/** What every view counts of the same items: messages, tool calls and how many of them failed, and money. */
function counted(items: readonly unknown[]) {
  const reader = new TranscriptReader();
  const tools = new ToolUse();
  const costs = new CostSum(PRICES);
  let messages = 0;
  for (const item of items) {
    const reading = reader.next(factsOf(item));
    if (reading.facts.role !== undefined) messages++;
    tools.add(reading);
    costs.add(item);
  }
  const summary = tools.summary();
  return {
    messages,
    calls: summary.reduce((sum, { calls }) => sum + calls, 0),
    failures: summary.reduce((sum, { failures }) => sum + failures, 0),
    unanswered: summary.reduce((sum, { unanswered }) => sum + unanswered, 0),
    dollars: inDollars(knownAmount(costs.total)).toFixed(6),
  };
}

/** The same of the tables. */
function countedIn({ messages, calls, requests }: Read) {
  return {
    messages: messages.length,
    calls: calls.length,
    failures: calls.filter(({ is_error }) => is_error).length,
    unanswered: calls.filter(
      ({ answered_at, result_seq, seq }) => seq !== null && answered_at === null && result_seq === null,
    ).length,
    dollars: requests.reduce((sum, { cost_usd }) => sum + Number(cost_usd ?? 0), 0).toFixed(6),
  };
}

test.each([
  ['a bakery', bakery().records],
  ['a team', teamStory().records],
])('tool calls, failures and money of %s are those of every view', async (_, records) => {
  const { tables } = await exported([session(records)], { redact: false });
  expect(countedIn(tables)).toEqual(counted(records));
  expect(tables.requests.length).toBeGreaterThan(0);
});

test('tool calls, failures and money are those of every view, for any records', async () => {
  await fc.assert(
    fc.asyncProperty(anyRecords, async (records) => {
      const { tables, report } = await exported([session(records)], { redact: false });
      expect(countedIn(tables)).toEqual(counted(records));
      expect(report.rows).toEqual({
        sessions: 1,
        messages: tables.messages.length,
        calls: tables.calls.length,
        requests: tables.requests.length,
      });
    }),
    { numRuns: runs(60) },
  );
});

test('whatever stands in a record, tables are written and can be read', async () => {
  await fc.assert(
    fc.asyncProperty(anyItems, async (items) => {
      const { tables } = await exported([session(items)]);
      expect(tables.messages.length).toBe(exportMessages(items, 'dict').length);
    }),
    { numRuns: runs(60) },
  );
});

describe.skipIf(!hasRealTranscripts)('real transcripts', () => {
  test('have the numbers of every view in their tables', { timeout: 120_000 }, async () => {
    let count = 0;
    for await (const records of realTranscripts(isDeep ? 1 : 4)) {
      const { tables } = await exported([session(records)], { redact: false });
      expect.soft(countedIn(tables), String(records[0]?.conversation)).toEqual(counted(records));
      count++;
    }
    expect(count).toBeGreaterThan(5);
  });
});

test('texts are whole, whatever characters they have; half a character is marked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(nastyText(40), { minLength: 1, maxLength: 30 }), async (texts) => {
      const said = texts.map((content, at) => ofMessage(at + 1, { role: 'user', content }));
      const { folder, tables } = await exported([session(said)], { redact: false });
      const whole = texts.map((text) => Buffer.from(text).toString());
      // The reader takes a mark of the byte order at the beginning of a text for no part of it.
      const read = whole.map((text) => (text === '' ? null : text.replace(/^\ufeff/, '')));
      expect(tables.messages.map(({ content }) => content)).toEqual(read);
      if (!duckDb.isThere) return;
      const sql = await duckDb.open(folder);
      const [, ...rows] = await sql(`SELECT hex(encode(content)) FROM 'messages.parquet' ORDER BY seq`);
      const hex = whole.map((text) =>
        text === '' ? 'null' : Buffer.from(text).toString('hex').toUpperCase(),
      );
      expect(rows.flat()).toEqual(hex);
    }),
    { numRuns: runs(30) },
  );
});

test('numbers that are none are left empty', async () => {
  const odd = [
    ofMessage(
      1,
      { role: 'assistant', content: 'x' },
      { usage: { inputTokens: 1e300, outputTokens: -5 }, time: 9e18 },
    ),
    ofMessage(2, { role: 'tool', content: 'x' }, { durationMs: Number.NaN, depth: 1e999 }),
  ];
  const { tables } = await exported([session(odd)]);
  expect(tables.messages.map(({ time, depth, duration_ms }) => ({ time, depth, duration_ms }))).toEqual([
    { time: null, depth: 0n, duration_ms: null },
    { time: new Date(1_790_000_000_002), depth: null, duration_ms: null },
  ]);
  expect(tables.requests[0]?.input_tokens).toBe(BigInt(Number.MAX_SAFE_INTEGER));
});

test('no secret stands in any file, and each is counted', async () => {
  const records = plants.flatMap(({ way, text }, at) => [
    calling(2 * at + 1, `c${at}`, way === 'argumentJson' ? text : '{}'),
    answer(2 * at + 2, `c${at}`, way === 'argumentJson' ? 'done' : text),
  ]);
  const { tables, report } = await exported([session(records)]);
  const all = JSON.stringify(tables, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  expect(plants.filter(({ secret }) => all.includes(secret)).map(({ secret }) => secret)).toEqual([]);
  const json = exportReport(records);
  expect(report.redacted).toBe(json);
  const open = await exported([session(records)], { redact: false });
  expect(open.report.redacted).toBe(0);
});

/** How many secrets the export as JSON counts. */
function exportReport(records: readonly unknown[]): number {
  let redacted = 0;
  exportMessages(records, 'json', { onReport: (report) => (redacted = report.redacted) });
  return redacted;
}

test('what has no column is counted', async () => {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } };
  const records = [
    ofMessage(1, { role: 'user', content: [{ type: 'text', text: 'Look:' }, picture], mood: 'good' }),
    { ...ofMessage(2, {}), type: 'imported', message: undefined, kind: 'event' },
    { ...ofMessage(3, {}), type: 'title', message: undefined, title: 'T' },
  ];
  const { report } = await exported([session(records)]);
  expect(report.leftOut).toEqual({
    pictures: 1,
    'further fields of messages': 1,
    'raw events': 1,
    'records without a message': 1,
  });
});

test('rows are written in groups as they come, so that memory does not grow with them', async () => {
  const count = 25_000;
  function* many() {
    for (let seq = 1; seq <= count; seq++) yield ofMessage(seq, { role: 'user', content: `message ${seq}` });
  }
  const { folder, tables } = await exported([session(many())], { redact: false });
  expect(tables.messages.map(({ seq }) => Number(seq))).toEqual(
    Array.from({ length: count }, (_, at) => at + 1),
  );
  const { row_groups } = parquetMetadata(await fileOf(folder, 'messages'));
  expect(row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([10_000, 10_000, 5_000]);
});

test('long texts make the groups shorter', async () => {
  const text = 'Why is the soup salty? '.repeat(50_000);
  function* many() {
    for (let seq = 1; seq <= 40; seq++) yield ofMessage(seq, { role: 'user', content: `${seq} ${text}` });
  }
  const { folder } = await exported([session(many())], { redact: false });
  const { row_groups } = parquetMetadata(await fileOf(folder, 'messages'));
  expect(row_groups.length).toBeGreaterThan(4);
});

test('a call that takes long keeps its result, however many others come meanwhile', async () => {
  const between = Array.from({ length: 2 * MAX_HELD_CALLS }, (_, at) => [
    calling(2 * at + 2, `c${at}`),
    answer(2 * at + 3, `c${at}`),
  ]).flat();
  const records = [calling(1, 'long'), ...between, answer(1_000_000, 'long', 'at last')];
  const { tables, report } = await exported([session(records)], { redact: false });
  expect(tables.calls.find(({ tool_call_id }) => tool_call_id === 'long')?.result).toBe('at last');
  expect(new Set(tables.calls.map(({ call_number }) => call_number)).size).toBe(2 * MAX_HELD_CALLS + 1);
  expect(report.leftOut).toBeUndefined();
});

test('of ever more calls that nothing answers the oldest are written, and their late results are counted', async () => {
  const open = Array.from({ length: MAX_HELD_CALLS + 1 }, (_, at) => calling(at + 1, `c${at}`));
  const records = [...open, answer(900_000, 'c0', 'late'), answer(900_001, `c${MAX_HELD_CALLS}`, 'in time')];
  const { tables, report } = await exported([session(records)], { redact: false });
  const result = (id: string) =>
    tables.calls.filter(({ tool_call_id }) => tool_call_id === id).map((row) => row.result);
  expect(result('c0')).toEqual([null]);
  expect(result(`c${MAX_HELD_CALLS}`)).toEqual(['in time']);
  expect(report.leftOut).toEqual({ 'results that came too late for their calls': 1 });
});

test('approvals and dispatches stand with their calls', async () => {
  const approval = {
    type: 'approval',
    toolName: 'look',
    toolCallId: 'a',
    subject: 'look',
    message: undefined,
  };
  const dispatch = {
    type: 'dispatch',
    target: 'Fixer',
    task: 't',
    toolCallId: 'b',
    childCall: 'k2',
    message: undefined,
  };
  const records = [
    calling(1, 'a'),
    { ...ofMessage(2, {}), ...approval, decision: 'denied', decidedBy: 'user', waitedMs: 1_500 },
    answer(3, 'a'),
    calling(4, 'b'),
    { ...ofMessage(5, {}), ...dispatch },
  ];
  const { tables } = await exported([session(records)]);
  expect(
    tables.calls.map(({ seq, result_seq, decision, decided_by, waited_ms, state, is_error, child_call }) => [
      seq,
      result_seq,
      decision,
      decided_by,
      waited_ms,
      state,
      is_error,
      child_call,
    ]),
  ).toEqual([
    [1n, 3n, 'denied', 'user', 1_500, 'denied', false, null],
    [4n, null, null, null, 0, 'open', false, 'k2'],
  ]);
});

test('several sessions stand in the same files, each with its counts', async () => {
  const { records } = bakery();
  const half = records.slice(0, 12);
  const { tables } = await exported([
    { session: 'a', title: 'A', source: 'codex', project: 'bakery', damaged: 2, records },
    session(half, 'b'),
    session([], 'c'),
  ]);
  expect(
    tables.sessions.map(({ session: id, title, source, project, messages, calls, damaged, ended_at }) => [
      id,
      title,
      source,
      project,
      messages,
      calls,
      damaged,
      ended_at === null,
    ]),
  ).toEqual([
    ['a', 'A', 'codex', 'bakery', 14n, 4n, 2n, false],
    ['b', null, null, null, 6n, 3n, 0n, false],
    ['c', null, null, null, 0n, 0n, 0n, true],
  ]);
  expect(tables.messages.filter(({ session: id }) => id === 'b')).toHaveLength(6);
});

async function* breaking() {
  yield* bakery().records.slice(0, 6);
  await Promise.resolve();
  throw new Error('The file is damaged.');
}

test('a session that cannot be read is told with what could be, and hides no other', async () => {
  const { tables, report } = await exported([
    { session: 'a', records: breaking() },
    session([ofMessage(1, { role: 'user', content: 'x' })], 'b'),
  ]);
  expect(report.unread).toEqual([{ session: 'a', why: 'The file is damaged.' }]);
  expect(tables.sessions.map(({ session: id, messages, unread }) => [id, messages, unread])).toEqual([
    ['a', 3n, 'The file is damaged.'],
    ['b', 1n, null],
  ]);
});

test('a folder that is there is left alone', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'messages.parquet'), 'mine');
  await expect(exportTables([], folder)).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readFile(join(folder, 'messages.parquet'), 'utf8')).toBe('mine');
});

test('an export that is cancelled leaves nothing behind', async () => {
  const parent = await temporaryFolder();
  const stop = new AbortController();
  function* endless() {
    for (let seq = 1; ; seq++) yield ofMessage(seq, { role: 'user', content: 'x' });
  }
  const onProgress = () => stop.abort(new Error('enough'));
  const work = exportTables([session(endless())], join(parent, 't'), { signal: stop.signal, onProgress });
  await expect(work).rejects.toThrow('enough');
  expect(await readdir(parent)).toEqual([]);
});

test('what others put into the folder meanwhile stays where an export fails', async () => {
  const folder = join(await temporaryFolder(), 't');
  async function* meddled() {
    await mkdir(join(folder, 'mine'));
    yield session([]);
    throw new Error('no more');
  }
  await expect(exportTables(meddled(), folder)).rejects.toThrow('no more');
  expect(await readdir(folder)).toEqual(['mine']);
});

describe.skipIf(!duckDb.isThere)(`DuckDB ${duckDb.why}`, () => {
  test('reads what hyparquet reads, also where it may skip groups by what is known of them', async () => {
    function* many() {
      for (let seq = 1; seq <= 15_000; seq++)
        yield ofMessage(seq, { role: 'user', content: `${seq % 7} ${'ä😀'.repeat(20)} ${seq}` });
    }
    const { folder, tables } = await exported([session(many()), session(bakery().records, 'b')]);
    const sql = await duckDb.open(folder);
    for (const name of TABLE_NAMES) {
      const [, [count] = []] = await sql(`SELECT count(*) FROM '${name}.parquet'`);
      expect(Number(count)).toBe(tables[name].length);
    }
    const [, ...found] = await sql(
      `SELECT seq FROM 'messages.parquet' WHERE content >= '6 ä😀' AND seq > 14980 AND session = 's1' ORDER BY seq`,
    );
    expect(found.flat().map(Number)).toEqual([14986, 14993, 15000]);
  });
});
