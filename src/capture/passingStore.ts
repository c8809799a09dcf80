import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../core/text.js';
import type { Log } from '../core/ports/log.js';
import type { TranscriptStore } from '../store/transcriptStore.js';
import type { TranscriptStoreOptions } from '../store/write/storeOptions.js';
import { isThere } from '../node/processIdentity.js';
import { removePassingStore } from '../store/write/removeOwnFolder.js';

/** What a passing store needs. */
export interface PassingStoreOptions {
  /** A folder of the application's own, absolute and called `PASSING_STORES`. */
  readonly folder: string;
  readonly openStore: (
    options: Pick<TranscriptStoreOptions, 'root' | 'log' | 'onProblem' | 'limits' | 'seals'>,
  ) => Promise<TranscriptStore>;
  /** Called once, with the store. */
  readonly onStore: (store: { readonly store: TranscriptStore; readonly root: string }) => void;
  readonly log: Log;
}

/**
 * A store of this window's own for what is only looked at, which nobody lists, so that everything that reads a conversation reads
 * this too. What a window that crashed has left goes with the next one that is opened.
 */
export class PassingStore {
  readonly #options: PassingStoreOptions;
  readonly #name = `${NAME}-${process.pid}-${randomUUID().slice(-12)}`;
  #store: Promise<TranscriptStore> | undefined;

  constructor(options: PassingStoreOptions) {
    this.#options = options;
  }

  /** The store, opened with the first question. */
  opened(): Promise<TranscriptStore> {
    return (this.#store ??= this.#open());
  }

  /** Deletes a conversation, once nobody writes it any more. Never rejects. */
  async forget(conversation: string, written: Promise<unknown> = Promise.resolve()): Promise<void> {
    try {
      await written;
      await (await this.#store)?.deleteConversation(conversation);
    } catch (error) {
      // It goes with the store.
      this.#options.log.debug(`${conversation} stays until the window closes: ${messageOf(error)}`);
    }
  }

  /** Closes and removes it. */
  async close(): Promise<void> {
    const store = await this.#store;
    this.#store = undefined;
    if (!store) return;
    await store.close();
    await removePassingStore(this.#options.folder, this.#name);
  }

  async #open(): Promise<TranscriptStore> {
    const { folder, log, openStore, onStore } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeLeftOvers(folder, log);
    const root = join(folder, this.#name);
    const onProblem: TranscriptStoreOptions['onProblem'] = ({ title, detail }) =>
      log.error(`${title}. ${detail}`);
    const store = await openStore({ root, log, onProblem, limits: PASSING, seals: false });
    onStore({ store, root });
    return store;
  }
}

/**
 * What is in it can be read again, so that few writes are enough; whoever shows it has it from memory. No other process writes
 * into it, so that it is enough to look at its files with each write.
 */
const PASSING = { lingerMs: 5_000, syncMs: 60_000, checkMs: 60_000 };

/** How the folder of a process of this machine begins. */
const NAME = hostname().replace(/[^A-Za-z0-9]+/g, '-');

/** Removes the folders of processes of this machine that have ended. */
async function removeLeftOvers(folder: string, log: Log): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${NAME}-`)) continue;
    const pid = Number(/^(\d+)-/.exec(name.slice(NAME.length + 1))?.[1]);
    if (!Number.isSafeInteger(pid) || isThere(pid)) continue;
    try {
      await removePassingStore(folder, name);
    } catch (error) {
      log.warn(`What an earlier window has read cannot be removed: ${messageOf(error)}`);
    }
  }
}
