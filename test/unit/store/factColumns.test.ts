import { readFile, writeFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { factsOf, plainFacts, type Facts } from '../../../src/query/numbers/facts.js';
import { silentLog } from '../../../src/core/ports/log.js';
import * as lineFormat from '../../../src/store/format/lineFormat.js';
import { pathsOf } from '../../../src/store/files/storePaths.js';
import { loadColumns, saveColumns, FactReader } from '../../../src/store/read/factReader.js';
import { FactColumns } from '../../../src/store/read/factColumns.js';
import { openLines } from '../../../src/store/read/openLines.js';
import { readSpans } from '../../../src/store/read/readSpans.js';
import { SharedSource } from '../../../src/store/read/sharedSource.js';
import { readSource, sourceInPieces } from '../../../src/store/read/sourceTable.js';
import { runs } from '../../support/fixedInputs.js';
import { teamStory } from '../../support/teamStory.js';
import { said, recordOf, temporaryStore } from '../../support/storeFixture.js';
import { anyItems, anyRecords } from '../query/arbitraries.js';
import { soon } from '../../support/soon.js';

function plain(all: readonly Facts[]): Facts[] {
  return all.map(plainFacts);
}

const COUNT = 2_500;

/** A stored conversation with the records of a team's work again and again, and what its columns are made of. */
async function storeOfFacts() {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  const { records } = teamStory();
  for (let seq = 1; seq <= COUNT; seq++) {
    const record = records[seq % records.length]!;
    journal.append({ ...record, seq, id: `m_${seq}`, conversation: 'c1' });
  }
  await journal.flush();
  const paths = pathsOf(root, 'c1');
  const grow = async (text: string) => {
    journal.append(recordOf(COUNT + 1, said(text)));
    await journal.flush();
  };
  onTestFinished(() => journal.close());
  return { paths, grow };
}

/** The facts of a conversation as its records have them. */
async function trueFacts(paths: ReturnType<typeof pathsOf>): Promise<Facts[]> {
  const { index } = await openLines(paths, silentLog);
  return (await readSpans(paths, index, 0, index.size)).map(factsOf);
}

/** The facts as they are read by somebody who opens the conversation anew, and how many came from the columns. */
async function reopened(paths: ReturnType<typeof pathsOf>) {
  const source = new SharedSource(await readSource(paths, silentLog, true), silentLog);
  const kept = await loadColumns(paths, source.index);
  const reader = new FactReader({ paths, source, log: silentLog, readOnly: false });
  const facts: Facts[] = [];
  while (facts.length < source.length) facts.push(...(await reader.read(facts.length, facts.length + 400)));
  source.dispose();
  return { facts, kept: kept?.length ?? 0 };
}

async function expectTrue(paths: ReturnType<typeof pathsOf>, kept: number): Promise<void> {
  const read = await reopened(paths);
  expect(read.kept).toBe(kept);
  expect(plain(read.facts)).toEqual(plain(await trueFacts(paths)));
}

const harms: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
  ['cut', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['empty', () => Buffer.alloc(0)],
  ['flipped in its head', (bytes) => flipped(bytes, 9)],
  ['flipped in its JSON', (bytes) => flipped(bytes, 40)],
  ['flipped in its cells', (bytes) => flipped(bytes, bytes.length - 100)],
  ['of another kind', (bytes) => Buffer.alloc(bytes.length, 7)],
  ['of a later version', ofLaterVersion],
];

/** The same as a later version would store it, with its own checksum. */
function ofLaterVersion(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy['LGBKCOL'.length]! += 1;
  const end = copy.length - 4;
  return Buffer.concat([
    copy.subarray(0, end),
    Buffer.from(new Uint32Array([crc32(copy.subarray(0, end))]).buffer),
  ]);
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 4;
  return copy;
}

const amount = fc.oneof(fc.nat(9_000), fc.constantFrom(0, 2 ** 32, 0.5));
const paid = fc.record({
  seq: fc.nat(),
  type: fc.constantFrom('message', 'request', 'callEnd'),
  time: amount,
  durationMs: amount,
  call: fc.constantFrom('k', 'é', '\ud83e'),
  toolCallId: fc.string(),
  firstTokenMs: amount,
  error: fc.option(fc.record({ message: fc.string() })),
  message: fc.constant({ role: 'assistant' }),
  usage: fc.record(
    {
      inputTokens: amount,
      outputTokens: amount,
      estimated: fc.boolean(),
      cost: amount,
      cachedInputTokens: amount,
      cacheWriteTokens: amount,
      cacheWrite1hTokens: amount,
      reasoningTokens: amount,
      webSearches: amount,
      requests: amount,
    },
    { requiredKeys: [] },
  ),
});

test('facts stored in columns are the same facts', async () => {
  const items = fc.oneof(anyRecords, anyItems, fc.array(paid, { maxLength: 5 }));
  await fc.assert(
    fc.asyncProperty(items, items, async (first, more) => {
      const columns = new FactColumns();
      for (const item of first) columns.add(factsOf(item));
      const again = await FactColumns.from(columns.stored());
      for (const item of more) again!.add(factsOf(item));
      const expected = [...first, ...more].map(factsOf);
      expect(plain(again!.slice(0, expected.length + 1))).toEqual(plain(expected));
    }),
    { numRuns: runs(500) },
  );
});

/** Facts of messages in which models, tools and arguments come in turn, each `rounds` times, more than are looked back at. */
function factsInTurn(rounds: number, kinds: number): Facts[] {
  return Array.from({ length: rounds * kinds }, (_, at) => {
    const which = at % kinds;
    const tool = { name: `tool_${which}`, arguments: JSON.stringify({ path: 'a', [`x${which}`]: 1 }) };
    const tool_calls = [{ id: `call_${at}`, type: 'function' as const, function: tool }];
    const message = { role: 'assistant' as const, content: null, tool_calls };
    return factsOf({
      ...recordOf(at + 1, { type: 'message', message }),
      model: `model_${which}`,
      call: `k${which}`,
    });
  });
}

test('values that come in turn are stored once each, however many lie between', () => {
  const columns = new FactColumns();
  const facts = factsInTurn(3, 50);
  for (const each of facts) columns.add(each);
  const { places, kinds, shapes } = columns.stored().tables;
  expect([places.length, kinds.length, shapes.length]).toEqual([50, 50, 50]);
  expect(plain(columns.slice(0, 150))).toEqual(plain(facts));
});

test('a message like one of those before it costs no JSON', () => {
  const columns = new FactColumns();
  const facts = factsInTurn(100, 10);
  for (const { calls } of facts) for (const { names } of calls) expect(names).toHaveLength(2);
  const write = vi.spyOn(JSON, 'stringify');
  const read = vi.spyOn(JSON, 'parse');
  onTestFinished(() => void vi.restoreAllMocks());
  for (const each of facts) columns.add(each);
  expect([write.mock.calls.length, read.mock.calls.length]).toEqual([30, 0]);
});

test('facts are given before they are stored', async () => {
  const { paths } = await storeOfFacts();
  const source = new SharedSource(await readSource(paths, silentLog, true), silentLog);
  const reader = new FactReader({ paths, source, log: silentLog, readOnly: false });
  const storing = vi.spyOn(FactColumns.prototype, 'stored');
  onTestFinished(() => storing.mockRestore());
  expect(await reader.read(0, COUNT)).toHaveLength(COUNT);
  expect(storing).not.toHaveBeenCalled();
  await reader.stored();
  expect(storing).toHaveBeenCalledOnce();
  source.dispose();
});

test('a conversation that is opened again has its facts from the columns beside it, and more as it grows', async () => {
  const { paths, grow } = await storeOfFacts();
  await expectTrue(paths, 0);
  await soon(() => readFile(paths.columns));
  await expectTrue(paths, COUNT);
  await grow('one more');
  await expectTrue(paths, COUNT);
});

test('of a conversation that has grown since it was opened, only the lines that came are read', async () => {
  const { paths, grow } = await storeOfFacts();
  const readAll = async () => {
    const source = new SharedSource(await sourceInPieces(paths, silentLog, false), silentLog);
    const reader = new FactReader({ paths, source, log: silentLog, readOnly: false });
    const facts: Facts[] = [];
    for (let before = -1; before < facts.length;) {
      before = facts.length;
      facts.push(...(await reader.read(before, before + 400)));
    }
    await reader.stored();
    source.dispose();
    return facts.length;
  };
  await readAll();
  await soon(() => readFile(paths.index));
  await grow('one more');
  const check = vi.spyOn(lineFormat, 'checkLine');
  onTestFinished(() => check.mockRestore());
  expect(await readAll()).toBe(COUNT + 1);
  // That which came, and the last of those before it, by which the index is told to be of this file.
  expect(check.mock.calls.length).toBeLessThanOrEqual(3);
});

test.each(harms)('columns whose file is %s are not used, and made again', async (_, harm) => {
  const { paths } = await storeOfFacts();
  await reopened(paths);
  const good = await soon(() => readFile(paths.columns));
  await writeFile(paths.columns, harm(good));
  await expectTrue(paths, 0);
  await soon(async () => expect(await readFile(paths.columns)).toEqual(good));
});

test('the first facts, which are read while columns are still being loaded, leave no gap in them', async () => {
  const { paths } = await storeOfFacts();
  const truth = plain(await trueFacts(paths));
  for (let round = 0; round < 2; round++) {
    const source = new SharedSource(await readSource(paths, silentLog, true), silentLog);
    const reader = new FactReader({ paths, source, log: silentLog, readOnly: false });
    expect(plain(await reader.read(0, 100))).toEqual(truth.slice(0, 100));
    expect(plain(await reader.read(100, COUNT))).toEqual(truth.slice(100));
    await reader.stored();
    expect((await loadColumns(paths, source.index))?.length).toBe(COUNT);
    source.dispose();
  }
});

test('columns of other lines are not used', async () => {
  const [mine, other] = [await storeOfFacts(), await storeOfFacts()];
  await other.grow('another');
  const lines = await openLines(other.paths, silentLog);
  const columns = new FactColumns();
  for (const facts of await trueFacts(other.paths)) columns.add(facts);
  await saveColumns(other.paths, lines.index, columns);
  await writeFile(mine.paths.columns, await readFile(other.paths.columns));
  await expectTrue(mine.paths, 0);
});

test('what no record says takes no bytes', async () => {
  const { paths } = await storeOfFacts();
  const { index } = await openLines(paths, silentLog);
  const bytesOf = async (message: object) => {
    const columns = new FactColumns();
    for (let seq = 1; seq <= COUNT; seq++)
      columns.add(factsOf({ ...recordOf(seq, said('Hello.')), ...message }));
    await saveColumns(paths, index, columns);
    expect(plain((await loadColumns(paths, index))!.slice(0, COUNT))).toEqual(plain(columns.slice(0, COUNT)));
    return (await readFile(paths.columns)).length / COUNT;
  };
  const usage = {
    inputTokens: 9,
    outputTokens: 8,
    reasoningTokens: 7,
    cachedInputTokens: 6,
    estimated: false,
  };
  const [silent, saying] = [await bytesOf({}), await bytesOf({ usage })];
  expect(silent).toBeLessThan(8);
  expect(Math.round(saying - silent)).toBe(4);
});

test('starts and ends of calls, dispatches, approvals, errors and titles are kept as numbers', () => {
  const columns = new FactColumns();
  for (const record of teamStory().records) columns.add(factsOf(record));
  expect(columns.stored().tables.others).toEqual([]);
});

test('columns take few bytes', async () => {
  const { paths } = await storeOfFacts();
  await reopened(paths);
  const { length } = await soon(() => readFile(paths.columns));
  expect(length / COUNT).toBeLessThan(40);
});
