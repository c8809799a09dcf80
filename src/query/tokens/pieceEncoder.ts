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
  #long = new Int32Array(0);

  constructor(table: RankTable) {
    this.#window = new MergeWindow(table);
    this.#border = new MergeWindow(table);
    this.#lengths = table.lengths;
  }

  /** Merges `bytes` from `start` to `end` (not empty) and gives the number of tokens. */
  encode(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > WINDOW) return this.#encodeInSteps(bytes, start, end);
    const count = this.#window.merge(bytes, start, end);
    this.tokens = this.#window.tokens;
    return count;
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
      const merged = window.merge(bytes, from, until);
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
    const length = end - start;
    if (this.tokens.length < length) {
      this.tokens = new Int32Array(2 * length);
      this.#ranks = new Int32Array(2 * length);
    }
    const table = this.#table;
    const { tokens } = this;
    const ranks = this.#ranks;
    let lowest = NO_RANK;
    let left = table.singles[bytes[start] ?? 0] ?? 0;
    tokens[0] = left;
    for (let at = 1; at < length; at++) {
      const token = table.singles[bytes[start + at] ?? 0] ?? 0;
      const rank = pairRank(table, left, token);
      ranks[at - 1] = rank;
      if (rank < lowest) lowest = rank;
      tokens[at] = left = token;
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
