import { systemClock, type Clock } from '../core/clock.js';
import type { Journal } from '../ports/journal.js';
import type { Log } from '../ports/log.js';
import type { Transcript } from '../ports/transcript.js';
import { StoreCatalog, type Catalog } from './catalog.js';
import { locate } from './conversationFolders.js';
import type { JournalLimits } from './conversationJournal.js';
import { OpenConversation, type OpenConversationOptions } from './openConversation.js';
import { findFolder } from './plainFiles.js';
import { readRow } from './readRow.js';
import { takeOver } from './resumeConversation.js';
import { SourceTable } from './sourceTable.js';
import { StoredTranscript } from './storedTranscript.js';
import { names, pathsOf, type ConversationPaths } from './storePaths.js';
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
  /** A person must know; told at once, and once for each kind and conversation. */
  readonly onProblem: (problem: StoreProblem) => void;
  /** What was told is over: everything is written. */
  readonly onSolved?: (problem: StoreProblem) => void;
}

/** A conversation taken over for writing, with the seq of its last record; or why it cannot be, in words. */
export type Resumed = { readonly journal: Journal; readonly lastSeq: number } | { readonly refused: string };

/** The conversations in one folder: written, read, listed and deleted. Creates nothing on disk before the first write. */
export class LogbookStore {
  readonly #options: LogbookStoreOptions;
  readonly #catalog: StoreCatalog;
  readonly #sources: SourceTable;
  /** What this process writes, by conversation id. */
  readonly #open = new Map<string, OpenConversation>();

  private constructor(options: LogbookStoreOptions) {
    this.#options = options;
    const { root, log, readOnly = false } = options;
    this.#catalog = new StoreCatalog({ root, log, readOnly, live: () => this.#open.values() });
    this.#sources = new SourceTable(log, (id) => this.#open.get(id)?.live);
  }

  static open(options: LogbookStoreOptions): Promise<LogbookStore> {
    return Promise.resolve(new LogbookStore(options));
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
    if (readOnly) throw new Error('The store is open for reading only.');
    const paths = pathsOf(root, id);
    const there = await findFolder(root, names.conversations, paths.name).catch(() => undefined);
    if (this.#open.has(id) || there !== undefined) throw new Error(`The conversation ${id} exists already.`);
    const open = new OpenConversation(this.#optionsFor(paths));
    this.#enter(open);
    await open.journal.prepare();
    return open.journal;
  }

  /** Continues a stored conversation: repairs its end, and takes over from a process that has died (within 5 s). */
  async resumeConversation(id: string): Promise<Resumed> {
    const { log, root, readOnly, onProblem } = this.#options;
    if (readOnly) return { refused: 'The store is open for reading only.' };
    if (this.#open.has(id)) return { refused: 'This window is writing the conversation already.' };
    const paths = await locate(root, id);
    const resumed = await takeOver(paths, log);
    if ('refused' in resumed) return resumed;
    const row = await readRow(paths, this.#catalog.row(paths.name)).catch(() => undefined);
    const open = new OpenConversation(this.#optionsFor(paths), resumed, row);
    this.#enter(open);
    if (resumed.repair?.kind === 'quarantined') onProblem(problems.torn(paths, resumed.repair));
    return { journal: open.journal, lastSeq: resumed.lines.index.maxSeq };
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

  /** Closes all journals; transcripts stay readable. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ journal }) => journal.close()));
    this.#catalog.dispose();
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
    const segments = await open.segments();
    const row = await open.row();
    this.#open.delete(id);
    this.#sources.endLive(open.paths, open.live, segments);
    if (row) await this.#catalog.settle(open.paths, row);
    this.#catalog.touch();
  }
}
