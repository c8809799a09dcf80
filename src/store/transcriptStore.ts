import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { checkOptions } from '../core/checkOptions.js';
import { systemClock } from '../core/clock.js';
import type { Disposable } from '../core/event.js';
import { codedError, errorCode } from '../core/errorCode.js';
import { newConversationId, newId } from '../core/ids.js';
import type { NoteChange } from '../core/note.js';
import type { LogRecord } from '../core/record.js';
import { singleLine } from '../core/text.js';
import type { Journal } from '../core/ports/journal.js';
import type { ConversationSource, Transcript } from '../core/ports/transcript.js';
import { StoreCatalog, type Catalog } from './catalog/catalog.js';
import {
  conversationOfFile,
  journalPathOf,
  listConversations,
  locate,
} from './catalog/conversationFolders.js';
import { boundedSource } from './format/journalHeader.js';
import { OpenConversations, type Resumed } from './write/openConversations.js';
import type { LiveFollower } from './read/liveFeed.js';
import { SourceTable } from './read/sourceTable.js';
import { StoredTranscript } from './read/storedTranscript.js';
import { journalLimitKinds } from './write/journalOptions.js';
import { storeOptionKinds, type TranscriptStoreOptions } from './write/storeOptions.js';
import { importConversation } from './write/importConversation.js';
import {
  RecordsHere,
  type ImportedSession,
  type ImportOutcome,
  type SessionRecords,
  type WriteOptions,
} from './write/importSession.js';
import { forEachAtOnce } from '../core/forEachAtOnce.js';
import {
  readImportReport,
  removeImportReport,
  writeImportReport,
  type ImportReport,
} from './files/importReport.js';
import { withKept } from './notes/keptSessions.js';
import { keyOfConversation, sessionKey, type SessionKey } from '../core/sessionKey.js';
import { hasNotes, readNotes, writeNoteChanges, type StoredNotes } from './notes/noteFile.js';
import { type ConversationPaths, names } from './files/storePaths.js';
import { applyRetention, planRetention, type Retention } from './catalog/retention.js';
import { readingProblem, StoreError, type StoreProblem } from './write/storeProblem.js';
import { sweepStore } from './write/sweepStore.js';
import { makeFolder } from '../node/plainFile.js';
import { ProcessLock } from '../node/processLock.js';
import { makeRoot } from './files/storeRoot.js';
import { deleteConversation, finishDeletions, type Tombstone } from './write/removeOwnFolder.js';

/** The conversations that were made of a session before, compared with it. */
interface ComparedImports {
  /** The one that holds all of it. */
  readonly whole?: string | undefined;
  /** The one that it goes on, with how many of its records that holds. */
  readonly begun?: { readonly conversation: string; readonly same: number };
  /** The latest version of it, where it has changed. */
  readonly related?:
    | { readonly version: number; readonly reader: number; readonly conversation: string }
    | undefined;
  readonly known: number;
}

const NOT_IMPORTED = 'Nothing was imported.';
const NOT_OPENED = 'The conversation was not opened.';
/** In how many folders is looked for notes at the same time. */
const MAX_LOOKS_AT_ONCE = 32;
const READ_ONLY = 'The store is open for reading only.';

/** Where a thread that reads finds a conversation of a store. */
export interface ReadTarget {
  readonly root: string;
  readonly id: string;
  /** The name of its folder. */
  readonly name: string;
  /** Whether no cache may be written. */
  readonly readOnly: boolean;
}

/** Writes, reads, lists and deletes the conversations in one folder. Creates nothing on disk before the first write. */
export class TranscriptStore {
  readonly #options: TranscriptStoreOptions;
  readonly #catalog: StoreCatalog;
  readonly #sources: SourceTable;
  readonly #open: OpenConversations;
  #unreadable: StoreProblem | undefined;
  /** The latest import of each session that is being imported: the next one of it looks at what that has stored. */
  readonly #importing = new Map<string, Promise<unknown>>();

  private constructor(options: TranscriptStoreOptions) {
    this.#options = options;
    const { root, log, onThread, mayBlock, readOnly = false } = options;
    this.#open = new OpenConversations(options, () => ({ catalog: this.#catalog, sources: this.#sources }));
    this.#catalog = new StoreCatalog({
      root,
      log,
      readOnly,
      mayBlock,
      onThread: onThread && { row: onThread.row, rows: onThread.rows, log },
      live: () => this.#open.values(),
      onFailure: (error) => this.#setUnreadable(error),
    });
    this.#sources = new SourceTable(log, readOnly, (id) => this.#open.recordsOf(id), onThread?.lines);
  }

  /** Opens the store in a folder, which need not exist. Rejects with a TypeError for an unknown option. */
  static async open(options: TranscriptStoreOptions): Promise<TranscriptStore> {
    checkOptions(options, { ...storeOptionKinds, root: 'text' }, 'TranscriptStore.open');
    checkOptions(options.limits ?? {}, journalLimitKinds, 'limits');
    const { root, log, clock = systemClock } = options;
    if (!options.readOnly) {
      await finishDeletions(root, log, leavingOf(options, 'interrupted'));
      await sweepStore(root, clock.now(), log);
    }
    const store = new TranscriptStore(options);
    if (!options.readOnly) await store.#open.keepLastWords();
    return store;
  }

  /** Why the conversations cannot be listed; undefined while they can. */
  get unreadable(): StoreProblem | undefined {
    return this.#unreadable;
  }

  get catalog(): Catalog {
    return this.#catalog;
  }

  /** Whether this process writes the conversation. */
  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /**
   * Creates the journal of a new conversation. While the store cannot be written, the journal reports it and keeps the
   * records. Rejects where the conversation exists, or the store is read-only.
   */
  async createConversation(id: string): Promise<Journal> {
    if (this.#options.readOnly) throw codedError(Error, READ_ONLY, 'READ_ONLY');
    return await this.#open.create(id);
  }

  /** Continues a stored conversation: repairs the end of its journal, and takes over from a dead process within 5 s. */
  async resumeConversation(id: string): Promise<Resumed> {
    if (this.#options.readOnly) return { refused: READ_ONLY };
    return await this.#inWords('The conversation was not changed.', undefined, () => this.#open.resume(id));
  }

  /**
   * Stores a conversation that was made elsewhere: completely and durably once this resolves, or not at all. Rejects with
   * the signal's reason, with an error for a person where the conversation exists, and with a `StoreError`.
   */
  async importConversation(
    id: string,
    records: Iterable<LogRecord>,
    signal?: AbortSignal,
    source?: ConversationSource,
  ): Promise<void> {
    const { log } = this.#options;
    const write: SessionRecords['write'] = (paths, options) =>
      importConversation(paths, records, { ...options, log });
    await this.#write(id, write, { signal, source });
  }

  async #write(
    id: string,
    write: SessionRecords['write'],
    { signal, source }: Pick<WriteOptions, 'signal' | 'source'>,
  ): Promise<void> {
    const { root, readOnly, clock = systemClock, seals } = this.#options;
    if (readOnly) throw codedError(Error, READ_ONLY, 'READ_ONLY');
    await this.#inWords(NOT_IMPORTED, signal, async () => {
      const paths = await locate(root, id);
      const row = await write(paths, { created: clock.now(), signal, source, seals });
      await (row ? this.#catalog.settle(paths, row) : this.#catalog.lookAt(paths));
    });
  }

  /**
   * Stores a session of another tool, or updates the conversation that was made of it before: by the tool's id of the
   * session, adding what the file has gained. Nothing stored is ever changed. What is new is stored completely or not at
   * all; of what is added to a conversation, a crash may leave the first part, and the next import adds the rest.
   * Rejects like `importConversation`, and where the conversation cannot be continued. Several may be imported at once,
   * which then share the syncs of the store's folders; those of the same session follow each other.
   */
  async importSession({ source, records }: ImportedSession, signal?: AbortSignal): Promise<ImportOutcome> {
    return await this.importRecords(source, new RecordsHere(records, this.#options.log), signal);
  }

  /** The same for records that may be on another thread. */
  async importRecords(
    from: ImportedSession['source'],
    records: SessionRecords,
    signal?: AbortSignal,
  ): Promise<ImportOutcome> {
    const source = boundedSource(from);
    const key = sessionKey(source);
    const before = this.#importing.get(key) ?? Promise.resolve();
    const work = before
      .catch(() => undefined)
      .then(() => this.#inWords(NOT_IMPORTED, signal, () => this.#importSession(source, records, signal)));
    this.#importing.set(key, work);
    try {
      return await work;
    } finally {
      if (this.#importing.get(key) === work) this.#importing.delete(key);
    }
  }

  async #importSession(
    source: ConversationSource,
    records: SessionRecords,
    signal: AbortSignal | undefined,
  ): Promise<ImportOutcome> {
    const { root, readOnly, clock = systemClock } = this.#options;
    const before = await this.#comparedImports(source, records);
    if (before.whole !== undefined) return { kind: 'unchanged', conversation: before.whole, added: 0 };
    if (readOnly) throw codedError(Error, READ_ONLY, 'READ_ONLY');
    const lock = await lockSession(root, source, signal);
    try {
      // Another process may have stored it meanwhile.
      await this.#catalog.lookForNew();
      const { whole, begun, known, related } = await this.#comparedImports(source, records);
      if (whole !== undefined) return { kind: 'unchanged', conversation: whole, added: 0 };
      if (begun) return await this.#growImport(records, begun.conversation, begun.same, signal);
      const conversation = newConversationId(records.begins ?? clock.now());
      const about = { signal, source: related ? { ...source, version: related.version + 1 } : source };
      await this.#write(conversation, (paths, options) => records.write(paths, options), about);
      await this.#copyNotes(related?.conversation, conversation, source);
      const changed = related && related.reader < (source.reader ?? 1) ? 'reread' : 'changed';
      const kind = known === 0 ? 'new' : related ? changed : 'namesake';
      return { kind, conversation, added: records.length };
    } finally {
      await lock.release();
    }
  }

  /** How a session compares with the conversations that were made of it before. */
  async #comparedImports(source: ConversationSource, records: SessionRecords): Promise<ComparedImports> {
    const rows = await this.#catalog.importsOf(source);
    let related: ComparedImports['related'];
    let cut: string | undefined;
    for (const row of rows) {
      const { conversation } = row;
      const { same, isAll } = await records.compare(await locate(this.#options.root, conversation));
      if (isAll && same === records.length) return { whole: conversation, known: rows.length };
      if (isAll && same > 0) return { begun: { conversation, same }, known: rows.length };
      // Of a file that was cut, or copied before it had grown, all is there already.
      if (same > 0 && same === records.length) cut ??= conversation;
      if (same === 0 && (source.path === undefined || source.path !== row.source?.path)) continue;
      const version = row.source?.version ?? 1;
      const reader = row.source?.reader ?? 1;
      if (!related || version > related.version) related = { version, reader, conversation };
    }
    return { whole: cut, related, known: rows.length };
  }

  /**
   * Puts the notes of the version before, and those that are kept about the session, beside a new conversation; those whose
   * message is not in it wait there for it.
   */
  async #copyNotes(from: string | undefined, to: string, session: SessionKey): Promise<void> {
    try {
      const before = from === undefined ? [] : (await readNotes(await this.#pathsOf(from))).notes;
      const notes = withKept(before, await this.#options.kept?.of(session));
      const changes = notes.map((note) => ({ kind: 'set' as const, note }));
      if (changes.length > 0) await writeNoteChanges(await this.#pathsOf(to), changes);
    } catch (error) {
      // The session itself is stored; its notes are still where they were.
      this.#options.log.error(
        `The notes of ${from ?? session.session} could not be taken over by ${to}.`,
        error,
      );
    }
  }

  async #growImport(
    records: SessionRecords,
    conversation: string,
    from: number,
    signal: AbortSignal | undefined,
  ): Promise<ImportOutcome> {
    const resumed = await this.resumeConversation(conversation);
    if ('refused' in resumed) throw new Error(resumed.refused);
    const { journal, lastSeq } = resumed;
    let seq = lastSeq;
    let problem: string | undefined;
    try {
      for await (const batch of records.behind(from, conversation)) {
        signal?.throwIfAborted();
        for (const record of batch) journal.append({ ...record, seq: ++seq });
        // What waits in memory stays little, and others get their turn.
        ({ problem } = await journal.flush());
        if (problem !== undefined) break;
      }
    } finally {
      await this.#open.journalOf(conversation)?.closeNow();
    }
    if (problem !== undefined) throw new Error(problem);
    return { kind: 'grown', conversation, added: records.length - from };
  }

  /**
   * Opens a conversation for reading, including records that this process has not written yet; it grows while others
   * write. Rejects where there is no such conversation, and with a `StoreError`.
   */
  async openTranscript(id: string): Promise<Transcript> {
    const [paths, source] = await this.#inWords(NOT_OPENED, undefined, async () => {
      const found = this.#open.pathsOf(id) ?? (await locate(this.#options.root, id));
      return [found, await this.#sources.take(found)] as const;
    });
    const { onThread, log } = this.#options;
    const records = onThread && { record: onThread.record, log };
    return new StoredTranscript(paths, source, () => this.#sources.release(id), records);
  }

  /**
   * Tells a follower on another thread of all that this process writes to a conversation, from now on or later, as
   * long as it is not disposed.
   */
  follow(id: string, follower: LiveFollower): Disposable {
    return this.#sources.follow(id, follower);
  }

  /** Opens a conversation on another thread by `work`; rejects as `openTranscript` does where the files refuse. */
  async openOnThread<T>(work: () => Promise<T>): Promise<T> {
    return await this.#inWords(NOT_OPENED, undefined, work);
  }

  /**
   * Resolves once all of a conversation that this process records so far is on the disk, where other threads read it.
   * Rejects with an error for a person where it cannot be written.
   */
  async settle(id: string): Promise<void> {
    const { problem } = (await this.#open.journalOf(id)?.flush()) ?? {};
    if (problem !== undefined) throw new Error(problem);
  }

  /** Where another thread of this process finds a conversation. */
  async target(id: string): Promise<ReadTarget> {
    const { root, readOnly = false } = this.#options;
    const { name } = this.#open.pathsOf(id) ?? (await locate(root, id));
    return { root, id, name, readOnly };
  }

  /**
   * The absolute path of the file in which a conversation begins, whatever its id and format. Rejects with an error for a
   * person where there is none.
   */
  async journalPath(id: string): Promise<string> {
    const paths = this.#open.pathsOf(id) ?? (await locate(this.#options.root, id));
    const path = await journalPathOf(paths);
    if (path === undefined) throw new Error(`Nothing of the conversation ${id} is on the disk.`);
    return path;
  }

  /** The id of the conversation that a journal file belongs to; undefined for every other file. */
  async conversationOf(path: string): Promise<string | undefined> {
    return await conversationOfFile(this.#options.root, path);
  }

  /**
   * Deletes a conversation: journal, spilled texts, caches and catalog entry. A missing one is fine; a deletion cut off
   * by a crash is completed at the next start. Of one that is sealed a tombstone is left, see docs/security.md, which says why it
   * was deleted. Rejects with an error for a person.
   */
  async deleteConversation(id: string, why: Tombstone['why'] = 'asked'): Promise<void> {
    const { root, readOnly } = this.#options;
    if (readOnly) throw codedError(Error, READ_ONLY, 'READ_ONLY');
    const mine = this.#open.journalOf(id);
    if (mine?.isClosing) await mine.closeNow();
    else if (mine) throw new Error('This conversation is being recorded; stop its run first.');
    await this.#inWords('The conversation was not deleted.', undefined, async () => {
      const paths = await locate(root, id);
      await deleteConversation(paths, leavingOf(this.#options, why));
      this.#catalog.forget(paths.name);
    });
  }

  /**
   * Renames a conversation by adding a record. Refused for one that this process is recording, because its recorder
   * assigns the seqs and must do it.
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
    await this.#open.journalOf(id)?.closeNow();
    return problem === undefined ? {} : { refused: problem };
  }

  /** The ids of the conversations that may have notes, in no order. Rejects with a `StoreError`. */
  async noted(): Promise<readonly string[]> {
    return await this.#inWords('The notes were not listed.', undefined, async () => {
      const found: string[] = [];
      await forEachAtOnce(await listConversations(this.#options.root), MAX_LOOKS_AT_ONCE, async (paths) => {
        if (await hasNotes(paths)) found.push(paths.id);
      });
      const kept = (await this.#options.kept?.all()) ?? [];
      const noted = new Set(kept.flatMap((each) => (each.notes.length > 0 ? sessionKey(each) : [])));
      const isNoted = (id: string) => noted.has(sessionKey(this.#keyOf(id)));
      const others = noted.size === 0 ? [] : this.#catalog.entries().map(({ conversation }) => conversation);
      return [...new Set([...found, ...others.filter(isNoted)])];
    });
  }

  /** What people have noted about the messages of a conversation, or of its session elsewhere. Rejects with a `StoreError`. */
  async notes(id: string): Promise<StoredNotes> {
    return await this.#inWords('The notes were not read.', undefined, async () => {
      const own = await readNotes(await this.#pathsOf(id));
      return { ...own, notes: withKept(own.notes, await this.#options.kept?.of(this.#keyOf(id))) };
    });
  }

  /**
   * What its import has told of problems; undefined where it told of none, or the conversation was not imported. Rejects with
   * a `StoreError`.
   */
  async importReport(id: string): Promise<ImportReport | undefined> {
    return await this.#inWords('The report of the import was not read.', undefined, async () => {
      const report = await readImportReport(await this.#pathsOf(id));
      return report && report.problemCount > 0 ? report : undefined;
    });
  }

  /**
   * Keeps what an import has told, in place of what one before it told; and which readers have read the file, where older ones had
   * made the same of it. Never rejects: what was imported is stored.
   */
  async keepImportReport(id: string, { reader = 1, ...report }: ImportReport): Promise<void> {
    if (this.#options.readOnly) return;
    try {
      const paths = await this.#pathsOf(id);
      const row = this.#catalog.row(paths.name);
      const isNewer = row?.source !== undefined && reader > (row.source.reader ?? 1);
      const last = isNewer ? reader : await this.#notedReader(paths);
      if (report.problemCount > 0 || last !== undefined)
        await writeImportReport(paths, { ...report, ...(last !== undefined && { reader: last }) });
      else await removeImportReport(paths);
      if (isNewer) await this.#catalog.settle(paths, { ...row, source: { ...row.source, reader } });
    } catch (error) {
      this.#options.log.warn(`What the import of ${id} has told could not be kept.`, error);
    }
  }

  /**
   * Changes the notes of a conversation, and of its session wherever that comes up; they are on the disk once this resolves,
   * behind what other windows wrote meanwhile. Rejects with an error for a person where the conversation is not there, and with a `StoreError`.
   */
  async changeNotes(id: string, changes: readonly NoteChange[]): Promise<void> {
    if (this.#options.readOnly) throw codedError(Error, READ_ONLY, 'READ_ONLY');
    await this.#inWords('Nothing was noted.', undefined, async () => {
      await writeNoteChanges(await this.#pathsOf(id), changes);
      const { kept } = this.#options;
      const { origin, title = '' } = this.#catalog.find(id) ?? {};
      const path = origin?.path;
      // Of what was recorded here, only its copy in the archive may have some that are kept apart.
      if (kept && (origin || (await kept.of(this.#keyOf(id)))))
        await kept.change(this.#keyOf(id), changes, { title, ...(path !== undefined && { path }) });
    });
  }

  /** Which readers read a conversation last, as its report says; one that cannot be read says nothing, and is written anew. */
  async #notedReader(paths: ConversationPaths): Promise<number | undefined> {
    try {
      return (await readImportReport(paths))?.reader;
    } catch (error) {
      this.#options.log.debug(`By which readers ${paths.id} was read last is not known: ${String(error)}`);
      return undefined;
    }
  }

  /** By what the session of a conversation is known again; what was recorded here is our own. */
  #keyOf(id: string): SessionKey {
    return keyOfConversation(id, this.#catalog.find(id)?.origin);
  }

  async #pathsOf(id: string): Promise<ConversationPaths> {
    return this.#open.pathsOf(id) ?? (await locate(this.#options.root, id));
  }

  readonly retention: Retention = {
    plan: async (policy) => {
      await this.#catalog.refresh();
      return planRetention(this.#catalog.entries(), policy, (this.#options.clock ?? systemClock).now());
    },
    apply: (plan) => applyRetention(plan, (id) => this.deleteConversation(id, 'retention')),
  };

  /** Names the store, and what to do, where the file system refuses; `left` says what that means. */
  async #inWords<T>(left: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted || error instanceof StoreError || errorCode(error) === '') throw error;
      throw new StoreError(error, this.#options.root, left);
    }
  }

  #setUnreadable(error: unknown): void {
    const { root, onProblem, onSolved } = this.#options;
    const before = this.#unreadable;
    this.#unreadable = error === undefined ? undefined : readingProblem(error, root);
    if (this.#unreadable) onProblem(this.#unreadable);
    else if (before) onSolved?.(before);
  }

  /** Closes all journals, even those that wait for a disk; transcripts stay readable. */
  async close(): Promise<void> {
    await this.#open.close();
    await this.#catalog.close();
  }
}

/**
 * Takes the right to store a session of a tool, so that two processes which import it at the same moment make one conversation of
 * it; waits for whoever has it. Rejects with the signal's reason and with errors of the file system.
 */
export async function lockSession(
  root: string,
  source: Pick<ConversationSource, 'tool' | 'session'>,
  signal: AbortSignal | undefined,
): Promise<ProcessLock> {
  await makeRoot(root);
  const folder = await makeFolder(root, names.state, names.imports);
  const name = createHash('sha256').update(sessionKey(source)).digest('hex').slice(0, 32);
  return await ProcessLock.acquireBriefly(join(folder, name), signal);
}

/** What is left of a conversation that is deleted; nothing where nothing is sealed. */
function leavingOf({ seals, clock = systemClock, log }: TranscriptStoreOptions, why: Tombstone['why']) {
  return seals === false ? undefined : { why, time: clock.now(), log };
}
