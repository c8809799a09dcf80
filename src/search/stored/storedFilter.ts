import type { ScanQuestion } from '../../query/columns/scanQuestion.js';
import { readPlainFileSync } from '../../node/plainFile.js';
import type { ConversationPaths } from '../../store/files/storePaths.js';
import { isSameFile, onlyGrew, stampsOf } from '../../store/read/fileStamp.js';
import type { LineRun } from '../../store/read/readSpans.js';
import { mayHaveGrams, type GramBlock } from './columns/gramFilter.js';
import { parseSearchFile } from './columns/searchFile.js';

/** The records of a conversation from one position on and up to another, that one not included. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** What is kept of the grams of a conversation's texts. */
export class StoredFilter {
  /** Of how many records, from the first on; of those that came since nothing is known. */
  readonly length: number;
  readonly #blocks: readonly GramBlock[];
  readonly #odd: ReadonlySet<number> | undefined;

  /** `odd`: see `SessionHead.odd`. */
  constructor(length: number, blocks: readonly GramBlock[], odd: readonly number[] | null) {
    this.length = length;
    this.#blocks = blocks;
    this.#odd = odd ? new Set(odd) : undefined;
  }

  /** Of each line of a run whether its bytes do not tell its texts; undefined where that is not known of all of them. */
  oddIn({ first, spans }: LineRun): readonly boolean[] | undefined {
    const odd = this.#odd;
    if (!odd || first + spans.length > this.length) return undefined;
    return spans.map((_, line) => odd.has(first + line));
  }

  /**
   * The records of which one alone may have all of some texts, each given by the grams of the ways in which it may be there,
   * see `ScanQuestion`. It names records that have none, and leaves out none that has them.
   */
  stretchesOf(texts: ScanQuestion['grams']): readonly Stretch[] {
    const found: Stretch[] = [];
    for (const [at, block] of this.#blocks.entries()) {
      if (!texts.every((ways) => ways.some((grams) => mayHaveGrams([block], grams)))) continue;
      const to = this.#blocks[at + 1]?.first ?? this.length;
      const last = found.at(-1);
      if (last?.to === block.first) found[found.length - 1] = { from: last.from, to };
      else found.push({ from: block.first, to });
    }
    return found;
  }
}

/**
 * The filter that lies beside the journal of a conversation; undefined where there is none that is of its lines, the first of
 * them at least. Waits for the file: for threads that may. Rejects with errors of the file system.
 */
export async function keptFilter(paths: ConversationPaths): Promise<StoredFilter | undefined> {
  const stamps = await stampsOf(paths);
  const bytes = readPlainFileSync(paths.search);
  const kept = bytes && parseSearchFile(bytes);
  if (!kept || stamps.length === 0) return undefined;
  const isSame =
    stamps.length === kept.stamps.length && stamps.every((now, at) => isSameFile(now, kept.stamps[at]));
  // Where several files grow, what comes may stand between the records of before.
  if (!isSame && !(stamps.length === 1 && onlyGrew(stamps, kept.stamps))) return undefined;
  const { records, odd } = kept.columns.head;
  return new StoredFilter(records, kept.columns.blocks, odd);
}
