import { longestRow } from '../query/numbers/lineDiff.js';
import {
  linesOf,
  replacementsOf,
  type FileChange,
  type RecordedEdit,
  type Replacement,
} from './recordedEdits.js';

/** No author is known. */
export const NOBODY = 0;

/** An edit where the file of the question is meant by it. */
export interface PlacedEdit {
  readonly edit: RecordedEdit;
  /** The folder in which the file lies by this edit; '' for the one that is asked about, another for a worktree of it. */
  readonly tree: string;
  /** Whether it is of a folder that only looks alike, as a clone or another project: then only a whole file that is equal counts. */
  readonly isElsewhere?: true;
}

/** A version of the file that git has, as a commit has left it. */
export interface CommittedVersion {
  readonly commit: string;
  /** When it was committed, in milliseconds since 1970. */
  readonly time: number;
  readonly lines: readonly string[];
  /** Authors that others tell, by the places of the lines; they count where no edit is known to have written one. */
  readonly told?: ReadonlyMap<number, number>;
}

/** A content of the file with the authors of its lines: one more than the place of the edit, `NOBODY`, or a number that was told. */
export interface Blamed {
  readonly lines: readonly string[];
  readonly by: readonly number[];
}

interface State extends Blamed {
  readonly time: number;
  readonly tree: string;
  readonly isElsewhere?: true;
}

/** Of so many trees the last contents are compared with a version that git has. */
const MAX_TREES = 8;
/** Fewer letters and digits may be equal to others by chance. */
const MIN_LETTERS = 40;
const MIN_LETTERS_OF_LINE = 12;
/** So many lines that edits brought are compared with those of one content. */
const MAX_SOUGHT = 10_000_000;
/** Of more edits at the same time none is tried before another: their session knows no times, and tells them in their order. */
const MAX_TOGETHER = 8;
/** Files of more lines are not looked at. */
const MAX_LINES = 200_000;

/**
 * Who wrote the lines of a file, by putting one content after the other: edits as sessions tell them, and the versions of
 * git, which come in their order. An edit counts where it fits a content that is known exactly; what happened in between
 * has no author. Nothing is concluded from the time alone: it only says what can not have come before what.
 */
export class Replay {
  readonly #edits: readonly PlacedEdit[];
  /** Contents that are known, by their lines; the latest of equal ones. */
  readonly #pool = new Map<string, State>();
  readonly #last = new Map<string, State>();
  /** What a tree has if all that was asked for in it was done as well. */
  readonly #maybe = new Map<string, State>();
  /** For each line that an edit took from where it stood, the number of the last one that did. */
  readonly #taken = new Map<string, number>();
  /** What edits put in a file of which the content was not known, with the stretches that are new. */
  readonly #loose: {
    number: number;
    put: readonly string[];
    brought: ReturnType<typeof stretches>;
    isDone: boolean;
  }[] = [];
  /** Edits that nobody says were done and of which another puts the same: either may have been the one that was. */
  readonly #again: ReadonlySet<number>;
  #version: State | undefined;
  #commits: readonly Blamed[] = [];

  constructor(edits: readonly PlacedEdit[], versions: readonly CommittedVersion[]) {
    this.#edits = edits;
    this.#again = askedAgain(edits);
    const order = edits.map((_, at) => at).filter((at) => (edits[at]?.edit.time ?? 0) > 0);
    // Those of one session come in their order, whatever the clock says.
    order.sort((one, two) => (edits[one]?.edit.time ?? 0) - (edits[two]?.edit.time ?? 0) || one - two);
    const done: Blamed[] = [];
    let next = 0;
    const goOn = (until: number) => {
      const timeAt = (at: number) => edits[order[at] ?? -1]?.edit.time ?? Infinity;
      for (let from = next; timeAt(from) <= until; from = next) {
        while (timeAt(next) === timeAt(from)) next++;
        const together = order.slice(from, next);
        // Of those at the same time, what fits what is known comes before what does not yet.
        const isTried = together.length <= MAX_TOGETHER;
        while (together.length > 0) {
          const first =
            isTried && together.length > 1 ? together.findIndex((number) => this.#fits(number)) : 0;
          for (const number of together.splice(Math.max(0, first), isTried ? 1 : Infinity))
            this.#edit(number);
        }
      }
    };
    let now = 0;
    for (const version of versions) {
      now = Math.max(now, version.time);
      goOn(now);
      done.push(this.#commit(version, now));
    }
    goOn(Number.MAX_VALUE);
    this.#commits = done;
  }

  /** The versions of git, with the authors of their lines. */
  get versions(): readonly Blamed[] {
    return this.#commits;
  }

  /** The authors of a content that the file has now. */
  blame(lines: readonly string[]): readonly number[] {
    return this.#knownAs({ lines, time: Infinity, tree: '' }).by;
  }

  #commit({ lines, told }: CommittedVersion, time: number): Blamed {
    const known = this.#knownAs({ lines, time, tree: '' });
    const by = known.by.map((author, at) => (author === NOBODY ? (told?.get(at) ?? NOBODY) : author));
    this.#version = told ? { ...known, by } : known;
    this.#keep(this.#version);
    return this.#version;
  }

  /** A content of which only the lines are known: as one that is known already, or by what is the same in the last ones. */
  #knownAs({ lines, time, tree }: Omit<State, 'by'>): State {
    const same = this.#equalTo(lines);
    if (same) return { lines, by: same.by, time, tree };
    if (lines.length > MAX_LINES) return { lines, time, tree, by: lines.map(() => NOBODY) };
    const [nearest, ...others] = this.#nearby(tree);
    const by: number[] = lines.map(() => NOBODY);
    const from = nearest ? carry(nearest.lines, lines) : new Int32Array(lines.length).fill(NEW);
    for (const [at, of] of from.entries()) if (of >= 0) by[at] = nearest?.by[of] ?? NOBODY;
    const open = linesThatTell(lines).filter((at) => from[at] === NEW);
    if (open.length === 0) return { lines, time, tree, by };
    const told = new Map<number, number>();
    const tell = (at: number, author: number) => {
      const other = told.get(at);
      // Two that say different things say nothing.
      if (author !== NOBODY) told.set(at, other === undefined || other === author ? author : NOBODY);
    };
    for (const state of others) {
      const of = carry(state.lines, lines);
      for (const at of open) if ((of[at] ?? NEW) >= 0) tell(at, state.by[of[at] ?? 0] ?? NOBODY);
    }
    const isOpen = new Set(open);
    for (const [at, author] of this.#looseIn(lines, open)) if (isOpen.has(at)) tell(at, author);
    for (const [at, author] of told) by[at] = author;
    return { lines, time, tree, by };
  }

  /** What the file had last, in its tree or in git, the latest first, and what it has in other trees. */
  #nearby(tree: string): readonly State[] {
    const own = [this.#last.get(tree), this.#version].filter((state) => state !== undefined);
    const others = [...this.#last.values()].filter((state) => state.tree !== tree && !state.isElsewhere);
    const latest = (states: State[]) => states.sort((one, two) => two.time - one.time);
    return [...latest(own), ...latest(others).slice(0, MAX_TREES)];
  }

  /**
   * Of open lines, each of which stands in a content once, those that edits brought of which the whole outcome stands there,
   * with what was around it.
   */
  *#looseIn(lines: readonly string[], open: readonly number[]): Generator<readonly [number, number]> {
    if (this.#loose.length === 0) return;
    const openAt = new Map(open.map((at) => [lines[at] ?? '', at]));
    let room = MAX_SOUGHT;
    for (const { number, put, brought, isDone } of this.#loose) {
      /** How many lines of it stand one after the other, were its first at a place. */
      const standing = (begin: number, from: number, step: 1 | -1) => {
        let count = 0;
        for (let line = from; line >= 0 && line < put.length && room > 0; line += step, count++, room--)
          if (lines[begin + line] !== put[line]) break;
        return count;
      };
      const ends = new Map<number, readonly [first: number, last: number]>();
      for (const [from, to] of brought) {
        const one = put.slice(from, to).findIndex((line) => openAt.has(line));
        if (one < 0) continue;
        const begin = (openAt.get(put[from + one] ?? '') ?? 0) - from - one;
        const [first, last] = ends.get(begin) ?? [standing(begin, 0, 1), standing(begin, put.length - 1, -1)];
        ends.set(begin, [first, last]);
        // What was around it may have changed since on one side or on both.
        const start = first >= to ? 0 : from;
        const end = first === put.length || (start === from && last >= put.length - from) ? put.length : to;
        const isThere = first >= to || end > to || standing(begin, from, 1) >= to - from;
        if (!isThere || !isTelling(put, start, end)) continue;
        const isWhole = start === 0 && end === put.length;
        // What nobody says was done must stand there with all that it named around it, or tell by itself.
        if (!isWhole && !isDone && !isTelling(put, from, to)) continue;
        if (!isWhole && this.#isTakenAway(put.slice(from, to), number)) continue;
        for (let line = from; line < to; line++) yield [begin + line, number];
      }
    }
  }

  /** Whether an edit, or one behind it, took one of these lines from where it stood: then perhaps somebody else's stands there. */
  #isTakenAway(lines: readonly string[], number: number): boolean {
    return lines.some(
      (line) => (this.#taken.get(line) ?? 0) >= number && lettersIn(line) >= MIN_LETTERS_OF_LINE,
    );
  }

  /** Notes which lines an edit took from where they stood. */
  #take(change: FileChange, number: number): void {
    for (const { old, now } of change.kind === 'replace' ? change.places : []) {
      const stays = new Set(linesOf(now));
      for (const line of linesOf(old)) if (!stays.has(line)) this.#taken.set(line, number);
    }
  }

  #equalTo(lines: readonly string[]): State | undefined {
    const same = this.#pool.get(keyOf(lines));
    if (!same?.isElsewhere) return same;
    return isTelling(same.lines) ? same : undefined;
  }

  /** Whether an edit fits a content that is known exactly. */
  #fits(number: number): boolean {
    const placed = this.#edits[number];
    const { change } = placed?.edit ?? {};
    if (!placed || !change || change.kind === 'delete') return true;
    if (change.kind === 'seen') return this.#equalTo(linesOf(change.after)) !== undefined;
    if (change.before !== undefined) return this.#equalTo(linesOf(change.before)) !== undefined;
    return this.#bases(placed).some((base) => applied(base, placed.edit, NOBODY) !== undefined);
  }

  #edit(number: number): void {
    const placed = this.#edits[number];
    if (!placed) return;
    const { edit, tree, isElsewhere } = placed;
    const { change, time } = edit;
    const isDone = edit.isDone === true;
    if (change.kind === 'delete') {
      if (isDone) this.#last.delete(tree);
      return;
    }
    if (this.#loose.length > 0 && isDone) this.#take(change, number + 1);
    // A file that is written over may hold what others wrote since it was known last, so that no line of it is surely new.
    const isOver = change.kind === 'write' && change.before === undefined && this.#isKnown(tree);
    if (change.kind === 'seen' || isOver) {
      if (edit.isDone !== true) return;
      const state = this.#reached(linesOf(change.after), { time, tree });
      this.#found({ ...state, ...(isElsewhere && { isElsewhere }) });
      return;
    }
    for (const base of this.#bases(placed)) {
      const made = applied(base, edit, this.#again.has(number) ? NOBODY : number + 1);
      if (!made || made.lines.length > MAX_LINES) continue;
      const state = { ...made, time, tree, ...(isElsewhere && { isElsewhere }) };
      if (isDone) {
        this.#found(state);
        return;
      }
      // What nobody says was done counts where the file has this very content later.
      this.#maybe.set(tree, state);
      if (!this.#pool.has(keyOf(state.lines))) this.#keep(state);
      break;
    }
    if (change.kind !== 'replace' || isElsewhere === true || this.#again.has(number)) return;
    // What edits before the first of these took is asked for by none.
    if (this.#loose.length === 0 && isDone) this.#take(change, number + 1);
    for (const { old, now } of change.places) {
      const put = linesOf(now);
      this.#loose.push({
        number: number + 1,
        put,
        brought: stretches(carry(linesOf(old), put, true)),
        isDone,
      });
    }
  }

  #isKnown(tree: string): boolean {
    return this.#last.has(tree) || (tree === '' && this.#version !== undefined);
  }

  /** The contents that an edit may be one of, the likeliest first. */
  #bases({ edit: { change, isDone }, tree }: PlacedEdit): readonly State[] {
    if (change.kind === 'write' || change.kind === 'replace') {
      if (change.before !== undefined) return [this.#reached(linesOf(change.before), { time: 0, tree })];
    }
    const [last, version] = [this.#last.get(tree), tree === '' ? this.#version : undefined];
    const sure = [last, version]
      .filter((state) => state !== undefined)
      .sort((one, two) => two.time - one.time);
    const maybe = isDone === true ? undefined : this.#maybe.get(tree);
    const bases = maybe ? [maybe, ...sure] : sure;
    return change.kind === 'write' ? [{ lines: [], by: [], time: 0, tree }] : bases;
  }

  /** A content that a session shows whole, at a time. */
  #reached(lines: readonly string[], { time, tree }: Pick<State, 'time' | 'tree'>): State {
    const same = this.#equalTo(lines);
    if (same) return { lines, by: same.by, time, tree };
    const last = this.#last.get(tree);
    if (tree === '' || !last) {
      return tree === ''
        ? this.#knownAs({ lines, time, tree })
        : { lines, time, tree, by: lines.map(() => NOBODY) };
    }
    return { lines, time, tree, by: [...carry(last.lines, lines)].map((of) => last.by[of] ?? NOBODY) };
  }

  #found(state: State): void {
    this.#last.set(state.tree, state);
    this.#maybe.delete(state.tree);
    this.#keep(state);
  }

  #keep(state: State): void {
    const key = keyOf(state.lines);
    // What is known of this file is not told by another one.
    if (state.isElsewhere && this.#pool.get(key)?.isElsewhere === undefined && this.#pool.has(key)) return;
    if (state.lines.length > 0) this.#pool.set(key, state);
  }
}

/** Which edits that nobody says were done put something that another one puts as well. */
function askedAgain(edits: readonly PlacedEdit[]): ReadonlySet<number> {
  const again = new Set<number>();
  if (edits.every(({ edit }) => edit.isDone)) return again;
  const first = new Map<string, number>();
  const put = (key: string, number: number) => {
    const other = first.get(key);
    if (other === undefined) first.set(key, number);
    else if (other !== number)
      for (const one of [other, number]) if (!edits[one]?.edit.isDone) again.add(one);
  };
  /** Stretches of which no line tells by itself. */
  const short: { readonly number: number; readonly brought: readonly string[] }[] = [];
  for (const [number, { edit }] of edits.entries()) {
    for (const { old, now } of edit.change.kind === 'replace' ? edit.change.places : []) {
      const lines = linesOf(now);
      for (const [from, to] of stretches(carry(linesOf(old), lines, true))) {
        const brought = lines.slice(from, to);
        const telling = brought.filter((line) => lettersIn(line) >= MIN_LETTERS_OF_LINE);
        for (const line of telling) put(line, number);
        if (telling.length > 0) continue;
        put(brought.join('\n'), number);
        if (!edit.isDone) short.push({ number, brought });
      }
    }
  }
  // A file that is written whole may put it, too.
  for (const { edit } of edits) {
    if (edit.change.kind !== 'write') continue;
    const before = countOf(linesOf(edit.change.before ?? ''));
    const after = countOf(linesOf(edit.change.after));
    const lines = new Set(
      [...after.keys()].filter((line) => (after.get(line) ?? 0) > (before.get(line) ?? 0)),
    );
    for (const line of lines) {
      const number = first.get(line);
      if (number !== undefined && !edits[number]?.edit.isDone) again.add(number);
    }
    for (const { number, brought } of short) if (brought.every((line) => lines.has(line))) again.add(number);
  }
  return again;
}

/** A content after an edit; undefined where the edit does not fit it. */
function applied(base: Blamed, { change }: RecordedEdit, author: number): Blamed | undefined {
  if (change.kind === 'write')
    return replaced(base, { from: 0, to: base.lines.length, now: linesOf(change.after) }, author);
  if (change.kind !== 'replace') return undefined;
  let state = base;
  for (const place of change.places) {
    const replacements = replacementsOf(state.lines, place);
    if (!replacements) return undefined;
    for (const one of replacements) state = replaced(state, one, author);
  }
  return state;
}

/** Lines between those that stay are of the author, but for those that stood there before. */
function replaced({ lines, by }: Blamed, { from, to, now }: Replacement, author: number): Blamed {
  const of = carry(lines.slice(from, to), now, true);
  const put = now.map((_, at) => {
    const line = of[at] ?? NEW;
    return line === NEW ? author : line === UNSURE ? NOBODY : (by[from + line] ?? NOBODY);
  });
  return {
    lines: [...lines.slice(0, from), ...now, ...lines.slice(to)],
    by: [...by.slice(0, from), ...put, ...by.slice(to)],
  };
}

/** The lines that are new ones, as stretches, each with its first and the one behind its last. */
function stretches(of: Int32Array): readonly (readonly [from: number, to: number])[] {
  const found: [number, number][] = [];
  for (const [at, from] of of.entries()) {
    const last = found.at(-1);
    if (from !== NEW) continue;
    if (last?.[1] === at) last[1]++;
    else found.push([at, at + 1]);
  }
  return found;
}

/** Whether lines are so many words that they are not the same as others by chance. */
export function isTelling(lines: readonly string[], from = 0, to = lines.length): boolean {
  let letters = 0;
  for (let at = from; at < to && letters < MIN_LETTERS; at++) letters += lettersIn(lines[at] ?? '');
  return letters >= MIN_LETTERS;
}

/** How often each line stands there. */
function countOf(lines: readonly string[]): ReadonlyMap<string, number> {
  const count = new Map<string, number>();
  for (const line of lines) count.set(line, (count.get(line) ?? 0) + 1);
  return count;
}

/** The places of lines that stand there once and are so long that they are not the same as others by chance. */
export function linesThatTell(lines: readonly string[]): readonly number[] {
  const count = countOf(lines.map((line) => line.trim()));
  return [...lines.keys()].filter((at) => {
    const line = lines[at]?.trim() ?? '';
    return count.get(line) === 1 && lettersIn(line) >= MIN_LETTERS_OF_LINE;
  });
}

function keyOf(lines: readonly string[]): string {
  return lines.join('\n');
}

/** A line of the newer text is a new one. */
export const NEW = -1;
/** A line of the newer text is a new one or one of several: two equal lines cannot be told apart. */
export const UNSURE = -2;

/** Lines between two changes that have together fewer letters and digits may have gone in one and come in the other. */
const TELLING = 16;
/** A line with so many letters and digits may say by itself which line it is. */
const STRONG = 3;

/**
 * For each line of a text the place of the same line in the text before; `NEW` or `UNSURE` where there is none that is
 * certain. Blanks say nothing of who wrote a line, so that lines that differ in these alone are the same. Where a change
 * may have been another one with the same outcome (one of two equal lines beside it came or went), none of them is told.
 * `isOneEdit`: whether it is known that one edit made the one text of the other; else a line without words beside a change
 * may have gone and come again.
 */
export function carry(before: readonly string[], after: readonly string[], isOneEdit = false): Int32Array {
  const [old, now] = [before.map(withoutBlanks), after.map(withoutBlanks)];
  const found = new Int32Array(now.length).fill(NEW);
  let begin = 0;
  for (; begin < Math.min(old.length, now.length) && old[begin] === now[begin]; begin++) found[begin] = begin;
  let [oldEnd, nowEnd] = [old.length, now.length];
  for (; oldEnd > begin && nowEnd > begin && old[oldEnd - 1] === now[nowEnd - 1]; oldEnd--, nowEnd--)
    found[nowEnd - 1] = oldEnd - 1;
  const anchors = anchorsOf(old, now, { begin, oldEnd, nowEnd });
  for (const [at, of] of anchors) found[at] = of;
  spread(old, now, found);
  markLonely(now, found, old.length);
  markUnsure(old, now, found, isOneEdit);
  return found;
}

function withoutBlanks(line: string): string {
  return line.replaceAll(/\s+/g, '');
}

/** Lines between some places that stand there exactly once in both texts, in the same order: the longest such row. */
function anchorsOf(
  old: readonly string[],
  now: readonly string[],
  { begin, oldEnd, nowEnd }: { readonly begin: number; readonly oldEnd: number; readonly nowEnd: number },
): readonly (readonly [at: number, of: number])[] {
  const [inOld, inNow] = [onceIn(old, begin, oldEnd), onceIn(now, begin, nowEnd)];
  const pairs: (readonly [number, number])[] = [];
  for (const [line, at] of inNow) {
    const of = inOld.get(line);
    if (at >= 0 && of !== undefined && of >= 0 && isStrong(line)) pairs.push([at, of]);
  }
  return longestRow(pairs.sort(([one], [two]) => one - two));
}

/** Where each line stands; -1 where it stands more than once. */
function onceIn(lines: readonly string[], begin: number, end: number): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (let at = begin; at < end; at++) {
    const line = lines[at] ?? '';
    found.set(line, found.has(line) ? -1 : at);
  }
  return found;
}

function isStrong(line: string): boolean {
  return lettersIn(line) >= STRONG;
}

function lettersIn(line: string): number {
  return line.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** Lines beside those that are found are the same where they are equal, as far as there are no others between. */
function spread(old: readonly string[], now: readonly string[], found: Int32Array): void {
  const taken = new Uint8Array(old.length);
  for (const of of found) if (of >= 0) taken[of] = 1;
  const take = (at: number, of: number): boolean => {
    if (at < 0 || at >= now.length || of < 0 || of >= old.length) return false;
    if (found[at] !== NEW || taken[of] === 1 || old[of] !== now[at]) return false;
    found[at] = of;
    taken[of] = 1;
    return true;
  };
  for (let at = 0; at < now.length; at++) {
    const of = found[at] ?? NEW;
    if (of >= 0) take(at + 1, of + 1);
  }
  for (let at = now.length - 1; at >= 0; at--) {
    const of = found[at] ?? NEW;
    if (of >= 0) take(at - 1, of - 1);
  }
}

/** Takes back what stands alone between two changes and says little: it may be gone from there and have come here. */
function markLonely(now: readonly string[], found: Int32Array, oldLength: number): void {
  for (let at = 0; at < now.length;) {
    if ((found[at] ?? NEW) < 0) {
      at++;
      continue;
    }
    let end = at + 1;
    while (end < now.length && found[end] === (found[end - 1] ?? 0) + 1) end++;
    const isFirst = at === 0 && found[0] === 0;
    const isLast = end === now.length && found[end - 1] === oldLength - 1;
    const letters = now
      .slice(at, Math.min(end, at + TELLING))
      .reduce((sum, line) => sum + lettersIn(line), 0);
    if (!isFirst && !isLast && letters < TELLING) found.fill(UNSURE, at, end);
    at = end;
  }
}

/** Takes back what another change could explain as well: see `carry`. */
function markUnsure(
  old: readonly string[],
  now: readonly string[],
  found: Int32Array,
  isOneEdit: boolean,
): void {
  const kept = Int32Array.from(found);
  for (let at = 0, of = 0; at <= now.length;) {
    const next = at < now.length ? (kept[at] ?? NEW) : old.length;
    if (next === of) {
      at++;
      of++;
      if (at > now.length) break;
      continue;
    }
    // A gap: lines from `at` on are new, those of the old text from `of` on are gone.
    let end = at;
    while (end < now.length && (kept[end] ?? NEW) < 0) end++;
    const ofEnd = end < now.length ? (kept[end] ?? NEW) : old.length;
    const gone = new Set(old.slice(of, ofEnd));
    const come = new Set(now.slice(at, end));
    const beside = new Set<string>();
    const walk = (from: number, step: 1 | -1) => {
      for (let line = from; line >= 0 && line < now.length; line += step) {
        const text = now[line] ?? '';
        const mayBeOther = gone.has(text) || come.has(text) || (!isOneEdit && !isStrong(text));
        if ((kept[line] ?? NEW) < 0 || !mayBeOther) return;
        found[line] = UNSURE;
        beside.add(text);
      }
    };
    walk(at - 1, -1);
    walk(end, 1);
    for (let line = at; line < end; line++) {
      const text = now[line] ?? '';
      if (gone.has(text) || beside.has(text)) found[line] = UNSURE;
    }
    [at, of] = [end, ofEnd];
    if (at >= now.length) break;
  }
}
