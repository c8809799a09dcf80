import { expect, onTestFinished, test, vi } from 'vitest';
import { Replay } from '../../../src/provenance/replay.js';
import { runs, seed } from '../../support/fixedInputs.js';
import { generatedHistory, type HistoryWay } from '../../support/generatedHistory.js';

/** How many histories of a kind are looked at. */
const HISTORIES = 400;

/** Of lines that agents wrote, how many are said to be theirs, over all histories of a kind; one that is said wrongly fails. */
function recallOf(way: HistoryWay): number {
  let [written, told] = [0, 0];
  for (let at = 0; at < runs(HISTORIES); at++) {
    const { lines, edits, versions } = generatedHistory(seed + at, 5 + (at % 30), way);
    const replay = new Replay(
      edits.map((edit) => ({ edit, tree: '' })),
      versions,
    );
    const by = replay.blame(lines.map(({ text }) => text.replace(/\r$/, '')));
    for (const [line, truth] of lines.entries()) {
      const said = by[line] ?? 0;
      if (said !== 0)
        expect({ history: at, line, text: truth.text, by: said }).toEqual({ history: at, line, ...truth });
      if (truth.by !== 0) written++;
      if (truth.by !== 0 && said !== 0) told++;
    }
  }
  return told / written;
}

const EVERYTHING = ['write', 'reindent', 'revert', 'squash', 'windows'] as const;

const TOLD = ['before', 'patch', 'texts', 'write'] as const;

test.each<[string, number, HistoryWay]>([
  ['files that are told before each edit', 0.9, { tells: ['before', 'write'], people: ['write'] }],
  ['patches and texts without the file', 0.88, { tells: ['patch', 'texts'], people: ['write'] }],
  ['other blanks', 0.9, { tells: TOLD, people: ['reindent'] }],
  ['other ends of lines', 0.9, { tells: TOLD, people: ['windows'] }],
  ['reverts', 0.9, { tells: TOLD, people: ['revert'] }],
  ['squashed commits', 0.9, { tells: TOLD, people: ['squash'] }],
  ['all of these', 0.9, { tells: TOLD, people: EVERYTHING }],
  ['files written over what is not told', 0.4, { tells: ['over', 'before'], people: ['write'] }],
  ['calls without results', 0.8, { tells: ['asked', 'before'], people: ['write'] }],
  [
    'calls that perhaps were not done, and were made again',
    0.7,
    { tells: ['asked', 'before'], people: ['write'], isRefused: true },
  ],
  ['many equal lines', 0.7, { tells: TOLD, people: EVERYTHING, isRepetitive: true }],
])('what is said of a line is true: %s', (_, least, way) => {
  expect(recallOf(way)).toBeGreaterThan(least);
});

const GIVEN = ['first line of a person', 'second line of a person', 'third line of a person'];
const PUT = ['const howMany = countTheEggs(basket);', 'return howMany > 12 ? bake() : buy();'];

/** A done edit of a file of which nobody tells what stood there: lines put behind one that no version has. */
function looseEdit(put: readonly string[]) {
  const [old, now] = [[], put].map((lines) => ['typed and not committed', ...lines, ''].join('\n')) as [
    string,
    string,
  ];
  const change = { kind: 'replace' as const, places: [{ old, now }] };
  const call = { agent: 'Claude', tool: 'Edit', callId: 'call', position: 1 };
  return { edit: { path: 'a.ts', time: 2_000, ...call, change, isDone: true as const }, tree: '' };
}

test('what an edit brought is its own where what was around it has changed since', () => {
  const versions = [{ commit: 'c0', time: 1_000, lines: GIVEN }];
  const replay = new Replay([looseEdit(PUT)], versions);
  const [first = '', ...others] = GIVEN;
  expect(replay.blame([first, 'typed otherwise', ...PUT, ...others])).toEqual([0, 0, 1, 1, 0, 0]);
  // Less may be the same by chance.
  const little = new Replay([looseEdit(['bake();'])], versions);
  expect(little.blame([first, 'typed otherwise', 'bake();', ...others])).toEqual([0, 0, 0, 0, 0]);
});

test('what nobody says was done counts where all of it stands there later, unless it was asked for twice', () => {
  const versions = [{ commit: 'c0', time: 1_000, lines: GIVEN }];
  const old = `${GIVEN[0]}\n${GIVEN[1]}\n`;
  const now = `${GIVEN[0]}\n${PUT.join('\n')}\n${GIVEN[1]}\n`;
  const call = { agent: 'Cursor', tool: 'StrReplace', callId: 'call', position: 1 };
  const change = { kind: 'replace' as const, places: [{ old, now }] };
  const asked = { edit: { path: 'a.ts', time: 2_000, ...call, change }, tree: '' };
  const later = [GIVEN[0]!, ...PUT, GIVEN[1]!, 'a person went on', GIVEN[2]!];
  expect(new Replay([asked], versions).blame(later)).toEqual([0, 1, 1, 0, 0, 0]);
  expect(new Replay([asked, asked], versions).blame(later)).toEqual([0, 0, 0, 0, 0, 0]);
  // A line of it was changed, and what is left may be the same by chance.
  expect(new Replay([asked], versions).blame(later.toSpliced(1, 1, 'otherwise'))).toEqual([0, 0, 0, 0, 0, 0]);
});

test('what nobody says was done does not count where a file that was written whole may have put it', () => {
  const versions = [{ commit: 'c0', time: 1_000, lines: GIVEN }];
  const call = { path: 'a.ts', agent: 'Cursor', tool: 'Write', callId: 'call', position: 1 };
  const old = `${GIVEN[0]}\n${GIVEN[1]}\n`;
  for (const put of [PUT, ['}']]) {
    const change = {
      kind: 'replace' as const,
      places: [{ old, now: old.replace('\n', `\n${put.join('\n')}\n`) }],
    };
    const asked = { edit: { ...call, time: 2_000, change }, tree: '' };
    for (const last of [[], ['and more at the end of it']])
      for (const isDone of [true, undefined]) {
        const lines = [...GIVEN.toSpliced(1, 0, ...put), ...last];
        const written = { kind: 'write' as const, after: lines.join('\n') };
        const edit = { ...call, time: 3_000, change: written, ...(isDone && { isDone }) };
        const by = new Replay([asked, { edit, tree: '' }], versions).blame(lines);
        expect(by).toEqual(lines.map(() => 0));
      }
  }
});

test('of a line that stands elsewhere as well a file that was written whole may have put another one', () => {
  const [begin, old] = [['}', ...GIVEN], `${GIVEN[0]}\n`];
  const lines = begin.toSpliced(2, 0, '}');
  const call = { path: 'a.ts', agent: 'Cursor', tool: 'Write', callId: 'call', position: 1 };
  const change = { kind: 'replace' as const, places: [{ old, now: `${old}}\n` }] };
  const written = { kind: 'write' as const, before: begin.join('\n'), after: lines.join('\n') };
  const edits = [
    { edit: { ...call, time: 2_000, change }, tree: '' },
    { edit: { ...call, time: 3_000, change: written }, tree: '' },
  ];
  const replay = new Replay(edits, [{ commit: 'c0', time: 1_000, lines: begin }]);
  expect(replay.blame(lines)).toEqual([0, 0, 0, 0, 0]);
});

test('many edits at the same time are in their order, each looked at once', () => {
  const call = {
    path: 'a.ts',
    agent: 'Claude',
    tool: 'Edit',
    callId: 'call',
    position: 1,
    isDone: true as const,
  };
  let looked = 0;
  const edits = Array.from({ length: 200 }, (_, at) => {
    const change = { kind: 'replace' as const, places: [{ old: `nothing ${at}`, now: `something ${at}` }] };
    const edit = {
      ...call,
      time: 2_000,
      get change() {
        looked++;
        return change;
      },
    };
    return { edit, tree: '' };
  });
  const replay = new Replay(edits, [{ commit: 'c0', time: 1_000, lines: GIVEN }]);
  expect(replay.blame(GIVEN)).toEqual(GIVEN.map(() => 0));
  expect(looked).toBeLessThan(edits.length * 20);
});

test('of edits at the same time that fits first which tells what there was', () => {
  const call = { agent: 'Claude', tool: 'Edit', callId: 'call', position: 1, isDone: true as const };
  const edit = (before: readonly string[], at: number, put: string) => {
    const [old, now] = [before.join('\n'), before.toSpliced(at, 0, put).join('\n')];
    const change = { kind: 'replace' as const, before: old, places: [{ old, now }] };
    return { edit: { path: 'a.ts', time: 2_000, ...call, change }, tree: '' };
  };
  const [one, other] = PUT as [string, string];
  const second = edit(GIVEN.toSpliced(1, 0, one), 3, other);
  const versions = [{ commit: 'c0', time: 1_000, lines: GIVEN }];
  const by = new Replay([second, edit(GIVEN, 1, one)], versions).blame([
    GIVEN[0]!,
    one,
    GIVEN[1]!,
    other,
    GIVEN[2]!,
  ]);
  expect(by).toEqual([0, 2, 0, 1, 0]);
});

test('what an edit copied stays with whoever wrote it where the copy is gone', () => {
  const versions = [{ commit: 'c0', time: 1_000, lines: [...PUT, ...GIVEN] }];
  const replay = new Replay([looseEdit(PUT)], versions);
  expect(replay.blame([...PUT, ...GIVEN, 'typed at the end'])).toEqual([0, 0, 0, 0, 0, 0]);
});

test('an empty line that a file begins with stays its own, before which an edit puts others', () => {
  const places = [{ old: `\n${GIVEN[0]}\n`, now: `${PUT.join('\n')}\n\n${GIVEN[0]}\n` }];
  const call = { agent: 'Claude', tool: 'Edit', callId: 'call', position: 1, isDone: true as const };
  const edit = { path: 'a.ts', time: 2_000, ...call, change: { kind: 'replace' as const, places } };
  const replay = new Replay([{ edit, tree: '' }], [{ commit: 'c0', time: 1_000, lines: ['', ...GIVEN] }]);
  expect(replay.blame([...PUT, '', ...GIVEN])).toEqual([1, 1, 0, 0, 0, 0]);
});

/** How many characters are gone through to say who wrote a file in which an edit of so many hunks was made. */
function workOf(hunks: number, isThere: boolean): number {
  const told = (kind: string, at: number) =>
    `const value${kind}${at} = compute(${at}, 'some more words of text');`;
  const old = Array.from({ length: hunks }, (_, at) => told('same', at));
  const now = old.flatMap((line, at) => [line, told('made', at)]);
  const places = [{ old: `${old.join('\n')}\n`, now: `${now.join('\n')}\n` }];
  const [edit] = [looseEdit(PUT)].map((one) => ({
    ...one,
    edit: { ...one.edit, change: { kind: 'replace' as const, places } },
  }));
  // Another text, or one in which each hunk has other things around it.
  const file = Array.from(
    { length: 800 },
    (_, at) => `another text that tells of other things, number ${at}`,
  );
  const lines = isThere ? now.flatMap((line, at) => (at % 2 === 0 ? [`before ${at}`] : [line])) : file;
  let work = 0;
  for (const name of ['indexOf', 'includes', 'match', 'split'] as const) {
    const real = String.prototype[name] as (...words: unknown[]) => never;
    const spy = vi.spyOn(String.prototype, name).mockImplementation(function (
      this: string,
      ...words: unknown[]
    ) {
      work += this.length;
      return real.apply(this, words);
    });
    onTestFinished(() => void spy.mockRestore());
  }
  const by = new Replay([edit!], []).blame(lines);
  vi.restoreAllMocks();
  expect(by.includes(1)).toBe(isThere);
  return work;
}

test('a line that an edit only moved, or that one took away again, is not said to be its own', () => {
  const long = 'const eggs = countAllOfTheEggsThatAreLeftIn(theBasket, andTheFridge);';
  const call = { agent: 'Claude', tool: 'Edit', callId: 'call', position: 1 };
  const loose = (time: number, ...places: (readonly [old: string, now: string])[]) => ({
    edit: {
      path: 'a.ts',
      time,
      ...call,
      isDone: true as const,
      change: { kind: 'replace' as const, places: places.map(([old, now]) => ({ old, now })) },
    },
    tree: '',
  });
  const put = [`x\n`, `x\n${long}\n`] as const;
  const taken = [`x\n${long}\n`, `x\n`] as const;
  const file = ['head', 'q', long, 'tail'];
  expect(new Replay([loose(1, put)], []).blame(file)).toEqual([0, 0, 1, 0]);
  expect(new Replay([loose(1, taken, ['y\n', `y\n${long}\n`])], []).blame(file)).toEqual([0, 0, 0, 0]);
  expect(new Replay([loose(1, put), loose(2, taken)], []).blame(file)).toEqual([0, 0, 0, 0]);
  expect(new Replay([loose(1, taken), loose(2, put)], []).blame(file)).toEqual([0, 0, 2, 0]);
});

test('an edit of many hunks in a file that is not known costs in proportion to them', () => {
  for (const isThere of [false, true]) expect(workOf(400, isThere)).toBeLessThan(5 * workOf(100, isThere));
});
