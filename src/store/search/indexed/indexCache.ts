import { silentLog } from '../../../ports/log.js';
import { onlyGrew, stampsOf, type FileStamp } from '../../read/fileStamp.js';
import { openLines } from '../../read/openLines.js';
import type { ConversationPaths } from '../../files/storePaths.js';
import { IndexedLines } from './indexedLines.js';

/** How many conversations' lines are kept, because the same ones are asked again and again while a person types. */
const KEPT = 4;

interface Kept {
  readonly key: string;
  readonly indexed: IndexedLines;
  readonly stamps: readonly FileStamp[];
}

/** A cache of the conversations used most recently, with their indexes while there is room for them. */
export class IndexCache {
  readonly #limit: number;
  /** The most recently used one comes last. */
  #kept: Kept[] = [];

  /** `limit`: roughly how many bytes all indexes together may take. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The lines of a conversation as written by now; read again where its files have changed other than by growing. */
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

  /** Whether an index may grow further; less recently used indexes are dropped to make room. */
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
