import { linesOf, type FileChange } from '../../src/provenance/recordedEdits.js';
import type { RecordedEdit } from '../../src/provenance/recordedEdits.js';
import type { CommittedVersion } from '../../src/provenance/replay.js';
import { randomNumbers } from './randomNumbers.js';

/** A line of which it is known who wrote it: the number of the edit from 1, or 0 for a person. */
export interface TrueLine {
  readonly text: string;
  readonly by: number;
}

/** A file that agents and people have worked on, and what is left of that for whoever asks who wrote it. */
export interface GeneratedHistory {
  readonly lines: readonly TrueLine[];
  readonly edits: readonly RecordedEdit[];
  readonly versions: readonly CommittedVersion[];
}

/** How a history is made: what people do besides writing lines, and how agents tell of their edits. */
export interface HistoryWay {
  readonly tells: readonly ('before' | 'patch' | 'texts' | 'write' | 'over' | 'asked')[];
  readonly people: readonly ('write' | 'reindent' | 'revert' | 'squash' | 'windows')[];
  /** Whether edits that nobody says were done often were not, and some of them are asked for again. */
  readonly isRefused?: boolean;
  /** Whether lines often are equal to others. */
  readonly isRepetitive?: boolean;
}

const REPEATED = ['}', '', '  return undefined;', '});', '// ---', 'import a from a;'];

/** A history of so many steps, the same for the same seed. */
export function generatedHistory(seed: number, steps: number, way: HistoryWay): GeneratedHistory {
  const draw = randomNumbers(seed);
  const below = (limit: number) => Math.floor(draw() * limit);
  let number = 0;
  const newText = () =>
    draw() < (way.isRepetitive ? 0.5 : 0.15)
      ? (REPEATED[below(REPEATED.length)] ?? '')
      : `const word${seed}x${++number} = ${below(9)};`;
  const person = (count: number): TrueLine[] =>
    Array.from({ length: count }, () => ({ text: newText(), by: 0 }));

  let lines: readonly TrueLine[] = person(5 + below(20));
  let time = 1_000_000;
  const edits: RecordedEdit[] = [];
  const versions: CommittedVersion[] = [];
  const truths: (readonly TrueLine[])[] = [];
  const texts = (of: readonly TrueLine[]) => linesOf(of.map(({ text }) => `${text}\n`).join(''));
  const commit = () => {
    versions.push({ commit: `c${versions.length}`, time: (time += 1_000), lines: texts(lines) });
    truths.push(lines);
  };
  commit();

  const splice = (by: number) => {
    const from = below(lines.length + 1);
    const to = Math.min(lines.length, from + below(4));
    const put = Array.from({ length: below(5) }, () => ({ text: newText(), by }));
    return replacedLines(lines, from, to, put);
  };
  const agent = () => {
    const by = edits.length + 1;
    const before = lines;
    const made = splice(by);
    const tell = way.tells[below(way.tells.length)] ?? 'before';
    const change = changeTold(tell, before, made);
    if (!change || texts(before).join('\n') === texts(made.lines).join('\n')) return;
    const told = (isDone: boolean) => {
      const callId = `call${edits.length + 1}`;
      time += 1_000;
      edits.push({
        path: 'a.ts',
        time,
        position: edits.length + 1,
        agent: 'Claude',
        tool: 'Edit',
        callId,
        change,
        ...(isDone && { isDone: true as const }),
      });
    };
    told(tell !== 'asked');
    if (tell === 'asked' && way.isRefused && draw() < 0.4) {
      if (draw() < 0.5) return;
      told(false);
      const again = edits.length;
      lines = made.lines.map((line) => (line.by === by ? { ...line, by: again } : line));
      return;
    }
    lines = made.lines;
  };
  const people = {
    write: () => (lines = splice(0).lines),
    reindent: () =>
      (lines = lines.map(({ text, by }) => ({ text: `  ${text.trim()}`.replace(/^ +$/, ''), by }))),
    revert: () => (lines = truths.at(-1) ?? lines),
    squash: () => {
      if (versions.length < 3) return;
      versions.splice(-2, 1);
      truths.splice(-2, 1);
    },
    windows: () => (lines = lines.map(({ text, by }) => ({ text: text.replace(/\r?$/, '\r'), by }))),
  };
  for (let step = 0; step < steps; step++) {
    const chance = draw();
    if (chance < 0.5) agent();
    else if (chance < 0.75) people[way.people[below(way.people.length)] ?? 'write']();
    else commit();
  }
  return { lines, edits, versions };
}

/** What a person or an agent makes of a place: lines at its ends that are the same afterwards, but for blanks, were not touched. */
export function replacedLines(
  lines: readonly TrueLine[],
  from: number,
  to: number,
  put: readonly TrueLine[],
) {
  let [begin, end, first, last] = [from, to, 0, put.length];
  const isSame = (at: number, of: number) => lines[at]?.text.trim() === put[of]?.text.trim();
  while (begin < end && first < last && isSame(begin, first)) [begin, first] = [begin + 1, first + 1];
  while (begin < end && first < last && isSame(end - 1, last - 1)) [end, last] = [end - 1, last - 1];
  const now = put.slice(first, last);
  return { lines: [...lines.slice(0, begin), ...now, ...lines.slice(end)], begin, end, count: now.length };
}

/** An edit as a session tells it; undefined where this way of telling cannot tell it. */
export function changeTold(
  tell: HistoryWay['tells'][number],
  before: readonly TrueLine[],
  { lines, begin, end, count }: ReturnType<typeof replacedLines>,
): FileChange | undefined {
  const text = (of: readonly TrueLine[]) => of.map((line) => `${line.text.replace(/\r$/, '')}\n`).join('');
  if (tell === 'over') return { kind: 'write', after: text(lines) };
  if (tell === 'write') return { kind: 'write', before: text(before), after: text(lines) };
  const from = Math.max(0, begin - 2);
  const old = text(before.slice(from, end + 2));
  const now = text(lines.slice(from, begin + count + 2));
  if (tell === 'before')
    return { kind: 'replace', before: text(before), places: [{ old, now, line: from + 1 }] };
  if (tell === 'patch') return { kind: 'replace', places: [{ old, now, line: from + 1 }] };
  // Tools refuse a text that stands there twice.
  return old === '' || text(before).split(old).length !== 2
    ? undefined
    : { kind: 'replace', places: [{ old, now }] };
}
