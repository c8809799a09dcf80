import { Emitter, type Disposable } from '../../core/event.js';

/** How long after it was last written to a session counts as live, in milliseconds. */
const LIVE_MS = 2 * 60_000;

/** Whether a file that was written to at a time, in milliseconds since 1970, is still being written, as far as its time tells. */
export function isWritten(changed: number, now: number): boolean {
  return now - changed < LIVE_MS;
}

/** Which files are being written: each from a write on until none has followed for a while. */
export class WrittenFiles implements Disposable {
  readonly #ends = new Map<string, NodeJS.Timeout>();
  readonly #changed: Emitter<string>;

  constructor(onFailure: (error: unknown) => void) {
    this.#changed = new Emitter(onFailure);
  }

  /** Fires with the path of a file that is being written from now on, or no longer. */
  get onDidChange() {
    return this.#changed.event;
  }

  has(path: string): boolean {
    return this.#ends.has(path);
  }

  /** Notes that a file was written to at a time. */
  note(path: string, changed: number, now: number): void {
    if (!isWritten(changed, now)) return;
    const before = this.#ends.get(path);
    clearTimeout(before);
    // A clock that was set back makes no file live for longer than one that is written now.
    const rest = Math.min(LIVE_MS, changed + LIVE_MS - now);
    this.#ends.set(path, setTimeout(() => this.forget(path), rest).unref());
    if (!before) this.#changed.fire(path);
  }

  /** Ends what was noted of a file. */
  forget(path: string): void {
    clearTimeout(this.#ends.get(path));
    if (this.#ends.delete(path)) this.#changed.fire(path);
  }

  dispose(): void {
    for (const end of this.#ends.values()) clearTimeout(end);
    this.#ends.clear();
    this.#changed.dispose();
  }
}
