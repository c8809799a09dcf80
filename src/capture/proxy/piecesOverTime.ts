import type { Timers } from '../../core/timers.js';
import type { Disposable } from '../../core/event.js';

/** After how long what came of an answer is given on, in milliseconds: nobody loses more than a second of it. */
const PIECE_MS = 500;

/** What comes of an answer, gathered over a while and given on together. */
export class PiecesOverTime {
  readonly #timers: Timers;
  readonly #give: (bytes: Buffer, encoding: string | undefined) => void;
  #chunks: Buffer[] = [];
  #timer: Disposable | undefined;

  constructor(timers: Timers, give: (bytes: Buffer, encoding: string | undefined) => void) {
    this.#timers = timers;
    this.#give = give;
  }

  add(chunk: Buffer, encoding: string | undefined): void {
    this.#chunks.push(chunk);
    this.#timer ??= this.#timers.after(PIECE_MS, () => {
      this.#timer = undefined;
      this.#give(Buffer.concat(this.#chunks.splice(0)), encoding);
    });
  }

  /** Gives nothing more: the whole answer is there. */
  end(): void {
    this.#timer?.dispose();
    this.#chunks = [];
  }
}
