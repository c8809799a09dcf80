import { spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../../../src/core/ports/log.js';
import { APPEND, entryAt, openPlainFile, READ } from '../../../src/node/plainFile.js';
import { pathsOf, type ConversationPaths } from '../../../src/store/files/storePaths.js';
import { JournalFiles } from '../../../src/store/write/journalFiles.js';
import { Seal, sealHead, sealOf } from '../../../src/store/write/segmentFile.js';
import { headText, sealReport, type SealReport } from '../../../src/store/write/sealReport.js';
import { runs, seed, someOf } from '../../support/fixedInputs.js';
import { randomNumbers } from '../../support/randomNumbers.js';
import { temporaryFolder } from '../../support/storeFixture.js';

const ID = 'c_forged';
const EXAMPLE = join(import.meta.dirname, '../../../examples/verify-seal.mjs');

const lineOf = (seq: number, said = `said ${seq}`) => `{"seq":${seq},"text":"${said}"}`;

/** Files of a conversation of so many records, whose lines are sealed by threes, in several segments. */
async function conversation(root: string, id: string, records: number): Promise<ConversationPaths> {
  const paths = pathsOf(root, id);
  const files = new JournalFiles({ paths, created: 1, log: silentLog, segmentBytes: 600 });
  for (let seq = 1; seq <= records; seq += 3) {
    await files.append(Buffer.from([0, 1, 2].map((at) => `${lineOf(seq + at)}\n`).join('')));
    await files.sync();
  }
  await files.close();
  return paths;
}

/** The files of a conversation in memory: what an attacker changes, and writes back. */
interface Copy {
  readonly journals: string[][];
  readonly seals: string[];
}

async function copyOf(paths: ConversationPaths, segments: number): Promise<Copy> {
  const all = Array.from({ length: segments }, (_, segment) => paths.segment(segment));
  return {
    journals: await Promise.all(
      all.map(async (path) => (await readFile(path, 'latin1')).split('\n').slice(0, -1)),
    ),
    seals: await Promise.all(all.map(async (path) => await readFile(sealOf(path), 'latin1'))),
  };
}

/** A new chain over the lines of a segment, as whoever knows the form makes it without any key. */
async function chainAnew(
  folder: string,
  segment: number,
  lines: readonly string[],
  after?: { segment: number; chain: string },
) {
  const path = join(folder, `anew-${segment}.seal`);
  const seal = Seal.begin(path, sealHead(ID, segment, after));
  seal.add(Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1'));
  const { bytes, link } = seal.take();
  return { text: bytes.toString('latin1'), link };
}

interface Attack {
  readonly copy: Copy;
  /** What the report has to say, with the place where there is one. */
  readonly isNamed: (report: SealReport) => boolean;
}

const at =
  (file: number, line: number, ...kinds: string[]) =>
  (report: SealReport) => {
    const [first] = report.breaks;
    return (
      first?.file === file && first.line === line && kinds.includes(first.kind) && report.state === 'broken'
    );
  };
const isOfNoAnchor = ({ anchored }: SealReport) => anchored !== undefined && anchored.behind === undefined;

test('10,000 forgeries of all kinds are each named with their place', async () => {
  const folder = await temporaryFolder();
  const paths = await conversation(join(folder, 'store'), ID, 45);
  const first = await sealReport(paths);
  const segments = first.files;
  expect(segments).toBeGreaterThan(2);
  const good = await copyOf(paths, segments);
  const other = await copyOf(await conversation(join(folder, 'store'), 'c_other', 45), segments);
  // Kept where its writer cannot change it.
  const anchors = headText(ID, first.head ?? expect.fail('no head'));
  const draw = randomNumbers(seed);
  const below = (limit: number) => Math.floor(draw() * limit);
  let there: Copy = { journals: [], seals: [] };
  const put = async (path: string, text: string) =>
    text === '' ? await rm(path, { force: true }) : await writeFile(path, text, 'latin1');
  const write = async (copy: Copy) => {
    for (let segment = 0; segment < segments; segment++) {
      const [lines = [], seal = ''] = [copy.journals[segment], copy.seals[segment]];
      if (there.journals[segment] !== lines)
        await put(paths.segment(segment), lines.map((line) => `${line}\n`).join(''));
      if (there.seals[segment] !== seal) await put(sealOf(paths.segment(segment)), seal);
    }
    there = copy;
  };
  const withLines = (segment: number, lines: string[]): Copy => ({
    ...good,
    journals: good.journals.with(segment, lines),
  });
  const withSeal = (segment: number, seal: string): Copy => ({
    ...good,
    seals: good.seals.with(segment, seal),
  });
  const attacks: Record<string, () => Attack | Promise<Attack>> = {
    bit: () => {
      const [segment, lines, line] = someLine();
      const text = lines[line] ?? '';
      const place = below(text.length);
      const flipped = String.fromCharCode(text.charCodeAt(place) ^ (1 << below(8)));
      const changed = text.slice(0, place) + flipped + text.slice(place + 1);
      return {
        copy: withLines(segment, lines.with(line, changed)),
        isNamed: at(segment + 1, line + 1, 'changed'),
      };
    },
    line: () => {
      const [segment, lines, line] = someLine();
      return {
        copy: withLines(segment, lines.with(line, lineOf(below(99), 'forged'))),
        isNamed: at(segment + 1, line + 1, 'changed'),
      };
    },
    removed: () => {
      const [segment, lines, line] = someLine();
      return {
        copy: withLines(segment, lines.toSpliced(line, 1)),
        isNamed: at(segment + 1, line + 1, 'removed'),
      };
    },
    cut: () => {
      const [segment, lines, line] = someLine();
      const left = Math.max(1, line);
      return {
        copy: withLines(segment, lines.slice(0, left)),
        isNamed: at(segment + 1, left + 1, 'removed'),
      };
    },
    'put in': () => {
      const [segment, lines, line] = someLine();
      return {
        copy: withLines(segment, lines.toSpliced(line, 0, lineOf(below(99), 'forged'))),
        isNamed: at(segment + 1, line + 1, 'inserted'),
      };
    },
    'said again': () => {
      const [segment, lines, some] = someLine();
      // Behind the last one it would be a line that nobody has sealed yet.
      const line = Math.min(some, lines.length - 2);
      // Of two equal lines beside each other the second is the one too many.
      return {
        copy: withLines(segment, lines.toSpliced(line, 0, lines[line] ?? '')),
        isNamed: at(segment + 1, line + 2, 'inserted'),
      };
    },
    order: () => {
      const [segment, lines, line] = someLine();
      const to = below(lines.length - 1);
      const without = lines.toSpliced(line, 1);
      const place = to === line ? (to + 1) % lines.length : to;
      const moved = without.toSpliced(place, 0, lines[line] ?? '');
      const [from, end] = [Math.min(line, place), Math.max(line, place)];
      return {
        copy: withLines(segment, moved),
        isNamed: ({ breaks }) =>
          breaks.some(({ kind }) => kind === 'moved') &&
          breaks.every(({ file, line: told }) => file === segment + 1 && told > from && told <= end + 1),
      };
    },
    'a commitment made anew': () => {
      const [segment, lines, line] = someLine();
      const text = lineOf(below(99), 'forged');
      const seal = (good.seals[segment] ?? '').split('\n');
      const entry = seal.findIndex((_, place) => entriesUpTo(seal, place) === line + 1);
      const [, salt = ''] = (seal[entry] ?? '').split(' ');
      const commitment = hash('sha256', `${salt}\n${text}`, 'base64url');
      const chain = seal.findIndex((each, place) => place > entry && /^(?:chain|note) /.test(each));
      return {
        copy: {
          journals: good.journals.with(segment, lines.with(line, text)),
          seals: good.seals.with(segment, seal.with(entry, `${commitment} ${salt}`).join('\n')),
        },
        isNamed: ({ breaks }) =>
          breaks.some((each) => each.kind === 'seal' && each.file === segment + 1 && each.line === chain + 1),
      };
    },
    'a chain made anew behind a line': async () => {
      const copy: Copy = { journals: [...good.journals], seals: [...good.seals] };
      const [segment, lines, line] = someLine();
      copy.journals[segment] = lines.with(line, lineOf(below(99), 'forged'));
      let after: { segment: number; chain: string } | undefined;
      for (let each = 0; each < segments; each++) {
        const { text, link } = await chainAnew(folder, each, copy.journals[each] ?? [], after);
        copy.seals[each] = text;
        after = { segment: each, chain: link };
      }
      // All of it holds, so that only what is kept elsewhere tells it.
      return { copy, isNamed: (report) => report.state === 'intact' && isOfNoAnchor(report) };
    },
    'a chain begun anew': async () => {
      const segment = 1 + below(segments - 1);
      const lines = (good.journals[segment] ?? []).with(1, lineOf(below(99), 'forged'));
      const { text } = await chainAnew(folder, segment, lines);
      return {
        copy: { journals: good.journals.with(segment, lines), seals: good.seals.with(segment, text) },
        isNamed: (report) =>
          report.anew.includes(segment + 1) &&
          // The file behind it does not follow it, or there is none and what was anchored is gone.
          (segment === segments - 1
            ? report.state === 'partly sealed' && isOfNoAnchor(report)
            : report.gaps.some(({ file, after }) => file === segment + 2 && after === segment + 1)),
      };
    },
    'cut before the newest head': () => {
      const segment = segments - 1;
      const seal = (good.seals[segment] ?? '').trimEnd().split('\n');
      const chains = seal.flatMap((each, place) => (each.startsWith('chain ') ? [place] : []));
      const end = chains[below(chains.length - 1)] ?? 0;
      const entries = entriesUpTo(seal, end);
      return {
        copy: {
          journals: good.journals.with(segment, (good.journals[segment] ?? []).slice(0, entries)),
          seals: good.seals.with(segment, `${seal.slice(0, end + 1).join('\n')}\n`),
        },
        isNamed: (report) => report.state === 'intact' && isOfNoAnchor(report),
      };
    },
    'an older tail': () => {
      const from = 1 + below(segments - 1);
      const kept = <T>(all: readonly T[], nothing: T) =>
        all.map((each, place) => (place < from ? each : nothing));
      return {
        copy: { journals: kept(good.journals, []), seals: kept(good.seals, '') },
        isNamed: (report) => report.state === 'intact' && isOfNoAnchor(report),
      };
    },
    'a file removed': () => {
      const segment = below(segments - 1);
      return {
        copy: { journals: good.journals.with(segment, []), seals: good.seals.with(segment, '') },
        isNamed: (report) =>
          report.state === 'broken' &&
          report.gaps.some(({ file, after }) => file === segment + 1 && after === undefined),
      };
    },
    'segments swapped': () => {
      const [one, two] = [0, 1 + below(segments - 1)];
      const swap = <T>(all: readonly T[]) => all.with(one, all[two]!).with(two, all[one]!);
      return {
        copy: { journals: swap(good.journals), seals: swap(good.seals) },
        isNamed: (report) =>
          [one, two].every((segment) =>
            report.breaks.some(
              ({ kind, file, line }) => kind === 'seal' && line === 1 && file === segment + 1,
            ),
          ),
      };
    },
    'a segment of another conversation': () => {
      const segment = below(segments);
      return {
        copy: {
          journals: good.journals.with(segment, other.journals[segment] ?? []),
          seals: good.seals.with(segment, other.seals[segment] ?? ''),
        },
        isNamed: ({ breaks }) =>
          breaks.some(({ kind, file, line }) => kind === 'seal' && line === 1 && file === segment + 1),
      };
    },
    'a note of redaction': () => {
      const [segment, lines, line] = someLine();
      const seal = (good.seals[segment] ?? '').split('\n');
      const entry = seal.findIndex((_, place) => entriesUpTo(seal, place) === line + 1);
      const text = lineOf(line, 'redacted');
      const [commitment = ''] = (seal[entry] ?? '').split(' ');
      const note = `redacted: ${commitment} ${hash('sha256', text, 'base64url')} 2026-03-01T10:00:00.000Z`;
      const last = /(?:chain|note) ([\w-]{43}) (\d+)[^\n]*\n$/.exec(good.seals[segment] ?? '');
      const link = hash('sha256', `${last?.[1] ?? ''} note ${note}`, 'base64url');
      const told = seal.with(entry, below(2) === 0 ? `${commitment} -` : (seal[entry] ?? '')).join('\n');
      return {
        copy: {
          journals: good.journals.with(segment, lines.with(line, text)),
          seals: good.seals.with(segment, `${told}note ${link} ${last?.[2] ?? ''} ${note}\n`),
        },
        isNamed: ({ state, breaks }) => state === 'broken' && breaks[0]?.file === segment + 1,
      };
    },
    'an offset': () => {
      const segment = below(segments);
      const seal = (good.seals[segment] ?? '').split('\n');
      const chains = seal.flatMap((each, place) => (each.startsWith('chain ') ? [place] : []));
      const place = chains[below(chains.length)] ?? 0;
      const changed = (seal[place] ?? '').replace(/\d+$/, (offset) => String(Number(offset) + 1 + below(50)));
      return {
        copy: withSeal(segment, seal.with(place, changed).join('\n')),
        isNamed: at(segment + 1, place + 1, 'seal'),
      };
    },
    'a bit of the seal': () => {
      const segment = below(segments);
      const seal = good.seals[segment] ?? '';
      const place = below(seal.length - 1);
      const flipped = String.fromCharCode(seal.charCodeAt(place) ^ (1 << below(7)));
      // A zero is where a power cut ends a seal, and a newline is the end of a line.
      const isEnd = flipped === '\0' || flipped === '\n' || seal[place] === '\n';
      return {
        copy: withSeal(segment, seal.slice(0, place) + (isEnd ? '#' : flipped) + seal.slice(place + 1)),
        isNamed: ({ state, breaks, anchored }) =>
          (state === 'broken' && breaks[0]?.file === segment + 1) ||
          (state !== 'intact' && anchored?.behind === undefined),
      };
    },
  };
  function someLine(): [segment: number, lines: string[], line: number] {
    const segment = below(segments);
    const lines = good.journals[segment] ?? [];
    return [segment, lines, below(lines.length)];
  }
  const kinds = Object.entries(attacks);
  const told = new Set(someOf(Object.keys(attacks), 4));
  await writeFile(join(folder, 'anchors.txt'), anchors);
  for (let run = 0; run < runs(10_000); run++) {
    const [kind, make] = kinds[run % kinds.length]!;
    const { copy, isNamed } = await make();
    await write(copy);
    const report = await sealReport(paths, { anchors: { text: anchors } });
    expect({ run, kind, isNamed: isNamed(report), report }).toMatchObject({ isNamed: true });
    if (run >= kinds.length || !told.has(kind)) continue;
    // The program without our code says of the first of a kind that something is wrong, too.
    const words = [EXAMPLE, paths.folder, '--anchors', join(folder, 'anchors.txt')];
    expect({ kind, status: spawnSync(process.execPath, words).status }).toEqual({ kind, status: 1 });
  }
  await write(good);
  expect(await sealReport(paths, { anchors: { text: anchors } })).toMatchObject({
    state: 'intact',
    anchored: { behind: 0 },
  });
});

test('whole files of another conversation are no proof for the program without our code, whatever they say they are', async () => {
  const folder = await temporaryFolder();
  const real = await conversation(join(folder, 'store'), ID, 15);
  // Its folder is named by a hash.
  const fake = await conversation(join(folder, 'store'), 'C_Fäke', 15);
  const { head } = await sealReport(real);
  const own = await sealReport(fake);
  await writeFile(join(folder, 'anchors.txt'), headText(ID, head!));
  await writeFile(join(folder, 'own.txt'), headText('C_Fäke', own.head!));
  const asked = (at: string, ...words: string[]) => {
    const { status, stdout } = spawnSync(process.execPath, [EXAMPLE, at, ...words], { encoding: 'utf8' });
    return { status, out: stdout.match(/^BROKEN.*/gm) ?? [] };
  };
  const anchors = ['--anchors', join(folder, 'anchors.txt')];
  expect(asked(real.folder, ...anchors)).toEqual({ status: 0, out: [] });
  expect(asked(fake.folder, '--anchors', join(folder, 'own.txt'))).toEqual({ status: 0, out: [] });
  expect(asked(fake.folder, ...anchors)).toEqual({
    status: 1,
    out: ['BROKEN anchor: none is of this conversation'],
  });
  expect(asked(real.folder, '--key', 'ssh-ed25519 AAAA')).toEqual({
    status: 1,
    out: ['BROKEN no head is signed'],
  });
  await rm(real.folder, { recursive: true });
  await rename(fake.folder, real.folder);
  expect(asked(real.folder)).toEqual({
    status: 1,
    out: ['BROKEN the folder is not named by "C_Fäke", of which its seal is'],
  });
});

/** How many entries a seal has up to a line of it. */
function entriesUpTo(seal: readonly string[], place: number): number {
  return seal.slice(0, place + 1).filter((line) => /^[\w-]{43} [\w-]{24}$/.test(line)).length;
}

test('nothing is told of crashes, repairs, takeovers and two writers but what they were', async () => {
  const draw = randomNumbers(seed + 1);
  for (let run = 0; run < runs(100); run++) {
    const paths = pathsOf(join(await temporaryFolder(), 'store'), ID);
    const open = async (segment: number, repaired?: string) => {
      const handle = await openPlainFile(paths.segment(segment), APPEND);
      const { SegmentFile } = await import('../../../src/store/write/segmentFile.js');
      const file = new SegmentFile(handle, paths.segment(segment), (await handle.stat()).size);
      return new JournalFiles(
        { paths, created: 1, log: silentLog, segmentBytes: 300 },
        { file, segment },
        repaired,
      );
    };
    let files = new JournalFiles({ paths, created: 1, log: silentLog, segmentBytes: 300 });
    let isShared = false;
    for (let seq = 1; seq <= 20; seq++) {
      await files.append(Buffer.from(`${lineOf(seq)}\n`));
      if (draw() < 0.6) await files.sync();
      const { segment = 0 } = files.end ?? {};
      const way = draw();
      // Killed before its first sync, a process leaves no seal.
      const isSealed = (await entryAt(sealOf(paths.segment(segment)))) !== undefined;
      if (way < 0.1 && isSealed) {
        // A process that was killed: what it had not synced is in the journal, and not in the seal.
        await files.close();
        files = await open(segment, draw() < 0.5 ? 'cut: 3 bytes, of a line that was not whole' : undefined);
      } else if (way < 0.15 && isSealed) {
        // Another process takes the journal over, and this one goes on in the next file.
        await files.sync();
        const second = await open(segment);
        await second.append(Buffer.from(`${lineOf(seq + 1000)}\n`));
        await second.sync();
        await second.close();
        files.detach();
        isShared = true;
      }
    }
    // What the last one that was killed has left is sealed by the next that writes.
    await files.append(Buffer.from(`${lineOf(21)}\n`));
    await files.sync();
    await files.close();
    const report = await sealReport(paths);
    expect({ run, report }).toMatchObject({ report: { breaks: [], gaps: [] } });
    expect(report.state).not.toBe('broken');
    if (!isShared)
      expect({ run, report }).toMatchObject({ report: { anew: [], unsealed: 0, state: 'intact' } });
  }
});

test('the end of a seal that is lost is told as that, whatever stands behind it', async () => {
  const folder = await temporaryFolder();
  const paths = await conversation(join(folder, 'store'), ID, 45);
  const seal = await readFile(sealOf(paths.segment(0)), 'latin1');
  const lines = seal.trimEnd().split('\n');
  const chain = lines.findIndex((line) => line.startsWith('chain '));
  const journal = await readFile(paths.segment(0), 'latin1');
  const cut = [
    `${lines.slice(0, chain + 1).join('\n')}\n`,
    `${lines.slice(0, chain + 1).join('\n')}\n${'\0'.repeat(64)}`,
    seal.slice(0, -20),
  ];
  for (const left of cut) {
    await writeFile(sealOf(paths.segment(0)), left, 'latin1');
    for (const text of [journal, journal.replace('said 5', 'said 9')]) {
      await writeFile(paths.segment(0), text, 'latin1');
      const report = await sealReport(paths);
      // A power cut does no more than that, as it is synced before the next names it; who cuts it by hand proves nothing by it.
      const told = { state: 'broken', gaps: [{ file: 2, after: 1, isEndLost: true }] };
      if (text === journal || !left.includes(lines.at(-2) ?? '')) expect(report).toMatchObject(told);
      else expect(report.state).toBe('broken');
    }
  }
});

test.skipIf(process.platform !== 'linux')(
  'a seal is on the disk before the next file names its end',
  async () => {
    const paths = pathsOf(join(await temporaryFolder(), 'store'), ID);
    const synced: string[] = [];
    const handle = await openPlainFile(import.meta.filename, READ);
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const datasync = prototype.datasync;
    const spy = vi.spyOn(prototype, 'datasync').mockImplementation(async function (this: typeof handle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
      await datasync.call(this);
    });
    onTestFinished(() => void spy.mockRestore());
    const files = new JournalFiles({ paths, created: 1, log: silentLog, segmentBytes: 50 });
    for (const seq of [1, 2]) {
      await files.append(Buffer.from(`${lineOf(seq)}\n`));
      await files.sync();
    }
    await files.close();
    expect(synced).toEqual([paths.segment(0), paths.segment(0), sealOf(paths.segment(0)), paths.segment(1)]);
  },
);
