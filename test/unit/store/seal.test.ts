import { hash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linkOfNote, Seal, sealHead, sealOf } from '../../../src/store/write/segmentFile.js';
import { checkSeal, sealReport } from '../../../src/store/write/sealReport.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { pathsOf } from '../../../src/store/files/storePaths.js';
import { JournalFiles } from '../../../src/store/write/journalFiles.js';
import { temporaryFolder } from '../../support/storeFixture.js';

const ID = 'c_sealed';

/** The files of a sealed conversation of so many records, in its folder. */
async function sealed(records: number, segmentBytes?: number) {
  const paths = pathsOf(join(await temporaryFolder(), 'store'), ID);
  const files = new JournalFiles({ paths, created: 1, log: silentLog, segmentBytes });
  for (let seq = 1; seq <= records; seq += 3) {
    const lines = [0, 1, 2].map((at) => `{"seq":${seq + at},"text":"said ${seq + at}"}\n`);
    await files.append(Buffer.from(lines.join('')));
    await files.sync();
  }
  await files.close();
  return paths;
}

async function check(paths: ReturnType<typeof pathsOf>, segment = 0) {
  const [journal, seal] = await Promise.all([
    readFile(paths.segment(segment)),
    readFile(sealOf(paths.segment(segment)), 'utf8'),
  ]);
  return await checkSeal(ID, segment, journal, seal);
}

test('a journal that nobody touched is as it was sealed', async () => {
  const paths = await sealed(30);
  expect(await check(paths)).toMatchObject({
    isSealed: true,
    lines: 31,
    entries: 31,
    unsealed: 0,
    breaks: [],
  });
});

test('lines in another order are named, and lines behind the seal are counted', async () => {
  const paths = await sealed(30);
  const [journal, seal] = await Promise.all([
    readFile(paths.segment(0), 'utf8'),
    readFile(sealOf(paths.segment(0)), 'utf8'),
  ]);
  const lines = journal.trimEnd().split('\n');
  const moved = lines.toSpliced(5, 1).toSpliced(20, 0, lines[5] ?? '');
  const told = await checkSeal(ID, 0, Buffer.from(`${moved.join('\n')}\n`), seal);
  expect(told.breaks).toMatchObject([{ kind: 'moved', line: 21, seq: 5 }]);
  await appendFile(paths.segment(0), '{"seq":99,"text":"behind"}\n');
  expect(await check(paths)).toMatchObject({ breaks: [], unsealed: 1 });
});

test('a changed seal, and one of another conversation or segment, is none', async () => {
  const paths = await sealed(9);
  const [journal, seal] = await Promise.all([
    readFile(paths.segment(0)),
    readFile(sealOf(paths.segment(0)), 'utf8'),
  ]);
  expect((await checkSeal('c_other', 0, journal, seal)).breaks[0]).toMatchObject({ kind: 'seal' });
  expect((await checkSeal(ID, 1, journal, seal)).breaks[0]).toMatchObject({ kind: 'seal' });
  const entry = seal.split('\n')[4] ?? '';
  const other = `${entry.startsWith('A') ? 'B' : 'A'}${entry.slice(1)}`;
  expect((await checkSeal(ID, 0, journal, seal.replace(entry, other))).breaks[0]).toMatchObject({ line: 3 });
});

test('segments follow each other', async () => {
  const paths = await sealed(30, 400);
  const [first, second] = [await check(paths), await check(paths, 1)];
  expect(second.breaks).toEqual([]);
  expect(second.after).toEqual({ segment: 0, chain: first.links.at(-1)?.chain });
});

test('what was not sealed when its process ended is sealed by the next one, which says so', async () => {
  const paths = await sealed(9);
  const line = '{"seq":10,"text":"not synced"}\n';
  await appendFile(paths.segment(0), line);
  const before = await readFile(sealOf(paths.segment(0)), 'utf8');
  await writeFile(sealOf(paths.segment(0)), `${before}torn`);
  const { SegmentFile } = await import('../../../src/store/write/segmentFile.js');
  const { APPEND, openPlainFile } = await import('../../../src/node/plainFile.js');
  const handle = await openPlainFile(paths.segment(0), APPEND);
  const file = new SegmentFile(handle, paths.segment(0), (await handle.stat()).size);
  const files = new JournalFiles({ paths, created: 1, log: silentLog }, { file, segment: 0 }, 'cut: 7 bytes');
  await files.append(Buffer.from('{"seq":11,"text":"after"}\n'));
  await files.sync();
  await files.close();
  expect(await check(paths)).toMatchObject({
    lines: 12,
    unsealed: 0,
    breaks: [],
    notes: ['cut: 7 bytes', 'sealed later: 1'],
  });
});

test('a journal that was never sealed stays so, and is told as that', async () => {
  const paths = pathsOf(join(await temporaryFolder(), 'store'), ID);
  await mkdir(paths.folder, { recursive: true });
  await writeFile(paths.segment(0), '{"seq":1}\n');
  expect(await checkSeal(ID, 0, await readFile(paths.segment(0)), undefined)).toMatchObject({
    isSealed: false,
    unsealed: 1,
  });
});

test('nobody makes a changed line pass by a note', async () => {
  const paths = await sealed(9);
  const [journal, seal] = await Promise.all([
    readFile(paths.segment(0), 'utf8'),
    readFile(sealOf(paths.segment(0)), 'utf8'),
  ]);
  const line = journal.split('\n')[2] ?? '';
  const forged = '{"seq":2,"text":"forged"}';
  const entry = seal.split('\n')[4] ?? '';
  const [commitment = ''] = entry.split(' ');
  expect(seal).not.toContain(hash('sha256', line, 'base64url'));
  const { links } = await checkSeal(ID, 0, Buffer.from(journal), seal);
  const text = `redacted: ${commitment} ${hash('sha256', forged, 'base64url')} 2026-03-01T10:00:00.000Z`;
  const note = `note ${linkOfNote(links.at(-1)?.chain ?? '', text)} ${journal.length} ${text}\n`;
  for (const told of [seal, seal.replace(entry, `${commitment} -`)]) {
    const { breaks } = await checkSeal(ID, 0, Buffer.from(journal.replace(line, forged)), told + note);
    expect(breaks.length).toBeGreaterThan(0);
  }
});

test('where a chain begins anew, what stood before is not proved', async () => {
  const paths = pathsOf(join(await temporaryFolder(), 'store'), ID);
  const line = (seq: number) => Buffer.from(`{"seq":${seq},"text":"said ${seq}"}\n`);
  const first = new JournalFiles({ paths, created: 1, log: silentLog, segmentBytes: 50 });
  for (const seq of [1, 2, 3]) {
    await first.append(line(seq));
    await first.sync();
  }
  await first.close();
  expect(await sealReport(paths)).toMatchObject({ state: 'intact', anew: [] });
  await rm(paths.segment(0));
  await rm(sealOf(paths.segment(0)));
  expect((await sealReport(paths)).state).not.toBe('intact');
});

test('a file that its writer replaces, as nobody knows what of it is on the disk, is no gap', async () => {
  const paths = pathsOf(join(await temporaryFolder(), 'store'), ID);
  const files = new JournalFiles({ paths, created: 1, log: silentLog, segmentBytes: 50 });
  const line = (seq: number) => Buffer.from(`{"seq":${seq},"text":"said ${seq}"}\n`);
  await files.append(line(1));
  await files.sync();
  await files.append(line(2));
  await files.rewrite(line(2));
  await files.append(line(3));
  await files.sync();
  await files.close();
  const report = await sealReport(paths);
  expect(report).toMatchObject({ state: 'intact', files: 3, gaps: [] });
  await rm(paths.segment(2));
  expect(await sealReport(paths)).toMatchObject({ state: 'broken', gaps: [{ file: 3 }] });
});

/** The seal of some lines, each appended by itself. */
function sealOfLines(path: string, lines: readonly string[]): string {
  const seal = Seal.begin(path, sealHead(ID, 0));
  for (const line of lines) seal.add(Buffer.from(`${line}\n`));
  return seal.take().bytes.toString('latin1');
}

test('no more is looked for where nothing is what was sealed, and that is said', async () => {
  const folder = await temporaryFolder();
  const many = Array.from({ length: 200 }, (_, at) => `line ${at}`);
  const seal = sealOfLines(join(folder, 'a.seal'), many);
  const others = Buffer.from(many.map((line) => `other ${line}\n`).join(''));
  const { breaks } = await checkSeal(ID, 0, others, seal);
  expect(breaks).toHaveLength(51);
  expect(breaks.map(({ kind }) => kind)).toEqual([...Array.from({ length: 50 }, () => 'changed'), 'rest']);
  expect(breaks.at(-1)).toMatchObject({ kind: 'rest', line: 51 });
  // Long lines are hashed in search of others up to so many bytes, and not each with each.
  const long = Array.from({ length: 16 }, (_, at) => `${at}${'x'.repeat(2_000_000)}`);
  const changed = Buffer.from(long.map((line) => `other ${line}\n`).join(''));
  const found = (await checkSeal(ID, 0, changed, sealOfLines(join(folder, 'b.seal'), long))).breaks;
  expect(found.at(-1)).toMatchObject({ kind: 'rest' });
  expect(found.length).toBeLessThan(long.length);
});

test('a seal that tells of another place in the file is not as it was written', async () => {
  const paths = await sealed(9);
  const [journal, seal] = [
    await readFile(paths.segment(0)),
    await readFile(sealOf(paths.segment(0)), 'utf8'),
  ];
  const changed = seal.replace(/\d+\n$/, (offset) => `${Number(offset) - 1}\n`);
  const line = changed.trimEnd().split('\n').length;
  const told = await checkSeal(ID, 0, journal, changed);
  expect(told).toMatchObject({ unsealed: 0, breaks: [{ kind: 'seal', line }] });
});

test('a seal that somebody takes away under its writer is not gone on with, and is there again once its journal is', async () => {
  const paths = pathsOf(join(await temporaryFolder(), 'store'), ID);
  const files = new JournalFiles({ paths, created: 1, log: silentLog });
  const write = async (seq: number) => {
    await files.append(Buffer.from(`{"seq":${seq},"text":"said ${seq}"}\n`));
    await files.sync();
  };
  await write(1);
  await rm(sealOf(paths.segment(0)));
  await write(2);
  await write(3);
  expect(await sealReport(paths)).toMatchObject({ state: 'not sealed', breaks: [], gaps: [] });
  await rm(paths.segment(0));
  await files.restore();
  await write(4);
  await files.close();
  expect(await sealReport(paths)).toMatchObject({ state: 'intact', lines: 5, sealed: 5 });
});
