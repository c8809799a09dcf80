import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { factsOf, plainFacts, type Facts } from '../../../../src/query/numbers/facts.js';
import type { Log } from '../../../../src/core/ports/log.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import { ScanThreads } from '../../../../src/search/reader/scanThreads.js';
import { pathsOf } from '../../../../src/store/files/storePaths.js';
import { FactReader } from '../../../../src/store/read/factReader.js';
import { openLines, saveLines } from '../../../../src/store/read/openLines.js';
import { readSpans } from '../../../../src/store/read/readSpans.js';
import type { ScannedPart } from '../../../../src/store/read/scannedPart.js';
import { SharedSource } from '../../../../src/store/read/sharedSource.js';
import { sourceInPieces } from '../../../../src/store/read/sourceTable.js';
import { buildWorker } from '../../../support/buildWorker.js';
import { RecordingLog } from '../../../support/recordingLog.js';
import { recordOf, said, temporaryFolder, temporaryStore } from '../../../support/storeFixture.js';
import { teamStory } from '../../../support/teamStory.js';

let script: URL;
beforeAll(async () => {
  script = await buildWorker('search/reader/scan.worker.ts');
});

const COUNT = 3_000;

/** A conversation of several megabytes that nothing is kept of, and its facts as its records have them. */
async function largeStore() {
  const { store, root } = await temporaryStore();
  const { records } = teamStory();
  const journal = await store.createConversation('c1');
  for (let seq = 1; seq <= COUNT; seq++) {
    const record =
      seq % 3 === 0 ? recordOf(seq, said(`é${seq} `.repeat(200))) : records[seq % records.length]!;
    journal.append({ ...record, seq, id: `m_${seq}`, conversation: 'c1' });
  }
  await journal.close();
  const paths = pathsOf(root, 'c1');
  const { index } = await openLines(paths, silentLog);
  const truth = (await readSpans(paths, index, 0, index.size)).map(factsOf).map(plainFacts);
  await rm(paths.index, { force: true });
  return { paths, truth };
}

function threadsOf(log: Log, bundle = script): ScanThreads {
  const threads = new ScanThreads({
    log,
    script: bundle,
    threads: 2,
    partBytes: 100_000,
    leastBytes: 300_000,
  });
  onTestFinished(() => threads.dispose());
  return threads;
}

/** All facts of a conversation, as somebody reads them who opens it. */
async function factsBy(paths: ReturnType<typeof pathsOf>, log: Log, scan: ScanThreads): Promise<Facts[]> {
  const source = new SharedSource(await sourceInPieces(paths, log, true, scan), log);
  onTestFinished(() => source.dispose());
  const reader = new FactReader({ paths, source, scan, log, readOnly: true });
  const facts: Facts[] = [];
  for (let before = -1; before < facts.length;) {
    before = facts.length;
    facts.push(...(await reader.read(before, before + 400)));
  }
  return facts.map(plainFacts);
}

test('a large journal is read by several threads, which end when there is nothing more to read', async () => {
  const { paths, truth } = await largeStore();
  const log = new RecordingLog();
  const scan = threadsOf(log);
  const asked = vi.spyOn(scan, 'scan');
  expect(await factsBy(paths, log, scan)).toEqual(truth);
  expect(log.lines).toEqual([]);
  const parts = await Promise.all(asked.mock.results.map(({ value }) => value as Promise<ScannedPart>));
  expect(parts.length).toBeGreaterThan(4);
  await expect.poll(() => scan.running).toBe(0);
  // They start again.
  expect(await factsBy(paths, log, scan)).toEqual(truth);
});

test('of a large journal whose lines are known, several threads take the facts', async () => {
  const { paths, truth } = await largeStore();
  await saveLines(await openLines(paths, silentLog), silentLog);
  const log = new RecordingLog();
  const scan = threadsOf(log);
  const asked = vi.spyOn(scan, 'scan');
  expect(await factsBy(paths, log, scan)).toEqual(truth);
  expect(log.lines).toEqual([]);
  expect(asked.mock.calls.length).toBeGreaterThan(4);
});

test('a small journal starts no thread', async () => {
  const { paths, truth } = await largeStore();
  const scan = new ScanThreads({ log: silentLog, script });
  expect(await factsBy(paths, silentLog, scan)).toEqual(truth);
  expect(scan.running).toBe(0);
});

test('where the threads break down, one reads all of it, and says so', async () => {
  const { paths, truth } = await largeStore();
  const broken = join(await temporaryFolder(), 'broken.mjs');
  await writeFile(broken, 'throw new Error("it does not start");');
  const log = new RecordingLog();
  const facts = await factsBy(paths, log, threadsOf(log, pathToFileURL(broken)));
  expect(facts).toEqual(truth);
  expect(log.lines.join()).toContain('it does not start');
});

test('what nobody waits for any more is not read', async () => {
  const { paths } = await largeStore();
  const scan = threadsOf(silentLog);
  const range = { segment: 0, header: undefined, from: 1_000, until: 2_000, to: 2_000 };
  const cancel = new AbortController();
  const reason = new Error('closed');
  cancel.abort(reason);
  await expect(scan.scan(paths, range, cancel.signal)).rejects.toBe(reason);
  expect(scan.running).toBe(0);
});
