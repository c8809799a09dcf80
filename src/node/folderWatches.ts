import { watch, type FSWatcher } from 'node:fs';
import { basename } from 'node:path';
import type { Disposable } from '../core/event.js';

/** Somebody who hears of files, until it is disposed. */
export interface Listening extends Disposable {
  /** Whether the system still tells of them. */
  readonly isOn: boolean;
}

/** Who wants to hear of what in a folder. */
interface Listeners {
  readonly watcher: FSWatcher;
  /** By the name of a file; undefined for all that is in the folder. */
  readonly of: Map<string | undefined, Set<() => void>>;
  hasEnded: boolean;
}

/**
 * Tells when something in a folder may have been written to, as far as the system tells: one watcher for each folder, however
 * many files in it are followed, because the system tells every watcher of every file.
 */
export class FolderWatches {
  readonly #folders = new Map<string, Listeners>();

  /**
   * Hears of a file in a folder, or of all that is in it; undefined where the folder cannot be watched, as where there are
   * too many watchers already.
   */
  listen(folder: string, name: string | undefined, hear: () => void): Listening | undefined {
    const listeners = this.#folders.get(folder) ?? this.#begin(folder);
    if (!listeners) return undefined;
    const same = listeners.of.get(name) ?? new Set();
    // Whoever listens twice hears it until both are disposed.
    const own = () => hear();
    listeners.of.set(name, same.add(own));
    return {
      get isOn() {
        return !listeners.hasEnded;
      },
      dispose: () => {
        same.delete(own);
        if (same.size === 0 && listeners.of.get(name) === same) listeners.of.delete(name);
        if (listeners.of.size === 0 && !listeners.hasEnded) this.#end(folder, listeners);
      },
    };
  }

  #begin(folder: string): Listeners | undefined {
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        // That the folder itself went is told by its own name; another one in its place needs another watcher.
        const hasGone = event === 'rename' && name === basename(folder);
        if (hasGone) this.#end(folder, listeners);
        const told = name === null || hasGone ? [...listeners.of.keys()] : [name, undefined];
        for (const key of told) for (const hear of listeners.of.get(key) ?? []) hear();
      });
      const listeners: Listeners = { watcher, of: new Map(), hasEnded: false };
      // Whoever looks now and then listens anew.
      watcher.on('error', () => this.#end(folder, listeners));
      this.#folders.set(folder, listeners);
      return listeners;
    } catch {
      // Looking now and then is left.
      return undefined;
    }
  }

  #end(folder: string, listeners: Listeners): void {
    listeners.hasEnded = true;
    listeners.watcher.close();
    if (this.#folders.get(folder) === listeners) this.#folders.delete(folder);
  }
}
