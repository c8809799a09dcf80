import { mkdir, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainFacts, type Facts } from '../../../src/query/numbers/facts.js';
import type { LogRecord } from '../../../src/core/record.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { encodeHeader } from '../../../src/store/format/journalHeader.js';
import { encodeLine } from '../../../src/store/format/lineFormat.js';
import { pathsOf, type ConversationPaths } from '../../../src/store/files/storePaths.js';
import { FactReader } from '../../../src/store/read/factReader.js';
import { FactTaker } from '../../../src/store/read/factTaker.js';
import { JournalLines } from '../../../src/store/read/journalLines.js';
import { memoryOf } from '../../../src/store/read/scannedPart.js';
import type { ScanOnThread } from '../../../src/store/read/scannedParts.js';
import { PartScanner } from '../../../src/store/read/partScanner.js';
import { inRuns, isDeep, runs } from '../../support/fixedInputs.js';
import { hasRealTranscripts, realTranscripts } from '../../support/realTranscripts.js';
import { recordOf, said, temporaryFolder } from '../../support/storeFixture.js';
import { teamStory } from '../../support/teamStory.js';
import { anyItems } from '../query/arbitraries.js';

/** A conversation whose journal has these bytes, and other files with those that follow. */
async function journalOf(...files: readonly Buffer[]): Promise<ConversationPaths> {
  const root = await temporaryFolder();
  const paths = pathsOf(root, 'c1');
  await mkdir(paths.folder, { recursive: true });
  for (const [segment, bytes] of files.entries()) await writeFile(paths.segment(segment), bytes);
  return paths;
}

/** Reads parts as other threads do, each after a random time; the parts travel as they do between threads. */
function besideOf(partBytes: number, fail: (from: number) => boolean = () => false): ScanOnThread {
  const scanners = new Map<string, PartScanner>();
  return {
    threads: 2,
    partBytes,
    leastBytes: 0,
    scan: async (paths, range) => {
      if (fail(range.from)) throw new Error('a thread broke down');
      const scanner = scanners.get(paths.folder) ?? new PartScanner(paths);
      scanners.set(paths.folder, scanner);
      const part = await scanner.scan(range);
      for (let turns = range.from % 5; turns > 0; turns--)
        await new Promise<void>((resolve) => setImmediate(resolve));
      return structuredClone(part, { transfer: memoryOf(part) });
    },
  };
}

/** Everything that reading a journal finds, and how often other threads failed. */
async function read(paths: ConversationPaths, scan?: ScanOnThread) {
  const lines = new JournalLines(paths);
  const facts = new FactTaker(paths.id);
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const pieces = lines.pieces(facts.visitor, scan && { scan, take: facts.partsVisitor, onFailure });
  let count = 0;
  while (!(await pieces.next()).done) count++;
  const { index, segments, damaged } = lines;
  const found = {
    columns: index.columns(),
    maxSeq: index.maxSeq,
    damaged,
    damagedCount: index.damagedCount,
    segments,
    gaps: index.gaps.list,
    facts: facts.columns.stored(),
  };
  return { found, failures, count };
}

/** A line of a record as this program writes it. */
const written = (record: object) => encodeLine(record);
const team = teamStory().records;

/** The lines of a journal: records, those of other programs, and what stands in damaged files. */
const anyLine = (seq: number): fc.Arbitrary<Buffer> => {
  const whole = fc
    .nat(team.length - 1)
    .map((at) => written({ ...team[at]!, seq, id: `m_${seq}`, conversation: 'c1' }));
  const long = fc.nat(300).map((length) => written(recordOf(seq, said('é~"\\'.repeat(length)))));
  const times = fc.constantFrom(0, -5, 0.5, 2 ** 53, 8e15, -8e15);
  const odd = times.map((time) => written({ ...recordOf(seq, said('odd')), time }));
  const again = fc
    .nat(Math.max(0, seq - 1))
    .map((old) => written({ ...team[old % team.length]!, seq: old, id: `m_${old}`, conversation: 'c1' }));
  const foreign = anyItems.map((items) => Buffer.from(JSON.stringify(items[0] ?? { type: 'x', seq })));
  const deep = fc.constant(Buffer.from(`{"type":"x","a":${'['.repeat(3000)}${']'.repeat(3000)}}`));
  const other = fc.constantFrom('', ' ', '{"seq":', '\u0000', '[1]', '<<<<', '{"type":"unknown","é":1}');
  const broken = fc.tuple(whole, fc.nat()).map(([line, at]) => {
    const copy = Buffer.from(line);
    copy[at % copy.length]! ^= 1;
    return copy;
  });
  const joined = fc.tuple(whole, whole).map((two) => Buffer.concat(two));
  const cut = fc.tuple(whole, fc.nat()).map(([line, at]) => line.subarray(0, at % line.length));
  return fc.oneof(
    { arbitrary: whole, weight: 12 },
    ...[long, odd, again, foreign, deep, broken, joined, cut].map((arbitrary) => ({ arbitrary, weight: 1 })),
    { arbitrary: other.map((text) => Buffer.from(text)), weight: 1 },
  );
};

const header = encodeHeader('c1', 1, 0).subarray(0, -1);
const anyJournal = fc
  .record({
    first: fc.constantFrom(header, Buffer.from('{"logbook":1,"conversation":"c1"}'), Buffer.from('{}')),
    lines: fc
      .array(fc.nat(), { minLength: 3, maxLength: 40 })
      .chain((skips) => fc.tuple(...skips.map((skip, at) => anyLine(at + 1 + (skip % 9 === 0 ? 1 : 0))))),
    end: fc.constantFrom('\n', '\r\n'),
    isWhole: fc.boolean(),
  })
  .map(({ first, lines, end, isWhole }) => {
    const all = [first, ...lines].flatMap((line) => [line, Buffer.from(end)]);
    return Buffer.concat(isWhole ? all : all.slice(0, -1));
  });

test('what several threads read of a journal is what one reads, wherever it is cut into parts', async () => {
  await fc.assert(
    fc.asyncProperty(anyJournal, anyJournal, fc.integer({ min: 90, max: 6_000 }), async (one, two, part) => {
      const paths = await journalOf(one, two);
      const alone = await read(paths);
      const together = await read(paths, besideOf(part));
      expect(together.failures).toEqual([]);
      expect(together.found).toEqual(alone.found);
    }),
    { numRuns: runs(60) },
  );
}, 120_000);

/** The facts of a journal whose lines are known, as they are read a few at a time. */
async function factsOfKnown(paths: ConversationPaths, { index }: JournalLines, scan?: ScanOnThread) {
  const warned: string[] = [];
  const log = { ...silentLog, warn: (words: string) => void warned.push(words) };
  const source = { index, length: index.size, peek: () => [] };
  const reader = new FactReader({ paths, source, scan, log, readOnly: true });
  const facts: Facts[] = [];
  for (let before = -1; before < facts.length;) {
    before = facts.length;
    facts.push(...(await reader.read(before, before === 0 ? 1 : before + 7)));
  }
  return { facts: facts.map(plainFacts), warned };
}

test('the facts of known lines are the same, and those of a file that has changed since', async () => {
  let read = 0;
  await fc.assert(
    fc.asyncProperty(
      ...([anyJournal, anyJournal, fc.integer({ min: 90, max: 6_000 }), fc.nat(), fc.nat(3)] as const),
      async (one, two, part, at, harm) => {
        const paths = await journalOf(one, two);
        const lines = new JournalLines(paths);
        await lines.extend();
        const changed = Buffer.from(one);
        if (harm === 1) changed[at % one.length]! ^= 1;
        const cut = changed.subarray(0, harm === 2 ? at % one.length : undefined);
        await writeFile(paths.segment(0), cut);
        const beside = besideOf(part);
        const counted = {
          ...beside,
          scan: (...asked: Parameters<typeof beside.scan>) => (read++, beside.scan(...asked)),
        };
        const together = await factsOfKnown(paths, lines, counted);
        expect(together.warned).toEqual([]);
        expect(together.facts).toEqual((await factsOfKnown(paths, lines)).facts);
      },
    ),
    { numRuns: runs(60) },
  );
  expect(read).toBeGreaterThan(inRuns(100));
}, 120_000);

test('what depends on the line before is so too where a part begins between them', async () => {
  const odd = (seq: number) => written({ ...recordOf(seq, said('odd')), time: 0.5 });
  const plain = (seq: number) => written(recordOf(seq, said('plain')));
  const lines = [header, plain(1), Buffer.concat([plain(5), plain(6)]), odd(7), odd(8), plain(12), odd(13)];
  const paths = await journalOf(Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])));
  const alone = await read(paths);
  expect(alone.found.gaps).toMatchObject([{ low: 9, high: 11 }]);
  for (const partBytes of [20, 150, 260, 300]) {
    const together = await read(paths, besideOf(partBytes));
    expect(together.failures).toEqual([]);
    expect(together.found).toEqual(alone.found);
  }
});

test('what a thread cannot read the one that asked it reads on', async () => {
  const bytes = Buffer.concat(
    [header, ...team.map((record, at) => written({ ...record, seq: at + 1, id: `m_${at}` }))].flatMap(
      (line) => [line, Buffer.from('\n')],
    ),
  );
  const paths = await journalOf(bytes);
  const alone = await read(paths);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length), fc.integer({ min: 300, max: 5_000 }), async (failing, part) => {
      const together = await read(
        paths,
        besideOf(part, (from) => from > failing),
      );
      expect(together.found).toEqual(alone.found);
    }),
    { numRuns: runs(15) },
  );
});

test.runIf(hasRealTranscripts)(
  'real transcripts are the same, however many threads read them',
  async () => {
    let joined = 0;
    for await (const records of realTranscripts(isDeep ? 1 : 8)) {
      const lines = records.map((record) => written({ ...(record as LogRecord), conversation: 'c1' }));
      const bytes = Buffer.concat([header, ...lines].flatMap((line) => [line, Buffer.from('\n')]));
      const paths = await journalOf(bytes);
      const alone = await read(paths);
      const together = await read(paths, besideOf(1 + Math.floor(bytes.length / 7)));
      expect(together.failures).toEqual([]);
      expect(together.found).toEqual(alone.found);
      if (together.count > alone.count) joined++;
    }
    expect(joined).toBeGreaterThan(5);
  },
  600_000,
);
