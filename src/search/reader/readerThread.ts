import type { DeedEdit } from '../../query/numbers/deed.js';
import { presentTranslations } from '../../core/l10n.js';
import { onAbort } from '../../core/abort.js';
import type { Disposable } from '../../core/event.js';
import { messageOf } from '../../core/text.js';
import { Thread } from '../../node/thread.js';
import type {
  PanelTranscript,
  LiveTranscript,
  NamedFile,
  TranscriptRequest,
  TranscriptStart,
} from '../../page/panel/ports.js';
import type { Log } from '../../core/ports/log.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import type { PanelEvent } from '../../page/protocol/events.js';
import type { LiveFollower, LiveGrowth } from '../../store/read/liveFeed.js';
import type { ReadTarget, TranscriptStore } from '../../store/transcriptStore.js';
import type { ConversationCost } from './conversationCost.js';
import type { ExportMade, ExportProgressed, ExportWork } from './exportRecords.js';
import type { ReaderCalls, ReaderHostCalls, TranscriptCall } from './readerCalls.js';
import type { CatalogRow } from '../../store/catalog/catalogCache.js';
import type { ConversationPaths } from '../../store/files/storePaths.js';
import type { LineSpan } from '../../store/read/lineIndex.js';
import type { LinesState } from '../../store/read/openLines.js';
import type { ReadOnThread } from '../../store/write/storeOptions.js';
import type { Note, NoteTarget } from '../../core/note.js';
import type { Answer, Params } from '../../page/protocol/requests.js';
import type { RowField } from '../../page/protocol/row.js';

/** How long the thread lives without an open transcript, in milliseconds; its memory ends with it. */
const IDLE_MS = 3_000;

/** What a reader needs. */
export interface ReaderOptions {
  /** The bundle of `reader.worker.ts`; by default where the build puts it. */
  readonly script?: URL;
  readonly log: Log;
  /** The path of the person's file with own prices at this moment; '' or left out for none. */
  readonly ownPrices?: () => string;
}

/** Whom an open transcript tells what happens. */
export interface OpenOptions {
  /** Takes an event for the page; resolves when the page's side has taken it. */
  readonly send: (event: PanelEvent) => PromiseLike<unknown>;
  /** Called when the thread has ended unexpectedly, so that the transcript can be asked for nothing more. */
  readonly onEnd: (error: Error) => void;
}

/** How an export on the thread is followed. */
export interface ExportOptions {
  readonly onProgress: ExportProgressed;
  readonly signal: AbortSignal;
}

interface RunningExport {
  readonly onProgress: ExportProgressed;
  /** Whether the thread has opened the transcript. */
  isOpen: boolean;
}

/**
 * The one thread of this window that reads, analyses and filters transcripts. It starts with the first one that is opened
 * and ends soon after the last is closed. Here, messages are passed on and nothing is read.
 */
export class ReaderThread implements Disposable, ReadOnThread {
  readonly #options: ReaderOptions;
  readonly #opened = new Map<number, OpenOptions>();
  readonly #exports = new Map<number, RunningExport>();
  readonly #thread: Thread<ReaderCalls>;
  #lastId = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
    const { script = new URL('./workers/reader.js', import.meta.url), log } = options;
    const host: ReaderHostCalls = {
      send: async (transcript, event) => {
        await this.#opened.get(transcript)?.send(event);
      },
      exportProgress: (job, read, all) => this.#progressed(job, read, all),
    };
    this.#thread = new Thread({
      name: 'transcript reader',
      script,
      data: presentTranslations,
      host,
      log,
      idleMs: IDLE_MS,
      isNeeded: () => this.#opened.size > 0,
      onEnd: (error) => {
        if (error) this.#ended(error);
      },
    });
  }

  /** Whether the thread is running. */
  get isRunning(): boolean {
    return this.#thread.isRunning;
  }

  /** Opens a conversation of a store for a panel. Rejects with an error for a person where it cannot be read. */
  async open(store: TranscriptStore, id: string, options: OpenOptions): Promise<PanelTranscript> {
    const transcript = ++this.#lastId;
    const target = await store.target(id);
    this.#opened.set(transcript, options);
    const { calls, dispose: release } = this.#thread.hold();
    const open = (live: LiveGrowth | undefined) =>
      calls.call('open', transcript, target, live, this.#options.ownPrices?.() ?? '');
    let opening: Promise<void> | undefined;
    const follower: LiveFollower = {
      begin: async (growth) => {
        const isFirst = opening === undefined;
        await (opening ??= open(growth));
        if (!isFirst) await calls.call('begin', transcript, growth);
      },
      grow: (growth) => calls.call('grow', transcript, growth),
      end: (growth, segments) => calls.call('end', transcript, growth, segments),
    };
    const feed = store.follow(id, follower);
    try {
      // A conversation that is being written here is open by now, with all that its follower was told at once.
      await store.openOnThread(() => (opening ??= open(undefined)));
    } catch (error) {
      feed.dispose();
      this.#close(transcript);
      throw error;
    } finally {
      release();
    }
    return new RemoteTranscript(
      (name, args) => calls.call('ask', transcript, name, args),
      () => {
        feed.dispose();
        this.#close(transcript);
      },
      this.#options.log,
    );
  }

  /** Reads the lines of a journal there; rejects where that thread ends or the files cannot be read. */
  readonly lines = (paths: ConversationPaths): Promise<LinesState> =>
    this.#thread.call('lines', targetOf(paths));

  /** Reads the record on a line there; rejects like `lines`. */
  readonly record = (paths: ConversationPaths, line: LineSpan, position: number): Promise<ReadRecord> =>
    this.#thread.call('record', targetOf(paths), line, position);

  /** Reads a conversation's row of the catalog there; rejects like `lines`. */
  readonly row = (paths: ConversationPaths, kept: CatalogRow | undefined): Promise<CatalogRow | undefined> =>
    this.#thread.call('row', targetOf(paths), kept);

  /** Reads the rows of many conversations there; rejects where that thread ends. */
  readonly rows: ReadOnThread['rows'] = (wanted) =>
    this.#thread.call(
      'rows',
      wanted.map(({ paths, kept }) => ({ target: targetOf(paths), kept })),
    );

  /** What a conversation cost that this process does not write; rejects like `lines`. */
  async cost(store: TranscriptStore, id: string): Promise<ConversationCost> {
    const target = await store.target(id);
    return this.#thread.call('cost', target, this.#options.ownPrices?.() ?? '');
  }

  /**
   * Exports a conversation that this process does not write. Undefined where the thread does not come to open it, which
   * is logged: then it can be tried here, where a failure of the files is told as ever. Rejects with the signal's
   * reason, and as `exportRecords` does, with the same words and codes.
   */
  async export(
    store: TranscriptStore,
    id: string,
    work: ExportWork,
    { onProgress, signal }: ExportOptions,
  ): Promise<ExportMade | undefined> {
    const job = ++this.#lastId;
    const running: RunningExport = { onProgress, isOpen: false };
    this.#exports.set(job, running);
    let leave: () => void = () => undefined;
    try {
      const target = await store.target(id);
      const making = this.#thread.call('export', job, target, work);
      leave = onAbort(signal, () => this.#thread.tell('cancelExport', job));
      return await making;
    } catch (error) {
      signal.throwIfAborted();
      if (running.isOpen) throw error;
      this.#options.log.warn(`${id} is exported on the thread that asks for it: ${messageOf(error)}`);
      return undefined;
    } finally {
      leave();
      this.#exports.delete(job);
    }
  }

  dispose(): void {
    this.#opened.clear();
    void this.#thread.stop();
  }

  #progressed(job: number, read: number, all: number): void {
    const running = this.#exports.get(job);
    if (!running) return;
    running.isOpen = true;
    if (read > 0) running.onProgress(read, all);
  }

  #close(transcript: number): void {
    if (!this.#opened.delete(transcript)) return;
    this.#thread.tell('close', transcript);
    this.#thread.restSoon();
  }

  #ended(error: Error): void {
    this.#options.log.error(`Transcripts cannot be read on: ${messageOf(error)}`);
    const opened = [...this.#opened.values()];
    this.#opened.clear();
    for (const { onEnd } of opened) onEnd(error);
  }
}

/** A conversation to be read and not to be written, not even its caches. */
function targetOf({ root, id, name }: ConversationPaths): ReadTarget {
  return { root, id, name, readOnly: true };
}

/** Has another thread do what a transcript is asked for; rejects with its error. */
type Ask = (call: TranscriptCall, args: readonly unknown[]) => Promise<unknown>;

/** A transcript that is open on another thread. */
class RemoteTranscript implements PanelTranscript {
  readonly #ask: Ask;
  readonly #close: () => void;
  readonly #log: Log;

  constructor(ask: Ask, close: () => void, log: Log) {
    this.#ask = ask;
    this.#close = close;
    this.#log = log;
  }

  begin(params: Params<'ready'>, live: LiveTranscript): Promise<TranscriptStart> {
    return this.#ask('begin', [params, live]) as Promise<TranscriptStart>;
  }

  follow(live: LiveTranscript): Promise<void> {
    return this.#ask('follow', [live]) as Promise<void>;
  }

  hide(): void {
    this.#ask('hide', []).catch((error: unknown) => this.#log.debug(`A hidden panel: ${String(error)}`));
  }

  setLive(live: LiveTranscript): Promise<void> {
    return this.#ask('setLive', [live]) as Promise<void>;
  }

  ask<N extends TranscriptRequest>(name: N, params: Params<N>): Promise<Answer<N>> {
    return this.#ask('ask', [name, params]) as Promise<Answer<N>>;
  }

  copyOf(row: number, as: 'text' | 'markdown'): Promise<string> {
    return this.#ask('copyOf', [row, as]) as Promise<string>;
  }

  textOf(row: number, field: RowField, part: number | undefined): Promise<string> {
    return this.#ask('textOf', [row, field, part]) as Promise<string>;
  }

  changesOf(row: number): Promise<readonly DeedEdit[]> {
    return this.#ask('changesOf', [row]) as Promise<readonly DeedEdit[]>;
  }

  fileOf(row: number, file: number): Promise<NamedFile> {
    return this.#ask('fileOf', [row, file]) as Promise<NamedFile>;
  }

  setNotes(notes: readonly Note[]): Promise<void> {
    return this.#ask('setNotes', [notes]) as Promise<void>;
  }

  noteTargetOf(row: number): Promise<NoteTarget> {
    return this.#ask('noteTargetOf', [row]) as Promise<NoteTarget>;
  }

  positionOfNote(note: string): Promise<number | undefined> {
    return this.#ask('positionOfNote', [note]) as Promise<number | undefined>;
  }

  positionOfMessage(id: string, near: number | undefined): Promise<number | undefined> {
    return this.#ask('positionOfMessage', [id, near]) as Promise<number | undefined>;
  }

  foundPositions(): Promise<readonly number[]> {
    return this.#ask('foundPositions', []) as Promise<readonly number[]>;
  }

  dispose(): void {
    this.#close();
  }
}
