import type { Disposable } from '../../core/event.js';
import type { PanelTranscript } from '../../page/panel/ports.js';
import type { Log } from '../../core/ports/log.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import type { ReadOnThread } from '../../store/write/storeOptions.js';
import type { ConversationCost } from './conversationCost.js';
import type { ExportMade, ExportWork } from './exportRecords.js';
import type { ExportOptions, OpenOptions, ReaderOptions, ReaderThread } from './readerThread.js';

/** Loads the class of the reader. */
type LoadReader = () => Promise<new (options: ReaderOptions) => ReaderThread>;

/** The reader of a window, loaded with the first question to keep it out of the editor's start. */
export class WindowReader implements Disposable, ReadOnThread {
  readonly #log: Log;
  readonly #ownPrices: () => string;
  readonly #loadReader: LoadReader;
  #loading: Promise<ReaderThread> | undefined;
  #isDisposed = false;

  /** `ownPrices` gives the path of the person's file with own prices. */
  constructor(log: Log, load: LoadReader, ownPrices: () => string) {
    this.#log = log;
    this.#ownPrices = ownPrices;
    this.#loadReader = load;
  }

  readonly lines: ReadOnThread['lines'] = async (paths) => (await this.#loaded()).lines(paths);

  readonly row: ReadOnThread['row'] = async (paths, kept) => (await this.#loaded()).row(paths, kept);

  readonly rows: ReadOnThread['rows'] = async (wanted) => (await this.#loaded()).rows(wanted);

  readonly record: ReadOnThread['record'] = async (paths, line, position) =>
    (await this.#loaded()).record(paths, line, position);

  /** Opens a conversation of a store for a panel. Rejects with an error for a person where it cannot be read. */
  async open(store: TranscriptStore, conversation: string, options: OpenOptions): Promise<PanelTranscript> {
    return (await this.#loaded()).open(store, conversation, options);
  }

  /** What a conversation cost that this process does not write. Rejects where it cannot be read. */
  async cost(store: TranscriptStore, conversation: string): Promise<ConversationCost> {
    return (await this.#loaded()).cost(store, conversation);
  }

  /** Exports a conversation that this process does not write; see `ReaderThread.export`. */
  async export(
    store: TranscriptStore,
    conversation: string,
    work: ExportWork,
    options: ExportOptions,
  ): Promise<ExportMade | undefined> {
    return (await this.#loaded()).export(store, conversation, work, options);
  }

  dispose(): void {
    this.#isDisposed = true;
    void this.#loading?.then((reader) => reader.dispose());
  }

  #loaded(): Promise<ReaderThread> {
    if (this.#isDisposed) return Promise.reject(new Error('The window is closing.'));
    return (this.#loading ??= this.#load());
  }

  async #load(): Promise<ReaderThread> {
    const Thread = await this.#loadReader();
    return new Thread({ log: this.#log, ownPrices: this.#ownPrices });
  }
}
