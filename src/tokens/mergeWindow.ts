import { NO_RANK, pairRank, type RankTable } from './rankTable.js';

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
