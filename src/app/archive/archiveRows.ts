import type { ArchivePage, ListedConversation } from '../../archive/archiveReadingCalls.js';
import { messageOf } from '../../core/text.js';

/** How many conversations of the archive are listed at once, until more are asked for. */
export const CONVERSATIONS_AT_ONCE = 100;

/** A conversation of the archive in its list. */
export interface ArchivedRow {
  readonly kind: 'archived';
  readonly listed: ListedConversation;
}

/** Shows more conversations. */
export interface MoreArchivedRow {
  readonly kind: 'moreArchived';
  readonly left: number;
}

/** What a person may do where the archive cannot be read. */
export interface WayRow {
  readonly kind: 'way';
  readonly way: 'tryAgain' | 'setPassword' | 'openSettings' | 'push';
}

/** Stands for the archive in the list of all sessions. */
export interface ArchiveGroupRow {
  readonly kind: 'archive';
}

/** Why the archive cannot be read, for a person. */
export interface ArchiveProblemRow {
  readonly kind: 'archiveProblem';
  readonly words: string;
}

/** A row of the list of the archive. */
export type ArchiveRow = ArchiveGroupRow | ArchiveProblemRow | ArchivedRow | MoreArchivedRow | WayRow;

/** What the list shows. */
export interface ArchiveList {
  readonly rows: readonly ArchiveRow[];
  /** Why there are no more rows, for a person; undefined where nothing is wrong. */
  readonly problem: string | undefined;
  /** How many conversations the archive has; undefined where that is not known. */
  readonly count: number | undefined;
}

/** The list of the archive: the newest conversations, as far as they were asked for. */
export class ArchiveRows {
  readonly #page: (from: number, count: number) => Promise<ArchivePage>;
  #wanted = CONVERSATIONS_AT_ONCE;
  /** What has come, by id, in its order. */
  #listed = new Map<string, ListedConversation>();
  #asked = 0;
  #count: number | undefined;
  #reading: Promise<ArchiveList> | undefined;
  /** How often it was to be read anew: what was asked before counts no more. */
  #age = 0;

  constructor(page: (from: number, count: number) => Promise<ArchivePage>) {
    this.#page = page;
  }

  /** What is to be shown now; asks the archive for what is not known yet. Never rejects. */
  list(): Promise<ArchiveList> {
    return (this.#reading ??= this.#read(this.#age));
  }

  /** More conversations are to be shown. */
  showMore(): void {
    this.#wanted = this.#listed.size + CONVERSATIONS_AT_ONCE;
    this.#reading = undefined;
  }

  /** Everything is to be asked anew. */
  refresh(): void {
    this.#age++;
    this.#listed = new Map();
    this.#asked = 0;
    this.#count = undefined;
    this.#reading = undefined;
  }

  async #read(age: number): Promise<ArchiveList> {
    try {
      while (this.#listed.size < this.#wanted) {
        const page = await this.#page(this.#asked, CONVERSATIONS_AT_ONCE);
        if (age !== this.#age) return await this.list();
        this.#count = page.count;
        this.#asked += page.conversations.length;
        // What has come in meanwhile moves others down, which then come twice.
        for (const each of page.conversations) this.#listed.set(each.id, each);
        if (page.conversations.length < CONVERSATIONS_AT_ONCE) break;
      }
      return { rows: this.#rows(), problem: undefined, count: this.#count };
    } catch (error) {
      if (age !== this.#age) return await this.list();
      const ways = (['tryAgain', 'setPassword', 'openSettings'] as const).map((way): WayRow => ({
        kind: 'way',
        way,
      }));
      return { rows: [...this.#shown(), ...ways], problem: messageOf(error), count: this.#count };
    }
  }

  #shown(): readonly ArchivedRow[] {
    return Array.from(this.#listed.values(), (listed) => ({ kind: 'archived', listed }));
  }

  #rows(): readonly ArchiveRow[] {
    const shown = this.#shown();
    const left = Math.max(0, (this.#count ?? 0) - this.#asked);
    return left > 0 ? [...shown, { kind: 'moreArchived', left }] : shown;
  }
}
