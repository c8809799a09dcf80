import { basename, dirname } from 'node:path';
import type { Disposable } from '../core/event.js';
import type { FolderWatches, Listening } from './folderWatches.js';

/**
 * Hears when files may have been written to, as far as the system tells: it does so at once on disks of this machine, and
 * mostly not on those of others, so whoever must not miss anything looks now and then besides. Their folders are watched,
 * because a file that is replaced is another one.
 */
export class FileWatch implements Disposable {
  readonly #watches: FolderWatches;
  readonly #onEvent: () => void;
  #listening: readonly (Listening | undefined)[] = [];
  #followed = '';

  constructor(watches: FolderWatches, onEvent: () => void) {
    this.#watches = watches;
    this.#onEvent = onEvent;
  }

  /** Whether the system tells of changes of all of the files. */
  get isComplete(): boolean {
    return this.#listening.length > 0 && this.#listening.every((each) => each?.isOn);
  }

  /** Watches these files from now on, and all that is in these folders, and no others. */
  follow(paths: readonly string[], whole: readonly string[]): void {
    const followed = JSON.stringify([paths, whole]);
    if (followed === this.#followed && this.isComplete) return;
    this.#followed = followed;
    const before = this.#listening;
    this.#listening = [
      ...paths.map((path) => this.#watches.listen(dirname(path), basename(path), this.#onEvent)),
      ...whole.map((folder) => this.#watches.listen(folder, undefined, this.#onEvent)),
    ];
    // Not before others listen, so that a folder that stays is watched on.
    for (const each of before) each?.dispose();
  }

  dispose(): void {
    for (const each of this.#listening) each?.dispose();
    this.#listening = [];
  }
}
