import { rm } from 'node:fs/promises';
import { messageOf } from '../../core/text.js';
import { replaceFile } from './memoryFile.js';

/** A small file that is always written whole; saves during a write are combined into one further write. */
export class ReplacedFile {
  readonly #path: string;
  readonly #onProblem: (problem: string) => void;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failed = false;

  /** `onProblem` is called for the first of several consecutive failures. */
  constructor(path: string, onProblem: (problem: string) => void) {
    this.#path = path;
    this.#onProblem = onProblem;
  }

  /**
   * Resolves when the text from `content` is on disk, or could not be written; never rejects. `content` is called when
   * the write starts; where it gives undefined, the file is removed.
   */
  save(content: () => string | undefined): Promise<void> {
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined;
      this.#writing = this.#write(content());
      return this.#writing;
    });
    return this.#next;
  }

  async #write(text: string | undefined): Promise<void> {
    try {
      if (text === undefined) await rm(this.#path, { force: true });
      else await replaceFile(this.#path, text);
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) this.#onProblem(messageOf(error));
      this.#failed = true;
    }
  }
}
