import { sidecarFiles } from '../../import/importFile.js';
import { changeBetween, stampOf, type FileStamp, type StampChange } from '../../import/reading/fileStamp.js';

/** What became of a file of another tool since it was looked at before: the same as a panel notices. */
export class FileLooks {
  readonly #path: string;
  /** How it was when it was there last. */
  #before: FileStamp | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Looks at it, and at the files that are read with it. Throws errors of the file system. */
  async look(): Promise<StampChange> {
    const { files } = await sidecarFiles(this.#path);
    const beside = files.map(({ path }) => path);
    const now = stampOf(this.#path, beside, this.#before);
    const change = this.#before ? changeBetween(this.#before, now) : now ? 'written' : 'gone';
    // A file that comes back is compared with the one that went.
    this.#before = now ?? this.#before;
    return change;
  }
}
