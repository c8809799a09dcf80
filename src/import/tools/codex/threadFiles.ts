import type { ImportSink } from '../../building/importSink.js';
import { asText } from '../../reading/fields.js';
import type { SidecarEntries } from '../../building/transcriptFormat.js';
import { RolloutAhead, type HistoryBase } from './rolloutAhead.js';
import { rolloutName } from './rolloutFolders.js';

/** A rollout, with what its lines say of the whole. */
export interface RolloutFile {
  /** By what others name it. */
  readonly rollout: string;
  readonly thread: string;
  readonly ahead: RolloutAhead;
  /** Undefined for the one that is read, whose values are given. */
  readonly beside: SidecarEntries | undefined;
}

/** A rollout, as far as others go on from it: up to the record with a number, exclusive. */
export interface InheritedFile {
  readonly file: RolloutFile;
  readonly end: number;
}

/** The files of a thread in the order in which they are read. */
export interface ThreadFiles {
  /** What the thread was forked from, the oldest first. */
  readonly inherited: readonly InheritedFile[];
  /** Its own files, of which one may be that which is read. */
  readonly parts: readonly RolloutFile[];
}

/** The one that is read; `name` is its file's, without its ending. */
export function mainFile(name: string, ahead: RolloutAhead): RolloutFile {
  const found = rolloutName(`${name.replace(/\.jsonl$/, '')}.jsonl`);
  return { rollout: found?.rollout ?? ahead.thread, thread: ahead.thread, ahead, beside: undefined };
}

/** One beside it, which is looked through. */
export function fileBeside(beside: SidecarEntries): RolloutFile {
  const ahead = new RolloutAhead();
  for (const { value } of beside.entries) ahead.look(value);
  const name = rolloutName(beside.name);
  const thread = ahead.thread === '' ? (name?.thread ?? '') : ahead.thread;
  return { rollout: name?.rollout ?? thread, thread, ahead, beside };
}

/**
 * Puts the files of a thread in order: each behind the one that it goes on from, else as they began. What a thread went back from
 * stays where it was said. `tell` hears what is missing in front of it.
 */
export function filesOfThread(
  own: readonly RolloutFile[],
  all: readonly RolloutFile[],
  tell: (problem: string) => void,
): ThreadFiles {
  const known = new Map([...all, ...own].map((file) => [file.rollout, file]));
  const sorted = [...own].sort((a, b) => order(a) - order(b) || (a.rollout < b.rollout ? -1 : 1));
  const parts: RolloutFile[] = [];
  const put = (file: RolloutFile, behind: readonly RolloutFile[]) => {
    if (parts.includes(file) || behind.includes(file)) return;
    const base = known.get(file.ahead.base?.rollout ?? '');
    if (base && own.includes(base)) put(base, [...behind, file]);
    parts.push(file);
  };
  for (const file of sorted) put(file, []);
  for (const { ahead } of parts) tellMissing(ahead.base, known, tell);
  const [first] = parts;
  const inherited = historyBefore(first?.ahead.base, known).filter(({ file }) => !own.includes(file));
  return { inherited, parts };
}

/** The files before a base, each up to where the next goes on from it, the oldest first. */
function historyBefore(
  base: HistoryBase | undefined,
  known: ReadonlyMap<string, RolloutFile>,
): readonly InheritedFile[] {
  const found: InheritedFile[] = [];
  let end = Number.POSITIVE_INFINITY;
  for (let at = base; at;) {
    const file = known.get(at.rollout);
    if (!file || found.some((each) => each.file === file)) break;
    end = Math.min(end, at.end);
    found.unshift({ file, end });
    at = file.ahead.base;
  }
  return found;
}

/** What a thread had used up to a base, as its counts tell it; undefined where none does. */
export function usedBefore(base: HistoryBase | undefined, all: readonly RolloutFile[]) {
  const known = new Map(all.map((file) => [file.rollout, file]));
  const counts = historyBefore(base, known).map(({ file, end }) => file.ahead.totalBefore(end));
  return counts.findLast((total) => total !== undefined);
}

function tellMissing(
  base: HistoryBase | undefined,
  known: ReadonlyMap<string, RolloutFile>,
  tell: (problem: string) => void,
): void {
  const seen = new Set<string>();
  for (let at = base; at;) {
    const { rollout, end } = at;
    const file = known.get(rollout);
    if (seen.has(rollout))
      tell(`This session goes on from ${rollout}, which goes on from itself; that was not followed.`);
    else if (!file)
      tell(
        `This session goes on from ${rollout}, which is not there: the ${end} records before are missing.`,
      );
    else if (Number.isFinite(end) && file.ahead.records < end)
      tell(
        `Of ${rollout}, from which this session goes on, ${end - file.ahead.records} records are missing.`,
      );
    if (!file || seen.has(rollout)) return;
    seen.add(rollout);
    at = file.ahead.base;
  }
}

function order({ ahead }: RolloutFile): number {
  return ahead.began ?? 0;
}

/** The values of an inherited file up to its end, of which the rest is another session's. */
export function* inheritedEntries({ file, end }: InheritedFile, sink: ImportSink) {
  const { beside, ahead } = file;
  if (!beside) return;
  // What of it is not inherited belongs to itself.
  sink.leaveOut(beside.name);
  let ordinal = ahead.base?.end ?? 0;
  for (const entry of sink.taking(beside.entries)) {
    ordinal = ahead.ordinalOf(entry.value) ?? ordinal;
    if (ordinal >= end) return;
    yield entry;
    ordinal++;
  }
}

/** The files of each thread among some, by the thread; what has no thread, or stands twice, is by itself. */
export function byThread(files: readonly RolloutFile[]): readonly (readonly RolloutFile[])[] {
  const found = new Map<string, RolloutFile[]>();
  const alone: RolloutFile[][] = [];
  for (const file of files) {
    const same = found.get(asText(file.thread));
    if (file.thread === '' || same?.some(({ rollout }) => rollout === file.rollout)) alone.push([file]);
    else if (same) same.push(file);
    else found.set(file.thread, [file]);
  }
  return [...found.values(), ...alone];
}
