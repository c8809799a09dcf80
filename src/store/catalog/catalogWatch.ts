import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import type { EmitterSource } from '../../core/lazyEmitter.js';
import { names } from '../files/storePaths.js';

/** How often the conversations that may change are polled, in milliseconds. */
const HOT_MS = 2000;
/** All conversations are polled once in this many times. */
const LOOKS_PER_FULL_LOOK = 30;

/** The two ways to refresh a catalog; neither rejects. */
export interface CatalogLooks {
  lookAtAll(): Promise<void>;
  lookAtHot(): Promise<void>;
}

/** Refreshes the catalog while it has listeners. */
export class CatalogWatch implements EmitterSource {
  readonly #root: string;
  readonly #looks: CatalogLooks;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #watcher: FSWatcher | undefined;
  #busy = false;

  constructor(root: string, looks: CatalogLooks) {
    this.#root = root;
    this.#looks = looks;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#watchFolder();
      void this.#look(++this.#count % LOOKS_PER_FULL_LOOK === 0);
    }, HOT_MS);
    this.#timer.unref();
    this.#watchFolder();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** Notices new and deleted conversations at once; changes within them are noticed only by polling. */
  #watchFolder(): void {
    if (this.#watcher) return;
    try {
      this.#watcher = watch(
        join(this.#root, names.conversations),
        { persistent: false },
        () => void this.#look(false),
      );
      this.#watcher.on('error', () => {
        this.#watcher?.close();
        this.#watcher = undefined;
      });
    } catch {
      // The folder does not exist yet, or cannot be watched: the timer polls it and tries again.
    }
  }

  async #look(all: boolean): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    await (all ? this.#looks.lookAtAll() : this.#looks.lookAtHot());
    this.#busy = false;
  }
}
