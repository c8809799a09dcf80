import type { Entries } from '../reading/entries.js';
import type { ImportSink } from '../building/importSink.js';
import { sizeWords } from '../reading/nesting.js';
import { atOnce, type Steps } from '../reading/steps.js';
import { ChainsByText } from '../spool/chains.js';
import { GroupsOfFile } from '../spool/groupsOfFile.js';
import { Lengths, type Spool } from '../spool/spool.js';
import { Numbers } from '../spool/numbers.js';

/** Items that are read one after another, each of which stands on groups of parts. */
interface Items<Item> {
  readonly count: number;
  read(item: number): Item;
  /** The groups that an item is made of. */
  groupsOf(item: number): readonly number[];
}

/**
 * The parts of a file's values by what they belong to, like spans by their trace, for formats in which what belongs together
 * stands scattered over the file. First all values are gone through and their parts are put to their groups, where they
 * wait on the disk if those of a large file are read; then the groups are read, one at a time. So the memory that a file
 * takes is that of its largest group.
 */
export class Groups<Part> {
  readonly #sink: ImportSink;
  readonly #spool: Spool | undefined;
  readonly #held: Part[] = [];
  /** Of each part that waits on the disk its number in the spool, and its length. */
  readonly #waiting = new Numbers();
  readonly #lengths = new Lengths();
  readonly #keyed = new ChainsByText();
  /** The parts that belong to no other, in their order. */
  readonly #single = new Numbers();
  /** The parts whose group is not known yet, and the value of each. */
  readonly #later = new Numbers();
  readonly #laterEntry = new Numbers();
  readonly #file = new GroupsOfFile();

  /** Puts to groups what the values of a file say; to be made once for each file. */
  constructor(entries: Entries, sink: ImportSink) {
    this.#sink = sink;
    this.#spool = sink.drafts.spool;
    if (this.#spool) sink.grouped(entries, this.#file);
  }

  /**
   * The parsed values of the file, each of which is put to its groups before the next is asked for; what `begun` makes of one that
   * was cut is one, too, and stays as it was besides.
   */
  *values(entries: Entries, begun: (raw: string) => unknown = () => undefined): Generator {
    for (const { value, raw } of entries) {
      this.#file.entry++;
      if (raw === undefined) yield value;
      else {
        this.#sink.keepUnreadable(raw);
        const beginning = begun(raw);
        if (beginning !== undefined) yield beginning;
      }
    }
  }

  /** Adds a part of the value that is being read to the group under a key. */
  add(key: string, part: Part): void {
    this.#file.touch(keyedGroup(this.#keyed.add(key, this.#put(part))));
  }

  /** Adds a part of the value that is being read that belongs to no other. */
  addSingle(part: Part): void {
    this.#file.touch(singleGroup(this.#single.length));
    this.#single.push(this.#put(part));
  }

  /** Adds a part of the value that is being read whose group only shows when all values were seen; see `waiting`. */
  addLater(part: Part): void {
    this.#later.push(this.#put(part));
    this.#laterEntry.push(this.#file.entry);
  }

  /** The parts that wait for their group, each to be added to one before the next is asked for. */
  *waiting(): Generator<Part> {
    for (let at = 0; at < this.#later.length; at++) {
      this.#file.entry = this.#laterEntry.at(at);
      yield this.#read(this.#later.at(at));
    }
  }

  /** The groups, in the order in which they began, each with its parts in the order of the file. */
  all(): Grouping<readonly Part[]> {
    const keyed = this.#keyed;
    return new Grouping(this, {
      count: keyed.count,
      read: (group) => Array.from(keyed.of(group), (part) => this.#read(part)),
      groupsOf: (group) => [keyedGroup(group)],
    });
  }

  /** The parts that belong to no other, in their order; they may also be read while a group is. */
  *singles(): Generator<Part> {
    const around = this.#file.open;
    for (let at = 0; at < this.#single.length; at++) {
      const part = this.#single.at(at);
      this.begin([singleGroup(at)]);
      yield this.#read(part);
      this.end(this.#lengthOf(part));
    }
    if (around.length > 0) this.begin(around);
  }

  /** How many parts there are that belong to no other. */
  get singleCount(): number {
    return this.#single.length;
  }

  /** How long what is read at once may be, in bytes on the disk. */
  get maxBytes(): number {
    return this.#sink.maxGroupBytes;
  }

  /** For groupings alone: how many bytes the parts of groups take on the disk. */
  bytesOf(groups: readonly number[]): number {
    let bytes = 0;
    if (this.#spool)
      for (const group of groups)
        for (const part of this.#keyed.of(group >> 1)) bytes += this.#lengthOf(part);
    return bytes;
  }

  /** For groupings alone: notes that what drafts are made from now on are made of these groups. */
  begin(groups: readonly number[]): void {
    const { drafts } = this.#sink;
    this.#file.begin(groups, drafts.taken);
    drafts.take(undefined, undefined);
  }

  /** For groupings alone: notes that these groups were read, so that their drafts may wait on the disk. */
  end(bytes: number): void {
    this.#file.begin([], -1);
    this.#sink.drafts.settle(bytes);
  }

  /** For groupings alone: reports groups that are too long to be read at once, and leaves them out. */
  leaveOut(groups: readonly number[], bytes: number): void {
    this.#file.leaveOut(groups);
    this.#sink.problem(
      'error',
      `A conversation of this file is longer than ${sizeWords(this.maxBytes)}, the most that is read at once where its parts stand scattered over the file: its ${sizeWords(bytes)} were left out. The others were read.`,
    );
  }

  #put(part: Part): number {
    if (!this.#spool) return this.#held.push(part) - 1;
    const number = this.#spool.add(part);
    this.#waiting.push(number);
    this.#lengths.push(this.#spool.sizeOf(number));
    return this.#waiting.length - 1;
  }

  #read(part: number): Part {
    return (this.#spool ? this.#spool.read(this.#waiting.at(part)) : this.#held[part]) as Part;
  }

  #lengthOf(part: number): number {
    return this.#spool ? this.#lengths.lengthOf(part) : 0;
  }
}

/** What a grouping asks of the groups below it. */
type GroupedParts = Pick<Groups<unknown>, 'maxBytes' | 'bytesOf' | 'begin' | 'end' | 'leaveOut'>;

/** Groups, or lists of groups that belong together, to be read one after another. */
export class Grouping<Item> implements Iterable<Item> {
  readonly #groups: GroupedParts;
  readonly #items: Items<Item>;

  constructor(groups: GroupedParts, items: Items<Item>) {
    this.#groups = groups;
    this.#items = items;
  }

  /** The items by a further key, which each of them tells, like traces by their session; in the order in which these began. */
  joined(keyOf: (item: Item) => string): Grouping<readonly Item[]> {
    return atOnce(this.joining(keyOf));
  }

  /** The same in steps. */
  *joining(keyOf: (item: Item) => string): Steps<Grouping<readonly Item[]>> {
    const items = this.#items;
    const joined = new ChainsByText();
    for (const item of this.#readable()) {
      joined.add(keyOf(items.read(item)), item);
      yield;
    }
    return new Grouping(this.#groups, {
      count: joined.count,
      read: (key) => Array.from(joined.of(key), (item) => items.read(item)),
      groupsOf: (key) => [...joined.of(key)].flatMap((item) => items.groupsOf(item)),
    });
  }

  /** The items, each of which is read before the next is asked for. */
  *[Symbol.iterator](): Generator<Item> {
    for (const item of this.#readable()) {
      const groups = this.#items.groupsOf(item);
      this.#groups.begin(groups);
      yield this.#items.read(item);
      this.#groups.end(this.#groups.bytesOf(groups));
    }
  }

  *#readable(): Generator<number> {
    for (let item = 0; item < this.#items.count; item++) {
      const groups = this.#items.groupsOf(item);
      const bytes = this.#groups.bytesOf(groups);
      if (bytes <= this.#groups.maxBytes) yield item;
      else this.#groups.leaveOut(groups, bytes);
    }
  }
}

const keyedGroup = (number: number) => number * 2;
const singleGroup = (number: number) => number * 2 + 1;
