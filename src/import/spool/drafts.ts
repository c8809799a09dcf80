import { joined } from '../../core/joined.js';
import { appendAll } from '../../core/lists.js';
import { isObject } from '../../core/message.js';
import type { CallSite } from '../../core/record.js';
import { Numbers } from './numbers.js';
import type { SourceOfEntries } from '../reading/entries.js';
import { Raws } from './raws.js';
import type { Spool } from './spool.js';

/**
 * How much of a file the drafts are made of that are held before the older ones wait on the disk, in bytes. Twice that is
 * held at most, and a value of the file in memory takes a few times what it takes in the file.
 */
const MAX_HELD_BYTES = 64 * 1024;

/** Under which keys of its body a draft may have a value of the file as it is. */
const AS_IT_IS = ['value', 'message'] as const;

/** What a draft says, while it is held. */
interface Content {
  readonly place: CallSite;
  time: number | undefined;
  body: Record<string, unknown>;
  /** Undefined while it has not been asked for since the draft came back from the disk. */
  raws: unknown[] | undefined;
  readonly beside: Draft[];
  /** The numbers of the first of its raws, those that are known to the others already. */
  readonly known: number[];
}

/** Thrown where a draft is asked for of which nothing is kept, because nobody was to ask for it any more. */
export class ForgottenDraft extends Error {
  constructor(index: number) {
    super(`Draft ${index} was forgotten.`);
  }
}

/** How a draft waits on the disk. */
interface Page {
  readonly place: CallSite;
  readonly time?: number | undefined;
  readonly body: Record<string, unknown>;
  /** The key of the body under which a value of the file stands as it is, and the number of that value. */
  readonly whole?: readonly [key: string, raw: number];
  readonly raws: readonly number[];
  readonly beside: readonly number[];
}

/**
 * A record that may still be changed, by its number: what it says may wait on the disk until it is asked for. Two of one
 * number are the same.
 */
export class Draft {
  /** Its number among all drafts of the import. */
  readonly index: number;
  readonly #drafts: Drafts;

  constructor(drafts: Drafts, index: number) {
    this.#drafts = drafts;
    this.index = index;
  }

  get place(): CallSite {
    return this.#held().place;
  }

  get time(): number | undefined {
    return this.#held().time;
  }

  set time(time: number | undefined) {
    this.#held().time = time;
  }

  get body(): Record<string, unknown> {
    return this.#held().body;
  }

  set body(body: Record<string, unknown>) {
    this.#held().body = body;
  }

  /** The values of the file that it was made of. */
  get raws(): unknown[] {
    const content = this.#held();
    return (content.raws ??= content.known.map((raw) => this.#drafts.raws.read(raw)));
  }

  /** Further drafts in which parts of these values stand. */
  get beside(): Draft[] {
    return this.#held().beside;
  }

  /** Notes that the value that is being read says something of it, though nothing of it changes. */
  touch(): void {
    this.#drafts.touched(this.index);
  }

  #held(): Content {
    return this.#drafts.contentOf(this.index);
  }
}

/**
 * All drafts of one import. With a spool, only those of the latest values of the file are held; the others wait on the
 * disk and come back when they are asked for, so that a reader need not know.
 */
export class Drafts {
  readonly raws: Raws;
  readonly #spool: Spool | undefined;
  /** What those say that are held, by number. */
  readonly #held = new Map<number, Content>();
  /** Of each draft the first and the last of those directly behind it, and of each of these the next. */
  readonly #firstBehind = new Numbers();
  readonly #lastBehind = new Numbers();
  readonly #next = new Numbers();
  readonly #pages = new Numbers();
  #young: number[] = [];
  #old: number[] = [];
  #youngBytes = 0;
  readonly #heldBytes: number;
  #count = 0;
  /** The numbers of the drafts that are beside others. */
  readonly #besides = new Set<number>();
  #isComplete = false;
  /** The number of the first draft after each value that was taken from the file. */
  readonly #firsts = new Numbers();
  /** Those that somebody watches, as they were when they were asked for first since then. */
  readonly #watched = new Map<number, string>();
  /** Which drafts are watched; undefined while none are. */
  #isWatched: ((index: number) => boolean) | undefined;
  /** Whether a draft was put behind one that is watched. */
  #isMoved = false;
  /** Whether those that are watched do not wait on the disk. */
  #isForgetful = false;
  /** The drafts that a value changed which were made for an earlier one: its number, and theirs. */
  readonly #changedBy = new Numbers();
  readonly #changed = new Numbers();

  /** Without a spool all are held; with one, those that are made of at most twice `heldBytes` of the file. */
  constructor(spool?: Spool, heldBytes = MAX_HELD_BYTES) {
    this.#spool = spool;
    this.#heldBytes = Math.min(heldBytes, MAX_HELD_BYTES);
    this.raws = new Raws(spool);
  }

  /** Where they wait; undefined where all are held. */
  get spool(): Spool | undefined {
    return this.#spool;
  }

  /** The most drafts that were held at once. */
  mostHeld = 0;

  /** How many bytes what is held of all drafts takes, besides those that `mostHeld` counts. */
  get bytes(): number {
    const behind = [this.#firstBehind, this.#lastBehind, this.#next];
    const lists = [this.#pages, this.#firsts, this.#changedBy, this.#changed, this.raws, ...behind];
    return lists.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The number of drafts that were made so far. */
  get made(): number {
    return this.#count;
  }

  /**
   * Watches from now on whether drafts become others: those of which a test holds. Where it `isForgetful`, these do not wait on
   * the disk once they are no longer held: who asks for one then gets a `ForgottenDraft`.
   */
  watch(isWatched: (index: number) => boolean, isForgetful: boolean): void {
    this.#watched.clear();
    this.#isMoved = false;
    this.#isWatched = isWatched;
    this.#isForgetful = isForgetful;
  }

  /** Whether one of those that are watched became another, or got one put behind it. */
  get hasWatchedChanged(): boolean {
    return (
      this.#isMoved ||
      [...this.#watched].some(([index, before]) => stateOf(this.#contentAt(index)) !== before)
    );
  }

  /** How many values have been taken from the file. */
  get taken(): number {
    return this.#firsts.length;
  }

  make(callSite: CallSite, time: number | undefined, body: Record<string, unknown>): Draft {
    const index = this.#count++;
    this.#held.set(index, { place: callSite, time, body, raws: [], beside: [], known: [] });
    if (this.#spool) this.#young.push(index);
    return new Draft(this, index);
  }

  /** The draft with a number. */
  at(index: number): Draft {
    return new Draft(this, index);
  }

  /** Puts a draft directly behind another one, and behind those that were put there before. */
  putBehind({ index }: Draft, draft: number): void {
    this.#isMoved ||= this.#isWatched?.(index) === true;
    const last = this.#lastBehind.at(index);
    if (last < 0) this.#firstBehind.set(index, draft);
    else this.#next.set(last, draft);
    this.#lastBehind.set(index, draft);
  }

  /** The numbers of the drafts that directly follow one. */
  behind(index: number): readonly number[] {
    const found: number[] = [];
    for (let at = this.#firstBehind.at(index); at >= 0; at = this.#next.at(at)) found.push(at);
    return found;
  }

  /** Drafts in their final order, each followed by those behind it, recursively. */
  *inOrder(drafts: Numbers): Generator<Draft> {
    for (let at = 0; at < drafts.length; at++) yield* this.withThoseBehind(drafts.at(at));
  }

  /** A draft, followed by those behind it, recursively. */
  *withThoseBehind(first: number): Generator<Draft> {
    const stack = [first];
    for (let index = stack.pop() ?? -1; index >= 0; index = stack.pop() ?? -1) {
      yield this.at(index);
      for (const next of [this.#next.at(index), this.#firstBehind.at(index)]) if (next >= 0) stack.push(next);
    }
  }

  /** Holds nothing of a draft any longer that nobody will ask for. */
  giveUp(index: number): void {
    if (!this.#spool) this.#held.delete(index);
  }

  /** Notes that the next value is taken from a source, of which it is the bytes at an offset. */
  take(value: unknown, source: SourceOfEntries | undefined, offset = 0, length = 0): void {
    if (!this.#spool) return;
    this.#firsts.push(this.#count);
    if (source && isObject(value)) this.raws.locate(value, { source, offset, length });
  }

  /** Notes that what a value of so many bytes says is in drafts now, so that older ones may wait on the disk. */
  settle(bytes: number): void {
    if (!this.#spool) return;
    this.#youngBytes += bytes;
    if (this.#youngBytes < this.#heldBytes) return;
    this.mostHeld = Math.max(this.mostHeld, this.#young.length + this.#old.length);
    for (const index of this.#old) this.#putAway(index);
    this.#old = this.#young;
    this.#young = [];
    this.#youngBytes = 0;
  }

  /** Notes that no more drafts follow and which of them were made of the same values; then they can be asked for that. */
  complete(): void {
    // All of them: from now on what is put away again is not written again.
    for (const index of Array.from(this.#held.keys())) this.#putAway(index);
    [this.#old, this.#young, this.#youngBytes] = [[], [], 0];
    this.#isComplete = true;
  }

  /** The drafts that were made of a value of the file, once all are made. */
  madeOf(raw: unknown): Draft[] {
    return this.raws.usersOf(raw).map((index) => this.at(index));
  }

  /** The numbers of the drafts that were made or changed for a value, by its number among those that were taken. */
  ofTaken(taken: number): number[] {
    const to = taken + 1 < this.#firsts.length ? this.#firsts.at(taken + 1) : this.#count;
    const found: number[] = [];
    for (let made = this.#firsts.at(taken); made < to; made++) found.push(made);
    for (let at = this.#changedBy.firstFrom(taken); this.#changedBy.at(at) === taken; at++)
      found.push(this.#changed.at(at));
    return found;
  }

  /** For drafts alone: what one says. */
  contentOf(index: number): Content {
    this.touched(index);
    const content = this.#contentAt(index);
    if (this.#isWatched?.(index) === true && !this.#watched.has(index))
      this.#watched.set(index, stateOf(content));
    return content;
  }

  #contentAt(index: number): Content {
    const held = this.#held.get(index);
    if (held) return held;
    const content = this.#load(index);
    this.#held.set(index, content);
    return content;
  }

  /** For drafts alone: notes that one is asked for. */
  touched(index: number): void {
    const now = this.#firsts.length - 1;
    if (this.#isComplete || now < 0 || index >= this.#firsts.at(now)) return;
    const last = this.#changed.length - 1;
    if (this.#changed.at(last) === index && this.#changedBy.at(last) === now) return;
    this.#changedBy.push(now);
    this.#changed.push(index);
  }

  #load(index: number): Content {
    const number = this.#pages.at(index);
    if (!this.#spool || number < 0) throw new ForgottenDraft(index);
    const page = this.#spool.read(number) as Page;
    if (page.whole) page.body[page.whole[0]] = this.raws.read(page.whole[1]);
    this.#young.push(index);
    this.#youngBytes += this.#spool.sizeOf(number);
    const beside = page.beside.map((each) => this.at(each));
    return {
      place: page.place,
      time: page.time,
      body: page.body,
      raws: undefined,
      beside,
      known: [...page.raws],
    };
  }

  #putAway(index: number): void {
    const content = this.#held.get(index);
    if (!content || !this.#spool) return;
    if (this.#isForgetful && this.#isWatched?.(index) === true) {
      this.#held.delete(index);
      return;
    }
    const known = this.#know(index, content);
    // At the end only what others still compare with may differ from what is there already.
    const isCompared = this.#besides.has(index) || known.some((raw) => this.raws.isShared(raw));
    if (!this.#isComplete || isCompared || this.#pages.at(index) < 0)
      this.#pages.set(index, this.#spool.add(this.#pageOf(content, known)));
    this.#held.delete(index);
  }

  #know(draft: number, { raws, known, beside }: Content): readonly number[] {
    for (const { index } of beside) this.#besides.add(index);
    const more = (raws ?? []).slice(known.length).map((raw) => this.raws.numberOf(raw));
    for (const raw of more) this.raws.addUser(raw, draft);
    appendAll(known, more);
    return known;
  }

  #pageOf({ place: callSite, time, body, beside }: Content, raws: readonly number[]): Page {
    const key = AS_IT_IS.find((each) => this.raws.isLocated(body[each]));
    const page = { place: callSite, time, raws, beside: beside.map(({ index }) => index) };
    if (key === undefined) return joined(page, { body });
    // The key stays in its place: a record's keys have an order.
    return joined(page, {
      body: joined(body, { [key]: 0 }),
      whole: [key, this.raws.numberOf(body[key])] as const,
    });
  }
}

/** What a draft says, to see whether it says the same later. */
function stateOf({ time, body, raws, known, beside }: Content): string {
  return JSON.stringify([time, body, raws?.length ?? known.length, beside.length]);
}
