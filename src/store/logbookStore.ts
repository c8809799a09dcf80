import { systemClock, type Clock } from '../core/clock.js';
import { newId } from '../core/ids.js';
import { singleLine } from '../core/text.js';
import type { LogRecord } from '../core/record.js';
import type { Journal } from '../ports/journal.js';
import type { Log } from '../ports/log.js';
import type { ReadRecord, Transcript } from '../ports/transcript.js';
import type { FilterCriteria } from '../query/criteria.js';
import { StoreCatalog, type Catalog } from './catalog/catalog.js';
import { listConversations, locate } from './catalog/conversationFolders.js';
import { deleteConversation, finishDeletions } from './upkeep/deleteConversation.js';
import {
  acquireNew,
  OpenConversation,
  TakenError,
  type OpenConversationOptions,
} from './reading/openConversation.js';
import type { JournalLimits } from './journal/journalOptions.js';
import { importConversation } from './upkeep/importConversation.js';
import { keepLines } from './reading/openLines.js';
import { readRow } from './reading/readRow.js';
import { applyRetention, planRetention, type Retention } from './upkeep/retention.js';
import { readTail } from './reading/readTail.js';
import { sweepConversation, sweepStore } from './upkeep/sweepStore.js';
import { takeOver } from './journal/resumeConversation.js';
import { SourceTable } from './reading/sourceTable.js';
import { Scanner, type SearchOptions } from './search/scanner.js';
import { type ScanBatch, type SearchHit, targetOf } from './search/scanQuestion.js';
import { StoredTranscript } from './reading/storedTranscript.js';
import { pathsOf, type ConversationPaths } from './storePaths.js';
import { problems, type StoreProblem } from './storeProblem.js';

export interface LogbookStoreOptions {
  /** The absolute path of the store's folder, usually `.agent-logbook` in a workspace folder. */
  readonly root: string;
  readonly log: Log;
  readonly clock?: Clock;
  /** Nothing is written, caches included. */
  readonly readOnly?: boolean;
  readonly limits?: Partial<JournalLimits>;
  /** A journal goes on in a new file when one has grown to this; 1 GiB unless given. */
  readonly segmentBytes?: number;
  /** The bundle of `scan.worker.ts`; where the build puts it unless given. */
  readonly scanScript?: URL;
  /** A person must know; told at once, and once for each kind and conversation. */
  readonly onProblem: (problem: StoreProblem) => void;
  /** What was told is over: everything is written. */
  readonly onSolved?: (problem: StoreProblem) => void;
}

const READ_ONLY = 'The store is open for reading only.';
const WAITING =
  'The last records of this conversation are not on the disk yet; they are tried again and again.';

/** A conversation taken over for writing, with the seq of its last record; or why it cannot be, in words. */
export type Resumed = { readonly journal: Journal; readonly lastSeq: number } | { readonly refused: string };

/** The conversations in one folder: written, read, listed and deleted. Creates nothing on disk before the first write. */
export class LogbookStore {
  readonly #options: LogbookStoreOptions;
  readonly #catalog: StoreCatalog;
  readonly #sources: SourceTable;
  readonly #scanner: Scanner;
  /** What this process writes, by conversation id. */
  readonly #open = new Map<string, OpenConversation>();

  private constructor(options: LogbookStoreOptions) {
    this.#options = options;
    const { root, log, readOnly = false } = options;
    this.#catalog = new StoreCatalog({ root, log, readOnly, live: () => this.#open.values() });
    this.#scanner = new Scanner(options.scanScript ?? new URL('./workers/scan.js', import.meta.url));
    this.#sources = new SourceTable(log, readOnly, (id) => this.#open.get(id)?.live);
  }

  static async open(options: LogbookStoreOptions): Promise<LogbookStore> {
    const { root, log, clock = systemClock } = options;
    if (!options.readOnly) {
      await finishDeletions(root, log);
      await sweepStore(root, clock.now(), log);
    }
    return new LogbookStore(options);
  }

  get catalog(): Catalog {
    return this.#catalog;
  }

  /** Whether this process writes the conversation. */
  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /**
   * A journal for a new conversation. Where the store cannot be written now, the journal says so and keeps the records
   * until it can. Rejects where the conversation exists, or the store is read-only.
   */
  async createConversation(id: string): Promise<Journal> {
    const { root, readOnly } = this.#options;
    if (readOnly) throw new Error(READ_ONLY);
    if (this.#open.has(id)) throw new Error(existsAlready(id));
    const paths = pathsOf(root, id);
    const lock = await acquireNew(paths).catch((error: unknown) => {
      if (error instanceof TakenError) throw new Error(existsAlready(id), { cause: error });
      // Tried again by the journal, which tells what is wrong.
      return undefined;
    });
    const open = new OpenConversation(this.#optionsFor(paths), lock && { lock });
    this.#enter(open);
    await open.journal.prepare();
    return open.journal;
  }

  /** Continues a stored conversation: repairs its end, and takes over from a process that has died (within 5 s). */
  async resumeConversation(id: string): Promise<Resumed> {
    const { log, root, readOnly, onProblem, clock = systemClock } = this.#options;
    if (readOnly) return { refused: READ_ONLY };
    const mine = this.#open.get(id)?.journal;
    if (mine)
      return { refused: mine.isClosing ? WAITING : 'This window is writing the conversation already.' };
    const paths = await locate(root, id);
    const resumed = await takeOver(paths, log);
    if ('refused' in resumed) return resumed;
    await sweepConversation(paths, resumed.lines.index, clock.now(), log);
    const row = await readRow(paths, this.#catalog.row(paths.name)).catch(() => undefined);
    const open = new OpenConversation(this.#optionsFor(paths), resumed, row);
    this.#enter(open);
    if (resumed.repair?.kind === 'quarantined') onProblem(problems.torn(paths, resumed.repair));
    return { journal: open.journal, lastSeq: resumed.lines.index.maxSeq };
  }

  /**
   * Keeps a conversation that was made elsewhere: whole and durable once this resolves, or not at all. Rejects with the
   * signal's reason, where the conversation exists, and as the file system does.
   */
  async importConversation(id: string, records: Iterable<LogRecord>, signal?: AbortSignal): Promise<void> {
    const { root, log, readOnly, clock = systemClock } = this.#options;
    if (readOnly) throw new Error(READ_ONLY);
    const paths = await locate(root, id);
    await importConversation(paths, records, { created: clock.now(), log, signal });
    await this.#catalog.refresh();
  }

  /**
   * A conversation to be read, with what this process has recorded but not yet written; it grows while others write.
   * Rejects where there is no such conversation.
   */
  async openTranscript(id: string): Promise<Transcript> {
    const paths = this.#open.get(id)?.paths ?? (await locate(this.#options.root, id));
    const source = await this.#sources.take(paths);
    return new StoredTranscript(paths, source, () => this.#sources.giveBack(id));
  }

  /** The last records of a conversation at once, also where it is large and has no index yet. */
  async readTail(id: string, count: number): Promise<readonly ReadRecord[]> {
    const open = this.#open.get(id);
    if (!open) return await readTail(await locate(this.#options.root, id), count);
    const { length } = open.live;
    return await new StoredTranscript(open.paths, open.live).read(Math.max(0, length - count), length);
  }

  /**
   * Deletes a conversation: journal, spilled texts, caches and the catalog's entry. A missing one is fine, and what a
   * crash leaves is finished by the next start. Rejects with words for a person.
   */
  async deleteConversation(id: string): Promise<void> {
    const { root, readOnly } = this.#options;
    if (readOnly) throw new Error(READ_ONLY);
    const mine = this.#open.get(id)?.journal;
    if (mine?.isClosing) await mine.closeNow();
    else if (mine) throw new Error('This conversation is being recorded; stop its run first.');
    const paths = await locate(root, id);
    await deleteConversation(paths);
    this.#catalog.forget(paths.name);
  }

  /**
   * Gives a conversation a title by a record. One that this process records is refused: its recorder, which counts the
   * records, must do it.
   */
  async rename(id: string, title: string): Promise<{ readonly refused?: string }> {
    const resumed = await this.resumeConversation(id);
    if ('refused' in resumed) return resumed;
    const { journal, lastSeq } = resumed;
    const { clock = systemClock } = this.#options;
    const header = { seq: lastSeq + 1, id: newId('message'), time: clock.now(), conversation: id };
    journal.append({
      ...header,
      run: '',
      call: '',
      agent: '',
      depth: 0,
      type: 'title',
      title: singleLine(title),
    });
    const { problem } = await journal.flush();
    await this.#open.get(id)?.journal.closeNow();
    return problem === undefined ? {} : { refused: problem };
  }

  /**
   * The messages of all conversations for which the criteria hold, the newest conversation first, as they are found on
   * a thread of its own. Ends when the signal is aborted; throws with words for a person where the criteria are no good.
   */
  async *search(
    criteria: FilterCriteria,
    options: SearchOptions,
    signal: AbortSignal,
  ): AsyncGenerator<SearchHit, void, undefined> {
    const { root } = this.#options;
    const found = new Map((await listConversations(root)).map((paths) => [paths.id, paths]));
    const newestFirst = this.#catalog.entries().map(({ conversation }) => conversation);
    const ids = new Set([...newestFirst, ...[...found.keys()].sort().reverse()]);
    const targets = [...ids].map((id) => found.get(id)).filter((paths) => paths !== undefined);
    yield* this.#scanner.search(targets.map(targetOf), criteria, options, signal);
  }

  /**
   * The positions in one conversation at which the criteria hold, from a position on and as far as it is written now;
   * otherwise as `search`.
   */
  async *scan(
    id: string,
    criteria: FilterCriteria,
    signal: AbortSignal,
    from = 0,
  ): AsyncGenerator<ScanBatch, void, undefined> {
    yield* this.#scanner.scan(targetOf(await locate(this.#options.root, id)), criteria, from, signal);
  }

  /**
   * The names of the tools that are called in one conversation, in the order in which they first are, `most` at the
   * most; otherwise as `scan`.
   */
  async toolNames(id: string, most: number, signal: AbortSignal): Promise<readonly string[]> {
    return await this.#scanner.toolNames(targetOf(await locate(this.#options.root, id)), most, signal);
  }

  /** Makes ready for many a `scan` of one conversation, on a thread of its own. */
  async prepareScan(id: string): Promise<void> {
    this.#scanner.prepare(targetOf(await locate(this.#options.root, id)));
  }

  readonly retention: Retention = {
    plan: async (policy) => {
      await this.#catalog.refresh();
      return planRetention(this.#catalog.entries(), policy, (this.#options.clock ?? systemClock).now());
    },
    apply: (plan) => applyRetention(plan, (id) => this.deleteConversation(id)),
  };

  /** Closes all journals, also those that wait for a disk; transcripts stay readable. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ journal }) => journal.closeNow()));
    this.#catalog.dispose();
    this.#scanner.dispose();
  }

  #optionsFor(paths: ConversationPaths): OpenConversationOptions {
    const { log, clock = systemClock, limits, segmentBytes, onProblem, onSolved } = this.#options;
    return {
      paths,
      clock,
      log,
      limits,
      segmentBytes,
      onProblem: (problem) => onProblem(problem),
      onSolved: (problem) => onSolved?.(problem),
      onChanged: () => this.#catalog.touch(),
      onClosing: (open) => this.#leave(open),
    };
  }

  #enter(open: OpenConversation): void {
    const { id } = open.paths;
    this.#open.set(id, open);
    this.#sources.goLive(id, open.live);
    this.#catalog.touch();
  }

  async #leave(open: OpenConversation): Promise<void> {
    const { id } = open.paths;
    try {
      const lines = await open.lines();
      const row = await open.row();
      this.#open.delete(id);
      this.#sources.endLive(open.live, lines);
      await keepLines(lines, this.#options.log);
      if (row) await this.#catalog.settle(open.paths, row);
    } finally {
      this.#open.delete(id);
      this.#catalog.touch();
    }
  }
}

function existsAlready(id: string): string {
  return `The conversation ${id} exists already.`;
}
