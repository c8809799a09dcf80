import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Disposable } from '../core/event.js';

/**
 * Hears when files may have been written to, as far as the system tells: it does so at once on disks of this machine, and
 * mostly not on those of others, so whoever must not miss anything looks now and then besides. Their folders are watched,
 * because a file that is replaced is another one.
 */
export class FileWatch implements Disposable {
  readonly #onEvent: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #names = new Set<string>();
  #whole = new Set<string>();

  constructor(onEvent: () => void) {
    this.#onEvent = onEvent;
  }

  /** Whether the system tells of changes of all of the files. */
  isComplete = false;

  /** Watches these files from now on, and all that is in these folders, and no others. */
  follow(paths: readonly string[], whole: readonly string[]): void {
    const folders = new Set([...paths.map((path) => dirname(path)), ...whole]);
    this.#whole = new Set(whole);
    this.#names = new Set(paths.map((path) => basename(path)));
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#begin(folder);
    this.isComplete = [...folders].every((folder) => this.#watchers.has(folder));
  }

  dispose(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Where nothing can be watched, as where there are too many watchers already, looking now and then is left. */
  #begin(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || this.#whole.has(folder) || this.#names.has(name)) this.#onEvent();
      });
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(folder);
        this.isComplete = false;
      });
      this.#watchers.set(folder, watcher);
    } catch {
      this.isComplete = false;
    }
  }
}
