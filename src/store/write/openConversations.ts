import { systemClock } from '../../core/clock.js';
import type { Journal } from '../../core/ports/journal.js';
import type { StoreCatalog } from '../catalog/catalog.js';
import { listConversations, locate } from '../catalog/conversationFolders.js';
import { forEachAtOnce } from '../../core/forEachAtOnce.js';
import { isBeingWritten } from '../read/journalLines.js';
import type { LineIndex } from '../read/lineIndex.js';
import { saveLines } from '../read/openLines.js';
import { readRow } from '../catalog/readRow.js';
import type { SourceTable } from '../read/sourceTable.js';
import type { TranscriptStoreOptions } from './storeOptions.js';
import { pathsOf, type ConversationPaths } from '../files/storePaths.js';
import { problems } from './storeProblem.js';
import { sweepConversation } from './sweepStore.js';
import { forgetPieces, hasPieces, lastWordsOf } from '../read/lastWords.js';
import type { ConversationJournal } from './conversationJournal.js';
import type { LiveRecords } from '../read/liveRecords.js';
import {
  acquireNew,
  OpenConversation,
  TakenError,
  type OpenConversationOptions,
} from './openConversation.js';
import { takeOver } from './resumeConversation.js';

/** In how many folders is looked at the same time. */
const MAX_LOOKS_AT_ONCE = 32;

const WAITING =
  'The last records of this conversation are not on the disk yet; they are tried again and again.';

/** A conversation opened for writing, with the seq of its last record; or a sentence saying why it cannot be. */
export type Resumed = { readonly journal: Journal; readonly lastSeq: number } | { readonly refused: string };

/** The parts of the store that follow what this process writes. */
export interface WritingFollowers {
  readonly catalog: StoreCatalog;
  readonly sources: SourceTable;
}

/** The conversations of a store that this process writes, by id. */
export class OpenConversations {
  readonly #options: TranscriptStoreOptions;
  readonly #followers: () => WritingFollowers;
  readonly #open = new Map<string, OpenConversation>();

  /** `followers` is called when the first conversation is opened, because the followers need this object too. */
  constructor(options: TranscriptStoreOptions, followers: () => WritingFollowers) {
    this.#options = options;
    this.#followers = followers;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  values(): Iterable<OpenConversation> {
    return this.#open.values();
  }

  pathsOf(id: string): ConversationPaths | undefined {
    return this.#open.get(id)?.paths;
  }

  journalOf(id: string): ConversationJournal | undefined {
    return this.#open.get(id)?.journal;
  }

  /** The live records of a conversation that this process writes. */
  recordsOf(id: string): LiveRecords | undefined {
    return this.#open.get(id)?.live;
  }

  /** See `TranscriptStore.createConversation`. */
  async create(id: string): Promise<Journal> {
    if (this.#open.has(id)) throw new Error(existsAlready(id));
    const paths = pathsOf(this.#options.root, id);
    const lock = await acquireNew(paths).catch((error: unknown) => {
      if (error instanceof TakenError) throw new Error(existsAlready(id), { cause: error });
      // The journal tries again and reports what is wrong.
      return undefined;
    });
    const open = new OpenConversation(this.#optionsFor(paths), lock && { lock });
    this.#enter(open);
    await open.journal.prepare();
    return open.journal;
  }

  /** See `TranscriptStore.resumeConversation`. */
  async resume(id: string): Promise<Resumed> {
    const { log, root, onProblem, onThread, clock = systemClock } = this.#options;
    const mine = this.journalOf(id);
    if (mine)
      return { refused: mine.isClosing ? WAITING : 'This window is writing the conversation already.' };
    const paths = await locate(root, id);
    const resumed = await takeOver(paths, log, onThread?.lines);
    if ('refused' in resumed) return resumed;
    await sweepConversation(paths, resumed.lines.index, clock.now(), log);
    const known = this.#followers().catalog.row(paths.name);
    const row = await readRow(paths, known, onThread && { row: onThread.row, log }).catch(() => undefined);
    const open = new OpenConversation(this.#optionsFor(paths), resumed, row);
    this.#enter(open);
    if (resumed.repair?.kind === 'quarantined') onProblem(problems.truncated(paths, resumed.repair));
    return { journal: open.journal, lastSeq: await this.#takeLastWords(open, resumed.lines.index) };
  }

  /**
   * Writes into their journals what agents were saying when their process ended; of conversations that others write, nothing.
   * Never rejects.
   */
  async keepLastWords(): Promise<void> {
    const { root, log } = this.#options;
    const heard = async (paths: ConversationPaths) => {
      try {
        if (!(await hasPieces(paths)) || (await isBeingWritten(paths))) return;
        const resumed = await this.resume(paths.id);
        if (!('refused' in resumed)) await this.journalOf(paths.id)?.closeNow();
      } catch (error) {
        log.warn(`What was being said last in ${paths.id} could not be taken over`, error);
      }
    };
    const found = await listConversations(root).catch((error: unknown) => {
      log.warn('What was being said last could not be looked for', error);
      return [];
    });
    await forEachAtOnce(found, MAX_LOOKS_AT_ONCE, heard);
  }

  /** Appends what agents were saying when their process ended; gives the seq of the last record. */
  async #takeLastWords({ paths, journal }: OpenConversation, index: LineIndex): Promise<number> {
    let seq = index.maxSeq;
    const words = await lastWordsOf(paths, index).catch((error: unknown) => {
      this.#options.log.warn(`What was being said last in ${paths.id} cannot be read`, error);
      return undefined;
    });
    if (!words) return seq;
    for (const record of words) journal.append({ ...record, seq: ++seq });
    // Whoever cannot write now finds it again.
    if (words.length === 0 || (await journal.flush()).problem === undefined)
      await forgetPieces(paths).catch((error: unknown) =>
        this.#options.log.warn(`${paths.pieces} could not be removed`, error),
      );
    return seq;
  }

  /** Closes all journals, even those that wait for a disk. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ journal }) => journal.closeNow()));
  }

  #optionsFor(paths: ConversationPaths): OpenConversationOptions {
    const { log, clock = systemClock, limits, segmentBytes, seals, onProblem, onSolved } = this.#options;
    return {
      paths,
      clock,
      log,
      limits,
      segmentBytes,
      seals,
      onProblem: (problem) => onProblem(problem),
      onSolved: (problem) => onSolved?.(problem),
      onChanged: () => this.#followers().catalog.touch(),
      onClosing: (open) => this.#leave(open),
    };
  }

  #enter(open: OpenConversation): void {
    const { id } = open.paths;
    const { catalog, sources } = this.#followers();
    this.#open.set(id, open);
    sources.goLive(id, open.live);
    catalog.touch();
  }

  async #leave(open: OpenConversation): Promise<void> {
    const { id } = open.paths;
    const { catalog, sources } = this.#followers();
    try {
      const lines = await open.lines();
      const row = await open.row();
      this.#open.delete(id);
      sources.endLive(open.live, lines);
      if (!open.journal.hasLost) await saveLines(lines, this.#options.log);
      if (row) await catalog.settle(open.paths, row);
    } finally {
      this.#open.delete(id);
      catalog.touch();
    }
  }
}

function existsAlready(id: string): string {
  return `The conversation ${id} exists already.`;
}
