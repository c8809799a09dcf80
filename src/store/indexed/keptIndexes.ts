import { silentLog } from '../../ports/log.js';
import { onlyGrew, stampsOf, type FileStamp } from '../fileStamp.js';
import { openLines } from '../reading/openLines.js';
import type { ConversationPaths } from '../storePaths.js';
import { IndexedLines } from './indexedLines.js';

/** While a person types, the same conversations are asked again and again: the lines of so many are kept. */
const KEPT = 4;

interface Kept {
  readonly key: string;
  readonly indexed: IndexedLines;
  readonly stamps: readonly FileStamp[];
}

/** The conversations that were asked about last, with their indexes as long as there is room for these. */
export class KeptIndexes {
  readonly #limit: number;
  /** The one that was asked for last comes last. */
  #kept: Kept[] = [];

  /** `limit`: how many bytes all indexes together may take, roughly. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The lines of a conversation as far as they are written now; read anew where its files were not only added to. */
  async of(paths: ConversationPaths): Promise<IndexedLines> {
    const key = paths.folder;
    const stamps = await stampsOf(paths);
    const known = this.#kept.find((kept) => kept.key === key && onlyGrew(stamps, kept.stamps))?.indexed;
    const indexed = known ?? new IndexedLines(await openLines(paths, silentLog));
    if (known) await known.lines.extend();
    const others = this.#kept.filter((kept) => kept.key !== key);
    this.#kept = [...others, { key, indexed, stamps }].slice(-KEPT);
    return indexed;
  }

  /** Whether an index may grow further; indexes of conversations that were asked about before it make room for it. */
  hasRoomFor(indexed: IndexedLines): boolean {
    const others = () => this.#kept.filter((kept) => kept.indexed !== indexed);
    const bytes = () => this.#kept.reduce((sum, kept) => sum + kept.indexed.index.bytes, 0);
    while (bytes() > this.#limit) {
      const [oldest] = others();
      if (!oldest) return false;
      this.#kept = this.#kept.filter((kept) => kept !== oldest);
    }
    return true;
  }
}
