import { type RankTable, NO_RANK, pairRank } from './rankTable.js';

/** A piece of up to this many bytes is merged at once, a longer one in steps. */
const WINDOW = 256;
/** How many bytes of a longer piece each step adds. */
const STEP = 128;
/** How many preceding tokens are merged again in a step, at first. */
const OVERLAP = 2;
/** The initial room for the tokens of a long piece. */
const FIRST_TOKENS = 1024;

/**
 * Merges one piece of any length into tokens, exactly and in roughly linear time.
 *
 * A sequence of tokens is the merge of a text exactly when every two neighbours are the merge of their own bytes (proven
 * in GitHub's rust-gems, crate bpe). So a long piece is merged step by step: the last tokens so far are merged again
 * together with the next bytes, and with more of the preceding tokens if the token before does not fit the result.
 */
export class PieceEncoder {
  /** The tokens of the last piece; what follows them is garbage from earlier ones. */
  tokens = new Int32Array(0);
  readonly #window: MergeWindow;
  readonly #border: MergeWindow;
  readonly #lengths: Uint8Array;
  readonly #characters: CharacterTokens;
  readonly #neighbours = new Int32Array(2 << NEIGHBOUR_BITS);
  #long = new Int32Array(0);

  constructor(table: RankTable) {
    this.#window = new MergeWindow(table);
    this.#border = new MergeWindow(table);
    this.#lengths = table.lengths;
    this.#characters = new CharacterTokens(this.#border);
  }

  /** Merges `bytes` from `start` to `end` (not empty) and gives the number of tokens. */
  encode(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > WINDOW) return this.#encodeInSteps(bytes, start, end);
    const count = this.#merge(bytes, start, end);
    this.tokens = this.#window.tokens;
    return count;
  }

  /**
   * Merges a short stretch. Where letters take several bytes, whole letters are merged, which are fewer; mostly that is the merge of
   * the bytes, which its neighbours tell.
   */
  #merge(bytes: Uint8Array, start: number, end: number): number {
    const window = this.#window;
    const second = start + 1 < end ? (bytes[start + 1] ?? 0) : 0;
    if ((bytes[start] ?? 0) < 0x80 && second < 0x80) return window.merge(bytes, start, end);
    let count = window.mergeCharacters(bytes, start, end, this.#characters);
    let repairs = 0;
    for (let token = 0, at = start; token < count;) {
      const here = window.tokens[token] ?? 0;
      const next = token + 1 < count ? (window.tokens[token + 1] ?? 0) : NONE;
      if (this.#areKnown(bytes, at, here, next)) {
        at += this.#lengths[here] ?? 0;
        token++;
        continue;
      }
      if (++repairs > MAX_REPAIRS) return window.merge(bytes, start, end);
      // The bytes around are merged, and what stands there is looked at again with the token before.
      const first = Math.max(0, token - 1);
      const behind = Math.min(count, token + 3);
      const from = at - (first < token ? this.#lengthAt(first) : 0);
      let to = from;
      for (let index = first; index < behind; index++) to += this.#lengthAt(index);
      const merged = this.#border.merge(bytes, from, to);
      window.tokens.copyWithin(first + merged, behind, count);
      window.tokens.set(this.#border.tokens.subarray(0, merged), first);
      count += merged - (behind - first);
      token = Math.max(0, first - 1);
      at = from - (token < first ? this.#lengthAt(token) : 0);
    }
    return count;
  }

  /** The length in bytes of a token of the window. */
  #lengthAt(index: number): number {
    return this.#lengths[this.#window.tokens[index] ?? 0] ?? 0;
  }

  /** Whether a token and the next one, which may be none, are what their bytes are merged to; remembered for the latest pairs. */
  #areKnown(bytes: Uint8Array, start: number, here: number, next: number): boolean {
    const slot = (Math.imul(Math.imul(here, 0x9e3779b1) + next, 0x85ebca6b) >>> (32 - NEIGHBOUR_BITS)) << 1;
    const neighbours = this.#neighbours;
    const known = neighbours[slot + 1] ?? 0;
    if (neighbours[slot] === here + 1 && known >> 1 === next) return (known & 1) === 1;
    const middle = start + (this.#lengths[here] ?? 0);
    const end = next === NONE ? middle : middle + (this.#lengths[next] ?? 0);
    const border = this.#border;
    const merged = border.merge(bytes, start, end);
    const areSame = border.tokens[0] === here && (next === NONE || border.tokens[1] === next);
    const isMerge = areSame && merged === (next === NONE ? 1 : 2);
    neighbours[slot] = here + 1;
    neighbours[slot + 1] = (next << 1) | Number(isMerge);
    return isMerge;
  }

  #encodeInSteps(bytes: Uint8Array, start: number, end: number): number {
    this.#long = new Int32Array(FIRST_TOKENS);
    let count = 0;
    for (let at = start; at < end; at += STEP) {
      count = this.#addStep(bytes, count, at, Math.min(at + STEP, end));
    }
    this.tokens = this.#long;
    return count;
  }

  /** Adds the bytes from `at` to `until` to the `count` tokens that end at `at`; gives the new number of tokens. */
  #addStep(bytes: Uint8Array, count: number, at: number, until: number): number {
    const window = this.#window;
    let kept = count;
    let from = at;
    for (let overlap = OVERLAP; ; overlap *= 2) {
      while (kept > 0 && count - kept < overlap) from -= this.#lengthOf(--kept);
      const merged = this.#merge(bytes, from, until);
      if (kept > 0 && !this.#areNeighbours(bytes, kept - 1, from, window.tokens[0] ?? 0)) continue;
      this.#keep(kept, merged);
      return kept + merged;
    }
  }

  #keep(kept: number, merged: number): void {
    if (kept + merged > this.#long.length) {
      const larger = new Int32Array(2 * (kept + merged));
      larger.set(this.#long);
      this.#long = larger;
    }
    this.#long.set(this.#window.tokens.subarray(0, merged), kept);
  }

  /** Whether the tokens before and after `border` stay as they are when their bytes are merged. */
  #areNeighbours(bytes: Uint8Array, before: number, border: number, next: number): boolean {
    const start = border - this.#lengthOf(before);
    const end = border + (this.#lengths[next] ?? 0);
    return this.#border.merge(bytes, start, end) === 2 && this.#border.tokens[1] === next;
  }

  /** The length in bytes of one of the long piece's tokens. */
  #lengthOf(index: number): number {
    return this.#lengths[this.#long[index] ?? 0] ?? 0;
  }
}

/** How many pairs of neighbours are remembered, as a power of two. */
const NEIGHBOUR_BITS = 14;
/** Stands for the token behind the last one: no token is called so. */
const NONE = 0x3ffff;
/** How many places are merged anew before all of it is. */
const MAX_REPAIRS = 4;
/** Letters of two and of three bytes. */
const LETTERS = 0x10000;

/** The tokens of letters that take two or three bytes and are one token. */
class CharacterTokens {
  readonly #window: MergeWindow;
  /** One more than the token; -1: several; 0: not asked yet. */
  readonly #tokens = new Int32Array(LETTERS);

  constructor(window: MergeWindow) {
    this.#window = window;
  }

  /** The token of the letter of so many bytes at a place; undefined where that is no letter, or several tokens. */
  at(bytes: Uint8Array, at: number, length: number): number | undefined {
    const [lead, second, third] = [bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0];
    const letter =
      length === 2
        ? ((lead & 0x1f) << 6) | (second & 0x3f)
        : ((lead & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f);
    const known = this.#tokens[letter] ?? 0;
    if (known !== 0) return known > 0 ? known - 1 : undefined;
    const isOne = this.#window.merge(bytes, at, at + length) === 1;
    const token = this.#window.tokens[0] ?? 0;
    this.#tokens[letter] = isOne ? token + 1 : -1;
    return isOne ? token : undefined;
  }
}

/**
 * Merges the bytes of a short stretch of text by the ranks: always the lowest rank first and of equal ones the leftmost.
 * As a token's rank is above those of its parts, all pairs of one rank can be merged in one pass from the left.
 */
export class MergeWindow {
  /** The tokens of the last {@link merge}; what follows them is garbage from earlier ones. */
  tokens = new Int32Array(512);
  /** The rank of each token merged with the next one. */
  #ranks = new Int32Array(512);
  readonly #table: RankTable;

  constructor(table: RankTable) {
    this.#table = table;
  }

  /** Merges `bytes` from `start` to `end` (not empty) and gives the number of tokens; quadratic in their length. */
  merge(bytes: Uint8Array, start: number, end: number): number {
    this.#makeRoom(end - start);
    const { singles } = this.#table;
    for (let at = start; at < end; at++) this.tokens[at - start] = singles[bytes[at] ?? 0] ?? 0;
    return this.#mergeTokens(end - start);
  }

  /** The same from whole letters on, which may give other tokens. */
  mergeCharacters(bytes: Uint8Array, start: number, end: number, characters: CharacterTokens): number {
    this.#makeRoom(end - start);
    const { singles } = this.#table;
    const { tokens } = this;
    let count = 0;
    for (let at = start; at < end;) {
      const lead = bytes[at] ?? 0;
      const length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 1;
      const token = length > 1 && at + length <= end ? characters.at(bytes, at, length) : undefined;
      tokens[count++] = token ?? singles[lead] ?? 0;
      at += token === undefined ? 1 : length;
    }
    return this.#mergeTokens(count);
  }

  #makeRoom(length: number): void {
    if (this.tokens.length >= length) return;
    this.tokens = new Int32Array(2 * length);
    this.#ranks = new Int32Array(2 * length);
  }

  /** Merges the first `length` tokens (at least one); gives how many are left. */
  #mergeTokens(length: number): number {
    const table = this.#table;
    const { tokens } = this;
    const ranks = this.#ranks;
    let lowest = NO_RANK;
    for (let at = 1; at < length; at++) {
      const rank = pairRank(table, tokens[at - 1] ?? 0, tokens[at] ?? 0);
      ranks[at - 1] = rank;
      if (rank < lowest) lowest = rank;
    }
    ranks[length - 1] = NO_RANK;
    let count = length;
    while (lowest !== NO_RANK) {
      const merging = lowest;
      lowest = NO_RANK;
      let kept = 0;
      let before = false;
      for (let at = 0; at < count; kept++) {
        const here = ranks[at] === merging;
        const token = here ? merging : (tokens[at] ?? 0);
        if (kept > 0) {
          let rank = ranks[kept - 1] ?? NO_RANK;
          if (here || before) ranks[kept - 1] = rank = pairRank(table, tokens[kept - 1] ?? 0, token);
          if (rank < lowest) lowest = rank;
        }
        tokens[kept] = token;
        ranks[kept] = ranks[at] ?? NO_RANK;
        before = here;
        at += here ? 2 : 1;
      }
      count = kept;
      ranks[count - 1] = NO_RANK;
    }
    return count;
  }
}
