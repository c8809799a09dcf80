import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Emitter, type Disposable } from '../../core/event.js';
import type { FileChange, FileReport } from '../../capture/openedFile.js';
import type { OpenedFiles, OpenFile } from '../../capture/openedFiles.js';
import type { Log } from '../../core/ports/log.js';
import type { LiveText } from '../../page/panel/ports.js';
import { features } from '../features/features.js';
import { liveText } from './liveTexts.js';
import type { Stores } from './stores.js';
import { WrittenFiles } from '../transcripts/writtenFiles.js';

/** The files of other tools that are shown where they are, loaded with the first of them; see `OpenedFiles`. */
export class ShownFiles implements Disposable {
  readonly #folder: string;
  readonly #stores: Stores;
  readonly #log: Log;
  readonly #changed: Emitter<FileChange>;
  readonly #lives: Emitter<string>;
  readonly #writes: Emitter<string>;
  readonly #written: WrittenFiles;
  readonly #following = new Set<OpenFile['file']>();
  #loading: Promise<OpenedFiles> | undefined;
  #loaded: OpenedFiles | undefined;

  /** `storage` is the application's own folder for all that this person has, absolute. */
  constructor(storage: string, stores: Stores, log: Log) {
    this.#folder = join(storage, 'opened');
    this.#stores = stores;
    this.#log = log;
    const onFailure = (error: unknown) => log.error('A view could not follow a file', error);
    this.#changed = new Emitter(onFailure);
    this.#lives = new Emitter(onFailure);
    this.#writes = new Emitter(onFailure);
    this.#written = new WrittenFiles(onFailure);
    this.#written.onDidChange((path) => {
      for (const { conversation } of this.reportAt(path)?.conversations ?? []) this.#lives.fire(conversation);
    });
  }

  /** Fires when an open file has changed and was read again. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** Fires with a conversation whose file is being written from now on, or no longer. */
  get onDidChangeLife() {
    return this.#lives.event;
  }

  /** Whether a conversation is from a file that is being written. */
  isLive(conversation: string): boolean {
    const report = this.reportOf(conversation);
    return report !== undefined && this.#written.has(report.path);
  }

  /** Fires with a conversation of whose file more was read, which may have changed what its agents are saying. */
  get onDidWrite() {
    return this.#writes.event;
  }

  /** What its agents are saying in a conversation at this moment, as far as it stands in its file. */
  liveTexts(conversation: string): readonly LiveText[] {
    const report = this.reportOf(conversation);
    const isFirst = report?.conversations[0]?.conversation === conversation;
    return isFirst ? report.saidSoFar.map(liveText) : [];
  }

  /** Opens a file by its absolute path, until what is given is disposed. Rejects with errors for a person. */
  async open(path: string, onProgress: (done: number) => void): Promise<OpenFile> {
    const open = await (await (this.#loading ??= this.#load())).open(path, onProgress);
    const { file } = open;
    if (!this.#following.has(file)) {
      this.#following.add(file);
      file.onDidChange((change) => {
        const { path, readAt } = change.report;
        if (change.hasGained) this.#written.note(path, readAt, Date.now());
        this.#changed.fire(change);
        for (const { conversation } of change.report.conversations) this.#writes.fire(conversation);
      });
      await this.#noteWritten(open.report.path);
    }
    return open;
  }

  /** What was read of the file that a conversation is from; undefined where it is from none that is open. */
  reportOf(conversation: string): FileReport | undefined {
    return this.#loaded?.fileOf(conversation)?.report;
  }

  /** What was read of the file at an absolute path; undefined where it is not open. */
  reportAt(path: string): FileReport | undefined {
    return this.#loaded?.fileAt(path)?.report;
  }

  /** Gives up a conversation of which another stands in the place. */
  async forget(conversation: string): Promise<void> {
    await this.#loaded?.forget(conversation);
  }

  /** Removes what was read of the files. */
  async close(): Promise<void> {
    await (await this.#loading)?.close();
  }

  dispose(): void {
    this.#changed.dispose();
    this.#written.dispose();
    this.#lives.dispose();
    this.#writes.dispose();
    this.#loaded?.dispose();
  }

  async #noteWritten(path: string): Promise<void> {
    try {
      this.#written.note(path, (await stat(path)).mtimeMs, Date.now());
    } catch (error) {
      // It is gone already; its panel says so.
      this.#log.debug(`${path} is not looked at: ${String(error)}`);
    }
  }

  async #load(): Promise<OpenedFiles> {
    const { OpenedFiles: Files, openStore } = await features.transcripts();
    const kept = await this.#stores.kept();
    this.#loaded = new Files({
      folder: this.#folder,
      openStore: ({ root, ...options }) => openStore(root, { ...options, ...(kept && { kept }) }),
      onStore: (store) => this.#stores.addUnlisted(store),
      log: this.#log,
    });
    return this.#loaded;
  }
}
