import { presentTranslations } from '../../core/l10n.js';
import { Worker } from 'node:worker_threads';
import { onAbort } from '../../core/abort.js';
import type { Disposable } from '../../core/event.js';
import { messageOf } from '../../core/text.js';
import { PortCalls } from '../../node/portCalls.js';
import type { PanelTranscript } from '../../page/panel/ports.js';
import type { Log } from '../../core/ports/log.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import type { PanelEvent } from '../../page/protocol/events.js';
import type { LiveFollower, LiveGrowth } from '../../store/read/liveFeed.js';
import type { ReadTarget, TranscriptStore } from '../../store/transcriptStore.js';
import type { ConversationCost } from './conversationCost.js';
import type { ExportMade, ExportProgressed, ExportWork } from './exportRecords.js';
import type { ReaderCalls, ReaderHostCalls } from './readerCalls.js';
import type { CatalogRow } from '../../store/catalog/catalogCache.js';
import type { ConversationPaths } from '../../store/files/storePaths.js';
import type { LineSpan } from '../../store/read/lineIndex.js';
import type { LinesState } from '../../store/read/openLines.js';
import type { ReadBeside } from '../../store/write/storeOptions.js';
import { RemoteTranscript } from './remoteTranscript.js';

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
export class ReaderThread implements Disposable, ReadBeside {
  readonly #options: ReaderOptions;
  readonly #opened = new Map<number, OpenOptions>();
  readonly #exports = new Map<number, RunningExport>();
  #thread: { readonly worker: Worker; readonly calls: PortCalls<ReaderCalls> } | undefined;
  #lastId = 0;
  /** How many questions wait that are no matter of an open transcript. */
  #asked = 0;
  #rest: NodeJS.Timeout | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Whether the thread is running. */
  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  /** Opens a conversation of a store for a panel. Rejects with an error for a person where it cannot be read. */
  async open(store: TranscriptStore, id: string, options: OpenOptions): Promise<PanelTranscript> {
    const transcript = ++this.#lastId;
    const target = await store.target(id);
    this.#opened.set(transcript, options);
    const { calls } = this.#now();
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
      await store.openBeside(() => (opening ??= open(undefined)));
    } catch (error) {
      feed.dispose();
      this.#close(transcript);
      throw error;
    }
    return new RemoteTranscript(
      (call, args) => calls.call('ask', transcript, call, args),
      () => {
        feed.dispose();
        this.#close(transcript);
      },
      this.#options.log,
    );
  }

  /** Reads the lines of a journal there; rejects where that thread ends or the files cannot be read. */
  readonly lines = (paths: ConversationPaths): Promise<LinesState> =>
    this.#use((calls) => calls.call('lines', targetOf(paths)));

  /** Reads the record on a line there; rejects like `lines`. */
  readonly record = (paths: ConversationPaths, line: LineSpan, position: number): Promise<ReadRecord> =>
    this.#use((calls) => calls.call('record', targetOf(paths), line, position));

  /** Reads a conversation's row of the catalog there; rejects like `lines`. */
  readonly row = (paths: ConversationPaths, kept: CatalogRow | undefined): Promise<CatalogRow | undefined> =>
    this.#use((calls) => calls.call('row', targetOf(paths), kept));

  /** Reads the rows of many conversations there; rejects where that thread ends. */
  readonly rows: ReadBeside['rows'] = (wanted) =>
    this.#use((calls) =>
      calls.call(
        'rows',
        wanted.map(({ paths, kept }) => ({ target: targetOf(paths), kept })),
      ),
    );

  /** What a conversation cost that this process does not write; rejects like `lines`. */
  async cost(store: TranscriptStore, id: string): Promise<ConversationCost> {
    const target = await store.target(id);
    return this.#use((calls) => calls.call('cost', target, this.#options.ownPrices?.() ?? ''));
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
      return await this.#use((calls) => {
        const making = calls.call('export', job, target, work);
        leave = onAbort(signal, () => void calls.call('cancelExport', job).catch(() => undefined));
        return making;
      });
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
    clearTimeout(this.#rest);
    this.#opened.clear();
    this.#stop();
  }

  #progressed(job: number, read: number, all: number): void {
    const running = this.#exports.get(job);
    if (!running) return;
    running.isOpen = true;
    if (read > 0) running.onProgress(read, all);
  }

  #close(transcript: number): void {
    if (!this.#opened.delete(transcript)) return;
    this.#thread?.calls.call('close', transcript).catch(() => undefined);
    this.#restSoon();
  }

  async #use<T>(ask: (calls: PortCalls<ReaderCalls>) => Promise<T>): Promise<T> {
    this.#asked++;
    try {
      return await ask(this.#now().calls);
    } finally {
      this.#asked--;
      this.#restSoon();
    }
  }

  #restSoon(): void {
    clearTimeout(this.#rest);
    if (this.#opened.size > 0 || this.#asked > 0) return;
    this.#rest = setTimeout(() => this.#stop(), IDLE_MS).unref();
  }

  #now() {
    clearTimeout(this.#rest);
    return (this.#thread ??= this.#start());
  }

  #start() {
    const { script = new URL('./workers/reader.js', import.meta.url) } = this.#options;
    const worker = new Worker(script, {
      name: 'transcript reader',
      execArgv: [],
      workerData: presentTranslations(),
    });
    worker.unref();
    const host: ReaderHostCalls = {
      send: async (transcript, event) => {
        await this.#opened.get(transcript)?.send(event);
      },
      exportProgress: (job, read, all) => this.#progressed(job, read, all),
      log: (level, message) => this.#options.log[level](message),
    };
    const thread = { worker, calls: new PortCalls<ReaderCalls>(worker, host) };
    worker.on('error', (error) => this.#ended(thread.calls, error));
    worker.on('exit', () => this.#ended(thread.calls, new Error('The thread that reads transcripts ended.')));
    return thread;
  }

  #ended(calls: PortCalls<ReaderCalls>, error: Error): void {
    calls.close();
    if (this.#thread?.calls !== calls) return;
    this.#thread = undefined;
    this.#options.log.error(`Transcripts cannot be read on: ${messageOf(error)}`);
    const opened = [...this.#opened.values()];
    this.#opened.clear();
    for (const { onEnd } of opened) onEnd(error);
  }

  #stop(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.calls.close();
    void thread?.worker.terminate();
  }
}

/** A conversation to be read and not to be written, not even its caches. */
function targetOf({ root, id, name }: ConversationPaths): ReadTarget {
  return { root, id, name, readOnly: true };
}
